"""TLS between a relay and its users.

Nobody has to trust a relay's key. TLS hides from others which ids wait at the relay and who calls
whom. The two ends of a call then have a channel of their own (see `channel`).

The certificate (RFC 5280) has an Ed25519 key and signature (RFC 8410), serial number 1, issuer and
subject `CN=hoity`, validity from 2000 to 9999, and no extensions. Only the key and the signature
vary. So a certificate is compared with the expected bytes instead of being parsed, which needs no
X.509 library.

SPEC: section 13.2.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

import trio
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from ..coded_errors import NetworkCode
from .exception_reasons import trouble_is
from .network_errors import NetCode, NetError

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


class CertificateCode(NetworkCode):
    """The reasons why a listener's certificate is refused."""

    OTHER_KIND = (
        "certificate-of-other-kind",
        ("the certificate of the relay is not that of an Ed25519 key"),
    )


def certificate(seed: bytes) -> bytes:
    """Return the self-signed TLS certificate of an Ed25519 key.

    Args:
        seed: The secret seed of the key, 32 bytes.

    Returns:
        The certificate in DER.
    """
    key = SigningKey(seed)
    signed = _signed(key.verify_key.encode())
    return _OUTER + signed + _BEFORE_SIGNATURE + key.sign(signed).signature


def private_key(seed: bytes) -> bytes:
    """Return a private key as unencrypted PKCS #8. The caller must not write it to a disk.

    Args:
        seed: The secret seed of the key, 32 bytes.

    Returns:
        The key in DER.
    """
    return _BEFORE_SEED + seed


def key_of(der: bytes | None) -> bytes:
    """Check a certificate, and return the key in it, which is the id of its owner.

    The certificate must have exactly the form of the certificates that this program makes.

    Args:
        der: The certificate in DER. None if the other side has shown no certificate.

    Returns:
        The id, 32 bytes.

    Raises:
        NetError: If the check fails.

    SPEC: [L-83].
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
    """Return the part of a certificate that its signature covers."""
    return _BEFORE_KEY + key


def pem(kind: str, der: bytes) -> bytes:
    """Return DER bytes in PEM (RFC 7468), which the standard library can load.

    Args:
        kind: The label in the first line, such as CERTIFICATE.

    Returns:
        The text as ASCII bytes.
    """
    return (
        f"-----BEGIN {kind}-----\n".encode()
        + base64.encodebytes(der)
        + f"-----END {kind}-----\n".encode()
    )


TlsStream = trio.SSLStream[trio.abc.Stream]


@dataclass(frozen=True)
class Credentials:
    """The TLS context and certificate with which a relay listens.

    Attributes:
        context: The TLS context, which has the program's key.
        digest: The SHA-256 of the certificate, 32 bytes.
    """

    context: ssl.SSLContext = field(repr=False)
    digest: bytes


def credentials(seed: bytes) -> Credentials:
    """Make the TLS context and certificate of a relay.

    Args:
        seed: The secret seed of the key, 32 bytes.

    Returns:
        The context and the digest of the certificate.
    """
    shown = certificate(seed)
    context = _context(ssl.PROTOCOL_TLS_SERVER)
    context.num_tickets = 0  # No session is resumed, since each connection is proven anew.
    password = secrets.token_hex(32)
    with _passing_file(pem("CERTIFICATE", shown), seed, password) as path:
        context.load_cert_chain(path, password=password)
    return Credentials(context, hashlib.sha256(shown).digest())


def _locked(seed: bytes, password: str) -> bytes:
    """Return a private key in PEM, encrypted with a password.

    The library is imported only here, because it takes 8 MB of memory.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password.encode()),
    )


@contextmanager
def _passing_file(shown: bytes, seed: bytes, password: str) -> Iterator[str]:
    """Write a private key and its certificate to a PEM file, and yield the path of the file.

    The file exists while the `with` block runs. `shown` is the certificate in PEM, and `seed` is
    the seed of the Ed25519 private key, 32 bytes. On a system with `memfd_create`, the file is in
    memory. Otherwise the file is on disk, only its owner can read it, and the key is encrypted with
    `password`. The password is never written, so a crash leaves no readable key behind.
    """
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("hoity", os.MFD_CLOEXEC)
        try:
            os.write(descriptor, pem("PRIVATE KEY", private_key(seed)) + shown)
            yield f"/proc/self/fd/{descriptor}"
        finally:
            os.close(descriptor)
        return
    with tempfile.TemporaryDirectory(prefix="hoity-") as folder:  # readable by its owner only
        path = Path(folder, "identity.pem")
        path.write_bytes(_locked(seed, password) + shown)
        yield str(path)


def _context(protocol: int) -> ssl.SSLContext:
    """Return a TLS context that allows version 1.3 only."""
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


@cache
def _dialling_context() -> ssl.SSLContext:
    """Return the TLS context of a dialler, which accepts any certificate."""
    context = _context(ssl.PROTOCOL_TLS_CLIENT)
    # Nobody has to trust a relay, so nothing vouches for its key.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def secure_from(raw: trio.abc.Stream, mine: Credentials) -> TlsStream:
    """Do the listener's half of a TLS handshake. Raise NetError if it fails.

    Args:
        mine: The TLS context and certificate of this program.
    """
    stream = trio.SSLStream(raw, mine.context, server_side=True, https_compatible=True)
    with trouble_is(NetCode.FAILED):
        await stream.do_handshake()
    return stream


async def secure_to(raw: trio.abc.Stream) -> tuple[TlsStream, bytes, bytes]:
    """Do the dialler's half of a TLS handshake with a relay, whatever its id is.

    Returns:
        The TLS stream, the id of the relay, and the SHA-256 of the relay's certificate. A NetError
        is raised if the handshake fails.
    """
    stream = trio.SSLStream(raw, _dialling_context(), https_compatible=True)
    with trouble_is(NetCode.FAILED):
        await stream.do_handshake()
    der = stream.getpeercert(binary_form=True)
    peer = key_of(der)
    return stream, peer, hashlib.sha256(der).digest()


async def laid_aside(stream: TlsStream) -> tuple[trio.abc.Stream, bytes]:
    """Close TLS in good order, and return the bare stream below it ([L-32]).

    Both sides have to do this at the same point, and then continue without TLS.

    Returns:
        The stream below, and the bytes after the end of TLS that were already read from it. A
        NetError is raised if the other side does not close TLS.
    """
    with trouble_is(NetCode.FAILED):
        bare, early = await stream.unwrap()
    return bare, bytes(early)


class BegunStream(trio.abc.Stream):
    """A stream of which some bytes were already read. It returns these bytes first."""

    def __init__(self, early: bytes, stream: trio.abc.Stream) -> None:
        self._early, self._stream = early, stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes over the stream."""
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the wrapped stream can probably send."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive bytes: first the bytes that were given as `early`, then bytes of the stream.

        Args:
            max_bytes: The most bytes to return. None for no limit.
        """
        if not self._early:
            return await self._stream.receive_some(max_bytes)
        most = len(self._early) if max_bytes is None else max_bytes
        data, self._early = self._early[:most], self._early[most:]
        await trio.lowlevel.checkpoint()
        return data

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()
