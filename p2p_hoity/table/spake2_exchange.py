"""The exchange behind a code: two who know the same words agree on a key that nobody else has.

SPAKE2 over Ed25519 (Abdalla and Pointcheval 2005; RFC 9382 in substance), by the `spake2` package,
with key confirmation both ways; the way to use it, a number for the meeting place and words for the
secret, is Magic Wormhole's (Warner 2016). A wrong guess shows itself at the third message, and
whoever made it has nothing to try further words against. Bytes in, bytes out: nothing is sent here.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Callable
from typing import Any, Final

from nacl.exceptions import CryptoError
from nacl.secret import SecretBox

from protocol import Invalid, Label, check_public, digest

from .spoken_codes import CodeCode, CodeError, SpokenCode

Entropy = Callable[[int], bytes]
ELEMENT: Final = 32
MESSAGE: Final = 1 + ELEMENT
"""Bytes of the first and the second message: the side, and a point of the group."""
PROOF: Final = 32
MOST_TICKET: Final = 8000
"""Bytes of a ticket's word; the longest that can be made has fewer."""
MOST_MESSAGE: Final = PROOF + SecretBox.NONCE_SIZE + SecretBox.MACBYTES + MOST_TICKET
"""Bytes of the longest message, the last."""
GUEST, HOST = b"A", b"B"


def _sides(number: int) -> tuple[bytes, bytes]:
    """The names of both sides: what is agreed on, and at which number; not the relay, which the two
    may know by different names ([K-2])."""
    where = number.to_bytes(4, "big")
    return digest(Label.CODE_GUEST, where), digest(Label.CODE_HOST, where)


def _checked(message: bytes, side: bytes) -> bytes:
    """The other side's message; CodeError unless it holds a point of the prime-order group ([K-3]).

    What comes from our own side, reflected, is none.
    """
    if len(message) != MESSAGE or message[:1] != side:
        raise CodeError(CodeCode.NOT_OURS)
    try:
        check_public(message[1:])
    except Invalid as error:
        raise CodeError(CodeCode.NOT_OURS) from error
    return message


def _agreed(spake: Any, message: bytes) -> bytes:
    from spake2 import SPAKEError

    try:
        return bytes(spake.finish(message))
    except (SPAKEError, ValueError) as error:  # our own point, sent back as theirs
        raise CodeError(CodeCode.NOT_OURS) from error


class GuestExchange:
    """The side that has typed the code: `first` out, `prove` the second, `open` the last."""

    def __init__(self, code: SpokenCode, entropy: Entropy = os.urandom) -> None:
        from spake2 import SPAKE2_A

        guest, host = _sides(code.number)
        self._spake = SPAKE2_A(code.password, idA=guest, idB=host, entropy_f=entropy)
        self._key = b""
        self.first = bytes(self._spake.start())

    def prove(self, second: bytes) -> bytes:
        """Our proof that we know the words; CodeError if the second message is none."""
        self._key = _agreed(self._spake, _checked(second, HOST))
        return digest(Label.CODE_GUEST_PROOF, self._key)

    def open(self, last: bytes) -> str:
        """The ticket; CodeError unless it comes from one who knows the words ([K-4])."""
        proof, sealed = last[:PROOF], last[PROOF:]
        if not hmac.compare_digest(proof, digest(Label.CODE_HOST_PROOF, self._key)):
            raise CodeError(CodeCode.WRONG)
        try:
            return SecretBox(digest(Label.CODE_TICKET, self._key)).decrypt(sealed).decode("ascii")
        except (CryptoError, ValueError) as error:
            raise CodeError(CodeCode.WRONG) from error


class HostExchange:
    """The side that shows the code, for one guest: `answer` the first, `give` for the third.

    Each can be called once: whoever comes next needs another code ([K-5]).
    """

    def __init__(self, code: SpokenCode, ticket: str, entropy: Entropy = os.urandom) -> None:
        from spake2 import SPAKE2_B

        guest, host = _sides(code.number)
        self._spake = SPAKE2_B(code.password, idA=guest, idB=host, entropy_f=entropy)
        self._entropy = entropy
        self._ticket = ticket.encode("ascii")
        self._key = b""

    def answer(self, first: bytes) -> bytes:
        """The second message; CodeError if the first is none. The library bears no second call."""
        checked = _checked(first, GUEST)
        second = bytes(self._spake.start())
        self._key = _agreed(self._spake, checked)
        return second

    def give(self, proof: bytes) -> bytes:
        """Our proof, and the ticket sealed; CodeError unless the guest knows the words ([K-4]).

        Until then nothing has been sent by which words could be tried.
        """
        key, self._key = self._key, b""
        if not key or not hmac.compare_digest(proof, digest(Label.CODE_GUEST_PROOF, key)):
            raise CodeError(CodeCode.WRONG)
        box = SecretBox(digest(Label.CODE_TICKET, key))
        sealed = box.encrypt(self._ticket, self._entropy(SecretBox.NONCE_SIZE))
        return digest(Label.CODE_HOST_PROOF, key) + bytes(sealed)
