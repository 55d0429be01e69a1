"""Commitments and openings: one choice, here, and padding that hides its length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails
from support.reference_crypto import elsewhere, verify_opening

from protocol.crypto.commitments import commit, opening, parse_opening
from protocol.crypto.hashing import Context, Label, digest
from protocol.errors import Invalid

CONTEXT = Context(b"\5" * 32, 9, 1, "choice")
NONCE = bytes(range(32))
SIZE = 64


def test_a_commitment_opens_to_its_choice_and_nothing_else() -> None:
    commitment = commit(CONTEXT, b"castle", NONCE)
    assert commitment == digest(Label.COMMITMENT, CONTEXT.encode(), b"castle", NONCE)
    assert verify_opening(CONTEXT, commitment, opening(b"castle", NONCE, SIZE)) == b"castle"
    others = [(choice, NONCE) for choice in (b"shop", b"castle\0", b"")]
    for choice, nonce in (*others, (b"castle", bytes(32))):
        with pytest.raises(Invalid, match="bad-commitment"):
            verify_opening(CONTEXT, commitment, opening(choice, nonce, SIZE))


@pytest.mark.parametrize("context", elsewhere(CONTEXT))
def test_a_commitment_opens_nowhere_else(context: Context) -> None:
    with pytest.raises(Invalid, match="bad-commitment"):
        verify_opening(context, commit(CONTEXT, b"x", NONCE), opening(b"x", NONCE, SIZE))


@given(st.binary(max_size=30), st.binary(min_size=32, max_size=32))
def test_openings_round_trip_at_one_size(choice: bytes, nonce: bytes) -> None:
    data = opening(choice, nonce, SIZE)
    assert len(data) == SIZE
    assert parse_opening(data) == (choice, nonce)


def test_openings_that_do_not_fit_are_refused() -> None:
    assert len(opening(bytes(30), NONCE, SIZE)) == SIZE
    for choice, nonce, size in (
        (bytes(31), NONCE, SIZE),
        (b"", NONCE, 33),
        (b"", NONCE[:31], SIZE),
        (bytes(2**16), NONCE, 2**17),
    ):
        fails(ValueError, "does not fit", opening, choice, nonce, size)
    fails(ValueError, "nonce of 32 bytes", commit, CONTEXT, b"", NONCE[:31])


TAILS = (
    *(b"", b"\0", b"\0\1", b"\0\2a", b"\0\1a\1"),
    *(b"\0\0" + bytes(5) + b"\1", b"\xff\xff" + bytes(100)),
)


@each([b"", None, *(NONCE + tail for tail in TAILS)], repr)
def test_malformed_openings_are_rejected(data: bytes) -> None:
    fails(Invalid, "bad-commitment", parse_opening, data)
