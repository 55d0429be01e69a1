"""How two peers come to know each other: TLS proves the listener, a signed challenge the dialler.

Inside TLS the listener sends a challenge, the dialler an answer, the listener a verdict; each is
one frame. The answer is signed over a fresh nonce of each side, both ids and the certificate, so
that it is worth nothing in another connection, to another listener, or for another purpose.

challenge = MAGIC ‖ listener's nonce ‖ listener's instance
answer    = dialler's id ‖ dialler's nonce ‖ dialler's instance ‖ signature
verdict   = one byte

An instance is a number that a process draws once: two processes with one key are told apart.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Final, Protocol

import trio

from protocol import Invalid, Label, digest, framed, verify_signature

from ..errors import Code
from .errors import NetCode, NetError, NobodyError, RefusedError, trouble_is
from .framing import encode_frame, read_frame

MAGIC = b"hoity link 6"
NONCE = 32
INSTANCE = 16
ID = 32
SIGNATURE = 64
CHALLENGE = len(MAGIC) + NONCE + INSTANCE
ANSWER = ID + NONCE + INSTANCE + SIGNATURE
LONGEST = 256
"""No frame of a handshake is longer."""


class Identity(Protocol):
    """What the network needs of a player's Ed25519 identity."""

    @property
    def public(self) -> bytes:
        """The 32-byte id."""
        ...

    @property
    def seed(self) -> bytes:
        """The 32-byte secret behind it."""
        ...

    def sign(self, label: Label, data: bytes) -> bytes:
        """A 64-byte signature over label and data."""
        ...


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


class HandshakeCode(Code):
    """Why there is no link: what the listener's verdict says, then what its bytes show."""

    NOT_PROVEN = "verdict-not-proven"
    FULL = "verdict-full"
    DUPLICATE = "verdict-duplicate"
    REFUSED = "verdict-refused"
    UNKNOWN = "verdict-unknown"
    NO_ANSWER = "verdict-no-answer"
    ELSEWHERE = "verdict-elsewhere"
    NO_VERDICT = "no-verdict"
    OTHER_LANGUAGE = "handshake-of-other-version"
    ANSWER_SIZE = "answer-of-other-size"
    IS_OURSELVES = "answer-by-ourselves"
    NO_PROOF = "answer-without-proof"
    NO_ADDRESS = "answer-without-address"


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
        told = verdict is Verdict.ELSEWHERE, verdict is Verdict.FULL
        raise RefusedError(BY_VERDICT[verdict], *told)


async def send(stream: trio.abc.SendStream, data: bytes) -> None:
    """One frame of a handshake out; NetError when the connection breaks."""
    with trouble_is(NetCode.FAILED):
        await stream.send_all(encode_frame(data))


async def receive(stream: trio.abc.ReceiveStream) -> bytes:
    """One frame of a handshake in; NetError when it breaks or is too long."""
    with trouble_is(NetCode.FAILED):
        return await read_frame(stream, LONGEST)
