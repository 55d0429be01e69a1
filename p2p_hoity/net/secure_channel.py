"""A connection that is secured and proven: its TLS, the certificate, and the handshake in it.

A certificate of RFC 5280 with an Ed25519 key and signature (RFC 8410): serial number 1, issuer and
subject `CN=hoity`, valid from 2000 to 9999, no extensions. Nothing but the key and the signature
varies, so a certificate is compared, not parsed, and an X.509 library is in no seat's memory.

Inside TLS the listener sends a challenge, the dialler an answer, the listener a verdict; each is
one frame. The answer is signed over a fresh nonce of each side, both ids and the certificate, so
that it is worth nothing in another connection, to another listener, or for another purpose.

challenge = MAGIC ‖ listener's nonce ‖ listener's instance
answer    = dialler's id ‖ dialler's nonce ‖ dialler's instance ‖ signature
verdict   = one byte

An instance is a number that a process draws once: two processes with one key are told apart.

SPEC: section 13.1.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import ssl
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cache
from pathlib import Path
from typing import Final

import trio
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from protocol import Identity, Invalid, Label, digest, framed, verify_signature

from ..coded_errors import NetworkCode
from .network_errors import NetCode, NetError, NobodyError, RefusedError, trouble_is
from .transport import encode_frame, read_frame

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
    """What a listener's certificate can show."""

    OTHER_KIND = "certificate-of-other-kind", "its certificate is not for an Ed25519 key"


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


class TlsCode(NetworkCode):
    """What a dialler finds behind an address."""

    OTHER_KEY = (
        "someone-else-answers",
        "someone else answers there: the key is not the expected one",
    )


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


MAGIC = b"hoity link 6"
NONCE = 32
INSTANCE = 16
ID = 32
SIGNATURE = 64
CHALLENGE = len(MAGIC) + NONCE + INSTANCE
ANSWER = ID + NONCE + INSTANCE + SIGNATURE
LONGEST = 256
"""No frame of a handshake is longer."""


class Purpose(Enum):
    """What a dialler proves its id for; part of what is signed."""

    LINK = b"link"
    PUNCH = b"punch"
    RELAY = b"relay"


class Verdict(IntEnum):
    """The listener's last word before a link, in one byte."""

    WELCOME = 0
    NOT_PROVEN = 1
    FULL = 2
    DUPLICATE = 3
    REFUSED = 4
    UNKNOWN = 5
    NO_ANSWER = 6
    ELSEWHERE = 7

    def encode(self) -> bytes:
        """The byte on the wire."""
        return bytes([self])


class HandshakeCode(NetworkCode):
    """Why there is no link: what the listener's verdict says, then what its bytes show."""

    NOT_PROVEN = "verdict-not-proven", "it did not believe our signature"
    FULL = "verdict-full", "it has no room for more links"
    DUPLICATE = "verdict-duplicate", "it already has a link with us"
    REFUSED = "verdict-refused", "it does not want a link with us"
    UNKNOWN = "verdict-unknown", "nobody with that id or number waits at this relay"
    NO_ANSWER = "verdict-no-answer", "the one who waits at this relay did not answer"
    ELSEWHERE = "verdict-elsewhere", "another process with our key is linked with it"
    NO_VERDICT = "no-verdict", "it gave no verdict we know"
    OTHER_LANGUAGE = (
        "handshake-of-other-version",
        "it speaks another language, or another version of ours",
    )
    ANSWER_SIZE = "answer-of-other-size", "its answer to the challenge has the wrong length"
    IS_OURSELVES = "answer-by-ourselves", "it claims to be ourselves"
    NO_PROOF = "answer-without-proof", "its signature does not prove its id"
    NO_ADDRESS = "answer-without-address", "its answer is not one address"


BY_VERDICT: Final[dict[Verdict, HandshakeCode]] = {
    verdict: HandshakeCode[verdict.name] for verdict in Verdict if verdict is not Verdict.WELCOME
}


@dataclass(frozen=True)
class Proven:
    """What a handshake proves of the other side: its id, its process, and the link itself.

    `binding` is the same at both ends of one link and at no other: what is proven over it later
    is proven for this link alone.
    """

    peer: bytes
    instance: bytes
    binding: bytes = field(repr=False)


Asked = tuple[Proven, Purpose]


def fresh_instance() -> bytes:
    """The number of a process, drawn once."""
    return secrets.token_bytes(INSTANCE)


