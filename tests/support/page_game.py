"""A whole game over a network in memory, whatever `import trio` finds: no clock, disk or socket.

`python -m support.page_game SEATS` plays it on asyncio, and prints how it ended. In the middle the
last guest is cancelled, and then resumes its seat.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import trio

from p2p_hoity import game_adapter
from p2p_hoity.coded_errors import because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NetError, NobodyError
from p2p_hoity.net.ticket import Ticket, decode_ticket
from p2p_hoity.net.transport import StreamListener
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.join_table import join_table
from p2p_hoity.table.gathering.table_keys import draw_keys
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.player_interface import BotPlayer
from p2p_hoity.table.playing.resume_table import resume_table
from p2p_hoity.table.playing.session import Outcome
from protocol import transcript
from protocol.wire.table_header import Terms, Timeouts, default_quorum
from support import stand_in
from support.memory_store import MemoryStore
from support.short_game import short_edition

ROOM = 16
"""How many pieces a stream takes before who sends has to wait."""
CALM = Timeouts(60_000, 60_000, 5_000, 60_000)
ENOUGH = 3
"""How many times something has to happen in the game before the last guest is cancelled.

The shortest games have not much more.
"""


class ChannelStream(trio.abc.Stream):
    """One end of a stream, above two channels."""

    def __init__(
        self, sending: trio.MemorySendChannel[bytes], receiving: trio.MemoryReceiveChannel[bytes]
    ) -> None:
        self._sending, self._receiving, self._left = sending, receiving, b""

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await self._sending.send(bytes(data))

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._left:
            await trio.lowlevel.checkpoint()
        else:
            try:
                self._left = await self._receiving.receive()
            except trio.EndOfChannel:
                return b""
        most = len(self._left) if max_bytes is None else max_bytes
        data, self._left = self._left[:most], self._left[most:]
        return data

    async def aclose(self) -> None:
        self._sending.close()
        await self._receiving.aclose()


class ChannelListener:
    """One place where streams come in."""

    def __init__(self, address: Address, shut: Callable[[], object]) -> None:
        self.address, self._shut = address, shut
        self.calls, self._coming = trio.open_memory_channel[tuple[trio.abc.Stream, Address]](ROOM)

    async def accept(self) -> tuple[trio.abc.Stream, Address]:
        try:
            return await self._coming.receive()
        except (trio.EndOfChannel, trio.ClosedResourceError):
            raise NetError(NetCode.NOT_LISTENING) from None

    async def aclose(self) -> None:
        self._shut()
        await self.calls.aclose()


class ChannelNetwork:
    """A network whose machines are names."""

    def __init__(self) -> None:
        self._listeners: dict[tuple[str, int], ChannelListener] = {}
        self._ports = itertools.count(40000)

    async def open(self, address: Address) -> trio.abc.Stream:
        await trio.lowlevel.checkpoint()
        listener = self._listeners.get((address.host, address.port))
        if listener is None:
            nobody = because(NetCode.NOBODY_LISTENS)
            raise NobodyError(NetCode.UNREACHED, address=str(address), why=nobody)
        there, from_here = trio.open_memory_channel[bytes](ROOM)
        here, from_there = trio.open_memory_channel[bytes](ROOM)
        seen = Address("caller", next(self._ports))
        await listener.calls.send((ChannelStream(here, from_here), seen))
        return ChannelStream(there, from_there)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        await trio.lowlevel.checkpoint()
        place = host, port or next(self._ports)
        listener = ChannelListener(Address(*place), lambda: self._listeners.pop(place, None))
        self._listeners[place] = listener
        return [listener]

    def outlet(self) -> None:
        """None: nobody here has a port of its own."""


class Sitter:
    """One bot at the table, with its files in memory.

    Attributes:
        told: The kinds of what its screen was told.
        until: Is cancelled when enough has happened.
        end: How its table ended.
    """

    def __init__(self, number: int, network: ChannelNetwork) -> None:
        self.home = Home(Path(f"/nowhere/{number}"), MemoryStore())
        self.me = player_key.new_identity(self.home, f"P{number}")
        self.keys = draw_keys(self.me.identity)
        self.told: list[str] = []
        self.until = trio.CancelScope()
        self.reach = Reach(f"node{number}:0", network=network)
        self.end: Outcome | None = None

    @property
    def seat(self) -> Seat:
        return Seat(self.hear, player=BotPlayer("easy"), home=self.home, me=self.me)

    def hear(self, update: updates.Update) -> None:
        self.told.append(type(update).__name__)
        if self.told.count("Happened") == ENOUGH:
            self.until.cancel()

    @property
    def transcript(self) -> bytes:
        assert self.end is not None
        assert self.end.transcript is not None, self.end
        return self.home.unchecked.get(self.end.transcript)


async def accept(*_: object) -> str:
    """Accept the terms of a table."""
    return ""


async def play(seats: int) -> list[Sitter]:
    """Let bots gather, play a whole game, and part."""
    network = ChannelNetwork()
    host, *guests = sitters = [Sitter(number, network) for number in range(seats)]
    variant = "surprise" if seats == 2 else None
    game = game_adapter.game_value(short_edition(), variant)
    public, nonce = host.keys.seat.public, b"n" * 32
    terms = Terms(public, nonce, game, seats, default_quorum(seats), CALM)
    send, receive = trio.open_memory_channel[Ticket](seats)

    def give(word: str) -> None:
        for _ in guests:
            send.send_nowait(decode_ticket(word))

    async def be_host() -> None:
        host.end = await host_table(host.seat, host.keys, terms, host.reach, give)

    async def join(guest: Sitter) -> None:
        ticket = await receive.receive()
        with guest.until if guest is guests[-1] else nullcontext():
            guest.end = await join_table(guest.seat, guest.keys, ticket, accept, guest.reach)
        if guest.until.cancelled_caught:
            guest.end = await resume_table(guest.seat, None, Reach(network=network))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(be_host)
        for guest in guests:
            nursery.start_soon(join, guest)
    return sitters


def main() -> None:
    """Play, and print what is the same everywhere."""
    sitters: list[Sitter] = stand_in.run(lambda: play(int(sys.argv[1])))
    data = {one.transcript for one in sitters}
    report = transcript.verify(min(data), game_adapter.read_game)
    kinds = ("Started", "Resumed", "GameOver")
    told = {name: [one.told.count(name) for one in sitters] for name in kinds}
    found = {
        "transcripts": len(data),
        "is valid": report.ok and not report.unfinished,
        "codes": [one.end.code if one.end else "none" for one in sitters],
        "standings": len({one.end.standings for one in sitters if one.end}),
        **told,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
