"""A network in memory whose nodes can be parted and joined again, and clubs that play there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trio
from p2p_hoity_.tables.test_tables import Club

from p2p_hoity import game_port, rules, tables
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetCode, NetError
from p2p_hoity.net.network import StreamListener
from p2p_hoity.session import updates
from p2p_hoity.session.player import BotPlayer
from protocol.transcript import report as verifier_report
from protocol.transcript import verifier
from protocol.wire.header import Patience
from support.memory_network import MemoryNetwork

SHORT = Patience(choice=4000, step=4000, grace=1000, cap=8000)
USUAL = Patience()


class PartitionedNetwork:
    """All nodes; `apart` says which cannot hear each other just now."""

    def __init__(self) -> None:
        self.network = MemoryNetwork()
        self.groups: tuple[frozenset[str], ...] = ()
        self._healed = trio.Event()

    def part(self, *groups: Collection[int]) -> None:
        """From now on nothing passes between nodes of different groups, and nobody is told."""
        self.groups = tuple(frozenset(f"node{n}" for n in group) for group in groups)

    def heal(self) -> None:
        """All that was held up arrives, as with TCP."""
        self.groups = ()
        self._healed.set()
        self._healed = trio.Event()

    def apart(self, one: str, other: str) -> bool:
        """Whether nothing passes between these two."""
        return any((one in group) != (other in group) for group in self.groups)

    async def passage(self, one: str, other: str) -> None:
        """Wait until there is a way."""
        while self.apart(one, other):
            await self._healed.wait()


@dataclass
class NetworkNode:
    """The network as one node sees it; a call from it bears its name."""

    partition: PartitionedNetwork
    name: str

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to another node; NetError if there is no way or no listener."""
        if self.partition.apart(self.name, address.host):
            await trio.sleep(3)
            raise NetError(NetCode.NO_ANSWER)
        stream = await self.partition.network.open(address)
        return HeldStream(self.partition, self.name, address.host, stream)

    def outlet(self) -> None:
        """None: no holes here."""

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """This node's listeners."""
        return await self.partition.network.listen(host, port)


class HeldStream(trio.abc.Stream):
    """The caller's end of a stream: what passes waits while the nodes are parted."""

    def __init__(
        self, partition: PartitionedNetwork, one: str, other: str, stream: trio.abc.Stream
    ) -> None:
        self._partition, self._ends, self._stream = partition, (one, other), stream

    async def send_all(self, data: Any) -> None:
        await self._partition.passage(*self._ends)
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await self._stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> Any:
        data = await self._stream.receive_some(max_bytes)
        await self._partition.passage(*self._ends)
        return data

    async def aclose(self) -> None:
        await self._stream.aclose()


class Thinker(BotPlayer):
    """A bot that thinks for so many seconds."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """The bot's choice, in its own time."""
        await trio.sleep(self.seconds)
        return await super().choose(view, kind, again)


class PartitionedClub(Club):
    """A club whose members play on nodes that can be parted, and think before they choose."""

    def __init__(
        self, path: Path, seats: int, patience: Patience = SHORT, thinking: float = 1.0
    ) -> None:
        super().__init__(path, seats, patience)
        self.partition = PartitionedNetwork()
        for guest in self.guests:
            guest.player = Thinker(thinking)

    def think(self, seconds: float) -> None:
        """From their next choice on all think for so long."""
        for guest in self.guests:
            guest.player.seconds = seconds

    def node(self, number: int) -> NetworkNode:
        """The node of this seat."""
        return NetworkNode(self.partition, f"node{number}")

    def reach(self, number: int) -> tables.Reach:
        """An address of its own."""
        return tables.Reach(f"node{number}:0", network=self.node(number))

    async def resume(self, number: int) -> None:
        """Take the seat again from its journal, at home."""
        guest = self.guests[number]
        guest.outcome = await tables.resume_table(guest.seat, None, self.node(number))

    async def sit(self, number: int) -> None:
        """Play from the beginning."""
        await (self.host() if number == 0 else self.join(number))

    async def wait_for(self, number: int, wanted: Callable[[updates.Update], bool]) -> None:
        """Until a seat's screen is told something from now on."""
        told = self.guests[number].told
        seen = len(told)
        while not any(wanted(update) for update in told[seen:]):
            seen = len(told)
            await trio.sleep(0.1)

    def judge(self) -> list[verifier_report.Report]:
        """All ended alike: one content, `ok`, nobody accused or at fault; one report a version."""
        files = dict.fromkeys(self.transcripts())
        reports = [verifier.verify(data, game_port.read_game) for data in files]
        assert {report.verdict for report in reports} == {"ok"}
        assert len({report.content for report in reports}) == 1
        assert all(report.faults == () for report in reports)
        assert not any(guest.heard(updates.Accused) for guest in self.guests)
        return reports


@dataclass
class Absence:
    """How often a seat was declared absent and let in again, as its own screen was told."""

    away: int = field(default=0)
    back: int = field(default=0)

    @classmethod
    def of(cls, guest: Any) -> Absence:
        """Count on one screen."""
        return cls(len(guest.heard(updates.Away)), len(guest.heard(updates.Returned)))


def round_of(club: Club, number: int) -> int:
    """The last round that a seat's screen was shown."""
    shown = club.guests[number].heard(updates.Happened)
    return max((update.view.state.round for update in shown), default=0)
