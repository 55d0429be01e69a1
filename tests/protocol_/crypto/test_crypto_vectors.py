"""The committed vectors of the building blocks: they hold, and nothing has drifted."""

import json
import runpy
from typing import Any

import pytest
from support import paths
from support.cases import each
from support.forged_points import UnfixedLibsodium
from support.reference_crypto import verify_opened, verify_opening

from protocol.crypto import (
    commitments,
    elgamal,
    escrow,
    group,
    identities,
    key_sharing,
    shuffle_proof,
    sigma_proofs,
)
from protocol.crypto.hashing import Context
from protocol.errors import Invalid

TEXT = (paths.VECTORS / "crypto.json").read_text(encoding="utf-8")
VECTORS: dict[str, Any] = json.loads(TEXT)

Entry = dict[str, Any]


def test_the_vectors_have_not_drifted() -> None:
    assert runpy.run_path(str(paths.VECTORS / "make_crypto.py"))["text"]() == TEXT


def context_of(fields: Entry) -> Context:
    context = Context(
        bytes.fromhex(fields["table"]), fields["step"], fields["seat"], fields["kind"]
    )
    assert context.encode().hex() == fields["encoded"]
    return context


def data(entry: Entry, *names: str) -> list[bytes]:
    return [bytes.fromhex(entry[name]) for name in names]


def deck_of(points: list[str]) -> elgamal.Deck:
    parts = [bytes.fromhex(point) for point in points]
    return tuple(map(elgamal.Ciphertext, parts[::2], parts[1::2]))


def check(block: str, entry: Entry) -> None:
    """What a verifier does with an entry of a block."""
    if block == "signature":
        identities.verify_bytes(*data(entry, "public", "message", "signature"))
        return
    context = context_of(entry["context"])
    match block:
        case "key_proof":
            sigma_proofs.verify_key(context, *data(entry, "public", "proof"))
        case "card_shares":
            joint, public, proof = data(entry, "joint_key", "public", "proof")
            bases, shares = ([bytes.fromhex(p) for p in entry[n]] for n in ("bases", "shares"))
            about = sigma_proofs.ShareStatement(context, joint, public, bases)
            sigma_proofs.verify_shares(about, shares, proof)
        case "shuffle":
            joint, proof = data(entry, "joint_key", "proof")
            before, after = deck_of(entry["before"]), deck_of(entry["after"])
            shuffle_proof.verify(context, joint, before, after, proof)
        case "sealed_choice":
            names = ("joint_key", "commitment", "escrow", "opening")
            joint, committed, box, opening = data(entry, *names)
            escrow.verify(context, joint, committed, box)
            verify_opened(context, joint, committed, box, opening)
            choice, nonce = commitments.parse_opening(opening)
            assert verify_opening(context, committed, opening) == choice
            assert [choice, nonce] == data(entry, "choice", "nonce")
        case "escrow_share":
            names = ("joint_key", "commitment", "escrow", "public", "share")
            joint, committed, box, public, share = data(entry, *names)
            sealing = (context_of(entry["sealed_in"]), joint, committed, box)
            point = escrow.verify_share(context, sealing, public, share)
            points = {int(i): bytes.fromhex(p) for i, p in entry["points"].items()}
            assert points[entry["index"]] == point
            vector = [bytes.fromhex(p) for p in entry["vector"]]
            assert key_sharing.public_key_share_at(vector, entry["index"]).hex() == entry["public"]
            opened = escrow.decrypt(bytes.fromhex(entry["escrow"]), points, 2)
            assert opened.hex() == entry["opening"]
        case "encrypted_key_share":
            secret, public, sealed = data(entry, "secret", "public", "sealed")
            assert key_sharing.x25519_public(secret) == public
            key_share = key_sharing.decrypt_key_share(context, secret, sealed)
            assert group.encode_scalar(key_share).hex() == entry["piece"]
        case _:
            raise AssertionError(f"no such block: {block}")


@pytest.mark.parametrize("block", VECTORS["accept"])
def test_accepted_vectors_hold(block: str) -> None:
    check(block, VECTORS["accept"][block])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "entry",
    [entry for entry in VECTORS["reject"] if "all equations true" in entry["name"]],
    ids=lambda entry: entry["block"],
)
def test_only_the_check_of_a_point_rejects_what_is_true_by_all_equations(
    entry: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A libsodium before 1.0.21 takes P + (0, -1) for a point of the group ([C-6]).

    `making/mixed_points.py` has each proof verified by such a one.
    """
    for name in ("multiply", "is_valid_point"):
        unfixed = getattr(UnfixedLibsodium, name)
        monkeypatch.setattr(group.Libsodium, name, staticmethod(unfixed))
    former = group.use_backend(group._libsodium())
    monkeypatch.setattr(identities, "LIBSODIUM", group._libsodium())
    try:
        test_rejected_vectors_do_not(entry)
    finally:
        group.use_backend(former)


@each(VECTORS["reject"], lambda entry: f"{entry['block']}: {entry['name']}")
def test_rejected_vectors_do_not(entry: Entry) -> None:
    with pytest.raises(Invalid) as caught:
        check(entry["block"], {**VECTORS["accept"][entry["block"]], **entry["replace"]})
    assert caught.value.code == entry["code"]
