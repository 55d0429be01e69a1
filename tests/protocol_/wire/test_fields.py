"""Reading decoded values: any value gives a value of the type or Invalid, never anything else."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.machine_table import make_table
from support.sampling import times
from support.toy_game import ToyGame

from p2p_hoity import game_adapter
from p2p_hoity.table.gathering.lobby import Offer, SeatedNames, encode_lobby, parse_lobby
from protocol.crypto import group
from protocol.errors import FieldPlace, Invalid, within
from protocol.transcript import transcript_format as transcript
from protocol.transcript.verification_report import Unsound
from protocol.wire import codec, peer_frames, signed_messages, step_bodies, table_header
from protocol.wire.codec import (
    ANY,
    Digests,
    Either,
    FieldForm,
    Fields,
    Flag,
    Int,
    Octets,
    Text,
    WrongForm,
)
from protocol.wire.signed_messages import (
    EpochPromise,
    EpochRequest,
    NewEpoch,
    QuorumCertificate,
    StepInput,
)

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


def read(form: FieldForm[Any], value: Any) -> Any:
    """Read a value that stands in an array, which stands in another."""
    outer = Fields(ANY, ANY, ANY, Fields(ANY, form))
    return codec.read(outer, (0, 0, 0, (0, value)), CODE, "a field")[3][1]


def reading(read: Callable[[], Any]) -> tuple[Any, str | None, tuple[int, ...]]:
    """(what was read, None, ()) or (None, the code, the path); any other exception escapes."""
    try:
        return read(), None, ()
    except Unsound as error:
        return None, error.code, error.path
    except Invalid as error:
        return None, error.code, getattr(error, "path", ())


def check_parser(
    data: bytes, parse: Callable[[bytes], Any], encode: Callable[[Any], bytes], *codes: str
) -> None:
    """Check that bytes are refused with one of these codes, or are the encoding of what is read."""
    found, code, _ = reading(lambda: parse(data))
    assert code in (None, *codes)
    assert code or encode(found) == data


# Readers, one by one: value, what is read, and what is refused.


READERS: dict[str, tuple[FieldForm[Any], list[Any], list[Any]]] = {
    "integer": (Int(9, 2), [2, 5, 9], [1, 10, True, None, "5", b"5", (), 2**64]),
    "flag": (Flag(), [True, False], [0, 1, None, "true", ()]),
    "octets": (Octets(), [b"", b"x"], ["", 0, None, (b"x",), bytearray(b"x")]),
    "octets of a size": (Octets(2), [b"ab"], [b"", b"a", b"abc", "ab", (0, 0)]),
    "octets of two sizes": (Octets(2, optional=True), [b"", b"ab"], [b"a", "", None]),
    "text": (Text(str.islower), ["a", "ab"], ["", "A", b"ab", 0, None, ("a",)]),
    "short text": (Text(str.islower, 2), ["a", "ab"], ["abc", b"ab", ["a", "b"]]),
    "text or number": (Either(str, Text(str.islower), Int(2)), ["a", 2], ["A", 3, True, None]),
    "hashes": (
        Digests(2, size=2),
        [(), (b"ab", b"ab")],
        [(b"a",), ("ab",), (b"ab",) * 3, b"", (1,)],
    ),
    "rising hashes": (
        Digests(9, least=1, size=1, rising=True),
        [(b"a",), (b"a", b"b")],
        [(), (b"b", b"a"), (b"a", b"a")],
    ),
}


@each(READERS)
def test_what_is_of_its_form_is_read_and_anything_else_refused_with_code_and_place(
    name: str,
) -> None:
    form, good, bad = READERS[name]
    for value in good:
        found = read(form, value)
        assert found == value
        assert type(found) is type(value)
        assert form.write(found) == value
    for value in bad:
        with pytest.raises(WrongForm) as caught:
            read(form, value)
        assert (caught.value.code, caught.value.path) == (CODE, (3, 1)), value
        assert caught.value.reason.startswith("a field: ")


class Colour(IntEnum):
    """What a number is read as."""

    RED = 1


def test_a_member_of_an_enumeration_is_read_from_its_value() -> None:
    assert read(codec.form_of(Colour), 1) is Colour.RED
    for value in (0, True, "RED", b"1", None, (1,)):
        fails(WrongForm, "", read, codec.form_of(Colour), value)


@dataclass(frozen=True)
class Pair:
    """A row of two fields."""

    seat: Annotated[int, Int(9)]
    body: Annotated[bytes, Octets(1)] | None = None


ROWS_OF_TWO = (codec.Struct(Pair), Fields(Int(9), codec.form_of(bytes | None)))


@pytest.mark.parametrize("value", [(), (1,), (1, b"x", 3), b"ab", "ab", None, 2, {1: 2}])
def test_a_row_has_exactly_its_fields(value: Any) -> None:
    for form in ROWS_OF_TWO:
        fails(WrongForm, "", read, form, value)
        assert [read(form, [1, one]) for one in (None, b"x")] == [
            Pair(1, one) if isinstance(form, codec.Struct) else (1, one) for one in (None, b"x")
        ]


def test_a_row_may_stand_behind_a_head_or_the_number_of_its_kind() -> None:
    behind, kinds = codec.Struct(Pair, head=2), codec.Kinds({7: (Pair, 99)})
    assert read(behind, ("any", None, 1, b"x")) == Pair(1, b"x")
    assert behind.write(Pair(1, b"x")) == (1, b"x")
    assert read(codec.Struct(Pair, seat=Int(20)), (20, None)) == Pair(20)
    fails(WrongForm, "", read, codec.Struct(Pair), (20, None))
    assert read(kinds, (7, 1, None)) == Pair(1)
    for value in ((8, 1, None), (True, 1, None), (7, 1), ((), 1, None), (), 7, b"7"):
        fails(WrongForm, "", read, kinds, value)
    with pytest.raises(WrongForm, match="seat is no number from 0 to 9") as caught:
        read(kinds, (7, 10, None))
    assert caught.value.path == (3, 1, 1)


def test_a_list_has_at_most_its_items_and_fields_know_their_names_and_places() -> None:
    few, pairs = codec.Rows(Int(9), 2), codec.Rows(Pair, key=lambda pair: pair.seat)
    assert read(few, [1, 2]) == (1, 2)
    fails(WrongForm, "", read, few, (1, 2, 3))
    fails(WrongForm, "", read, codec.Rows(Int(9), 2, 2), (1,))
    assert read(pairs, ((1, None), (2, b"x"))) == (Pair(1), Pair(2, b"x"))
    assert pairs.write((Pair(1), Pair(2, b"x"))) == ((1, None), (2, b"x"))
    with pytest.raises(WrongForm, match="an item: body is not 1 bytes") as caught:
        read(pairs, ((1, None), (2, b"xy")))
    assert caught.value.path == (3, 1, 1, 1)


def test_what_is_read_unchanged_is_the_very_tuple_that_was_there() -> None:
    value = ((1, b"x"), (2, b"y"))
    assert read(codec.Rows(Fields(Int(9), bytes)), value) is value


@pytest.mark.parametrize("found", [(1, 1), (2, 1), (1, 3, 2)])
def test_what_does_not_rise_is_refused(found: tuple[int, ...]) -> None:
    form = codec.Rows(Int(9), key=int)
    fails(WrongForm, "rising", read, form, found)
    assert read(form, tuple(sorted(set(found)))) == tuple(sorted(set(found)))


@given(VALUES)
def test_a_reader_gives_its_type_or_malformed(value: Any) -> None:
    for form, _, _ in READERS.values():
        found, code, _ = reading(lambda form=form: read(form, value))
        assert code in (None, CODE)
        assert code or found == value


# Whole parsers.

ROW = st.lists(VALUES, max_size=8).map(tuple)
MAYBE = st.one_of


def shaped(*fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Arrays of the right length, most of whose fields may be right."""
    return st.tuples(*(one | VALUES for one in fields))


