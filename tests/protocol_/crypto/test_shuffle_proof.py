"""The watched shuffle: an honest one is accepted, and no other in any disguise."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.forged_points import forgeries, negated
from support.reference_crypto import re_encrypt, source

from protocol.crypto import group, shuffle_proof
from protocol.crypto.elgamal import Ciphertext, Deck, open_card, share, starting_deck
from protocol.crypto.group import BASE, IDENTITY, mul_base
from protocol.crypto.hashing import ORDER, Context
from protocol.crypto.shuffle_proof import (
    ShuffleProof,
    ShuffleSecret,
    _recompute,
    challenge_of,
    decode_proof,
    proof_size,
    statement_digest,
    weights,
)
from protocol.errors import Invalid

CONTEXT = Context(b"\5" * 32, 7, 1, "shuffle")
KEY = 31337
JOINT = mul_base(KEY)
N = 4
BEFORE, _ = shuffle_proof.shuffle(JOINT, starting_deck(JOINT, N), source(b"first"))
AFTER, SECRET = shuffle_proof.shuffle(JOINT, BEFORE, source(b"second"))
PROOF = shuffle_proof.prove(CONTEXT, JOINT, BEFORE, AFTER, SECRET, source(b"proof"))


def cards_of(deck: Deck) -> list[int]:
    return [open_card(card, [share(KEY, card)], len(deck)) for card in deck]


def rejected(
    joint: bytes = JOINT,
    before: Deck = BEFORE,
    after: Any = AFTER,
    proof: Any = PROOF,
) -> None:
    """Whatever is put in place of a true part, the proof does not hold. The vectors move it."""
    fails(Invalid, "bad-shuffle", shuffle_proof.verify, CONTEXT, joint, before, after, proof)


def proven(after: Deck, secret: ShuffleSecret, before: Deck = BEFORE) -> bytes:
    """What the prover makes of a deck that its secret does not lead to."""
    return shuffle_proof.prove(CONTEXT, JOINT, before, after, secret, source(b"cheat"))


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 7), st.binary(max_size=4))
def test_a_shuffle_holds_and_keeps_the_cards(n: int, seed: bytes) -> None:
    deck, rng = starting_deck(JOINT, n), source(seed)
    for _ in range(2):
        after, secret = shuffle_proof.shuffle(JOINT, deck, rng)
        proof = shuffle_proof.prove(CONTEXT, JOINT, deck, after, secret, rng)
        assert len(proof) == proof_size(n)
        shuffle_proof.verify(CONTEXT, JOINT, deck, after, proof)
        assert cards_of(after) == [cards_of(deck)[at] for at in secret.order]
        assert not {c for card in after for c in card} & {c for card in deck for c in card}
        deck = after
    assert sorted(cards_of(deck)) == list(range(n))


def test_a_whole_deck_holds() -> None:
    deck, rng = starting_deck(JOINT, 51), source(b"whole")
    after, secret = shuffle_proof.shuffle(JOINT, deck, rng)
    proof = shuffle_proof.prove(CONTEXT, JOINT, deck, after, secret, rng)
    assert len(proof) == 6688
    shuffle_proof.verify(CONTEXT, JOINT, deck, after, proof)


def test_the_whole_statement_counts() -> None:
    rejected(joint=BASE)
    rejected(before=AFTER)
    rejected(before=BEFORE[::-1])
    rejected(before=starting_deck(JOINT, N))
    rejected(after=BEFORE)
    rejected(before=AFTER, after=BEFORE)
    rejected(before=BEFORE[:3], after=AFTER[:3])
    rejected(after=AFTER[:3])
    rejected(before=(), after=(), proof=b"")
    rejected(before=(), after=(), proof=bytes(proof_size(0)))


@pytest.mark.parametrize("order", [(1, 0, 2, 3), (3, 1, 2, 0), (0, 1, 3, 2)])
def test_cards_swapped_or_changed_after_the_proof_are_rejected(order: tuple[int, ...]) -> None:
    rejected(after=tuple(AFTER[at] for at in order))
    rejected(after=(re_encrypt(JOINT, AFTER[0], 3), *AFTER[1:]))


OWN_CARD = Ciphertext(mul_base(8), group.add(BASE, group.mul(8, JOINT)))
CHEATS: dict[str, Deck] = {
    "a card twice": (re_encrypt(JOINT, AFTER[1], 8), *AFTER[1:]),
    "a card of one's own": (OWN_CARD, *AFTER[1:]),
    "an old deck": BEFORE,
    "no re-encryption": tuple(BEFORE[at] for at in SECRET.order),
    "one ciphertext throughout": (AFTER[0],) * N,
    "errors that cancel out": (
        Ciphertext(AFTER[0].a, group.add(AFTER[0].b, BASE)),
        Ciphertext(AFTER[1].a, group.sub(AFTER[1].b, BASE)),
        *AFTER[2:],
    ),
    "components across cards": (
        Ciphertext(AFTER[0].a, AFTER[1].b),
        Ciphertext(AFTER[1].a, AFTER[0].b),
        *AFTER[2:],
    ),
    "halves the wrong way round": tuple(Ciphertext(card.b, card.a) for card in AFTER),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_prover_who_cheats_is_rejected(name: str) -> None:
    rejected(after=CHEATS[name])
    rejected(after=CHEATS[name], proof=proven(CHEATS[name], SECRET))


def test_a_prover_with_another_secret_is_rejected() -> None:
    swapped = (SECRET.order[1], SECRET.order[0], *SECRET.order[2:])
    for secret in (
        ShuffleSecret(swapped, SECRET.randomness),
        ShuffleSecret(SECRET.order, (SECRET.randomness[0] + 1, *SECRET.randomness[1:])),
        ShuffleSecret(SECRET.order, (0,) * N),
    ):
        rejected(proof=proven(AFTER, secret))


POINT = AFTER[0].a
OTHER_LENGTHS = {"short": POINT[:31], "long": POINT + b"\0", "empty": b"", "no bytes": None}
BAD_POINTS = {**forgeries(POINT), **OTHER_LENGTHS}


@pytest.mark.sampled(40)
@pytest.mark.parametrize(("name", "half"), [*product(BAD_POINTS, (0, 1))])
def test_bad_points_in_the_new_deck_are_rejected(name: str, half: int) -> None:
    for at in range(N):
        card: list[Any] = list(AFTER[at])
        card[half] = BAD_POINTS[name]
        rejected(after=(*AFTER[:at], Ciphertext(*card), *AFTER[at + 1 :]))


WORDS = [PROOF[at : at + 32] for at in range(0, len(PROOF), 32)]
SCALARS = 5 + 2 * N


def with_word(at: int, word: bytes) -> bytes:
    return b"".join([*WORDS[:at], word, *WORDS[at + 1 :]])


@pytest.mark.parametrize("at", range(len(WORDS)))
def test_every_word_of_the_proof_counts(at: int) -> None:
    number = int.from_bytes(WORDS[at], "little")
    if at < SCALARS:
        others = [(number + 1) % ORDER, number + ORDER, ORDER - number, 0, ORDER, 2**256 - 1]
        bad = [other.to_bytes(32, "little") for other in others]
    else:
        bad = [*forgeries(WORDS[at]).values(), BASE]
        bad += [negated(WORDS[at]), group.add(WORDS[at], BASE)]
    for word in bad:
        rejected(proof=with_word(at, word))


@pytest.mark.parametrize("start", [5, 5 + N, 5 + 2 * N, 5 + 3 * N])
def test_words_of_the_proof_cannot_be_swapped(start: int) -> None:
    words = [*WORDS]
    words[start], words[start + 1] = words[start + 1], words[start]
    rejected(proof=b"".join(words))


@each([b"", PROOF[:-1], PROOF[:-32], PROOF + b"\0", PROOF + bytes(32), PROOF * 2, None], repr)
def test_a_proof_has_one_length(proof: Any) -> None:
    rejected(proof=proof)


def test_words_that_would_skip_a_check_are_rejected() -> None:
    """A weight of 0 multiplies nothing, so libsodium would not look at that card's points."""
    parts = decode_proof(PROOF, N)
    zeros = replace(parts, responses=(*parts.responses[:-1], 0))
    fails(Invalid, "no 0", decode_proof, zeros.encode(), N)
    for at in range(SCALARS, len(WORDS)):
        fails(Invalid, "no identity", decode_proof, with_word(at, IDENTITY), N)


