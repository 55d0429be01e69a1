"""The key exchange behind a spoken code: two who know the same words agree on a secret key.

The exchange is SPAKE2 over Ed25519 (Abdalla and Pointcheval 2005; RFC 9382 in substance), by the
package `spake2`. Each side then proves to the other that it has the key. As in Magic Wormhole
(Warner 2016), a code has a number for the meeting place and words for the secret.

The guest sends the first message and the third, the host the second and the fourth. The third shows
whether the guest's words are right. A wrong guess gives the guest nothing with which it could test
other words. The classes here take and return messages as bytes, and send nothing.

SPEC: section 13.8.
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
"""Bytes of the first and of the second message: a letter for the sender's side, and a point."""
PROOF: Final = 32
MOST_TICKET: Final = 8000
"""The most bytes of an encoded ticket. The longest possible ticket has fewer."""
MOST_MESSAGE: Final = PROOF + SecretBox.NONCE_SIZE + SecretBox.MACBYTES + MOST_TICKET
"""The most bytes of a message. The longest one is the last, with the ticket."""
GUEST, HOST = b"A", b"B"


def _sides(number: int) -> tuple[bytes, bytes]:
    """Return the names of the guest's and the host's side, which SPAKE2 hashes into the key.

    The relay is not part of them, because the two sides may know it by different names ([K-2]).
    """
    where = number.to_bytes(4, "big")
    return digest(Label.CODE_GUEST, where), digest(Label.CODE_HOST, where)


def _checked(message: bytes, side: bytes) -> bytes:
    """Return a message of this side with a point of prime order, or raise CodeError ([K-3])."""
    # The letter of the side keeps an end's own message from being sent back to it.
    if len(message) != MESSAGE or message[:1] != side:
        raise CodeError(CodeCode.NOT_OURS)
    try:
        # With a point of small order the key could be guessed without the words.
        check_public(message[1:])
    except Invalid as error:
        raise CodeError(CodeCode.NOT_OURS) from error
    return message


def _agreed(spake: Any, message: bytes) -> bytes:
    """Return the secret key that a message gives. Raise CodeError if it is ours, sent back."""
    from spake2 import SPAKEError

    try:
        return bytes(spake.finish(message))
    except (SPAKEError, ValueError) as error:  # Our own point, sent back.
        raise CodeError(CodeCode.NOT_OURS) from error


class GuestExchange:
    """The guest's side, which has typed the spoken code.

    It sends `first`, 33 bytes, then the result of `prove`, and gets the ticket by `open`.
    """

    def __init__(self, code: SpokenCode, entropy: Entropy = os.urandom) -> None:
        from spake2 import SPAKE2_A

        guest, host = _sides(code.number)
        self._spake = SPAKE2_A(code.password, idA=guest, idB=host, entropy_f=entropy)
        self._key = b""
        self.first = bytes(self._spake.start())

    def prove(self, second: bytes) -> bytes:
        """Compute the key from the second message, and return the third: a proof of 32 bytes.

        Raises:
            CodeError: If the second message is malformed.
        """
        self._key = _agreed(self._spake, _checked(second, HOST))
        return digest(Label.CODE_GUEST_PROOF, self._key)

    def open(self, last: bytes) -> str:
        """Return the encoded ticket in the last message, if the host knows the words ([K-4]).

        Raises:
            CodeError: If the proof is wrong, or the ticket cannot be decrypted.
        """
        proof, sealed = last[:PROOF], last[PROOF:]
        # Otherwise a relay that plays the host could give the guest a ticket of its own.
        if not hmac.compare_digest(proof, digest(Label.CODE_HOST_PROOF, self._key)):
            raise CodeError(CodeCode.WRONG)
        try:
            return SecretBox(digest(Label.CODE_TICKET, self._key)).decrypt(sealed).decode("ascii")
        except (CryptoError, ValueError) as error:
            raise CodeError(CodeCode.WRONG) from error


class HostExchange:
    """The host's side, which sends the result of `answer`, then the result of `give`.

    Each can be called once, because a code can be tried only once ([K-5]).
    """

    def __init__(self, code: SpokenCode, ticket: str, entropy: Entropy = os.urandom) -> None:
        from spake2 import SPAKE2_B

        guest, host = _sides(code.number)
        self._spake = SPAKE2_B(code.password, idA=guest, idB=host, entropy_f=entropy)
        self._entropy = entropy
        self._ticket = ticket.encode("ascii")
        self._key = b""

    def answer(self, first: bytes) -> bytes:
        """Compute the key, and return the second message.

        Raises:
            CodeError: If the first message is malformed.
        """
        checked = _checked(first, GUEST)
        second = bytes(self._spake.start())
        self._key = _agreed(self._spake, checked)
        return second

    def give(self, proof: bytes) -> bytes:
        """Return the last message, if the guest's proof shows that it knows the words ([K-4]).

        It is the host's proof, a nonce and the encrypted ticket.

        Raises:
            CodeError: If the proof is wrong.
        """
        # The key is gone before the proof is looked at: a second guess at the same words fails.
        key, self._key = self._key, b""
        if not key or not hmac.compare_digest(proof, digest(Label.CODE_GUEST_PROOF, key)):
            raise CodeError(CodeCode.WRONG)
        box = SecretBox(digest(Label.CODE_TICKET, key))
        sealed = box.encrypt(self._ticket, self._entropy(SecretBox.NONCE_SIZE))
        return digest(Label.CODE_HOST_PROOF, key) + bytes(sealed)
