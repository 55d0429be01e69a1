"""A connection that is secured and proven: its TLS, the certificate, and the handshake in it.

A certificate of RFC 5280 with an Ed25519 key and signature (RFC 8410): serial number 1, issuer and
subject `CN=hoity`, valid from 2000 to 9999, no extensions. Nothing but the key and the signature
varies, so a certificate is compared, not parsed, and an X.509 library is in no seat's memory.

Inside TLS the listener sends a challenge, the dialler an answer, the listener a verdict; each is
one frame. The answer is signed over the challenge, a fresh nonce of each side, both ids and the
certificate, so that it is worth nothing in another connection, to another listener, or for another
purpose.

challenge = greeting ‖ lowest ‖ highest version ‖ listener's nonce ‖ listener's instance
answer    = version taken ‖ dialler's id ‖ dialler's nonce ‖ dialler's instance ‖ signature
verdict   = one byte

The dialler takes the highest version that both sides speak. The signature covers the range that it
was offered, so nobody between the two can have them take a lower one. On a link each side then
names its features in a frame `hello`. An instance is a number that a process draws once: two
processes with one key are told apart.

SPEC: sections 13.1 and 13.2.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import ssl
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Final

import trio
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from protocol import Identity, Invalid, Label, codec, digest, framed, verify_signature

from ..coded_errors import NetworkCode
from .network_errors import (
    MisfitError,
    NetCode,
    NetError,
    NobodyError,
    RefusedError,
    trouble_is,
)
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


NONCE = 32
INSTANCE = 16
ID = 32
SIGNATURE = 64
ANSWER = 1 + ID + NONCE + INSTANCE + SIGNATURE
MAX_HANDSHAKE_FRAME = 256
"""No frame of a handshake is longer."""
MOST_VERSION: Final = 31
"""The highest version. A space stands where a greeting of version 2 of the protocol has it."""
GREETING_2: Final = b"hoity link "
"""How links and relays of version 2 of the protocol begin their challenge; a digit follows."""


@dataclass(frozen=True)
class Versions:
    """The versions of a link, or of a relay, that a program speaks.

    Attributes:
        greeting: What a challenge begins with.
        lowest: The lowest version.
        highest: The highest version.
    """

    greeting: bytes
    lowest: int
    highest: int

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __str__(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"

    def challenge(self, instance: bytes) -> bytes:
        """Return a challenge that nobody has seen before."""
        spoken = bytes([self.lowest, self.highest])
        return self.greeting + spoken + secrets.token_bytes(NONCE) + instance

    def take(self, challenge: bytes) -> int:
        """Return the highest version that the sender of a challenge speaks too.

        Raises:
            NobodyError: If there is none, or this is no challenge of this kind.

        SPEC: [L-71].
        """
        if challenge.startswith(GREETING_2):
            raise NobodyError(HandshakeCode.OF_VERSION_2)
        size = len(self.greeting) + 2
        spoken = challenge[len(self.greeting) : size]
        is_ours = challenge.startswith(self.greeting)
        if not is_ours or len(challenge) != size + NONCE + INSTANCE:
            raise NobodyError(HandshakeCode.OTHER_LANGUAGE)
        theirs = Versions(self.greeting, *spoken)
        if not 1 <= theirs.lowest <= theirs.highest <= MOST_VERSION:
            raise NobodyError(HandshakeCode.OTHER_LANGUAGE)
        taken = min(self.highest, theirs.highest)
        if taken not in self or taken not in theirs:
            told = {"theirs": str(theirs), "ours": str(self)}
            raise NobodyError(HandshakeCode.NO_COMMON_VERSION, **told)
        return taken


LINK_VERSIONS: Final = Versions(b"hoity link", 7, 7)
"""What peers speak with each other. Version 6 is of version 2 of the protocol. A program speaks the
versions of the tables that it may have to finish ([X-3])."""
RELAY_VERSIONS: Final = Versions(b"hoity relay", 1, 1)
"""What a relay and its visitors speak. What is spliced has the versions of links."""
FEATURES: Final[frozenset[int]] = frozenset()
"""The features of this program on links. None is known yet."""
MOST_FEATURES: Final = 64
HIGHEST_FEATURE: Final = 65_535


@dataclass(frozen=True)
class Speech:
    """What one node speaks on its links.

    Attributes:
        versions: The versions of a link.
        features: Its features. It needs each even one on the other side too.
        feature_of: Returns the feature without which the kind of a frame that begins with these
            bytes is not sent, or None.
    """

    versions: Versions = LINK_VERSIONS
    features: frozenset[int] = FEATURES
    feature_of: Callable[[bytes], int | None] = lambda head: None

    def hello(self) -> bytes:
        """Return the frame that names the features of this node."""
        return codec.encode(HELLO.write(Hello(tuple(sorted(self.features)))))

    def check(self, theirs: frozenset[int]) -> None:
        """Check that there can be a link with a node of these features.

        Raises:
            MisfitError: If one side needs a feature that the other one has not named.

        SPEC: [L-73].
        """
        ours = self.features
        for code, missing in (
            (HandshakeCode.FEATURE_UNKNOWN, theirs - ours),
            (HandshakeCode.FEATURE_LACKED, ours - theirs),
        ):
            needed = [feature for feature in missing if feature % 2 == 0]
            if needed:
                raise MisfitError(code, number=min(needed))


@dataclass(frozen=True)
class Hello:
    """The first frame of each side of a link: the numbers of its features, in rising order."""

    features: Annotated[
        tuple[int, ...],
        codec.Rows(codec.Int(HIGHEST_FEATURE), MOST_FEATURES, key=lambda feature: feature),
    ]


HELLO: Final[codec.Kinds[Hello]] = codec.Kinds({"hello": (Hello, MAX_HANDSHAKE_FRAME)})


def read_hello(data: bytes) -> frozenset[int]:
    """Return the features in a hello.

    Raises:
        NetError: If the frame is none.

    SPEC: [L-72].
    """
    try:
        return frozenset(HELLO.parse(data, "a hello").features)
    except Invalid:
        raise NetError(HandshakeCode.NO_HELLO) from None


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
    MISFIT = 8

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
    MISFIT = (
        "verdict-features",
        "it and this program need features of each other that they do not have; update the older"
        " one",
    )
    NO_VERDICT = "no-verdict", "it gave no verdict"
    OTHER_VERDICT = (
        "verdict-unknown-to-us",
        "it does not let us in, for a reason that this program does not know (verdict {number})",
    )
    OTHER_LANGUAGE = "handshake-of-other-kind", "it speaks another language than this program"
    OF_VERSION_2 = (
        "handshake-of-version-two",
        "it speaks version 2 of the protocol: both ends need hoity 0.1, or both a later one",
    )
    NO_COMMON_VERSION = (
        "handshake-without-common-version",
        "it speaks version {theirs} of the connection, and this program version {ours}; update the"
        " older one",
    )
    NO_HELLO = "hello-of-other-form", "it did not name its features as agreed"
    FEATURE_UNKNOWN = (
        "feature-unknown",
        "it needs feature {number}, which this program does not have; update this program",
    )
    FEATURE_LACKED = (
        "feature-lacked",
        "it does not have feature {number}, which this program needs; it must be updated",
    )
    ANSWER_VERSION = "answer-of-other-version", "it took a version that was not offered"
    ANSWER_SIZE = "answer-of-other-size", "its answer to the challenge has the wrong length"
    IS_OURSELVES = "answer-by-ourselves", "it claims to be ourselves"
    NO_PROOF = "answer-without-proof", "its signature does not prove its id"
    NO_ADDRESS = "answer-without-address", "its answer is not one address"


BY_VERDICT: Final[dict[Verdict, HandshakeCode]] = {
    verdict: HandshakeCode[verdict.name] for verdict in Verdict if verdict is not Verdict.WELCOME
}


@dataclass(frozen=True)
class Proven:
    """What a handshake proves of the other side, and what the two agreed on.

    Attributes:
        peer: The id of the other side.
        instance: The number of its process.
        binding: 32 bytes that name this link. They are the same at both ends of it and at no other
            link: what is proven over them later is proven for this link alone ([L-75]).
        version: The version that was taken.
        features: The features that the other side has named.
    """

    peer: bytes
    instance: bytes
    binding: bytes = field(repr=False)
    version: int = 0
    features: frozenset[int] = frozenset()


Asked = tuple[Proven, Purpose]


def fresh_instance() -> bytes:
    """The number of a process, drawn once."""
    return secrets.token_bytes(INSTANCE)


@dataclass(frozen=True)
class Listener:
    """Who listens, and what the dialler wants there.

    Attributes:
        purpose: What the dialler proves its id for.
        listener: The id of the listener.
        certificate: The SHA-256 of its certificate.
        versions: The versions that this side speaks for the purpose.
    """

    purpose: Purpose
    listener: bytes
    certificate: bytes
    versions: Versions = LINK_VERSIONS

    def _statement(self, challenge: bytes, data: bytes) -> bytes:
        """What the dialler signs in an answer that begins with these bytes."""
        dialler = data[1 : 1 + ID]
        numbers = data[:1] + data[1 + ID : -SIGNATURE]
        parts = (self.purpose.value, self.listener, dialler, self.certificate)
        return framed(*parts, challenge, numbers)

    def answer(self, identity: Identity, instance: bytes, challenge: bytes) -> bytes:
        """Return the dialler's answer to a challenge.

        Raises:
            NobodyError: If it is no challenge of this kind, or has no version that we speak.

        SPEC: [L-71].
        """
        taken = bytes([self.versions.take(challenge)])
        data = taken + identity.public + secrets.token_bytes(NONCE) + instance
        statement = self._statement(challenge, data + bytes(SIGNATURE))
        return data + identity.sign(Label.LINK_HANDSHAKE, statement)

    def check(self, data: bytes, challenge: bytes) -> Proven:
        """Return what an answer to our challenge proves.

        Raises:
            NetError: If the bytes are no such answer.

        SPEC: [L-2], [L-71].
        """
        if len(data) != ANSWER:
            raise NetError(HandshakeCode.ANSWER_SIZE)
        dialler, signature = data[1 : 1 + ID], data[-SIGNATURE:]
        if hmac.compare_digest(dialler, self.listener):
            raise NetError(HandshakeCode.IS_OURSELVES)
        statement = self._statement(challenge, data)
        try:
            verify_signature(dialler, Label.LINK_HANDSHAKE, statement, signature)
        except Invalid:
            raise NetError(HandshakeCode.NO_PROOF) from None
        if data[0] not in self.versions:
            raise NetError(HandshakeCode.ANSWER_VERSION)
        instance = data[-SIGNATURE - INSTANCE : -SIGNATURE]
        return Proven(dialler, instance, digest(Label.LINK_BINDING, statement), data[0])

    def answered(self, data: bytes, challenge: bytes) -> Proven:
        """Return what the dialler knows of the listener once its answer is welcome."""
        binding = digest(Label.LINK_BINDING, self._statement(challenge, data))
        return Proven(self.listener, challenge[-INSTANCE:], binding, data[0])


async def ask(stream: trio.abc.Stream, listeners: Sequence[Listener], instance: bytes) -> Asked:
    """The listener's side: challenge the dialler and return what it proves, and for which of the
    purposes that the listener serves, else NetError.

    A dialler that fails is told so; whoever is believed still waits for a verdict.
    """
    challenge = listeners[0].versions.challenge(instance)
    await send(stream, challenge)
    data = await receive(stream)
    for listener in listeners:
        with suppress(NetError):
            return listener.check(data, challenge), listener.purpose
    await send(stream, Verdict.NOT_PROVEN.encode())
    raise NetError(HandshakeCode.NO_PROOF)


async def prove(
    stream: trio.abc.Stream,
    listener: Listener,
    identity: Identity,
    instance: bytes,
    speech: Speech | None = None,
) -> Proven:
    """Do the dialler's side: answer the challenge, and wait to be welcome.

    Args:
        stream: The connection, secured.
        listener: Who listens there.
        identity: Who dials.
        instance: The number of this process.
        speech: What this node speaks on links; None if the purpose is no link.

    Raises:
        NetError: If there is no welcome. It says why.

    SPEC: [L-71], [L-72], [L-73].
    """
    challenge = await receive(stream)
    data = listener.answer(identity, instance, challenge)
    # Both frames go out at once: a listener that refuses has then read all that was sent, and its
    # verdict is not lost when it closes.
    await send(stream, data, *([] if speech is None else [speech.hello()]))
    proven = listener.answered(data, challenge)
    try:
        await expect_welcome(stream)
    except RefusedError as error:
        if error.code is HandshakeCode.MISFIT and speech is not None:
            await agreed(stream, proven, speech)  # tells which feature it is
        raise
    return proven if speech is None else await agreed(stream, proven, speech)


async def agreed(stream: trio.abc.Stream, proven: Proven, speech: Speech) -> Proven:
    """Read the hello of the other side, and return what is proven of it with its features.

    Raises:
        NetError: If it is no hello.
        MisfitError: If there can be no link with these features.
    """
    theirs = read_hello(await receive(stream))
    speech.check(theirs)
    return replace(proven, features=theirs)


async def expect_welcome(stream: trio.abc.Stream) -> None:
    """Read a verdict; NetError unless it is a welcome.

    A refusal by a known verdict is the NetError RefusedError.
    """
    said = await receive(stream)
    if len(said) != 1:
        raise NetError(HandshakeCode.NO_VERDICT)
    try:
        verdict = Verdict(said[0])
    except ValueError:
        raise NetError(HandshakeCode.OTHER_VERDICT, number=said[0]) from None
    if verdict is not Verdict.WELCOME:
        is_elsewhere, is_full = verdict is Verdict.ELSEWHERE, verdict is Verdict.FULL
        raise RefusedError(BY_VERDICT[verdict], is_elsewhere, is_full)


async def send(stream: trio.abc.SendStream, *frames: bytes) -> None:
    """Send frames of a handshake at once; NetError when the connection breaks."""
    with trouble_is(NetCode.FAILED):
        await stream.send_all(b"".join(map(encode_frame, frames)))


async def receive(stream: trio.abc.ReceiveStream) -> bytes:
    """One frame of a handshake in; NetError when it breaks or is too long."""
    with trouble_is(NetCode.FAILED):
        return await read_frame(stream, MAX_HANDSHAKE_FRAME)
