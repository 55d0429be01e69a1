"""Homes behind NATs on a network in memory: only answers to what went out come in."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from enum import Enum

import trio
import trio.testing

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NobodyError
from p2p_hoity.net.transport import StreamListener
from support.memory_network import MemoryNetwork


class Nat(Enum):
    """How a home's NAT maps ports, and what it does with what it does not expect."""

    SAME_PORT = "the same port for every destination; what is not expected is dropped"
    REFUSING = "the same port for every destination; what is not expected is refused"
    FRESH_PORT = "a fresh port for every destination"


Syn = tuple[Address, Address]


class Internet:
    """What lies between the homes: relays are listeners with public names."""

    def __init__(self, delay: float = 0.05) -> None:
        self.network = MemoryNetwork()
        self.delay = delay
        self.ports = itertools.count(30000)
        self.waiting: dict[Syn, Callable[[trio.abc.Stream], None]] = {}
        self.sent: list[Syn] = []

    async def meet(self, mine: Address, other: Address, refuses: bool) -> trio.abc.Stream:
        """A SYN from one NAT to another: a stream if the other end has one on its way back."""
        self.sent.append((mine, other))
        found: list[trio.abc.Stream] = []
        done = trio.Event()

        def take(stream: trio.abc.Stream) -> None:
            found.append(stream)
            done.set()

        self.waiting[mine, other] = take
        try:
            await trio.sleep(self.delay)
            back = self.waiting.get((other, mine))
            if back is not None and not found:
                near, far = trio.testing.memory_stream_pair()
                back(far)
                return near
            if refuses and not found:
                raise NobodyError(NetCode.UNREACHED, address=str(other), why=None)
            await done.wait()
            return found[0]
        finally:
            del self.waiting[mine, other]


class Home:
    """One machine behind one NAT: nobody opens a stream to it, but it may go out."""

    def __init__(self, internet: Internet, public: str, nat: Nat = Nat.SAME_PORT) -> None:
        self.internet, self.public, self.nat = internet, public, nat
        self.outlets: list[HomeOutlet] = []

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to a relay; nobody answers elsewhere."""
        await trio.sleep(self.internet.delay)
        seen = Address(self.public, next(self.internet.ports))
        return await self.internet.network.open_from(seen, address)

    async def listen(self, host: str, port: int) -> list[StreamListener]:
        """Where the NAT lets nobody in."""
        return await self.internet.network.listen(f"inside-{self.public}", port)

    def outlet(self) -> HomeOutlet:
        """A port of this machine."""
        self.outlets.append(HomeOutlet(self))
        return self.outlets[-1]


class HomeOutlet:
    """One port behind the NAT, as the NAT maps it."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.seen = self._fresh()

    def _fresh(self) -> Address:
        return Address(self.home.public, next(self.home.internet.ports))

    async def open(self, address: Address) -> trio.abc.Stream:
        """Out by this port: to a relay, or to meet who comes by the other NAT."""
        home, internet = self.home, self.home.internet
        seen = self._fresh() if home.nat is Nat.FRESH_PORT else self.seen
        if not address.host.startswith("8."):
            await trio.sleep(internet.delay)
            return await internet.network.open_from(seen, address)
        place = Address(address.host, address.port)
        return await internet.meet(seen, place, home.nat is Nat.REFUSING)


class NoOutlet(Home):
    """A home that reaches the world through a proxy."""

    def outlet(self) -> None:  # type: ignore[override]
        """None."""