def fresh_challenge(instance: bytes) -> bytes:
    """A challenge nobody has seen before."""
    return MAGIC + secrets.token_bytes(NONCE) + instance


@dataclass(frozen=True)
class Listener:
    """Who listens, by which certificate (its SHA-256), and what the dialler wants there."""

    purpose: Purpose
    listener: bytes
    certificate: bytes

    def _statement(self, challenge: bytes, dialler: bytes, numbers: bytes) -> bytes:
        numbers = challenge + numbers
        return framed(self.purpose.value, self.listener, dialler, self.certificate, numbers)

    def answer(self, identity: Identity, instance: bytes, challenge: bytes) -> bytes:
        """The dialler's answer to a challenge; NobodyError when it is not one of ours."""
        if len(challenge) != CHALLENGE or not challenge.startswith(MAGIC):
            raise NobodyError(HandshakeCode.OTHER_LANGUAGE)
        numbers = secrets.token_bytes(NONCE) + instance
        statement = self._statement(challenge, identity.public, numbers)
        return identity.public + numbers + identity.sign(Label.LINK_HANDSHAKE, statement)

    def check(self, data: bytes, challenge: bytes) -> Proven:
        """What an answer to our challenge proves; NetError for any other bytes ([L-2])."""
        if len(data) != ANSWER:
            raise NetError(HandshakeCode.ANSWER_SIZE)
        dialler, numbers, signature = data[:ID], data[ID:-SIGNATURE], data[-SIGNATURE:]
        if hmac.compare_digest(dialler, self.listener):
            raise NetError(HandshakeCode.IS_OURSELVES)
        statement = self._statement(challenge, dialler, numbers)
        try:
            verify_signature(dialler, Label.LINK_HANDSHAKE, statement, signature)
        except Invalid:
            raise NetError(HandshakeCode.NO_PROOF) from None
        return Proven(dialler, numbers[NONCE:], digest(Label.LINK_BINDING, statement))

    def answered(self, data: bytes, challenge: bytes) -> Proven:
        """What the dialler knows of the listener once its answer is welcome."""
        statement = self._statement(challenge, data[:ID], data[ID:-SIGNATURE])
        return Proven(self.listener, challenge[-INSTANCE:], digest(Label.LINK_BINDING, statement))


async def ask(stream: trio.abc.Stream, listeners: Sequence[Listener], instance: bytes) -> Asked:
    """The listener's side: challenge the dialler and return what it proves, and for which of the
    purposes that the listener serves, else NetError.

    A dialler that fails is told so; whoever is believed still waits for a verdict.
    """
    challenge = fresh_challenge(instance)
    await send(stream, challenge)
    data = await receive(stream)
    for listener in listeners:
        with suppress(NetError):
            return listener.check(data, challenge), listener.purpose
    await send(stream, Verdict.NOT_PROVEN.encode())
    raise NetError(HandshakeCode.NO_PROOF)


async def prove(
    stream: trio.abc.Stream, listener: Listener, identity: Identity, instance: bytes
) -> Proven:
    """The dialler's side: answer the challenge and wait to be welcome; NetError says why not."""
    challenge = await receive(stream)
    data = listener.answer(identity, instance, challenge)
    await send(stream, data)
    await expect_welcome(stream)
    return listener.answered(data, challenge)


async def expect_welcome(stream: trio.abc.Stream) -> None:
    """Read a verdict; NetError unless it is a welcome.

    A refusal by a known verdict is the NetError RefusedError.
    """
    said = await receive(stream)
    try:
        verdict = Verdict(int.from_bytes(said, "big")) if len(said) == 1 else None
    except ValueError:
        verdict = None
    if verdict is None:
        raise NetError(HandshakeCode.NO_VERDICT)
    if verdict is not Verdict.WELCOME:
        is_elsewhere, is_full = verdict is Verdict.ELSEWHERE, verdict is Verdict.FULL
        raise RefusedError(BY_VERDICT[verdict], is_elsewhere, is_full)


async def send(stream: trio.abc.SendStream, data: bytes) -> None:
    """One frame of a handshake out; NetError when the connection breaks."""
    with trouble_is(NetCode.FAILED):
        await stream.send_all(encode_frame(data))


async def receive(stream: trio.abc.ReceiveStream) -> bytes:
    """One frame of a handshake in; NetError when it breaks or is too long."""
    with trouble_is(NetCode.FAILED):
        return await read_frame(stream, LONGEST)
