"""How two peers come to know each other: TLS proves the listener, a signed challenge the dialler.

Inside TLS the listener sends a challenge, the dialler an answer, the listener a verdict; each is
one frame. The answer is signed over a fresh nonce of each side, both ids and the certificate, so
that it is worth nothing in another connection, to another listener, or for another purpose.

challenge = MAGIC ‖ listener's nonce
answer    = dialler's id ‖ dialler's nonce ‖ signature
verdict   = one byte
"""

from __future__ import annotations

import hmac
import secrets
from enum import Enum, IntEnum
from typing import Protocol

import trio

from protocol.errors import Invalid
from protocol.hashing import framed
from protocol.identity import verify
from protocol.labels import Label

from .errors import NetError, plain_words
from .framing import encode_frame, read_frame

MAGIC = b"hoity link 1"
NONCE = 32
ID = 32
SIGNATURE = 64
ANSWER = ID + NONCE + SIGNATURE
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

    def encode(self) -> bytes:
        """The byte on the wire."""
        return bytes([self])


VERDICT_WORDS = {
    Verdict.NOT_PROVEN: "it did not believe our signature",
    Verdict.FULL: "it has no room for more links",
    Verdict.DUPLICATE: "it already has a link with us",
    Verdict.REFUSED: "it does not want a link with us",
    Verdict.UNKNOWN: "nobody with that id waits at this relay",
    Verdict.NO_ANSWER: "the one who waits at this relay did not answer",
}


def fresh_challenge() -> bytes:
    """A challenge nobody has seen before."""
    return MAGIC + secrets.token_bytes(NONCE)


def _statement(
    purpose: Purpose, listener: bytes, dialler: bytes, certificate: bytes, nonces: bytes
) -> bytes:
    return framed(purpose.value, listener, dialler, certificate, nonces)


def answer(
    identity: Identity, purpose: Purpose, listener: bytes, certificate: bytes, challenge: bytes
) -> bytes:
    """The dialler's answer to a challenge; NetError when it is not one of ours."""
    if len(challenge) != len(MAGIC) + NONCE or not challenge.startswith(MAGIC):
        raise NetError("it speaks another language, or another version of ours")
    nonce = secrets.token_bytes(NONCE)
    nonces = challenge + nonce
    statement = _statement(purpose, listener, identity.public, certificate, nonces)
    return identity.public + nonce + identity.sign(Label.LINK_HANDSHAKE, statement)


def check_answer(
    data: bytes, purpose: Purpose, listener: bytes, certificate: bytes, challenge: bytes
) -> bytes:
    """The id that an answer to our challenge proves; NetError for any other bytes."""
    if len(data) != ANSWER:
        raise NetError("its answer to the challenge has the wrong length")
    dialler, nonce, signature = data[:ID], data[ID : ID + NONCE], data[ID + NONCE :]
    if hmac.compare_digest(dialler, listener):
        raise NetError("it claims to be ourselves")
    statement = _statement(purpose, listener, dialler, certificate, challenge + nonce)
    try:
        verify(dialler, Label.LINK_HANDSHAKE, statement, signature)
    except Invalid:
        raise NetError("its signature does not prove its id") from None
    return dialler


async def ask(
    stream: trio.abc.Stream, purpose: Purpose, listener: bytes, certificate: bytes
) -> bytes:
    """The listener's side: challenge the dialler and return the id it proves, else NetError.

    A dialler that fails is told so; whoever is believed still waits for a verdict.
    """
    challenge = fresh_challenge()
    await send(stream, challenge)
    data = await receive(stream)
    try:
        return check_answer(data, purpose, listener, certificate, challenge)
    except NetError:
        await send(stream, Verdict.NOT_PROVEN.encode())
        raise


async def prove(
    stream: trio.abc.Stream,
    identity: Identity,
    purpose: Purpose,
    listener: bytes,
    certificate: bytes,
) -> None:
    """The dialler's side: answer the challenge and wait to be welcome; NetError says why not."""
    challenge = await receive(stream)
    await send(stream, answer(identity, purpose, listener, certificate, challenge))
    await expect_welcome(stream)


async def expect_welcome(stream: trio.abc.Stream) -> None:
    """Read a verdict; NetError in plain words unless it is a welcome."""
    said = await receive(stream)
    try:
        verdict = Verdict(int.from_bytes(said, "big")) if len(said) == 1 else None
    except ValueError:
        verdict = None
    if verdict is not Verdict.WELCOME:
        raise NetError(VERDICT_WORDS[verdict] if verdict else "it gave no verdict we know")


async def send(stream: trio.abc.SendStream, data: bytes) -> None:
    """One frame of a handshake out; NetError when the connection breaks."""
    with plain_words("the connection failed"):
        await stream.send_all(encode_frame(data))


async def receive(stream: trio.abc.ReceiveStream) -> bytes:
    """One frame of a handshake in; NetError when it breaks or is too long."""
    with plain_words("the connection failed"):
        return await read_frame(stream, LONGEST)
