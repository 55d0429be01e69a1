"""Writes crypto.json: the building blocks' vectors, for verifiers in any language.

    python tests/vectors/make_crypto.py

Bytes are in hex, scalars are 32 bytes little-endian. Each `accept` entry verifies; each
`reject` entry is the accepted one of the same `block` with some fields replaced, and must fail
with `code`. Randomness here is SHAKE-256 of a seed and a counter; a verifier needs none of it.

`made_by` of an accepted entry says how it came about: `draws`, the random bytes in order, and
`hashes`, every hash in order with its label, parts and whole SHA-512: nonces, weights, challenges
and key streams. A scalar is all 64 bytes, little-endian, modulo the group order; any other value
is the first bytes.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import shake_256
from itertools import count
from pathlib import Path
from typing import Any

from vectors.making import mixed_points

from protocol.crypto import (
    commitments,
    elgamal,
    escrow,
    group,
    hashing,
    key_sharing,
    shuffle_proof,
    sigma_proofs,
)
from protocol.crypto.group import encode_scalar, mul_base
from protocol.crypto.hashing import ORDER, Context, Label, digest, expand, hash_to_scalar, u64
from protocol.crypto.identities import Identity, fingerprint
from protocol.wire.codec import encode

PATH = Path(__file__).with_name("crypto.json")
DRAWS: list[str] = []
TABLE = bytes(range(32))
SECRET = 31337
JOINT = mul_base(SECRET)
ORDER_EIGHT = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")

Entry = dict[str, Any]


@contextmanager
def traced() -> Iterator[list[Entry]]:
    """A list that fills with every hash: label, parts, and all 64 bytes of its SHA-512."""
    found: list[Entry] = []
    real = hashing.wide

    def wide(label: Label, *parts: bytes) -> bytes:
        data = real(label, *parts)
        entry = {"label": label.value, "parts": [part.hex() for part in parts]}
        found.append({**entry, "sha512": data.hex()})
        return data

    hashing.wide = wide
    try:
        yield found
    finally:
        hashing.wide = real


def source(seed: str) -> Callable[[int], bytes]:
    """A repeatable stream of random bytes, each draw of which is noted."""
    calls = count()

    def draw(size: int) -> bytes:
        data = shake_256(seed.encode() + next(calls).to_bytes(8, "big")).digest(size)
        DRAWS.append(data.hex())
        return data

    return draw


def inside(make: Callable[[], Entry]) -> Entry:
    """An entry with all that it was made by."""
    DRAWS.clear()
    with traced() as hashes:
        entry = make()
    return {**entry, "made_by": {"draws": list(DRAWS), "hashes": list(hashes)}}


def where(context: Context) -> Entry:
    """A context by its fields and as it is hashed."""
    return {
        "table": context.table.hex(),
        "step": context.step,
        "seat": context.seat,
        "kind": context.kind,
        "encoded": context.encode().hex(),
    }


def hexes(points: Any) -> list[str]:
    return [point.hex() for point in points]


def flat(deck: elgamal.Deck) -> list[str]:
    """A deck as its points: a and b of each card in turn."""
    return hexes(point for card in deck for point in card)


def plain() -> Entry:
    """Hashes, points, encodings: values that simply come out the same."""
    key = Identity(bytes(range(32)))
    values = (None, True, False, 0, 127, 128, 2**64 - 1, "é", b"\0\1", ((), (1, "a")))
    return {
        "digest(message, 'abc', '')": digest(Label.MESSAGE, b"abc", b"").hex(),
        "hash_to_scalar(message, 'abc')": encode_scalar(
            hash_to_scalar(Label.MESSAGE, b"abc")
        ).hex(),
        "expand(escrow-kdf, 100, 'key')": expand(Label.ESCROW_KDF, 100, b"key").hex(),
        "card points": hexes(group.card_points(8)),
        "shuffle generators": hexes(group.shuffle_generators(8)),
        "chain generator": group.chain_generator().hex(),
        "second generator": group.second_generator().hex(),
        "encoding of all kinds": encode(values).hex(),
        "identity": {
            "seed": key.seed.hex(),
            "public": key.public.hex(),
            "fingerprint": fingerprint(key.public),
            "label": Label.STEP_INPUT.value,
            "data": b"data".hex(),
            "signature": key.sign(Label.STEP_INPUT, b"data").hex(),
        },
    }


def key_proof() -> Entry:
    context = Context(TABLE, 2, 1, "key")
    proof = sigma_proofs.prove_key(context, SECRET, JOINT, source("key"))
    return {"context": where(context), "public": JOINT.hex(), "proof": proof.hex()}


def card_shares() -> Entry:
    context = Context(TABLE, 9, 1, "deal")
    bases = [mul_base(k) for k in (2, 3)]
    about = sigma_proofs.ShareStatement(context, JOINT, JOINT, bases)
    shares, proof = sigma_proofs.prove_shares(about, SECRET, source("shares"))
    return {
        "context": where(context),
        "joint_key": JOINT.hex(),
        "public": JOINT.hex(),
        "bases": hexes(bases),
        "shares": hexes(shares),
        "proof": proof.hex(),
    }


def shuffled() -> Entry:
    context = Context(TABLE, 5, 1, "shuffle")
    before = elgamal.starting_deck(JOINT, 4)
    after, secret = shuffle_proof.shuffle(JOINT, before, source("shuffle"))
    proof = shuffle_proof.prove(context, JOINT, before, after, secret, source("proof"))
    return {
        "context": where(context),
        "joint_key": JOINT.hex(),
        "order": list(secret.order),
        "randomness": hexes(map(encode_scalar, secret.randomness)),
        "before": flat(before),
        "after": flat(after),
        "proof": proof.hex(),
    }


def sealed_choice() -> Entry:
    context, nonce = Context(TABLE, 30, 1, "game choice"), bytes(range(32, 64))
    opening = commitments.opening(b"castle", nonce, 48)
    committed = commitments.commit(context, b"castle", nonce)
    return {
        "context": where(context),
        "joint_key": JOINT.hex(),
        "choice": b"castle".hex(),
        "nonce": nonce.hex(),
        "opening": opening.hex(),
        "commitment": committed.hex(),
        "escrow": escrow.encrypt(context, JOINT, committed, opening).hex(),
    }


def escrow_share() -> Entry:
    """One share of the sealed choice above; the joint secret is dealt with threshold 2."""
    choice = sealed_choice()
    sealed_in, context = Context(TABLE, 30, 1, "game choice"), Context(TABLE, 31, 2, "escrow-1")
    committed, box = bytes.fromhex(choice["commitment"]), bytes.fromhex(choice["escrow"])
    poly = key_sharing.polynomial(SECRET, 2, source("poly"))
    pieces = [key_sharing.key_share_at(poly, i) for i in (1, 2, 3)]
    share = escrow.escrow_share(
        context, (sealed_in, JOINT, committed, box), pieces[2], mul_base(pieces[2]), source("give")
    )
    return {
        "context": where(context),
        "sealed_in": where(sealed_in),
        "joint_key": JOINT.hex(),
        "polynomial": hexes(map(encode_scalar, poly)),
        "pieces": hexes(map(encode_scalar, pieces)),
        "vector": hexes(key_sharing.feldman_vector(poly)),
        "index": 3,
        "public": mul_base(pieces[2]).hex(),
        "commitment": choice["commitment"],
        "escrow": choice["escrow"],
        "share": share.hex(),
        "points": {str(i): group.mul(pieces[i - 1], box[:32]).hex() for i in (1, 3)},
        "lagrange": {"1": lagrange(1, 3), "3": lagrange(3, 1)},
        "combined": combined(pieces, box[:32]),
        "opening": choice["opening"],
    }


def lagrange(index: int, other: int) -> str:
    """The coefficient at 0 of one of two indices."""
    return encode_scalar(other * pow(other - index, -1, ORDER) % ORDER).hex()


def combined(pieces: list[int], u: bytes) -> str:
    """The joint secret times u, out of the shares of indices 1 and 3."""
    points = {i: group.mul(pieces[i - 1], u) for i in (1, 3)}
    return key_sharing.combine(points, 2).hex()


def encrypted_key_share() -> Entry:
    context = Context(TABLE, 2, 1, "piece")
    secret, public = key_sharing.x25519_keypair(source("receiver"))
    sealed = key_sharing.encrypt_key_share(context, public, 424242, source("seal"))
    return {
        "context": where(context),
        "secret": secret.hex(),
        "public": public.hex(),
        "piece": encode_scalar(424242).hex(),
        "sealed": sealed.hex(),
    }


def group_hashes() -> list[Entry]:
    """Every try of each generator and of the first card points; the last one is a point."""
    labels = [(Label.SECOND_GENERATOR, ()), (Label.CHAIN_GENERATOR, ())]
    labels += [(Label.CARD, (u64(i),)) for i in range(4)]
    labels += [(Label.SHUFFLE_GENERATOR, (u64(i),)) for i in range(4)]
    found = []
    for label, parts in labels:
        with traced() as tries:
            point = group.hash_to_group(label, *parts)
        found.append({"label": label.value, "tries": list(tries), "point": point.hex()})
    return found


def moved(entry: Entry, **fields: Any) -> Entry:
    """The entry's context with some fields replaced."""
    old = {name: entry["context"][name] for name in ("step", "seat", "kind")}
    table = bytes.fromhex(fields.pop("table", entry["context"]["table"]))
    return {"context": where(Context(table, **{**old, **fields}))}