DIGESTS = st.lists(st.sampled_from([bytes(32), HASH]), max_size=3).map(tuple)
NUMBER = st.integers(0, 9)
HEAD = (st.integers(1, 7), st.just(TABLE.id), NUMBER, NUMBER)
MESSAGES = MAYBE(
    ROW,
    shaped(*HEAD),
    shaped(*HEAD, DIGESTS),
    shaped(*HEAD, NUMBER, st.just(HASH), st.binary(max_size=4)),
    shaped(*HEAD, st.none(), DIGESTS, st.none(), DIGESTS, st.lists(DIGESTS).map(tuple)),
)


@settings(max_examples=times(15, 1000), deadline=None)
@given(MESSAGES)
def test_any_value_is_a_message_or_invalid(value: Any) -> None:
    check_parser(
        codec.encode(value),
        lambda data: signed_messages.read_payload(data, TABLE.id, 3),
        lambda found: signed_messages.payload(TABLE.id, *found),
        "bad-message",
    )


FRAMES = MAYBE(
    ROW,
    shaped(NUMBER, st.binary(max_size=40)),
    shaped(NUMBER, DIGESTS, st.lists(NUMBER).map(tuple)),
    shaped(NUMBER, NUMBER, NUMBER, st.just((bytes(16),))),
    shaped(NUMBER, st.just(HASH), st.booleans()),
)


