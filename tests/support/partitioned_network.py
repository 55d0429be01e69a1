"""A network in memory whose nodes can be parted and joined again."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import trio

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.net.transport import StreamListener
from support.memory_network import MemoryNetwork


class PartitionedNetwork:
    """All nodes; `apart` says which cannot hear each other just now."""

    def __init__(self) -> None:
        self.network = MemoryNetwork()
        self.groups: tuple[frozenset[str], ...] = ()
        self._healed = trio.Event()

    def node(self, number: int) -> NetworkNode:
        """Return the network as the node of this number sees it."""
        return NetworkNode(self, f"node{number}")

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
