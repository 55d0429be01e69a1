"""The handshake `Noise_NK_25519_ChaChaPoly_SHA512`, and the ciphers that it makes. No I/O.

The dialler (initiator) knows the static key of the listener (responder) before, and has none
itself. Source: Perrin, "The Noise Protocol Framework", revision 34 (2018). Its names are used here.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from secrets import token_bytes
from typing import Final, NamedTuple

from nacl import bindings
from nacl.exceptions import CryptoError

KEY: Final = 32
"""Bytes of a key, public or secret."""
TAG: Final = 16
"""Bytes of the tag behind each ciphertext."""
MESSAGE: Final = KEY + TAG
"""Bytes of a handshake message without a payload."""
NAME: Final = b"Noise_NK_25519_ChaChaPoly_SHA512"
_HASH: Final = 64
_LAST: Final = 2**64 - 1
"""The nonce of `CipherState.rekey`, which no message has."""

Random = Callable[[int], bytes]


class NoiseError(Exception):
    """An error: these bytes are none that an honest other end sends here."""


class CipherState:
    """The cipher of one direction: a key, and the number of its next message."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.n = 0

    def encrypt(self, plain: bytes, ad: bytes = b"") -> bytes:
        """Encrypt a message. `ad` is authenticated with it."""
        return bindings.crypto_aead_chacha20poly1305_ietf_encrypt(
            plain, ad, self._next(), self._key
        )

    def decrypt(self, sealed: bytes, ad: bytes = b"") -> bytes:
        """Decrypt a message.

        Raises:
            NoiseError: Unless it is the next one of this direction.
        """
        try:
            return bindings.crypto_aead_chacha20poly1305_ietf_decrypt(
                sealed, ad, self._next(), self._key
            )
        except (CryptoError, ValueError):
            raise NoiseError from None

    def rekey(self) -> None:
        """Replace the key by one from which it cannot be found. The nonces go on."""
        self._key = bindings.crypto_aead_chacha20poly1305_ietf_encrypt(
            bytes(KEY), b"", _nonce(_LAST), self._key
        )[:KEY]

    def _next(self) -> bytes:
        """Return the nonce of the next message. Raise NoiseError if none is left."""
        if self.n >= _LAST:
            raise NoiseError
        nonce = _nonce(self.n)
        self.n += 1
        return nonce


class Ciphers(NamedTuple):
    """What a handshake has made: the ciphers, and 64 bytes that no other handshake has."""

    sending: CipherState
    receiving: CipherState
    handshake_hash: bytes


class _SymmetricState:
    """The hash of all that was sent, and the keys that follow from it (section 5.2)."""

    def __init__(self, prologue: bytes, listener: bytes) -> None:
        self.h = self._chaining_key = NAME.ljust(_HASH, b"\0")
        self._cipher: CipherState | None = None
        self.mix_hash(prologue)
        self.mix_hash(listener)  # The pre-message `<- s`.

    def mix_hash(self, data: bytes) -> None:
        """Mix in what one side has sent, or both know."""
        self.h = hashlib.sha512(self.h + data).digest()

    def mix_key(self, shared: bytes) -> None:
        """Mix in a shared secret, from which the next key follows."""
        self._chaining_key, key = _hkdf(self._chaining_key, shared)
        self._cipher = CipherState(key[:KEY])

    def encrypt_and_hash(self, payload: bytes) -> bytes:
        """Encrypt a payload, with all that was hashed as associated data."""
        sealed = self._keyed().encrypt(payload, self.h)
        self.mix_hash(sealed)
        return sealed

    def decrypt_and_hash(self, sealed: bytes) -> bytes:
        """Decrypt a payload. Raise NoiseError unless both sides have hashed the same."""
        payload = self._keyed().decrypt(sealed, self.h)
        self.mix_hash(sealed)
        return payload

    def split(self) -> tuple[CipherState, CipherState]:
        """Return the ciphers from the dialler to the listener, and back."""
        to_listener, to_dialler = _hkdf(self._chaining_key, b"")
        return CipherState(to_listener[:KEY]), CipherState(to_dialler[:KEY])

    def _keyed(self) -> CipherState:
        if self._cipher is None:
            raise RuntimeError("no key was mixed in")
        return self._cipher


class DiallerHandshake:
    """The dialler's side: `first` makes its message, and `finish` reads the listener's."""

    def __init__(self, prologue: bytes, listener: bytes, rng: Random = token_bytes) -> None:
        self._state = _SymmetricState(prologue, listener)
        self._listener = listener
        self._secret = rng(KEY)

    def first(self, payload: bytes = b"") -> bytes:
        """Return the message `e, es`. Raise NoiseError for a listener's key of low order."""
        ephemeral = bindings.crypto_scalarmult_base(self._secret)
        self._state.mix_hash(ephemeral)
        self._state.mix_key(_dh(self._secret, self._listener))
        return ephemeral + self._state.encrypt_and_hash(payload)

    def finish(self, second: bytes) -> tuple[bytes, Ciphers]:
        """Read the message `e, ee`, and return its payload and the ciphers."""
        state, ephemeral = self._state, second[:KEY]
        state.mix_hash(ephemeral)
        state.mix_key(_dh(self._secret, ephemeral))
        payload = state.decrypt_and_hash(second[KEY:])
        sending, receiving = state.split()
        return payload, Ciphers(sending, receiving, state.h)


class ListenerHandshake:
    """The listener's side: `read` takes the dialler's message, and `answer` makes its own."""

    def __init__(self, prologue: bytes, secret: bytes, rng: Random = token_bytes) -> None:
        self._state = _SymmetricState(prologue, bindings.crypto_scalarmult_base(secret))
        self._static, self._secret = secret, rng(KEY)
        self._dialler = b""

    def read(self, first: bytes) -> bytes:
        """Read the message `e, es`, and return its payload. Raise NoiseError if it is none."""
        self._dialler = first[:KEY]
        self._state.mix_hash(self._dialler)
        self._state.mix_key(_dh(self._static, self._dialler))
        return self._state.decrypt_and_hash(first[KEY:])

    def answer(self, payload: bytes = b"") -> tuple[bytes, Ciphers]:
        """Return the message `e, ee`, and the ciphers."""
        state, ephemeral = self._state, bindings.crypto_scalarmult_base(self._secret)
        state.mix_hash(ephemeral)
        state.mix_key(_dh(self._secret, self._dialler))
        second = ephemeral + state.encrypt_and_hash(payload)
        receiving, sending = state.split()
        return second, Ciphers(sending, receiving, state.h)


def _dh(secret: bytes, public: bytes) -> bytes:
    """Return the result of X25519. Raise NoiseError if it is zero."""
    try:
        return bindings.crypto_scalarmult(secret, public)
    except RuntimeError:  # The public key has a low order, so everybody knows the result.
        raise NoiseError from None


def _nonce(number: int) -> bytes:
    return bytes(4) + number.to_bytes(8, "little")


def _hkdf(chaining_key: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Return two outputs of 64 bytes (section 4.3)."""
    key = hmac.digest(chaining_key, data, "sha512")
    first = hmac.digest(key, b"\x01", "sha512")
    return first, hmac.digest(key, first + b"\x02", "sha512")
