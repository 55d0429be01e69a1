"""The channel of a link, its records, and the proof inside it (13.1)."""

import hashlib
import hmac
import re
from dataclasses import dataclass

import nacl.bindings as sodium
from nacl.exceptions import CryptoError

from . import constants as c
from .encoding import EncodingError, decode, digest, framed, is_array, is_int, is_rising
from .group import is_point, signature_is_valid

FIELD = 2**255 - 19
KIND = b"\x01"
NOISE = b"Noise_NK_25519_ChaChaPoly_SHA512"
MESSAGE = 1 + 32 + 16
SIZES = (64, 128, 640, 1024, 2048)
TAG = 16
MOST_CONTENT = SIZES[-1] - 2
REKEY_AFTER = 65536


class Refused(Exception):
    """Bytes on which a side closes."""


# Keys ([L-80]).


def exchange_key(identity: bytes) -> bytes:
    """Return the X25519 key of an id."""
    if not is_point(identity):
        raise Refused
    y = int.from_bytes(identity, "little") % 2**255
    return ((1 + y) * pow(1 - y, -1, FIELD) % FIELD).to_bytes(32, "little")


def exchange_secret(seed: bytes) -> bytes:
    """Return the secret of the X25519 key, with its bits set."""
    half = bytearray(hashlib.sha512(seed).digest()[:32])
    half[0] &= 248
    half[31] = half[31] & 127 | 64
    return bytes(half)


def exchange(secret: bytes, public: bytes) -> bytes:
    """Return the result of X25519, which is not zero."""
    try:
        return sodium.crypto_scalarmult(secret, public)
    except RuntimeError:
        raise Refused from None


# The two messages.


def sha(*parts: bytes) -> bytes:
    """Return the SHA-512 of parts put together."""
    return hashlib.sha512(b"".join(parts)).digest()


def mix(ck: bytes, data: bytes) -> tuple[bytes, bytes]:
    """Return the next chaining key and the next key."""
    temp = hmac.digest(ck, data, "sha512")
    x = hmac.digest(temp, b"\x01", "sha512")
    return x, hmac.digest(temp, x + b"\x02", "sha512")[:32]


def seal(key: bytes, number: int, ad: bytes, plain: bytes) -> bytes:
    """Encrypt with the nonce of a number."""
    nonce = bytes(4) + number.to_bytes(8, "little")
    return sodium.crypto_aead_chacha20poly1305_ietf_encrypt(plain, ad, nonce, key)


def unseal(key: bytes, number: int, ad: bytes, sealed: bytes) -> bytes:
    """Decrypt, or refuse."""
    nonce = bytes(4) + number.to_bytes(8, "little")
    try:
        return sodium.crypto_aead_chacha20poly1305_ietf_decrypt(sealed, ad, nonce, key)
    except CryptoError:
        raise Refused from None


@dataclass(frozen=True)
class Progress:
    """The chaining key and the hash at some point of the handshake."""

    ck: bytes
    h: bytes

    def made(self, e: bytes, shared: bytes) -> tuple[bytes, "Progress"]:
        """Return a message, and what both sides have after it."""
        h = sha(self.h, e)
        ck, key = mix(self.ck, shared)
        tag = seal(key, 0, h, b"")
        return KIND + e + tag, Progress(ck, sha(h, tag))

    def read(self, message: bytes, shared: bytes) -> "Progress":
        """Return what both sides have after a message, or refuse it."""
        e, tag = message[1:33], message[33:]
        h = sha(self.h, e)
        ck, key = mix(self.ck, shared)
        unseal(key, 0, h, tag)
        return Progress(ck, sha(h, tag))

    def keys(self) -> tuple[bytes, bytes]:
        """Return the key of the dialler's records, and that of the listener's."""
        k1, k2 = mix(self.ck, b"")
        return k1[:32], k2


def prologue(listener: bytes) -> bytes:
    """Return the prologue for a listener."""
    return c.label("link channel") + KIND + listener


def begin(listener: bytes) -> Progress:
    """Return what both sides have before the first message."""
    ck = NOISE + bytes(32)
    return Progress(ck, sha(sha(ck, prologue(listener)), exchange_key(listener)))


def key_in(message: bytes) -> bytes:
    """Return e of a message."""
    if len(message) != MESSAGE or message[:1] != KIND:
        raise Refused
    return message[1:33]


# Records ([L-9], [L-81], [L-82]).


def key_at(key: bytes, number: int) -> bytes:
    """Return the key of a direction for the record of a number, from its first key on."""
    for _ in range(number // REKEY_AFTER):
        key = seal(key, 2**64 - 1, b"", bytes(32))[:32]
    return key


def records(key: bytes, number: int, content: bytes) -> bytes:
    """Return content in records, of which the first one has this number."""
    made = b""
    for start in range(0, len(content), MOST_CONTENT):
        piece = content[start : start + MOST_CONTENT]
        size = next(size for size in SIZES if len(piece) + 2 <= size)
        plain = (len(piece).to_bytes(2, "big") + piece).ljust(size, b"\0")
        sealed = seal(key_at(key, number), number, b"", plain)
        made += len(sealed).to_bytes(2, "big") + sealed
        number += 1
    return made


def content_of(key: bytes, number: int, record: bytes) -> bytes:
    """Return the content of one record, or refuse it."""
    length = int.from_bytes(record[:2], "big")
    if length - TAG not in SIZES or len(record) != 2 + length:
        raise Refused
    plain = unseal(key_at(key, number), number, b"", record[2:])
    end = 2 + int.from_bytes(plain[:2], "big")
    if not 2 < end <= len(plain) or any(plain[end:]):
        raise Refused
    return plain[2:end]


# The proof.


def statement(purpose: bytes, listener: bytes, h: bytes, challenge: bytes, answer: bytes) -> bytes:
    """Return what the dialler signs in its answer."""
    said = answer[:1] + answer[33:81]
    return framed(purpose, listener, answer[1:33], h, challenge, said)


def proves(listener: bytes, challenge: bytes, answer: bytes, signed: bytes) -> bool:
    """Return whether an answer proves the id of its dialler ([L-2], [L-71])."""
    if len(answer) != 145 or answer[1:33] == listener:
        return False
    if not challenge[10] <= answer[0] <= challenge[11]:
        return False
    return signature_is_valid("sign link proof", answer[1:33], signed, answer[81:])


SERVER = r"([-a-z0-9._]{1,253}|\[[0-9a-f:.]{2,45}\])(:[1-9][0-9]{0,4})?"


def hello(data: bytes) -> tuple[list[int], str | None]:
    """Return the features and the page in a hello."""
    try:
        value = decode(data)
    except EncodingError:
        raise Refused from None
    if len(data) > 512 or not is_array(value, 3) or value[0] != "hello":
        raise Refused
    _, features, page = value
    if not is_array(features) or len(features) > 64 or not is_rising(features):
        raise Refused
    if not all(is_int(one, 0, 65_535) for one in features):
        raise Refused
    if page is not None and not (isinstance(page, str) and re.fullmatch(SERVER, page)):
        raise Refused
    return list(features), page


def binding(signed: bytes) -> bytes:
    """Return the binding of the link."""
    return digest("link binding", signed)
