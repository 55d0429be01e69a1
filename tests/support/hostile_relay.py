"""A relay that lies with the bytes it carries: it drops, delays, reorders, truncates, injects."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import trio

from p2p_hoity.net.transport import Network, cut
from p2p_hoity.relay.forwarding import Exchange, Splice
from p2p_hoity.relay.relay_limits import RelayLimits
from p2p_hoity.relay.relay_log import Watch
from p2p_hoity.relay.relay_server import Relay

Trick = Callable[[bytes, "Hostile"], AsyncIterator[bytes]]
"""What becomes of one piece of one way."""


async def drop(piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
    """Some pieces never arrive."""
    if not relay.is_time():
        yield piece


async def delay(piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
    """Every piece arrives late, some very late."""
    await trio.sleep(relay.lot.choice((0.01, 0.05, 0.2)) if not relay.is_time() else 4)
    yield piece


class Reorder:
    """Some pieces arrive after the one behind them."""

    def __init__(self) -> None:
        self.held = b""

    async def __call__(self, piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
        if not self.held and relay.is_time():
            self.held = piece
            return
        yield piece
        if self.held:
            held, self.held = self.held, b""
            yield held


async def truncate(piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
    """Some pieces lose their end."""
    yield piece[: len(piece) // 2] if relay.is_time() else piece


async def inject(piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
    """Bytes of its own, sometimes those of before once more."""
    yield piece
    if relay.is_time():
        yield relay.lot.choice(
            (piece, relay.lot.randbytes(40), b"\x17\x03\x03\x00\x20" + relay.lot.randbytes(32))
        )


async def flip(piece: bytes, relay: Hostile) -> AsyncIterator[bytes]:
    """Single bits are turned."""
    if relay.is_time():
        where = relay.lot.randrange(len(piece))
        piece = (
            piece[:where] + bytes([piece[where] ^ 1 << relay.lot.randrange(8)]) + piece[where + 1 :]
        )
    yield piece


TRICKS: dict[str, Callable[[], Trick]] = {
    "drop": lambda: drop,
    "delay": lambda: delay,
    "reorder": Reorder,
    "truncate": lambda: truncate,
    "inject": lambda: inject,
    "flip": lambda: flip,
}


class Hostile:
    """How some relays of this process lie, all others being honest; while `lies` is set they do."""

    def __init__(self, trick: str, seldom: float = 0.02, seed: int = 1) -> None:
        self.make, self.lot, self.lies, self.played = TRICKS[trick], random.Random(seed), True, 0
        self.seldom = seldom
        self.exchanges: list[Exchange] = []

    def is_time(self) -> bool:
        """Whether this piece is played with."""
        found = self.lies and self.lot.random() < self.seldom
        self.played += found
        return found

    async def serve(
        self,
        name: str,
        network: Network,
        task_status: trio.TaskStatus[list[str]] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """A relay that lies."""
        relay = Relay(RelayLimits(), Watch())
        self.exchanges.append(relay.calls._exchange)
        await relay.serve(name, 1, network=network, task_status=task_status)

    def splice(self, *given: Any) -> Splice:
        """Stands for `p2p_hoity.relay.forwarding.Splice`."""
        if given[-1] not in self.exchanges:
            return Splice(*given)
        hostile = self

        class Lying(Splice):
            async def carry(self, early: tuple[bytes, bytes]) -> None:
                one, other = self.ends
                self.ends = (
                    Bent(one, hostile.make(), hostile),
                    Bent(other, hostile.make(), hostile),
                )
                await super().carry(early)

        return Lying(*given)


class Bent(trio.abc.Stream):
    """One end: what goes out to it is played with."""

    def __init__(self, stream: trio.abc.Stream, trick: Trick, hostile: Hostile) -> None:
        self.stream, self.trick, self.hostile = stream, trick, hostile

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        async for piece in self.trick(bytes(data), self.hostile):
            await self.stream.send_all(piece)

    async def wait_send_all_might_not_block(self) -> None:
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self.stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        await cut(self.stream)
