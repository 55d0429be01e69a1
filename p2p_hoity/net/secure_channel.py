"""The secured connection: TLS, the certificate, and the handshake that proves ids.

The certificate (RFC 5280) has an Ed25519 key and signature (RFC 8410), serial number 1, issuer and
subject `CN=hoity`, validity from 2000 to 9999, and no extensions. Only the key and the signature
vary. So a certificate is compared with the expected bytes instead of being parsed, which needs no
X.509 library.

Inside TLS the listener sends a challenge, the dialler an answer, and the listener a verdict, each
in one frame. The answer is signed over the challenge, a fresh nonce of each side, both ids and the
certificate. So an answer is worthless in another connection, to another listener, or for another
purpose.

challenge = greeting ‖ lowest ‖ highest version ‖ listener's nonce ‖ listener's instance
answer    = version taken ‖ dialler's id ‖ dialler's nonce ‖ dialler's instance ‖ signature
verdict   = one byte

The dialler takes the highest version that both sides support. The signature covers the offered
range of versions, so a man in the middle cannot force a lower version. On a link each side then
names its features in a frame `hello`. An instance is a random number of a process, by which two
processes with the same key are distinguished.

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
from protocol.units import PeerId

from ..coded_errors import NetworkCode
from .exception_reasons import trouble_is
from .network_errors import MisfitError, NetCode, NetError, NobodyError, RefusedError
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
    """The reasons why a listener's certificate is refused."""

    OTHER_KIND = (
        "certificate-of-other-kind",
        ("the certificate of the other program is not that of an Ed25519 key"),
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


class TlsCode(NetworkCode):
    """The reasons why the program that answers at an address is not trusted."""

    OTHER_KEY = (
        "someone-else-answers",
        "another program answers there: its key is not the expected one",
    )


TlsStream = trio.SSLStream[trio.abc.Stream]


@dataclass(frozen=True)
class Credentials:
    """The TLS context and certificate with which a peer listens.

    Attributes:
        context: The TLS context, which has the program's key.
        digest: The SHA-256 of the certificate, 32 bytes.
    """

    context: ssl.SSLContext = field(repr=False)
    digest: bytes


def credentials(seed: bytes) -> Credentials:
    """Make the TLS context and certificate of a peer that listens with a key.

    Args:
        seed: The secret seed of the key, 32 bytes.

    Returns:
        The context and the digest of the certificate.
    """
    shown = certificate(seed)
    context = _context(ssl.PROTOCOL_TLS_SERVER)
    context.num_tickets = 0  # No session is resumed, since each link is proven anew.
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
    # There is no certificate authority. `secure_to` compares the key with the expected id.
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


async def secure_to(raw: trio.abc.Stream, expected: bytes | None) -> tuple[TlsStream, bytes, bytes]:
    """Do the dialler's half of a TLS handshake, and check the id of the listener.

    Args:
        expected: The expected id of the listener. None to accept any id, as for a relay, which is
            not trusted.

    Returns:
        The TLS stream, the id of the listener, and the SHA-256 of the listener's certificate. A
        NetError is raised if the handshake fails.

    Raises:
        NobodyError: If the listener has another id ([L-1]).
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


NONCE = 32
"""Bytes of a nonce."""
INSTANCE = 16
"""Bytes of an instance, the random number of a process."""
ID = 32
"""Bytes of an id."""
SIGNATURE = 64
"""Bytes of a signature."""
ANSWER = 1 + ID + NONCE + INSTANCE + SIGNATURE
"""Bytes of a dialler's answer to a challenge."""
MAX_HANDSHAKE_FRAME = 256
"""The most bytes of a frame of a handshake."""
MOST_VERSION: Final = 31
"""The highest possible version number.

A space (32) has no meaning as a version, because the greeting of version 2 of the protocol has a
space in this place.
"""
GREETING_2: Final = b"hoity link "
"""The beginning of a challenge in version 2 of the protocol. A digit follows."""


@dataclass(frozen=True)
class Versions:
    """A range of protocol versions that a program supports, on links or with relays.

    Attributes:
        greeting: The bytes with which a challenge of this protocol begins.
    """

    greeting: bytes
    lowest: int
    highest: int

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __str__(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"

    def challenge(self, instance: bytes) -> bytes:
        """Make a fresh challenge, which a listener sends first.

        Args:
            instance: The random number of this process.

        Returns:
            The challenge: greeting, lowest and highest version (1 byte each), nonce and instance.
        """
        spoken = bytes([self.lowest, self.highest])
        return self.greeting + spoken + secrets.token_bytes(NONCE) + instance

    def take(self, challenge: bytes) -> int:
        """Return the highest version that both this program and the sender of a challenge support.

        Raises:
            NobodyError: If there is no such version, or the bytes are not a challenge of this
                protocol.

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
"""The versions of the link protocol that this program supports.

Version 6 belongs to version 2 of the protocol.

A program must support the versions of all tables that its player may still have to finish ([X-3]).
"""
RELAY_VERSIONS: Final = Versions(b"hoity relay", 1, 1)
"""The versions that this program supports of the protocol between a relay and its users.

They do not concern what two peers send to each other through a relay.
"""
FEATURES: Final[frozenset[int]] = frozenset()
"""The numbers of the protocol features that this program has on links. There are none yet."""
MOST_FEATURES: Final = 64
"""The most features that one side of a link may name."""
HIGHEST_FEATURE: Final = 65_535
"""The highest number of a feature."""


@dataclass(frozen=True)
class Speech:
    """The protocol versions and features that one program supports on its links.

    Attributes:
        features: The numbers of the program's features. If a number is even, the other side must
            have the feature, too.
        feature_of: Takes the first bytes of a frame, and returns the feature that a peer must have
            to be sent this frame. None if every peer is sent it.
    """

    versions: Versions = LINK_VERSIONS
    features: frozenset[int] = FEATURES
    feature_of: Callable[[bytes], int | None] = lambda head: None

    def hello(self) -> bytes:
        """Return the frame `hello`, which names the features of this program."""
        return codec.encode(HELLO.write(Hello(tuple(sorted(self.features)))))

    def check(self, theirs: frozenset[int]) -> None:
        """Check that a link is possible with a peer that has the given features.

        Args:
            theirs: The numbers of the other peer's features.

        Raises:
            MisfitError: If one side has a feature with an even number, and the other side lacks it.

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
    """The first frame of each side of a link, which names its features.

    Attributes:
        features: The numbers of the features, in rising order.
    """

    features: Annotated[
        tuple[int, ...],
        codec.Rows(codec.Int(HIGHEST_FEATURE), MOST_FEATURES, key=lambda feature: feature),
    ]


HELLO: Final[codec.Kinds[Hello]] = codec.Kinds({"hello": (Hello, MAX_HANDSHAKE_FRAME)})


def read_hello(data: bytes) -> frozenset[int]:
    """Read the features in a frame `hello`.

    Returns:
        The numbers of the features.

    Raises:
        NetError: If the frame is not a valid hello.

    SPEC: [L-72].
    """
    try:
        return frozenset(HELLO.parse(data, "a hello").features)
    except Invalid:
        raise NetError(HandshakeCode.NO_HELLO) from None


class Purpose(Enum):
    """The purposes for which a dialler proves its id. The dialler signs the purpose, too."""

    LINK = b"link"
    PUNCH = b"punch"
    RELAY = b"relay"


class Verdict(IntEnum):
    """The listener's answer at the end of a handshake: that the dialler is welcome, or why not."""

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
        """Return the verdict as it is sent."""
        return bytes([self])


class HandshakeCode(NetworkCode):
    """The reasons why a handshake fails, such as a refusal by the other side or a wrong frame."""

    NOT_PROVEN = "verdict-not-proven", "the other program did not accept our signature"
    FULL = "verdict-full", "the other program has no room for more links"
    DUPLICATE = "verdict-duplicate", "the other program already has a link with this one"
    REFUSED = "verdict-refused", "the other program refuses a link with this one"
    UNKNOWN = "verdict-unknown", "nobody with that id or number waits at this relay"
    NO_ANSWER = "verdict-no-answer", "the peer that waits at this relay did not answer"
    ELSEWHERE = "verdict-elsewhere", "another process with our key is linked with it"
    MISFIT = (
        "verdict-features",
        "the other program and this one need features of each other that they do not have; "
        "update the older one",
    )
    NO_VERDICT = (
        "no-verdict",
        ("the other program did not answer the handshake as the protocol requires"),
    )
    OTHER_VERDICT = (
        "verdict-unknown-to-us",
        (
            "the other program refuses the link for a reason that this one does not know "
            "(verdict {number})"
        ),
    )
    OTHER_LANGUAGE = "handshake-of-other-kind", "the other program uses another protocol"
    OF_VERSION_2 = (
        "handshake-of-version-two",
        (
            "the other program uses version 2 of the protocol: both ends need hoity 0.1, or "
            "both a later version"
        ),
    )
    NO_COMMON_VERSION = (
        "handshake-without-common-version",
        "the other program uses version {theirs} of the connection, and this one version "
        "{ours}; update the older one",
    )
    NO_HELLO = (
        "hello-of-other-form",
        ("the other program did not name its features as the protocol requires"),
    )
    FEATURE_UNKNOWN = (
        "feature-unknown",
        "the other program needs feature {number}, which this one lacks; update this program",
    )
    FEATURE_LACKED = (
        "feature-lacked",
        "the other program lacks feature {number}, which this one needs; it has to be updated",
    )
    ANSWER_VERSION = (
        "answer-of-other-version",
        ("the other program chose a version that was not offered"),
    )
    ANSWER_SIZE = (
        "answer-of-other-size",
        ("the answer of the other program to the challenge has the wrong length"),
    )
    IS_OURSELVES = "answer-by-ourselves", "the other program claims to be this one"
    NO_PROOF = "answer-without-proof", "the signature of the other program does not prove its id"
    NO_ADDRESS = "answer-without-address", "its answer is not a single address"


BY_VERDICT: Final[dict[Verdict, HandshakeCode]] = {
    verdict: HandshakeCode[verdict.name] for verdict in Verdict if verdict is not Verdict.WELCOME
}
"""The reason for each verdict except WELCOME."""


@dataclass(frozen=True)
class Proven:
    """The result of a handshake: what it proves about the other side, and what both agreed on.

    Attributes:
        peer: The id of the other side, 32 bytes.
        instance: The random number of the other side's process, 16 bytes.
        binding: 32 bytes that identify this link. Both ends have the same bytes, and no other link
            has them. A later proof that includes these bytes is valid on this link alone ([L-75]).
        version: The version that the dialler has chosen.
        features: The numbers of the features that the other side has named.
    """

    peer: PeerId
    instance: bytes
    binding: bytes = field(repr=False)
    version: int = 0
    features: frozenset[int] = frozenset()


Asked = tuple[Proven, Purpose]
"""What a dialler has proven by its handshake, and for which purpose."""


def fresh_instance() -> bytes:
    """Draw the random number by which this process is distinguished from others with its key."""
    return secrets.token_bytes(INSTANCE)


@dataclass(frozen=True)
class Listener:
    """The listener and the purpose of a handshake, to which the dialler's signed answer is bound.

    Both ends have such an object. The dialler makes the answer with `answer`, and the listener
    checks the answer with `check`.

    Attributes:
        purpose: The purpose for which the dialler proves its id.
        listener: The id of the listener, 32 bytes.
        certificate: The SHA-256 of the listener's certificate, 32 bytes.
        versions: The protocol versions that the end with this object supports for the purpose.
    """

    purpose: Purpose
    listener: bytes
    certificate: bytes
    versions: Versions = LINK_VERSIONS

    def _statement(self, challenge: bytes, data: bytes) -> bytes:
        """Return the bytes that the dialler signs in the answer `data`.

        The bytes contain the purpose, both ids, the certificate, the challenge, and further fields
        of the answer, such as the version.
        """
        dialler = data[1 : 1 + ID]
        numbers = data[:1] + data[1 + ID : -SIGNATURE]
        parts = (self.purpose.value, self.listener, dialler, self.certificate)
        return framed(*parts, challenge, numbers)

    def answer(self, identity: Identity, instance: bytes, challenge: bytes) -> bytes:
        """Make the dialler's signed answer to the challenge of the listener.

        Args:
            identity: The key of the dialler.
            instance: The random number of the dialler's process, 16 bytes.

        Returns:
            The answer, ANSWER bytes. A NobodyError is raised if the challenge is malformed, or both
            sides have no version in common.

        SPEC: [L-71].
        """
        taken = bytes([self.versions.take(challenge)])
        data = taken + identity.public + secrets.token_bytes(NONCE) + instance
        statement = self._statement(challenge, data + bytes(SIGNATURE))
        return data + identity.sign(Label.LINK_HANDSHAKE, statement)

    def check(self, data: bytes, challenge: bytes) -> Proven:
        """Check, as the listener, a dialler's answer to this program's challenge.

        Args:
            challenge: The challenge that was sent.

        Returns:
            What the answer proves.

        Raises:
            NetError: If the answer is not valid.

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
        """Return the result of the handshake for the dialler, which has sent its answer.

        Args:
            data: The bytes of the dialler's answer.
            challenge: The challenge of the listener.

        Returns:
            What the dialler knows about the listener. It is certain only after the listener has
            sent WELCOME.
        """
        binding = digest(Label.LINK_BINDING, self._statement(challenge, data))
        return Proven(self.listener, challenge[-INSTANCE:], binding, data[0])


async def ask(stream: trio.abc.Stream, listeners: Sequence[Listener], instance: bytes) -> Asked:
    """Do the listener's side of a handshake, up to the verdict: send a challenge, check the answer.

    If the answer is invalid, the dialler is told so. If it is valid, the caller still has to send a
    verdict.

    Args:
        stream: The connection, inside TLS.
        listeners: One `Listener` of this program for each purpose that the dialler may have.
        instance: The random number of this process, 16 bytes.

    Returns:
        What the dialler has proven, and for which purpose.

    Raises:
        NetError: If the answer is invalid for all of these purposes.
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
    """Do the dialler's side of a handshake: answer the challenge, and wait to be welcome.

    Args:
        stream: The connection, inside TLS.
        identity: The key of the dialler, this program.
        instance: The random number of this process, 16 bytes.
        speech: The versions and features of this program on links. None if the purpose is not a
            link.

    Returns:
        The result of the handshake.

    Raises:
        NetError: If this program is not welcome. The error says why.

    SPEC: [L-71], [L-72], [L-73].
    """
    challenge = await receive(stream)
    data = listener.answer(identity, instance, challenge)
    # Both frames are sent at once. So a listener that refuses has read everything that was sent,
    # and its verdict is not lost when it closes the connection.
    await send(stream, data, *([] if speech is None else [speech.hello()]))
    proven = listener.answered(data, challenge)
    try:
        await expect_welcome(stream)
    except RefusedError as error:
        if error.code is HandshakeCode.MISFIT and speech is not None:
            await agreed(stream, proven, speech)  # This raises an error that names the feature.
        raise
    return proven if speech is None else await agreed(stream, proven, speech)


async def agreed(stream: trio.abc.Stream, proven: Proven, speech: Speech) -> Proven:
    """Read the frame `hello` of the other side, and check that its features allow a link.

    Args:
        stream: The connection.
        proven: The result of the handshake.
        speech: The versions and features of this program.

    Returns:
        The result of the handshake, with the features of the other side. A NetError is raised if
        there is no hello, and a MisfitError if one side needs a feature that the other one lacks.
    """
    theirs = read_hello(await receive(stream))
    speech.check(theirs)
    return replace(proven, features=theirs)


async def expect_welcome(stream: trio.abc.Stream) -> None:
    """Read the listener's verdict, and raise an error unless it is WELCOME.

    Args:
        stream: The connection.

    Raises:
        RefusedError: If it is any other known verdict.
        NetError: If it is not a known verdict.
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
    """Send frames of a handshake in one write. Raise NetError if the connection breaks."""
    with trouble_is(NetCode.FAILED):
        await stream.send_all(b"".join(map(encode_frame, frames)))


async def receive(stream: trio.abc.ReceiveStream) -> bytes:
    """Receive a frame of a handshake.

    A NetError is raised if the connection breaks or the frame is too long.
    """
    with trouble_is(NetCode.FAILED):
        return await read_frame(stream, MAX_HANDSHAKE_FRAME)
