"""The handshake that proves the id of the dialler, inside a channel or inside TLS with a relay.

The listener sends a challenge, the dialler an answer, and the listener a verdict, each in one
frame. The answer is signed over the challenge, a fresh nonce of each side, both ids, and what
identifies the connection. So an answer is worthless in another connection, to another listener, or
for another purpose.

challenge = greeting ‖ lowest ‖ highest version ‖ listener's nonce ‖ listener's instance
answer    = version taken ‖ dialler's id ‖ dialler's nonce ‖ dialler's instance ‖ signature
verdict   = one byte

An instance is a random number of a process, by which two processes with the same key are
distinguished.

SPEC: sections 13.1 and 13.2.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum

import trio

from protocol import Identity, Invalid, Label, digest, framed, verify_signature
from protocol.units import PeerId

from .exception_reasons import trouble_is
from .handshake_codes import BY_VERDICT, HandshakeCode, Verdict
from .network_errors import NetCode, NetError, RefusedError
from .protocol_versions import (
    INSTANCE,
    LINK_VERSIONS,
    MAX_HANDSHAKE_FRAME,
    MAX_HELLO,
    NONCE,
    Speech,
    Versions,
    read_hello,
)
from .transport import encode_frame, read_frame

ID = 32
"""Bytes of an id."""
SIGNATURE = 64
"""Bytes of a signature."""
ANSWER = 1 + ID + NONCE + INSTANCE + SIGNATURE
"""Bytes of a dialler's answer to a challenge."""


class Purpose(Enum):
    """The purposes for which a dialler proves its id. The dialler signs the purpose, too."""

    LINK = b"link"
    PUNCH = b"punch"
    RELAY = b"relay"
    RELAY_WEB = b"relay-web"

    @property
    def label(self) -> Label:
        """The label of the signature."""
        is_link = self in (Purpose.LINK, Purpose.PUNCH)
        return Label.LINK_PROOF if is_link else Label.RELAY_PROOF


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
        page: The server of the page in which the other side says that it runs. None if it names
            none.
    """

    peer: PeerId
    instance: bytes
    binding: bytes = field(repr=False)
    version: int = 0
    features: frozenset[int] = frozenset()
    page: str | None = None


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
        listener: The id of the listener, 32 bytes. Empty for a relay by WebSocket, which shows
            none.
        session: What ties the proof to the connection: the handshake hash of a channel, 64 bytes,
            or for a relay the SHA-256 of its certificate or its URL.
        versions: The protocol versions that the end with this object supports for the purpose.
    """

    purpose: Purpose
    listener: bytes
    session: bytes
    versions: Versions = LINK_VERSIONS

    def _statement(self, challenge: bytes, data: bytes) -> bytes:
        """Return the bytes that the dialler signs in the answer `data`.

        The bytes contain the purpose, both ids, the session, the challenge, and further fields
        of the answer, such as the version.
        """
        dialler = data[1 : 1 + ID]
        numbers = data[:1] + data[1 + ID : -SIGNATURE]
        parts = (self.purpose.value, self.listener, dialler, self.session)
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
        return data + identity.sign(self.purpose.label, statement)

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
            verify_signature(dialler, self.purpose.label, statement, signature)
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
        stream: The channel, or the connection inside TLS with a relay.
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
        stream: The channel, or the connection inside TLS with a relay.
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
        The result of the handshake, with what the other side has named. A NetError is raised if
        there is no hello, and a MisfitError if one side needs a feature that the other one lacks.
    """
    theirs = read_hello(await receive(stream, MAX_HELLO))
    features = frozenset(theirs.features)
    speech.check(features)
    return replace(proven, features=features, page=theirs.page)


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


async def receive(stream: trio.abc.ReceiveStream, most: int = MAX_HANDSHAKE_FRAME) -> bytes:
    """Receive a frame of a handshake.

    A NetError is raised if the connection breaks or the frame is too long.
    """
    with trouble_is(NetCode.FAILED):
        return await read_frame(stream, most)