def rejects(block: str, code: str, entry: Entry, proof: str) -> list[Entry]:
    """What every block rejects; `proof` names the field that carries the proof."""
    data = entry[proof]
    changes: dict[str, Entry] = {
        "other table": moved(entry, table="ff" * 32),
        "other step": moved(entry, step=99),
        "other seat": moved(entry, seat=0),
        "other kind": moved(entry, kind="other"),
        "truncated": {proof: data[:-2]},
        "extended": {proof: data + "00"},
        "empty": {proof: ""},
        "last byte changed": {proof: data[:-2] + f"{int(data[-2:], 16) ^ 1:02x}"},
    }
    return [
        {"block": block, "name": name, "code": code, "replace": change}
        for name, change in changes.items()
    ]


def high(word: str) -> str:
    """The same scalar, written with the order added."""
    number = int.from_bytes(bytes.fromhex(word), "little") + ORDER
    return number.to_bytes(32, "little").hex()


def bad_points(good: str) -> dict[str, str]:
    """What is no point of the group, by name."""
    return {
        "identity": "01" + "00" * 31,
        "order 2": group.ORDER_TWO.hex(),
        "order 4": "00" * 32,
        "order 8": ORDER_EIGHT.hex(),
        "plus order 2": mixed_points.mixed(good).hex(),
        "mixed order": group.add(bytes.fromhex(good), ORDER_EIGHT).hex(),
        "y not canonical": "ee" + "ff" * 30 + "7f",
        "off the curve": "02" + "00" * 31,
    }


