"""TLS 1.3 with a certificate signed by the player's own identity key, pinned by the dialler."""

from __future__ import annotations

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

import trio

from ..errors import Code
from .certificate import certificate, key_of, pem, private_key
from .errors import NetCode, NobodyError, trouble_is


class TlsCode(Code):
    """What a dialler finds behind an address."""

    OTHER_KEY = "someone-else-answers"


TlsStream = trio.SSLStream[trio.abc.Stream]


@dataclass(frozen=True)
class Credentials:
    """A listener's TLS side: the context that holds its key, and its certificate's SHA-256."""

    context: ssl.SSLContext = field(repr=False)
    digest: bytes


def credentials(seed: bytes) -> Credentials:
    """Credentials for the Ed25519 key of a 32-byte seed."""
    shown = certificate(seed)
    context = _context(ssl.PROTOCOL_TLS_SERVER)
    context.num_tickets = 0  # no resumption: each link proves itself anew
    password = secrets.token_hex(32)
    with _passing_file(pem("CERTIFICATE", shown), seed, password) as path:
        context.load_cert_chain(path, password=password)
    return Credentials(context, hashlib.sha256(shown).digest())


def _locked(seed: bytes, password: str) -> bytes:
    """The key in PEM under a password. Loaded where it is needed only: it costs a seat 8 MB."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(password.encode()),
    )


@contextmanager
def _passing_file(shown: bytes, seed: bytes, password: str) -> Iterator[str]:
    """A path to a certificate, in PEM, and its key while inside: memory where the system can, else
    an owner-only file.

    The standard library loads keys from paths only. In a file the key is locked with a password
    that is never written, so that not even a crash between writing and deleting leaves it behind.
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
    context = ssl.SSLContext(protocol)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


@cache
def _dialling_context() -> ssl.SSLContext:
    context = _context(ssl.PROTOCOL_TLS_CLIENT)
    # There is no authority to ask: secure_to compares the key with the id it expects.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


async def secure_from(raw: trio.abc.Stream, mine: Credentials) -> TlsStream:
    """The listener's half of a TLS handshake; NetError when the other side does not follow."""
    stream = trio.SSLStream(raw, mine.context, server_side=True, https_compatible=True)
    with trouble_is(NetCode.FAILED):
        await stream.do_handshake()
    return stream


async def secure_to(raw: trio.abc.Stream, expected: bytes | None) -> tuple[TlsStream, bytes, bytes]:
    """The dialler's half: (stream, id, certificate digest), no data sent before the id is right.

    expected None takes any id (a relay is trusted with nothing). NobodyError, a
    NetError, names an impostor ([L-1]).
    """
    stream = trio.SSLStream(raw, _dialling_context(), https_compatible=True)
    with trouble_is(NetCode.FAILED):
        await stream.do_handshake()
    der = stream.getpeercert(binary_form=True)
    peer = key_of(der)
    if expected is not None and peer != expected:
        raise NobodyError(TlsCode.OTHER_KEY)
    return stream, peer, hashlib.sha256(der).digest()


async def laid_aside(stream: TlsStream) -> tuple[trio.abc.Stream, bytes]:
    """End TLS in good order and go on below it: the bare stream, and what came on it already.

    Both sides do so, neither says more inside ([L-32]); NetError when the other side does not.
    """
    with trouble_is(NetCode.FAILED):
        bare, early = await stream.unwrap()
    return bare, bytes(early)


class BegunStream(trio.abc.Stream):
    """A stream of which some bytes were read already: they come first."""

    def __init__(self, early: bytes, stream: trio.abc.Stream) -> None:
        self._early, self._stream = early, stream

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send."""
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As of the stream."""
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive."""
        if not self._early:
            return await self._stream.receive_some(max_bytes)
        most = len(self._early) if max_bytes is None else max_bytes
        data, self._early = self._early[:most], self._early[most:]
        await trio.lowlevel.checkpoint()
        return data

    async def aclose(self) -> None:
        """Close."""
        await self._stream.aclose()
