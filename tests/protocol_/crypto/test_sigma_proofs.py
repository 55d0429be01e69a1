"""Proofs of keys, and of shares: one secret behind all of them, here and now, or Invalid."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.forged_points import forgeries, negated, order_eight
from support.reference_crypto import elsewhere, source

from protocol.crypto import group, sigma_proofs
from protocol.crypto.group import BASE, IDENTITY, encode_scalar, mul, mul_base, sub
from protocol.crypto.hashing import ORDER, Context, Label, hash_to_scalar, u64
from protocol.crypto.sigma_proofs import (
    PROOF_SIZE,
    ShareStatement,
    prove_key,
    prove_shares,
    verify_key,
    verify_shares,
)
from protocol.errors import Invalid

CONTEXT = Context(b"\5" * 32, 20, 1, "deal")
JOINT = mul_base(31337)
SECRET = 424242
PUBLIC = mul_base(SECRET)
BASES = [mul_base(k) for k in (11, 12, 13)]


def about(bases: Sequence[bytes], public: bytes = PUBLIC) -> ShareStatement:
    """What shares of these bases are proven for."""
    return ShareStatement(CONTEXT, JOINT, public, bases)


SHARES, PROOF = prove_shares(about(BASES), SECRET, source(b"shares"))


def rejected(
    joint: bytes = JOINT,
    public: bytes = PUBLIC,
    bases: Sequence[bytes] = tuple(BASES),
    shares: Sequence[Any] = tuple(SHARES),
    proof: Any = PROOF,
) -> None:
    """Whatever is put in place of a true part, the proof does not hold. The vectors move it."""
    statement = ShareStatement(CONTEXT, joint, public, bases)
    fails(Invalid, "bad-share", verify_shares, statement, shares, proof)


def test_shares_hold() -> None:
    assert [mul(SECRET, base) for base in BASES] == SHARES
    assert len(PROOF) == PROOF_SIZE == 64
    verify_shares(about(BASES), SHARES, PROOF)


@pytest.mark.parametrize("size", [1, 2, 9])
def test_shares_of_many_bases_hold_by_one_proof(size: int) -> None:
    bases = [mul_base(100 + k) for k in range(size)]
    shares, proof = prove_shares(about(bases), SECRET, source(b"many"))
    verify_shares(about(bases), shares, proof)
    rejected(bases=bases, shares=[*shares[:-1], BASE], proof=proof)


def test_the_whole_statement_counts() -> None:
    rejected(joint=BASE)
    rejected(public=JOINT)
    rejected(bases=BASES[::-1])
    rejected(bases=BASES[:2])
    rejected(bases=[])
    rejected(bases=[], shares=[])
    rejected(bases=BASES[:2], shares=SHARES[:2])
    rejected(bases=BASES * 2, shares=SHARES * 2)
    rejected(bases=BASES[::-1], shares=SHARES[::-1])


NEAR = [SHARES[1], negated(SHARES[0]), group.add(SHARES[0], BASE), SHARES[0][:31]]


@each([*NEAR, SHARES[0] + b"\0", *forgeries(SHARES[0]).values(), b"", None, 5])
def test_wrong_shares_are_rejected(share: Any) -> None:
    for at in range(3):
        if share != SHARES[at]:
            rejected(shares=[*SHARES[:at], share, *SHARES[at + 1 :]])


@each(forgeries(PUBLIC).values())
def test_keys_and_bases_outside_the_group_are_rejected(bad: bytes) -> None:
    rejected(public=bad)
    rejected(bases=[bad, *BASES[1:]])


def test_errors_that_cancel_out_are_rejected() -> None:
    """Two wrong shares with the right sum."""
    first, second, third = SHARES
    rejected(shares=[group.add(first, BASE), sub(second, BASE), third])


def test_malleated_proofs_are_rejected() -> None:
    high = (int.from_bytes(PROOF[32:], "little") + ORDER).to_bytes(32, "little")
    challenge, response = PROOF[:32], PROOF[32:]
    spoilt = [challenge + high, bytes(32) + response, challenge + bytes(32), response + challenge]
    for proof in (*spoilt, bytes(64), PROOF[:-1], PROOF + b"\0", b"", None, PROOF.hex()):
        rejected(proof=proof)


def test_a_share_made_after_the_challenge_is_rejected() -> None:
    """Weak Fiat-Shamir: a challenge that leaves the shares out lets them be solved for."""
    announced = [mul_base(7), mul(7, BASES[0])]
    head = (CONTEXT.encode(), JOINT, BASE, PUBLIC, u64(1), BASES[0])
    challenge = hash_to_scalar(Label.SHARES, *head, *announced)
    response = (7 + challenge * SECRET) % ORDER
    wanted = group.add(SHARES[0], BASE)
    solved = sub(mul(response, BASES[0]), mul(challenge, wanted))
    assert solved != announced[1]
    proof = encode_scalar(challenge) + encode_scalar(response)
    rejected(bases=BASES[:1], shares=SHARES[:1], proof=proof)
    other = mul(pow(challenge, -1, ORDER), sub(mul(response, BASES[0]), mul(9, BASES[0])))
    rejected(bases=BASES[:1], shares=[other], proof=proof)


def test_a_simulated_transcript_is_rejected() -> None:
    """Responses first, announcement from them: fine for a simulator, not under the hash."""
    head = (CONTEXT.encode(), JOINT, BASE, PUBLIC, u64(1), BASES[0], BASE)
    announced = [sub(mul_base(3), mul(4, PUBLIC)), sub(mul(3, BASES[0]), mul(4, BASE))]
    for challenge in (4, hash_to_scalar(Label.SHARES, *head, *announced)):
        proof = encode_scalar(challenge) + encode_scalar(3)
        rejected(bases=BASES[:1], shares=[BASE], proof=proof)


def test_a_key_of_nothing_gives_no_shares() -> None:
    """Their proof is by the book: the secret is 0."""
    shares, proof = prove_shares(about(BASES, IDENTITY), 0, source(b"zero"))
    rejected(public=IDENTITY, shares=shares, proof=proof)


def test_a_challenge_of_0_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would leave key and shares out of the equation, even if a hash could give it."""
    monkeypatch.setattr(sigma_proofs, "hash_to_scalar", lambda *_: 0)
    for shares in (SHARES, [BASE] * 3, [bytes(32)] * 3):
        rejected(shares=shares, proof=bytes(32) + encode_scalar(5))