def vectors() -> Entry:
    """All of it, as it is written to the file."""
    first = plain()  # the generators are kept from here on, so no entry has them among its hashes
    makers = {
        "key_proof": key_proof,
        "card_shares": card_shares,
        "shuffle": shuffled,
        "sealed_choice": sealed_choice,
        "escrow_share": escrow_share,
        "encrypted_key_share": encrypted_key_share,
        "signature": mixed_points.signature,
    }
    accept = {name: inside(make) for name, make in makers.items()}
    key, shares, deck = accept["key_proof"], accept["card_shares"], accept["shuffle"]
    reject = [
        *rejects("key_proof", "bad-key-proof", key, "proof"),
        *rejects("card_shares", "bad-share", shares, "proof"),
        *rejects("shuffle", "bad-shuffle", deck, "proof"),
        *rejects("sealed_choice", "bad-escrow", accept["sealed_choice"], "escrow"),
        *rejects("escrow_share", "bad-share", accept["escrow_share"], "share"),
        *rejects("encrypted_key_share", "bad-key-sharing", accept["encrypted_key_share"], "sealed"),
    ]

    def add(block: str, name: str, code: str, **replace: Any) -> None:
        reject.append({"block": block, "name": name, "code": code, "replace": replace})

    for block, code in (("key_proof", "bad-key-proof"), ("card_shares", "bad-share")):
        proof = accept[block]["proof"]
        add(block, "response not canonical", code, proof=proof[:64] + high(proof[64:]))
    add("card_shares", "shares swapped", "bad-share", shares=shares["shares"][::-1])
    after = deck["after"]
    add("shuffle", "cards swapped", "bad-shuffle", after=after[2:4] + after[:2] + after[4:])
    add("shuffle", "not shuffled", "bad-shuffle", after=deck["before"])
    for name, point in bad_points(accept["sealed_choice"]["escrow"][:64]).items():
        whole = point + accept["sealed_choice"]["escrow"][64:]
        add("sealed_choice", f"escrow: {name}", "bad-escrow", escrow=whole)
    for name, point in bad_points(accept["escrow_share"]["share"][:64]).items():
        whole = point + accept["escrow_share"]["share"][64:]
        add("escrow_share", f"share: {name}", "bad-share", share=whole)
    for name, point in bad_points(shares["shares"][0]).items():
        add("card_shares", f"share: {name}", "bad-share", shares=[point, shares["shares"][1]])
    for name, point in bad_points(after[0]).items():
        add("shuffle", f"card: {name}", "bad-shuffle", after=[point, *after[1:]])
    for name, point in bad_points(key["public"]).items():
        add("key_proof", f"key: {name}", "bad-key-proof", public=point)
    for block, name, code, change in mixed_points.in_blocks(accept, SECRET, source):
        add(block, name, code, **change)
    for name, code, change in mixed_points.forged_signatures(accept["signature"]):
        add("signature", name, code, **change)
    return {"plain": first, "hash_to_group": group_hashes(), "accept": accept, "reject": reject}


def forget_generators() -> None:
    """What was hashed once in this process is hashed, and noted, again."""
    for module in (group, elgamal):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def text() -> str:
    """The file's text."""
    forget_generators()
    return json.dumps(vectors(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
