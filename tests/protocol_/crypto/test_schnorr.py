"""Schnorr proofs of key shares: they hold here, and nowhere else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import fails
from support.forged_points import forgeries, negated
from support.reference_crypto import elsewhere, source

from protocol.crypto import group, sigma_proofs
from protocol.crypto.group import IDENTITY, encode_scalar
from protocol.crypto.hashing import ORDER, Context, Label, hash_to_scalar
from protocol.crypto.sigma_proofs import PROOF_SIZE, prove_key, verify_key
from protocol.errors import Invalid

CONTEXT = Context(b"\5" * 32, 2, 1, "key")
SECRET = 987654321
PUBLIC = group.mul_base(SECRET)
PROOF = prove_key(CONTEXT, SECRET, PUBLIC, source(b"proof"))

ELSEWHERE = elsewhere(CONTEXT)
BAD_KEYS = [*forgeries(PUBLIC).values(), PUBLIC[:31], b""]


def test_a_proof_holds() -> None:
    verify_key(CONTEXT, PUBLIC, PROOF)
    assert len(PROOF) == PROOF_SIZE == 64


def rejected(public: bytes, proof: bytes) -> None:
    """Check that this proof does not hold here; the vectors move the true one elsewhere."""
    fails(Invalid, "bad-key-proof", verify_key, CONTEXT, public, proof)


def test_a_proof_holds_for_no_other_key_nor_for_one_outside_the_group() -> None:
    for public in (group.mul_base(SECRET + 1), negated(PUBLIC), *BAD_KEYS):
        rejected(public, PROOF)


def test_malleated_proofs_are_rejected() -> None:
    challenge, response = PROOF[:32], PROOF[32:]
    high = (int.from_bytes(response, "little") + ORDER).to_bytes(32, "little")
    spoilt = (response + challenge, challenge + high, bytes(32) + response)
    for proof in (*spoilt, bytes(64), PROOF[:-1], PROOF + b"\0", b""):
        rejected(PUBLIC, proof)


def test_a_key_of_nothing_or_made_after_the_challenge_is_rejected() -> None:
    """Its proof is by the book: the secret is 0."""
    rejected(IDENTITY, prove_key(CONTEXT, 0, IDENTITY, source(b"zero")))
    commitment, response = group.mul_base(5), 77
    challenge = hash_to_scalar(Label.KEY_PROOF, CONTEXT.encode(), group.BASE, commitment)
    key = group.mul(pow(challenge, -1, ORDER), group.sub(group.mul_base(response), commitment))
    rejected(key, encode_scalar(challenge) + encode_scalar(response))


def test_a_challenge_of_0_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would leave the key out of the equation, even if a hash could give it."""
    monkeypatch.setattr(sigma_proofs, "hash_to_scalar", lambda *_: 0)
    for key in (PUBLIC, bytes(32)):
        rejected(key, bytes(32) + encode_scalar(5))


def test_a_repeating_source_gives_each_statement_its_own_nonce() -> None:
    """Two challenges under one nonce would give the secret: (s - s') / (c - c')."""
    proofs = [prove_key(context, SECRET, PUBLIC, bytes) for context in (CONTEXT, *ELSEWHERE)]
    nonces = {
        (int.from_bytes(p[32:], "little") - int.from_bytes(p[:32], "little") * SECRET) % ORDER
        for p in proofs
    }
    assert len(nonces) == len(proofs)
    rng = source(b"twice")
    one, two = (prove_key(CONTEXT, SECRET, PUBLIC, rng) for _ in range(2))
    assert one != two, "fresh randomness gives a fresh nonce"


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=70), st.binary(min_size=64, max_size=64)))
def test_any_bytes_as_proof_are_invalid(proof: bytes) -> None:
    rejected(PUBLIC, proof)
