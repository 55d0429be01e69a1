"""Labelled hashing: framing, independence of labels, and the numbers others must get."""

from hashlib import sha512
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each, fails

from protocol.crypto import hashing
from protocol.crypto.hashing import (
    ORDER,
    VERSION,
    Context,
    Label,
    digest,
    expand,
    framed,
    hash_to_scalar,
    hedged,
    u64,
)

lists = st.lists(st.binary(max_size=12), max_size=4)


def test_digest_is_truncated_sha_512_of_the_framed_list() -> None:
    """And that is the one of FIPS 180-4."""
    label = b"p2p-table/3/message"
    data = len(label).to_bytes(8, "big") + label + (3).to_bytes(8, "big") + b"abc"
    assert digest(Label.MESSAGE, b"abc") == sha512(data).digest()[:32]
    number = int.from_bytes(sha512(data).digest(), "little")
    assert hash_to_scalar(Label.MESSAGE, b"abc") == number % ORDER
    assert sha512(b"abc").hexdigest().startswith("ddaf35a193617abacc417349ae204131")


@given(lists, lists)
def test_framing_is_injective(left: list[bytes], right: list[bytes]) -> None:
    assert (framed(*left) == framed(*right)) == (left == right)


def test_labels_are_apart() -> None:
    assert len({digest(label) for label in Label}) == len(list(Label))
    assert all(label.value.startswith(VERSION + "/") for label in Label)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
def test_expand_gives_as_many_bytes_as_asked(size: int) -> None:
    stream = expand(Label.ESCROW_KDF, size, b"key")
    assert len(stream) == size
    head = (Label.ESCROW_KDF.encode(), u64(size), u64(0), b"key")
    assert stream == sha512(framed(*head)).digest()[:size] + stream[64:]


def test_expand_depends_on_size_and_parts() -> None:
    assert expand(Label.ESCROW_KDF, 64, b"k") != expand(Label.ESCROW_KDF, 65, b"k")[:64]
    assert expand(Label.ESCROW_KDF, 64, b"k") != expand(Label.ESCROW_KDF, 64, b"l")
    long = expand(Label.ESCROW_KDF, 128, b"k")
    assert long[:64] != long[64:]


def test_contexts_encode_apart() -> None:
    context = Context(bytes(32), 1, 2, "key")
    others = [
        Context(b"\1" * 32, 1, 2, "key"),
        Context(bytes(32), 2, 2, "key"),
        Context(bytes(32), 1, 1, "key"),
        Context(bytes(32), 1, 2, "keys"),
    ]
    assert len({other.encode() for other in [context, *others]}) == 5
    parts = (b"p2p-table/3", bytes(32), u64(1), u64(2), b"key")
    assert context.encode() == framed(*parts)


@each(
    [
        (bytes(31), 0, 0),
        ("x" * 32, 0, 0),
        *((bytes(32), *at) for at in ((-1, 0), (2**64, 0), (0, -1))),
    ],
    repr,
)
def test_a_context_without_encoding_is_refused(fields: tuple[bytes, int, int]) -> None:
    fails(ValueError, "a context needs", Context, *fields, "key")


def test_no_nonce_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter([0, 5, 0, 0, 7])
    monkeypatch.setattr(hashing, "hash_to_scalar", lambda *_: next(numbers))
    assert list(islice(hedged(Label.SHARES_NONCE, bytes), 2)) == [5, 7]


def test_nonces_come_from_one_draw_the_secret_and_the_statement() -> None:
    draws = list[int]()

    def rng(size: int) -> bytes:
        draws.append(size)
        return bytes(size)

    first, second = islice(hedged(Label.SHARES_NONCE, rng, b"secret", b"about"), 2)
    assert draws == [32]
    assert first != second
    others = [
        next(hedged(Label.SHARES_NONCE, rng, b"secret", b"other")),
        next(hedged(Label.KEY_PROOF_NONCE, rng, b"secret", b"about")),
        next(hedged(Label.SHARES_NONCE, lambda size: b"\1" * size, b"secret", b"about")),
    ]
    assert len({first, *others}) == 4
    assert next(hedged(Label.SHARES_NONCE, rng, b"secret", b"about")) == first
