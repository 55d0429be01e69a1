"""The one X.509 certificate of an Ed25519 identity: the same bytes for every program ([L-1]).

A certificate of RFC 5280 with an Ed25519 key and signature (RFC 8410): serial number 1, issuer and
subject `CN=hoity`, valid from 2000 to 9999, no extensions. Nothing but the key and the signature
varies, so a certificate is compared, not parsed, and an X.509 library is in no seat's memory.
"""

from __future__ import annotations

import base64
from typing import Final

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from ..errors import Code
from .errors import NetError

_OUTER: Final = bytes.fromhex("3081ce")
_BEFORE_KEY: Final = bytes.fromhex(
    "308181a003020102020101300506032b6570"  # version 3, serial 1, Ed25519
    "3010310e300c06035504030c05686f697479"  # issuer CN=hoity
    "3020170d3030303130313030303030305a180f39393939313233313030303030305a"  # 2000 to 9999
    "3010310e300c06035504030c05686f697479"  # subject CN=hoity
    "302a300506032b6570032100"  # an Ed25519 key follows
)
_BEFORE_SIGNATURE: Final = bytes.fromhex("300506032b6570034100")
_BEFORE_SEED: Final = bytes.fromhex("302e020100300506032b657004220420")
_KEY: Final = 32
_SIGNATURE: Final = 64


class CertificateCode(Code):
    """What a listener's certificate can show."""

    OTHER_KIND = "certificate-of-other-kind"


def certificate(seed: bytes) -> bytes:
    """The certificate, in DER, of the Ed25519 key of a 32-byte seed."""
    key = SigningKey(seed)
    signed = _signed(key.verify_key.encode())
    return _OUTER + signed + _BEFORE_SIGNATURE + key.sign(signed).signature


def private_key(seed: bytes) -> bytes:
    """The key of a 32-byte seed in PKCS #8, DER, locked with nothing: for memory only."""
    return _BEFORE_SEED + seed


def key_of(der: bytes | None) -> bytes:
    """The id that a certificate, in DER, is for; NetError unless it is the certificate of that id.

    SPEC: [L-1].
    """
    start = len(_OUTER) + len(_BEFORE_KEY)
    key, signature = (der or b"")[start : start + _KEY], (der or b"")[-_SIGNATURE:]
    if der != _OUTER + _signed(key) + _BEFORE_SIGNATURE + signature:
        raise NetError(CertificateCode.OTHER_KIND)
    try:
        VerifyKey(key).verify(_signed(key), signature)
    except (BadSignatureError, ValueError):
        raise NetError(CertificateCode.OTHER_KIND) from None
    return key


def _signed(key: bytes) -> bytes:
    return _BEFORE_KEY + key


def pem(kind: str, der: bytes) -> bytes:
    """DER as the text (RFC 7468) that the standard library loads."""
    return (
        f"-----BEGIN {kind}-----\n".encode()
        + base64.encodebytes(der)
        + f"-----END {kind}-----\n".encode()
    )