@given(FRAMES)
def test_any_value_is_a_frame_or_invalid(value: Any) -> None:
    """One of the right form may be longer than its kind, and then it is refused unread."""
    read, codes = (peer_frames.parse_frame, peer_frames.encode_frame), ("bad-frame", "bad-encoding")
    check_parser(codec.encode(value), *read, *codes)


LOBBY = MAYBE(
    ROW,
    shaped(st.just("names"), st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("sit"), ROW, st.lists(st.text(max_size=3)).map(tuple)),
    shaped(st.just("offer"), st.just(b""), st.just(TABLE.header.terms.value()), st.just(("Ana",))),
    shaped(st.just("roster"), st.binary(), st.just((("a:1",),)), st.just(bytes(64))),
)


@settings(max_examples=times(15, 1000), deadline=None)
@given(LOBBY)
def test_any_value_is_a_lobby_frame_or_invalid(value: Any) -> None:
    codes = ("bad-frame", "bad-header", "bad-encoding")
    check_parser(codec.encode(value), parse_lobby, encode_lobby, *codes)


BODIES: dict[str, Callable[[bytes], Any]] = {
    "key.commit": partial(step_bodies.parse, step_bodies.KeyCommit),
    "key.reveal": partial(step_bodies.parse, step_bodies.key_reveal_form(1, 2)),
    "key.ok": step_bodies.parse_key_ok,
    "seal": partial(step_bodies.parse, step_bodies.SealBody),
    "shuffle": partial(step_bodies.parse, step_bodies.shuffle_form(1)),
    "gather": partial(step_bodies.parse, step_bodies.gather_form(1, 1)),
    "show": partial(step_bodies.parse, step_bodies.ShowBody),
}
FIELD = st.sampled_from([b"", bytes(32), bytes(64), bytes(96), 3, None, (b"",), (b"", bytes(32))])


@pytest.mark.parametrize("kind", BODIES)
@settings(max_examples=times(15, 1000), deadline=None)
@given(value=st.lists(FIELD | VALUES, min_size=2, max_size=4).map(tuple) | VALUES)
def test_any_value_is_a_body_or_invalid(kind: str, value: Any) -> None:
    data, encode = codec.encode(value), step_bodies.encode_body
    check_parser(data, BODIES[kind], encode, "bad-body", "bad-point")


OF_TWO = group.BASE + group.BASE
WRONG_FORMS: list[tuple[str, Any, str | None]] = [
    ("key.commit", (bytes(31), bytes(32)), "hash"),
    ("key.commit", (bytes(32), 7), "box"),
    ("key.commit", (bytes(32),), None),
    ("key.commit", 7, None),
    ("key.reveal", (bytes(31), bytes(64), (b"", b"")), "vector"),
    ("key.reveal", (bytes(32), bytes(64), (b"", b"")), "vector[0]"),
    ("key.reveal", (group.BASE, bytes(63), (b"", b"")), "proof"),
    ("key.reveal", (group.BASE, bytes(64), (b"",)), "key_shares"),
    ("key.reveal", (group.BASE, bytes(64), (b"", 7)), "key_shares[1]"),
    ("key.ok", (bytes(31), b""), "commitment"),
    ("key.ok", (bytes(32), None), "escrow"),
    ("key.ok", (1, bytes(31)), "secret"),
    ("seal", (None, b""), "commitment"),
    ("seal", (bytes(32), 7), "escrow"),
    ("shuffle", (bytes(63), b""), "deck"),
    ("shuffle", (bytes(64), None), "proof"),
    ("gather", (7, b"", (b"",), (bytes(96),)), "opening"),
    ("gather", ((b"", bytes(31)), b"", (b"",), (bytes(96),)), "opening[1]"),
    ("gather", (None, None, (b"",), (bytes(96),)), "shares"),
    ("gather", (None, b"", (), (bytes(96),)), "helps"),
    ("gather", (None, b"", (7,), (bytes(96),)), "helps[0]"),
    ("gather", (None, b"", (b"",), (bytes(95),)), "escrows[0]"),
    ("gather", (None, b"", (b"",)), None),
    ("show", (7, b""), "choice"),
    ("show", (b"", 7), "shares"),
]


