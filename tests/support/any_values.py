"""Any values as fields of what is decoded: a parser gives its type or Invalid, and nothing else."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from protocol.errors import Invalid
from protocol.transcript.verification_report import Unsound
from support.machine_table import make_table
from support.toy_game import ToyGame

TABLE, _ = make_table(ToyGame(3), 3)
HASH = b"\x01" * 32
CODE = "bad-code"

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(0, 2**64 - 1)
    | st.integers(0, 20)
    | st.text(max_size=4)
    | st.binary(max_size=4)
    | st.sampled_from([bytes(16), bytes(32), HASH, bytes(64), "sit", "names", "ask", "roster"])
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=8).map(tuple), max_leaves=24)
"""Any value that can be decoded."""


def outcome(parse: Callable[[], Any]) -> tuple[Any, str | None, tuple[int, ...]]:
    """Return (what was read, None, ()) or (None, the code, the path); other exceptions escape."""
    try:
        return parse(), None, ()
    except Unsound as error:
        return None, error.code, error.path
    except Invalid as error:
        return None, error.code, getattr(error, "path", ())


def check_parser(
    data: bytes, parse: Callable[[bytes], Any], encode: Callable[[Any], bytes], *codes: str
) -> None:
    """Check that bytes are refused with one of these codes, or are the encoding of what is read."""
    found, code, _ = outcome(lambda: parse(data))
    assert code in (None, *codes)
    assert code or encode(found) == data


ROW = st.lists(VALUES, max_size=8).map(tuple)


def shaped(*fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Arrays of the right length, most of whose fields may be right."""
    return st.tuples(*(one | VALUES for one in fields))


DIGESTS = st.lists(st.sampled_from([bytes(32), HASH]), max_size=3).map(tuple)
NUMBER = st.integers(0, 9)
