"""The channel of a link: encrypted records over any stream, and the proof who listens.

A Noise handshake (see `noise`) proves the listener by its id. The dialler proves its own id inside
the channel, over the handshake hash. A channel needs no certificate and no file, and works where
there is no TLS.

SPEC: section 13.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from secrets import token_bytes
from typing import Final

import trio
from nacl import bindings
from nacl.exceptions import CryptoError

from protocol import Identity, Invalid, Label, check_public
from protocol.units import PeerId

from ..coded_errors import NetworkCode
from .exception_reasons import trouble_is
from .network_errors import NetCode, NetError, NobodyError
from .noise import (
    MESSAGE,
    TAG,
    Ciphers,
    CipherState,
    DiallerHandshake,
    ListenerHandshake,
    NoiseError,
    Random,
)
from .transport import FrameCode, read_exactly

KIND: Final = b"\x01"
"""The kind of this channel, which another key exchange would change."""
SIZES: Final = (64, 128, 640, 1024, 2048)
"""The possible bytes of a record before encryption. So its length says little of its content."""
LENGTH: Final = 2
"""Bytes of each length: of a record, and of the content in it."""
MOST_CONTENT: Final = SIZES[-1] - LENGTH
"""The most bytes of content in one record."""
REKEY: Final = 1 << 16
"""The number of records of a direction after which its key is replaced."""
CHUNK: Final = 1 << 16
"""The most bytes that are read at once."""
TLS: Final = (0x15, 0x16)
"""The first bytes of what a program says that speaks TLS: an alert, or a handshake."""


class ChannelCode(NetworkCode):
    """The reasons why a channel is not made, or ends."""

    NO_ANSWER = (
        "channel-unanswered",
        "the program there closed the connection without an answer: it is another program, an "
        "older one, or it plays at another table",
    )
    TLS = (
        "channel-answered-by-tls",
        "a program that speaks TLS answers there, such as a web server",
    )
    OTHER = "channel-of-other-kind", "there is no program of ours behind this address"
    OTHER_KEY = (
        "someone-else-answers",
        "another program answers there: its key is not the expected one",
    )
    BROKEN = "channel-broken", "what came is not what the other program sent"


class RecordWriter:
    """Makes records of one direction."""

    def __init__(self, cipher: CipherState) -> None:
        self._cipher = cipher

    def records(self, data: bytes) -> bytes:
        """Return data in as few records as possible."""
        return b"".join(map(self._record, _cut(data)))

    def _record(self, content: bytes) -> bytes:
        """Return one record ([L-9])."""
        plain = len(content).to_bytes(LENGTH, "big") + content
        size = next(size for size in SIZES if size >= len(plain))
        sealed = self._cipher.encrypt(plain.ljust(size, b"\0"))
        _rekey_if_due(self._cipher)
        return len(sealed).to_bytes(LENGTH, "big") + sealed


class RecordReader:
    """Reads records of one direction."""

    def __init__(self, cipher: CipherState) -> None:
        self._cipher = cipher
        self._bytes = bytearray()

    @property
    def is_within(self) -> bool:
        """Whether a record has begun to come."""
        return bool(self._bytes)

    def feed(self, chunk: bytes | bytearray) -> None:
        """Take bytes that came."""
        self._bytes += chunk

    def next_content(self) -> bytes | None:
        """Return the content of the next record, None if not all of it has come.

        Raises:
            NoiseError: If the record is refused ([L-81]).
        """
        size = int.from_bytes(self._bytes[:LENGTH], "big")
        if len(self._bytes) < LENGTH:
            return None
        # Before the rest has come, so that a false length is not waited for.
        if size - TAG not in SIZES:
            raise NoiseError
        if len(self._bytes) < LENGTH + size:
            return None
        plain = self._cipher.decrypt(bytes(self._bytes[LENGTH : LENGTH + size]))
        del self._bytes[: LENGTH + size]
        _rekey_if_due(self._cipher)
        end = LENGTH + int.from_bytes(plain[:LENGTH], "big")
        # An empty record would cost its reader work for which no content is counted.
        if not LENGTH < end <= len(plain) or any(plain[end:]):
            raise NoiseError
        return plain[LENGTH:end]


class Channel(trio.abc.Stream):
    """A stream of bytes to an end that has proven its id as the listener, or to the dialler.

    The end of the stream below ends it. So whoever cuts the connection can also shorten what is
    sent, and nothing may rely on the end.

    Attributes:
        handshake_hash: 64 bytes that both ends have, and no other channel.
    """

    def __init__(self, raw: trio.abc.Stream, ciphers: Ciphers, unsent: bytes = b"") -> None:
        """Make a channel of a finished handshake.

        Args:
            unsent: The bytes of the handshake that are sent together with the first data.
        """
        self._raw, self._unsent, self._content = raw, unsent, b""
        self._writer = RecordWriter(ciphers.sending)
        self._reader = RecordReader(ciphers.receiving)
        self.handshake_hash = ciphers.handshake_hash

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes in records. If this is cancelled, nothing more can be sent."""
        unsent, self._unsent = self._unsent, b""
        await self._raw.send_all(unsent + self._writer.records(bytes(data)))

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the stream below can probably send."""
        await self._raw.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        """Receive bytes, of one record at most, so that each record counts as one read ([L-25]).

        Raises:
            NetError: If what came is no record of the other end.
        """
        if self._content:
            await trio.lowlevel.checkpoint()
        else:
            self._content = await self._next_content()
        most = len(self._content) if max_bytes is None else max_bytes
        data, self._content = self._content[:most], self._content[most:]
        return data

    async def _next_content(self) -> bytes:
        """Return the content of the next record, b"" at the end of the stream."""
        try:
            while (content := self._reader.next_content()) is None:
                chunk = await self._raw.receive_some(CHUNK)
                if not chunk:
                    if self._reader.is_within:
                        raise NetError(FrameCode.ENDED)
                    return b""
                self._reader.feed(chunk)
        except NoiseError:
            raise NetError(ChannelCode.BROKEN) from None
        return content

    async def aclose(self) -> None:
        """Close the stream below."""
        await self._raw.aclose()


def exchange_key(peer: PeerId) -> bytes:
    """Return the X25519 form of an id: u = (1 + y) / (1 − y).

    One key signs and exchanges keys. Thormarker (ePrint 2021/509) proves that this is secure.

    Raises:
        NoiseError: If the bytes are no id.

    SPEC: [L-80].
    """
    try:
        return bindings.crypto_sign_ed25519_pk_to_curve25519(check_public(peer))
    except (Invalid, CryptoError, RuntimeError):
        raise NoiseError from None


def exchange_secret(identity: Identity) -> bytes:
    """Return the secret key of the X25519 form of an identity, 32 bytes."""
    return bindings.crypto_sign_ed25519_sk_to_curve25519(identity.seed + identity.public)


def prologue(listener: PeerId) -> bytes:
    """Return what both ends mix into the handshake before it begins."""
    return Label.LINK_CHANNEL.encode() + KIND + listener


async def open_channel(
    raw: trio.abc.Stream, listener: PeerId, rng: Random = token_bytes
) -> Channel:
    """Make a channel to a listener as the dialler ([L-1]).

    Raises:
        NobodyError: If another program answers, or the listener's id is no key.
        NetError: If the connection ends.
    """
    with trouble_is(NetCode.FAILED):
        try:
            handshake = DiallerHandshake(prologue(listener), exchange_key(listener), rng)
            await raw.send_all(KIND + handshake.first())
            await _expect_kind(raw)
            _, ciphers = handshake.finish(await read_exactly(raw, MESSAGE))
        except NoiseError:
            raise NobodyError(ChannelCode.OTHER_KEY) from None
    return Channel(raw, ciphers)


async def _expect_kind(raw: trio.abc.Stream) -> None:
    """Read the first byte of a listener's answer."""
    kind = await raw.receive_some(1)
    if not kind:
        # Not final: a listener in a flood closes in the same way ([L-12]).
        raise NetError(ChannelCode.NO_ANSWER)
    if kind != KIND:
        raise NobodyError(ChannelCode.TLS if kind[0] in TLS else ChannelCode.OTHER)


