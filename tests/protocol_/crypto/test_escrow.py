"""Escrows: t seats open what its owner sealed, here; no other ciphertext gets a share."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.forged_points import forgeries, negated
from support.reference_crypto import elsewhere, re_encrypt, source, verify_opened, verify_opening

from protocol.crypto import escrow, group
from protocol.crypto.commitments import commit, opening
from protocol.crypto.elgamal import starting_deck
from protocol.crypto.group import encode_scalar, mul, mul_base, second_generator
from protocol.crypto.hashing import ORDER, Context, Label, hash_to_scalar
from protocol.crypto.key_sharing import (
    feldman_vector,
    key_share_at,
    polynomial,
    public_key_share_at,
)
from protocol.crypto.sigma_proofs import ShareStatement, prove_shares
from protocol.errors import Invalid

T = 3
POLYS = [polynomial(1000 + dealer, T, source(bytes([dealer]))) for dealer in range(5)]
VECTORS = [feldman_vector(poly) for poly in POLYS]
JOINT = group.total(vector[0] for vector in VECTORS)
PIECES = {i: sum(key_share_at(poly, i) for poly in POLYS) % ORDER for i in range(1, 6)}
PUBLIC = {i: group.total(public_key_share_at(vector, i) for vector in VECTORS) for i in range(1, 6)}

SEALED_IN = Context(b"\5" * 32, 30, 2, "choice")
GIVEN_IN = Context(b"\5" * 32, 31, 4, "escrow-2")
NONCE = bytes(range(32))
SIZE = 64
OPENING = opening(b"castle", NONCE, SIZE)
COMMITMENT = commit(SEALED_IN, b"castle", NONCE)
ESCROW = escrow.encrypt(SEALED_IN, JOINT, COMMITMENT, OPENING)

ELSEWHERE = elsewhere(SEALED_IN)
WHERE = (SEALED_IN.encode(), JOINT, group.BASE, second_generator(), COMMITMENT)


def give(i: int, box: bytes = ESCROW) -> bytes:
    return escrow.escrow_share(
        GIVEN_IN, (SEALED_IN, JOINT, COMMITMENT, box), PIECES[i], PUBLIC[i], source(b"share")
    )


def take(i: int, share: Any, box: bytes = ESCROW) -> bytes:
    return escrow.verify_share(GIVEN_IN, (SEALED_IN, JOINT, COMMITMENT, box), PUBLIC[i], share)


def rejected(
    context: Context = SEALED_IN,
    joint: bytes = JOINT,
    commitment: bytes = COMMITMENT,
    box: Any = ESCROW,
) -> None:
    fails(Invalid, "bad-escrow", escrow.verify, context, joint, commitment, box)


def refused(box: bytes, data: bytes = OPENING) -> None:
    """It verifies, and is not the escrow of this opening: sealing that again shows it too."""
    escrow.verify(SEALED_IN, JOINT, COMMITMENT, box)
    for check in (escrow.verify_opening, verify_opened):
        fails(Invalid, "bad-escrow", check, SEALED_IN, JOINT, COMMITMENT, box, data)


def test_any_t_seats_open_an_escrow() -> None:
    assert len(ESCROW) == SIZE + escrow.OVERHEAD == SIZE + 128
    escrow.verify(SEALED_IN, JOINT, COMMITMENT, ESCROW)
    points = {i: take(i, give(i)) for i in PIECES}
    for chosen in combinations(points, T):
        data = escrow.decrypt(ESCROW, {i: points[i] for i in chosen}, T)
        assert data == OPENING
    assert verify_opening(SEALED_IN, COMMITMENT, data) == b"castle"
    verify_opened(SEALED_IN, JOINT, COMMITMENT, ESCROW, data)
    escrow.verify_opening(SEALED_IN, JOINT, COMMITMENT, ESCROW, data)


def test_fewer_do_not() -> None:
    points = {i: take(i, give(i)) for i in (1, 2)}
    fails(ValueError, "needs 3 key shares", escrow.decrypt, ESCROW, points, T)
    assert escrow.decrypt(ESCROW, points, 2) != OPENING


def test_every_escrow_has_its_own_randomness_out_of_its_opening() -> None:
    assert escrow.encrypt(SEALED_IN, JOINT, COMMITMENT, OPENING) == ESCROW
    boxes = [escrow.encrypt(context, JOINT, COMMITMENT, OPENING) for context in ELSEWHERE]
    for data in (opening(b"castle", bytes(32), SIZE), opening(b"shop", NONCE, SIZE), OPENING):
        boxes.append(escrow.encrypt(SEALED_IN, JOINT, COMMITMENT, data))
    boxes.append(escrow.encrypt(SEALED_IN, JOINT, bytes(32), OPENING))
    boxes.append(escrow.encrypt(SEALED_IN, mul_base(5), COMMITMENT, OPENING))
    for start, end in ((0, 32), (32, 64), (64, 96), (96, 128), (128, None)):
        assert len({box[start:end] for box in boxes}) == len(boxes)


def own_escrow(r: int, s: int, u_bar: bytes | None = None, masked: bytes = bytes(SIZE)) -> bytes:
    """An escrow with randomness of its maker's liking, its proof made by the book."""
    u, bar = mul_base(r), u_bar or mul(r, second_generator())
    announced = (mul_base(s), mul(s, second_generator()))
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *WHERE, masked, u, bar, *announced)
    return u + bar + encode_scalar(e) + encode_scalar(s + r * e) + masked


