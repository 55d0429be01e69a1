"""Dialling relays alone: for a player whose address no other seat may learn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import trio

from .addresses import Address, Named, parse_address
from .network_errors import NetCode, NetError, NobodyError
from .transport import Network, StreamListener


class RelayedNetwork:
    """A network on which the relays that the player has named are dialled, and nothing else.

    All that a hub does passes here, so whatever another seat names, a relay of its own included,
    gets no connection from this machine ([L-58]).
    """

    def __init__(self, network: Network, relays: Iterable[str]) -> None:
        """`network` carries the streams; `relays` are 'host:port'."""
        self._network = network
        self._places = {(one.host, one.port) for one in map(parse_address, relays)}

    async def open(self, address: Address) -> trio.abc.Stream:
        """Open a stream to one of the relays; NobodyError for any other place, NetError if it
        cannot be reached."""
        if (address.host, address.port) not in self._places:
            await trio.lowlevel.checkpoint()
            raise NobodyError(NetCode.NOT_BY_RELAY, address=str(address))
        return await self._network.open(replace(address, named=Named.BY_US))

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Raise NetError: whoever listens can be found."""
        await trio.lowlevel.checkpoint()
        raise NetError(NetCode.NOT_BY_RELAY, address=str(Address(host, port)))

    def outlet(self) -> None:
        """Give none: two who meet directly tell each other where they are."""
