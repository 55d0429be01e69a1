"""Cards under the joint key: they open with all shares and to nothing with fewer."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.reference_crypto import re_encrypt, source

from protocol.crypto import group
from protocol.crypto.elgamal import Ciphertext, open_card, share, starting_deck
from protocol.crypto.group import BASE, card_points, mul_base
from protocol.crypto.hashing import ORDER, below, permutation, scalar
from protocol.errors import Invalid
from protocol.game_interface import MAX_CARDS

SECRETS = (101, 202, 303)
JOINT = group.total(mul_base(secret) for secret in SECRETS)


def shares_of(ciphertext: Ciphertext) -> list[bytes]:
    return [share(secret, ciphertext) for secret in SECRETS]


def test_the_starting_deck_is_plain_to_all() -> None:
    for card, (a, b) in zip(card_points(6), starting_deck(JOINT, 6), strict=True):
        assert a == BASE
        assert group.sub(b, JOINT) == card


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 50), st.lists(st.integers(0, ORDER), max_size=3))
def test_re_encryption_keeps_the_card(index: int, rs: list[int]) -> None:
    ciphertext = starting_deck(JOINT, 51)[index]
    for r in rs:
        ciphertext = re_encrypt(JOINT, ciphertext, r)
    assert open_card(ciphertext, shares_of(ciphertext), 51) == index


def test_re_encryption_looks_new() -> None:
    card = starting_deck(JOINT, 1)[0]
    new = re_encrypt(JOINT, card, 5)
    assert new.a != card.a
    assert new.b != card.b
    assert re_encrypt(JOINT, card, 0) == card


def test_all_shares_are_needed_and_only_cards_of_the_deck_open() -> None:
    card = re_encrypt(JOINT, starting_deck(JOINT, 3)[2], 99)
    shares = shares_of(card)
    assert open_card(card, shares, 3) == 2
    for some in ([], shares[:2], [*shares, shares[0]], [shares[0]] * 3):
        fails(Invalid, "bad-card", open_card, card, some, 3)
    card = starting_deck(JOINT, 5)[4]
    assert open_card(card, shares_of(card)) == 4
    fails(Invalid, "bad-card", open_card, card, shares_of(card), 4)


def test_card_points_and_generators_are_all_apart() -> None:
    points = [BASE, *card_points(60), *group.shuffle_generators(60)]
    points += [group.chain_generator(), group.second_generator()]
    assert len(set(points)) == 123
    assert all(group.decode_point(point) for point in points)
    assert card_points(4) == card_points(60)[:4]
    for size in (0, -1, MAX_CARDS + 1):
        fails(ValueError, "a deck has", card_points, size)


def test_scalars_are_never_zero_and_are_reduced() -> None:
    answers = iter([bytes(64), ORDER.to_bytes(64, "little"), (ORDER + 5).to_bytes(64, "little")])
    assert scalar(lambda _: next(answers)) == 5


@given(st.integers(1, 60), st.binary(max_size=8))
def test_permutations_are_permutations(size: int, seed: bytes) -> None:
    assert sorted(permutation(source(seed), size)) == list(range(size))


def test_all_permutations_come_up() -> None:
    rng = source(b"dice")
    assert len({permutation(rng, 3) for _ in range(100)}) == 6
    assert {below(rng, 3) for _ in range(50)} == {0, 1, 2}