def test_an_escrow_of_another_opening_or_randomness_is_found_out_once_opened() -> None:
    """It verifies, since its proof says nothing of what is inside."""
    other = opening(b"shop", NONCE, SIZE)
    refused(escrow.encrypt(SEALED_IN, JOINT, COMMITMENT, other))
    fails(Invalid, "bad-commitment", verify_opening, SEALED_IN, COMMITMENT, other)
    box = own_escrow(123, 456)
    points = {i: take(i, give(i, box), box=box) for i in (1, 2, 3)}
    refused(box, escrow.decrypt(box, points, T))


def test_an_escrow_with_another_proof_of_the_same_is_found_out_once_opened() -> None:
    r = hash_to_scalar(Label.ESCROW_RANDOMNESS, *WHERE, OPENING)
    s = hash_to_scalar(
        Label.ESCROW_PROOF_NONCE, encode_scalar(r), *WHERE, ESCROW[128:], ESCROW[:32], ESCROW[32:64]
    )
    assert own_escrow(r, s, masked=ESCROW[128:]) == ESCROW
    refused(own_escrow(r, s + 1, masked=ESCROW[128:]))


@pytest.mark.parametrize("context", ELSEWHERE)
def test_an_escrow_holds_nowhere_else(context: Context) -> None:
    rejected(context=context)
    with pytest.raises(Invalid, match="bad-escrow"):
        escrow.escrow_share(
            GIVEN_IN, (context, JOINT, COMMITMENT, ESCROW), PIECES[1], PUBLIC[1], source(b"")
        )


def test_the_whole_statement_counts() -> None:
    rejected(joint=mul_base(5))
    rejected(commitment=bytes(32))
    rejected(box=ESCROW[:-1] + bytes([ESCROW[-1] ^ 1]))
    rejected(box=ESCROW[32:64] + ESCROW[:32] + ESCROW[64:])
    rejected(box=ESCROW[:64] + ESCROW[96:128] + ESCROW[64:96] + ESCROW[128:])


CARD = re_encrypt(JOINT, starting_deck(JOINT, 5)[3], 97531)


@pytest.mark.parametrize("header", [CARD.a, CARD.b, group.sub(CARD.b, CARD.a)])
def test_a_card_is_no_escrow(header: bytes) -> None:
    """The shares of its first component would open someone's hand card."""
    for box in (
        header + ESCROW[32:],
        header + header + ESCROW[64:],
        header + mul(97531, second_generator()) + ESCROW[64:],
        group.add(header, ESCROW[:32]) + ESCROW[32:],
    ):
        rejected(box=box)
        fails(Invalid, "bad-escrow", give, 1, box)
    # The shuffler knows how he re-randomised a card, so let him know the randomness he added.
    u = header
    bar, announced = mul(5, second_generator()), (mul_base(7), mul(7, second_generator()))
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *WHERE, bytes(SIZE), u, bar, *announced)
    rejected(box=u + bar + encode_scalar(e) + encode_scalar(7 + 5 * e) + bytes(SIZE))


def test_a_card_share_is_no_escrow_share() -> None:
    about = ShareStatement(GIVEN_IN, JOINT, PUBLIC[1], [ESCROW[:32]])
    shares, proof = prove_shares(about, PIECES[1], source(b"card"))
    fails(Invalid, "bad-share", take, 1, shares[0] + proof)