def test_a_simulated_transcript_is_rejected() -> None:
    """Any responses fit an announcement made from them; the hash of it all does not."""
    after = CHEATS["a card of one's own"]
    points = tuple(mul_base(k) for k in range(2, 2 + N))
    numbers = tuple(range(20, 20 + N))
    forged = ShuffleProof(99, (1, 2, 3, 4, *numbers, *numbers), points, points)
    statement = statement_digest(CONTEXT, JOINT, BEFORE, after, points)
    announcement = _recompute(JOINT, BEFORE, after, forged, statement)
    rejected(after=after, proof=forged.encode())
    hashed = replace(forged, challenge=challenge_of(statement, points, announcement))
    rejected(after=after, proof=hashed.encode())


def test_weights_and_challenge_hang_on_the_whole_statement() -> None:
    """Weak Fiat-Shamir: whatever the hash leaves out can be chosen after it."""
    points = decode_proof(PROOF, N).commitments
    true = (CONTEXT, JOINT, BEFORE, AFTER, points)
    contexts = [{"table": bytes(32)}, {"step": 8}, {"seat": 2}, {"kind": "x"}]
    others: list[tuple[int, Any]] = [(0, replace(CONTEXT, **one)) for one in contexts]  # type: ignore[arg-type]
    others += [(1, BASE), (2, BEFORE[::-1]), (3, AFTER[::-1]), (4, points[::-1])]
    every_part: list[tuple[Any, ...]] = [true, (*true[:3], (*AFTER, AFTER[0]), points[1:])]
    every_part += [(*true[:at], part, *true[at + 1 :]) for at, part in others]
    statements = {statement_digest(*parts) for parts in every_part}
    assert len(statements) == 10
    every = [weight for statement in statements for weight in weights(statement, N)]
    assert len(set(every)) == 10 * N
    challenges = {
        challenge_of(bytes(32), [BASE], [JOINT]),
        challenge_of(b"\1" * 32, [BASE], [JOINT]),
        challenge_of(bytes(32), [JOINT], [JOINT]),
        challenge_of(bytes(32), [BASE], [BASE]),
    }
    assert len(challenges) == 4


