"""What is true by every equation, or times the cofactor, and has a point outside the group.

Each proof is made with random bytes so chosen that its mixed point is multiplied by even scalars
only: nothing but the check of that point finds it. A libsodium before 1.0.21 did not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from typing import Any

from support.forged_points import (
    UnfixedLibsodium,
    of_a_key_outside_the_group,
    small_order,
    with_the_cofactor_only,
    with_the_identity,
)

from protocol.crypto import elgamal, escrow, group, shuffle_proof, sigma_proofs
from protocol.crypto.group import Point, encode_scalar, mul, mul_base, second_generator
from protocol.crypto.hashing import ORDER, Context, Label, Random, hash_to_scalar
from protocol.crypto.identities import Identity, sign_bytes
from protocol.errors import Invalid

Entry = dict[str, Any]
Source = Callable[[str], Random]
SEED = bytes(range(32))
"""Of the key that signs."""


def signature() -> Entry:
    """Return a signature that holds."""
    key, message = Identity(SEED), b"message"
    made = sign_bytes(key, message)
    return {"public": key.public.hex(), "message": message.hex(), "signature": made.hex()}


def forged_signatures(entry: Entry) -> Iterator[tuple[str, str, Entry]]:
    """Yield name, code and changed fields of signatures that do not hold."""
    names = ("public", "message", "signature")
    public, message, good = (bytes.fromhex(entry[name]) for name in names)
    changes = {
        f"R with a part of order {order}, S fits": with_the_cofactor_only(
            SEED, public, message, order
        )
        for order in (2, 4, 8)
    }
    order, response = ORDER, int.from_bytes(good[32:], "little")
    changes |= {
        "R is O, S fits": with_the_identity(SEED, public, message),
        "R with the other sign": good[:31] + bytes([good[31] ^ 128]) + good[32:],
        "S not below q": good[:32] + (response + order).to_bytes(32, "little"),
        "S of another signature": good[:32] + sign_bytes(Identity(SEED), b"another")[32:],
        "truncated": good[:-1],
        "extended": good + b"\0",
        "empty": b"",
    }
    for name, changed in changes.items():
        yield name, "bad-signature", {"signature": changed.hex()}
    for size in (2, 8):
        mixed = group.add(public, small_order()[8 // size])
        tried = (b"message %d" % number for number in count())
        signed = ((m, of_a_key_outside_the_group(SEED, mixed, m, size)) for m in tried)
        said, forged = next((m, s) for m, s in signed if s is not None)
        change = {"public": mixed.hex(), "message": said.hex(), "signature": forged.hex()}
        yield f"A with a part of order {size}, all equations true", "bad-point", change


@contextmanager
def unfixed() -> Iterator[None]:
    """Check points as a libsodium before 1.0.21."""
    former = group.use_backend(UnfixedLibsodium())
    try:
        yield
    finally:
        group.use_backend(former)


def mixed(point: str) -> Point:
    """Return a point plus (0, -1)."""
    return group.add(bytes.fromhex(point), group.ORDER_TWO)


def first_true(source: Source, make: Callable[[Random], Entry]) -> Entry:
    """Return the first entry, by rising seeds, whose equations are all true.

    Args:
        source: Makes random bytes out of a seed.
        make: Makes the changed fields, and checks them.
    """
    with unfixed():
        for number in count():
            with suppress(Invalid):
                return make(source(f"order two {number}"))
    raise AssertionError("some proof has even scalars")


def in_blocks(
    accept: dict[str, Entry], secret: int, source: Source
) -> Iterator[tuple[str, str, str, Entry]]:
    """Yield block, name, code and changed fields for a key, share, card and escrow plus (0, -1).

    Args:
        accept: The sound entry of each block.
        secret: The secret behind its joint key.
        source: Makes random bytes out of a seed.
    """

    def key(rng: Random) -> Entry:
        public = mixed(accept["key_proof"]["public"])
        proof = sigma_proofs.prove_key(_context(accept["key_proof"]), secret, public, rng)
        sigma_proofs.verify_key(_context(accept["key_proof"]), public, proof)
        return {"public": public.hex(), "proof": proof.hex()}

    def share(rng: Random) -> Entry:
        entry = accept["card_shares"]
        bases, shares = ([bytes.fromhex(p) for p in entry[n]] for n in ("bases", "shares"))
        joint = bytes.fromhex(entry["joint_key"])
        about = sigma_proofs.ShareStatement(_context(entry), joint, joint, bases)
        said = [mixed(entry["shares"][0]), *shares[1:]]
        labels = (Label.SHARES, Label.SHARES_NONCE)
        proof = sigma_proofs.prove_equal(labels, about.of(said), secret, bases, rng)
        sigma_proofs.verify_shares(about, said, proof)
        return {"shares": [point.hex() for point in said], "proof": proof.hex()}

    def card(rng: Random) -> Entry:
        context, joint = _context(accept["shuffle"]), bytes.fromhex(accept["shuffle"]["joint_key"])
        before = elgamal.starting_deck(joint, 4)
        after, moves = shuffle_proof.shuffle(joint, before, rng)
        said = (elgamal.Ciphertext(mixed(after[0].a.hex()), after[0].b), *after[1:])
        proof = shuffle_proof.prove(context, joint, before, said, moves, rng)
        shuffle_proof.verify(context, joint, before, said, proof)
        return {"after": [p.hex() for one in said for p in one], "proof": proof.hex()}

    def box(rng: Random) -> Entry:
        entry = accept["sealed_choice"]
        joint, committed, opening = (
            bytes.fromhex(entry[name]) for name in ("joint_key", "commitment", "opening")
        )
        where = escrow._where(_context(entry), joint, committed)
        r, u, masked = escrow._hide(where, joint, opening)
        u, u_bar, s = mixed(u.hex()), mul(r, second_generator()), int.from_bytes(rng(32), "little")
        hashed = (*where, masked, u, u_bar, mul_base(s), mul(s, second_generator()))
        e = hash_to_scalar(Label.ESCROW_CHALLENGE, *hashed)
        sealed = b"".join((u, u_bar, encode_scalar(e), encode_scalar(s + r * e), masked))
        escrow.verify(_context(entry), joint, committed, sealed)
        return {"escrow": sealed.hex()}

    def escrow_share(rng: Random) -> Entry:
        entry = accept["escrow_share"]
        names = ("joint_key", "commitment", "escrow", "public")
        joint, committed, sealed, public = (bytes.fromhex(entry[name]) for name in names)
        sealing = (_context(entry, "sealed_in"), joint, committed, sealed)
        point = mixed(entry["share"][:64])
        statement = escrow._share_statement(_context(entry), sealing, public, point)
        labels = (Label.ESCROW_SHARE, Label.ESCROW_SHARE_NONCE)
        piece = int.from_bytes(bytes.fromhex(entry["pieces"][2]), "little")
        given = point + sigma_proofs.prove_equal(labels, statement, piece, [sealed[:32]], rng)
        escrow.verify_share(_context(entry), sealing, public, given)
        return {"share": given.hex()}

    for block, what, code, make in (
        ("key_proof", "key", "bad-key-proof", key),
        ("card_shares", "share", "bad-share", share),
        ("shuffle", "card", "bad-shuffle", card),
        ("sealed_choice", "escrow", "bad-escrow", box),
        ("escrow_share", "share", "bad-share", escrow_share),
    ):
        name = f"{what} plus (0, -1), all equations true"
        yield block, name, code, first_true(source, make)


def _context(entry: Entry, name: str = "context") -> Context:
    found = entry[name]
    return Context(bytes.fromhex(found["table"]), found["step"], found["seat"], found["kind"])