def test_a_repeating_source_gives_each_statement_its_own_nonce() -> None:
    nonces = set()
    for bases in ([BASES[0]], [BASES[1]], BASES):
        _, proof = prove_shares(about(bases), SECRET, bytes)
        challenge, response = proof[:32], proof[32:]
        nonce = int.from_bytes(response, "little") - int.from_bytes(challenge, "little") * SECRET
        nonces.add(nonce % ORDER)
    assert len(nonces) == 3


def test_no_share_is_given_of_what_is_no_ciphertext() -> None:
    for bases in ([], [IDENTITY], [BASE, IDENTITY]):
        with pytest.raises(ValueError, match="at least one base"):
            prove_shares(about(bases), SECRET, source(b""))
    with pytest.raises(Invalid, match="bad-point"):
        prove_shares(about([group.add(BASE, order_eight())]), SECRET, source(b""))


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=70), st.binary(min_size=64, max_size=64)))
def test_any_bytes_as_proof_are_invalid(proof: bytes) -> None:
    rejected(proof=proof)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(SHARES)), max_size=4))
def test_any_bytes_as_shares_are_invalid(shares: list[bytes]) -> None:
    if shares != SHARES:
        rejected(shares=shares)


KEY_CONTEXT = Context(b"\5" * 32, 2, 1, "key")

KEY_SECRET = 987654321

KEY = group.mul_base(KEY_SECRET)

KEY_PROOF = prove_key(KEY_CONTEXT, KEY_SECRET, KEY, source(b"proof"))

ELSEWHERE = elsewhere(KEY_CONTEXT)

BAD_KEYS = [*forgeries(KEY).values(), KEY[:31], b""]


def test_a_proof_holds() -> None:
    verify_key(KEY_CONTEXT, KEY, KEY_PROOF)
    assert len(KEY_PROOF) == PROOF_SIZE == 64


def key_rejected(public: bytes, proof: bytes) -> None:
    """Check that this proof does not hold here; the vectors move the true one elsewhere."""
    fails(Invalid, "bad-key-proof", verify_key, KEY_CONTEXT, public, proof)


def test_a_proof_holds_for_no_other_key_nor_for_one_outside_the_group() -> None:
    for public in (group.mul_base(KEY_SECRET + 1), negated(KEY), *BAD_KEYS):
        key_rejected(public, KEY_PROOF)


def test_malleated_proofs_of_a_key_are_rejected() -> None:
    challenge, response = KEY_PROOF[:32], KEY_PROOF[32:]
    high = (int.from_bytes(response, "little") + ORDER).to_bytes(32, "little")
    spoilt = (response + challenge, challenge + high, bytes(32) + response)
    for proof in (*spoilt, bytes(64), KEY_PROOF[:-1], KEY_PROOF + b"\0", b""):
        key_rejected(KEY, proof)


def test_a_key_of_nothing_or_made_after_the_challenge_is_rejected() -> None:
    """Its proof is by the book: the secret is 0."""
    key_rejected(IDENTITY, prove_key(KEY_CONTEXT, 0, IDENTITY, source(b"zero")))
    commitment, response = group.mul_base(5), 77
    challenge = hash_to_scalar(Label.KEY_PROOF, KEY_CONTEXT.encode(), group.BASE, commitment)
    key = group.mul(pow(challenge, -1, ORDER), group.sub(group.mul_base(response), commitment))
    key_rejected(key, encode_scalar(challenge) + encode_scalar(response))


def test_a_challenge_of_0_shows_nothing_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would leave the key out of the equation, even if a hash could give it."""
    monkeypatch.setattr(sigma_proofs, "hash_to_scalar", lambda *_: 0)
    for key in (KEY, bytes(32)):
        key_rejected(key, bytes(32) + encode_scalar(5))


def test_a_repeating_source_gives_each_key_proof_its_own_nonce() -> None:
    """Two challenges under one nonce would give the secret: (s - s') / (c - c')."""
    proofs = [prove_key(context, KEY_SECRET, KEY, bytes) for context in (KEY_CONTEXT, *ELSEWHERE)]
    nonces = {
        (int.from_bytes(p[32:], "little") - int.from_bytes(p[:32], "little") * KEY_SECRET) % ORDER
        for p in proofs
    }
    assert len(nonces) == len(proofs)
    rng = source(b"twice")
    one, two = (prove_key(KEY_CONTEXT, KEY_SECRET, KEY, rng) for _ in range(2))
    assert one != two, "fresh randomness gives a fresh nonce"


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=70), st.binary(min_size=64, max_size=64)))
def test_any_bytes_as_proof_of_a_key_are_invalid(proof: bytes) -> None:
    key_rejected(KEY, proof)