async def accept_channel(
    raw: trio.abc.Stream, listener: PeerId, secret: bytes, rng: Random = token_bytes
) -> Channel:
    """Make a channel as the listener, silent to whoever does not know the listener's id ([L-1]).

    The answer is sent with the first data. A dialler that replays the message of another one gets
    this far, but cannot read or send anything.

    Args:
        listener: This program's id.
        secret: Its X25519 form, of `exchange_secret`.

    Raises:
        NetError: If the dialler sends anything else than the first message for this id.
    """
    with trouble_is(NetCode.FAILED):
        first = await read_exactly(raw, len(KIND) + MESSAGE)
        if first[: len(KIND)] != KIND:
            raise NetError(ChannelCode.OTHER)
        try:
            handshake = ListenerHandshake(prologue(listener), secret, rng)
            handshake.read(first[len(KIND) :])
            second, ciphers = handshake.answer()
        except NoiseError:
            raise NetError(ChannelCode.OTHER) from None
    return Channel(raw, ciphers, KIND + second)


def _cut(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), MOST_CONTENT):
        yield data[start : start + MOST_CONTENT]


def _rekey_if_due(cipher: CipherState) -> None:
    """Replace the key of a direction after each `REKEY` records ([L-82])."""
    if cipher.n % REKEY == 0:
        cipher.rekey()
