"""What the tests of the cryptography share: repeatable randomness, contexts, reference forms.

The reference forms are checks that the product does in another way.
"""

from collections.abc import Callable
from dataclasses import replace
from hashlib import shake_256
from itertools import count

from protocol.crypto import escrow
from protocol.crypto.commitments import commit, parse_opening
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import Point, add, mul, mul_base
from protocol.crypto.hashing import Context
from protocol.errors import Invalid


def source(seed: bytes) -> Callable[[int], bytes]:
    """Return a repeatable stream of random bytes."""
    calls = count()
    return lambda size: shake_256(seed + next(calls).to_bytes(8, "big")).digest(size)


def elsewhere(context: Context) -> list[Context]:
    """Return contexts that differ from this one in one part each."""
    return [
        replace(context, table=bytes(32)),
        replace(context, step=context.step + 1),
        replace(context, seat=context.seat - 1),
        replace(context, kind=context.kind + "s"),
    ]


def re_encrypt(joint_key: Point, ciphertext: Ciphertext, r: int) -> Ciphertext:
    """The same message with r more randomness: (a + r · BASE, b + r · Y)."""
    a, b = ciphertext
    return Ciphertext(add(a, mul_base(r)), add(b, mul(r, joint_key)))


def verify_opening(context: Context, commitment: bytes, data: bytes) -> bytes:
    """The choice that the opening `data` shows. Raises Invalid('bad-commitment')."""
    choice, nonce = parse_opening(data)
    if commit(context, choice, nonce) != commitment:
        raise Invalid("bad-commitment", "not what was committed to here")
    return choice


def verify_opened(
    context: Context, joint_key: Point, commitment: bytes, sealed: bytes, opening: bytes
) -> None:
    """Raise Invalid('bad-escrow') unless sealing `opening` again gives this very escrow."""
    if escrow.encrypt(context, joint_key, commitment, opening) != sealed:
        raise Invalid("bad-escrow", "not the escrow of this opening")
