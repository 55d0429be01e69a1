"""Reference forms of checks that the product does in another way, for tests to compare with."""

from __future__ import annotations

from protocol.crypto import escrow
from protocol.crypto.commitment import commit, parse_opening
from protocol.crypto.context import Context
from protocol.crypto.elgamal import Ciphertext
from protocol.crypto.group import Point, add, mul, mul_base
from protocol.errors import Invalid


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