def test_halves_of_unequal_randomness_are_rejected() -> None:
    """Nor is there one without randomness: its proof holds, and who knows Y reads it."""
    escrow.verify(SEALED_IN, JOINT, COMMITMENT, own_escrow(123, 456))
    rejected(box=own_escrow(123, 456, u_bar=mul(124, second_generator())))
    rejected(box=own_escrow(0, 456))


def test_a_header_made_after_the_challenge_is_rejected() -> None:
    """Weak Fiat-Shamir: a challenge without u lets u be solved for."""
    w, w_bar, f = mul_base(3), mul(3, second_generator()), 8
    e = hash_to_scalar(Label.ESCROW_CHALLENGE, *WHERE, bytes(SIZE), w, w_bar)
    inverse = pow(e, -1, ORDER)
    u = mul(inverse, group.sub(mul_base(f), w))
    bar = mul(inverse, group.sub(mul(f, second_generator()), w_bar))
    rejected(box=u + bar + encode_scalar(e) + encode_scalar(f) + bytes(SIZE))


@each([*forgeries(ESCROW[:32]).values(), negated(ESCROW[:32])])
def test_bad_points_are_rejected(point: bytes) -> None:
    rejected(box=point + ESCROW[32:])
    rejected(box=ESCROW[:32] + point + ESCROW[64:])
    rejected(box=point + point + ESCROW[64:])
    fails(Invalid, "bad-share", take, 1, point + give(1)[32:])


def test_bad_scalars_are_rejected() -> None:
    for at in (64, 96):
        number = int.from_bytes(ESCROW[at : at + 32], "little")
        for other in (0, (number + 1) % ORDER, number + ORDER, ORDER - number, 2**256 - 1):
            word = other.to_bytes(32, "little")
            rejected(box=ESCROW[:at] + word + ESCROW[at + 32 :])


@each([b"", ESCROW[:-1], ESCROW + b"\0", ESCROW[:128], ESCROW[:127], ESCROW * 2, None], repr)
def test_other_lengths_are_rejected(box: Any) -> None:
    rejected(box=box)


def test_shares_hold_and_wrong_ones_are_rejected() -> None:
    one, two = give(1), give(2)
    assert len(one) == escrow.SHARE_SIZE
    assert take(1, one) == mul(PIECES[1], ESCROW[:32])
    high = (int.from_bytes(one[64:], "little") + ORDER).to_bytes(32, "little")
    mixed = (two, two[:32] + one[32:], one[:32] + two[32:], one[:32] + bytes(64), one[:64] + high)
    for bad in (*mixed, one[:-1], one + b"\0", b"", None):
        fails(Invalid, "bad-share", take, 1, bad)
    other = escrow.encrypt(SEALED_IN, JOINT, COMMITMENT, opening(b"shop", NONCE, SIZE))
    fails(Invalid, "bad-share", take, 1, one, box=other)
    one_of_two = give(1, own_escrow(123, 456))
    fails(Invalid, "bad-share", take, 1, one_of_two, box=own_escrow(123, 457))
    for where in ELSEWHERE:
        with pytest.raises(Invalid, match="bad-share"):
            escrow.verify_share(GIVEN_IN, (where, JOINT, COMMITMENT, ESCROW), PUBLIC[1], one)


@each([*forgeries(PUBLIC[1]).values(), b""])
def test_public_key_shares_outside_the_group_are_rejected(public: bytes) -> None:
    with pytest.raises(Invalid, match="bad-share"):
        escrow.verify_share(GIVEN_IN, (SEALED_IN, JOINT, COMMITMENT, ESCROW), public, give(1))


def any_bytes(size: int) -> st.SearchStrategy[bytes]:
    return st.one_of(st.binary(max_size=size * 5 // 4), st.binary(min_size=size, max_size=size))


@settings(max_examples=40, deadline=None)
@given(any_bytes(192), any_bytes(96), st.integers(0, len(ESCROW) - 1), st.integers(1, 255))
def test_any_bytes_and_any_changed_byte_are_invalid(
    box: bytes, share: bytes, at: int, change: int
) -> None:
    rejected(box=box)
    fails(Invalid, "bad-share", take, 1, share)
    rejected(box=ESCROW[:at] + bytes([ESCROW[at] ^ change]) + ESCROW[at + 1 :])
