"""A network that notes what one node does with it."""

from dataclasses import dataclass, field
from typing import Any

import trio

from p2p_hoity.net.addresses import Address
from support.memory_network import MemoryNetwork


@dataclass
class Noted:
    """The network as one seat has it; what it dials and where it listens is noted."""

    network: MemoryNetwork
    dialled: list[str] = field(default_factory=list)
    listened: list[str] = field(default_factory=list)

    async def open(self, address: Address) -> trio.abc.Stream:
        self.dialled.append(f"{address.host}:{address.port}")
        return await self.network.open(address)

    async def listen(self, host: str, port: int) -> Any:
        self.listened.append(host)
        return await self.network.listen(host, port)

    def outlet(self) -> None:
        """None."""