def test_a_repeating_source_gives_each_statement_its_own_nonces() -> None:
    """Responses under one nonce and two challenges would give the order away."""
    nonces: set[int] = set()
    commitments: set[bytes] = set()
    for context in (CONTEXT, replace(CONTEXT, step=8)):
        proof = shuffle_proof.prove(context, JOINT, BEFORE, AFTER, SECRET, bytes)
        parts = decode_proof(proof, N)
        commitments |= set(parts.commitments)
        statement = statement_digest(context, JOINT, BEFORE, AFTER, parts.commitments)
        by_position = weights(statement, N)
        for at, response in zip(SECRET.order, parts.responses[4 + N :], strict=True):
            nonces.add((response - parts.challenge * by_position[at]) % ORDER)
    assert len(nonces) == len(commitments) == 2 * N


def test_a_shuffle_can_be_prepared_and_no_secret_is_shown() -> None:
    ready = shuffle_proof.prepare(JOINT, N, source(b"ready"))
    after, secret = shuffle_proof.shuffle(JOINT, BEFORE, source(b"unused"), ready)
    expected = [
        re_encrypt(JOINT, BEFORE[at], r)
        for at, r in zip(secret.order, secret.randomness, strict=True)
    ]
    assert list(after) == expected
    shuffle_proof.verify(CONTEXT, JOINT, BEFORE, after, proven(after, secret))
    assert repr(ready) == "Prepared()"
    fails(
        ValueError, "another size or key", shuffle_proof.shuffle, BASE, BEFORE, source(b""), ready
    )
    fails(
        ValueError,
        "another size or key",
        shuffle_proof.shuffle,
        JOINT,
        BEFORE[1:],
        source(b""),
        ready,
    )
    text = repr(SECRET) + str(SECRET)
    assert all(str(number) not in text for number in SECRET.randomness)
    assert str(SECRET.order) not in text


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(st.binary(max_size=80), st.binary(min_size=672, max_size=672)),
    st.integers(0, len(PROOF) - 1),
    st.integers(1, 255),
)
def test_any_bytes_and_any_changed_byte_are_invalid(proof: bytes, at: int, change: int) -> None:
    assert proof_size(N) == 672
    rejected(proof=proof)
    rejected(proof=PROOF[:at] + bytes([PROOF[at] ^ change]) + PROOF[at + 1 :])