@each(WRONG_FORMS)
def test_a_body_of_a_wrong_form_names_the_field_and_the_item_in_it(
    case: tuple[str, Any, str | None],
) -> None:
    kind, value, place = case
    with pytest.raises(Invalid) as caught:
        BODIES[kind](codec.encode(value))
    assert place == (caught.value.place and str(caught.value.place))
    assert caught.value.code == ("bad-point" if place == "vector[0]" else "bad-body")


def test_bytes_that_are_no_body_name_no_field() -> None:
    for kind, parse in BODIES.items():
        with pytest.raises(Invalid) as caught:
            parse(b"\xc1")
        assert (caught.value.code, caught.value.place) == ("bad-body", None), kind


def test_the_innermost_index_stands_in_the_field_named_around_it() -> None:
    for outer, place in ((None, "shares[1]"), (2, "helps[2]")):
        with pytest.raises(Invalid) as caught, within("helps" if outer else "shares", outer):
            step_bodies.split(group.BASE + bytes(32) + group.BASE)
        assert str(caught.value.place) == place
    with pytest.raises(Invalid) as caught, within("opening"), within("choice", 0):
        raise Invalid("bad-body", "reason")
    assert caught.value.place == FieldPlace("choice", 0)
    with within("shares"):
        assert step_bodies.split(OF_TWO) == (group.BASE, group.BASE)


@given(VALUES)
def test_any_value_is_a_choice_or_invalid(value: Any) -> None:
    choice, code, _ = reading(lambda: step_bodies.parse_choice(codec.encode(value), 40))
    assert code in (None, "bad-body")
    assert code or choice == value


@settings(max_examples=times(15, 1000), deadline=None)
@given(st.integers(0, 7), VALUES)
def test_terms_with_any_value_in_a_field_are_terms_or_invalid(at: int, value: Any) -> None:
    fields = list(TABLE.header.terms.value())
    fields[at] = value
    terms, code, _ = reading(lambda: table_header.parse_terms(tuple(fields)))
    assert code in (None, "bad-header", "bad-point")
    assert code or terms.value() == tuple(fields)


@settings(max_examples=times(15, 1000), deadline=None)
@given(VALUES | shaped(st.just("hoity-toity"), st.just(1), st.binary(), st.just("")))
def test_any_value_is_a_game_or_invalid(value: Any) -> None:
    fails(Invalid, "bad-game", game_adapter.read_game, replace(TABLE.header.terms, game=value))


PAIRS = st.lists(shaped(NUMBER, st.just(bytes(64))), max_size=3).map(tuple)
ENTRY = shaped(st.just(0), ROW) | shaped(st.just(1), ROW, ROW, st.lists(NUMBER).map(tuple))
CONTENT = shaped(st.binary(max_size=3), st.lists(ENTRY, max_size=3).map(tuple))
EVIDENCE = shaped(st.lists(PAIRS, max_size=2).map(tuple), PAIRS, PAIRS, PAIRS, PAIRS)


@settings(max_examples=times(15, 1000), deadline=None)
@given(CONTENT | VALUES, EVIDENCE | VALUES)
def test_any_value_is_a_transcript_or_unsound_at_a_place_within_it(
    content: Any, evidence: Any
) -> None:
    value = (transcript.MAGIC, transcript.VERSION, content, evidence)
    read, code, path = reading(lambda: transcript.read(value))
    assert code in (None, "bad-form")
    assert code or read.encode() == codec.encode(value)
    at: Any = value
    for index in path:
        at = at[index]


def test_the_strategies_reach_what_is_valid() -> None:
    """What the properties above would accept: one of each parser, so that they are not idle."""
    promise = EpochPromise(
        2, QuorumCertificate(1, HASH, True, ((0, bytes(64)),)), (HASH,), None, (), ((HASH,),)
    )
    for one in (StepInput(0, 1, HASH, b""), EpochRequest(1), promise, NewEpoch(1, (HASH,))):
        data = signed_messages.payload(TABLE.id, 2, one)
        assert signed_messages.read_payload(data, TABLE.id, 3) == (2, one)
    for frame in (
        peer_frames.Fetch((HASH,), (1,)),
        peer_frames.Sync(1, 2, (bytes(16),)),
        peer_frames.Told(),
    ):
        assert peer_frames.parse_frame(peer_frames.encode_frame(frame)) == frame
    offer = Offer(b"", TABLE.header.terms, ("Ana",))
    for lobby in (offer, SeatedNames(("Ana", "Bob"))):
        assert parse_lobby(encode_lobby(lobby)) == lobby
