"""Hole punching: two who are linked through a relay meet directly, if their NATs let them ([L-40]).

The relay tells each where it sees it; they tell each other through the relay, and both open TCP
at one moment from the port that the relay saw, so that each NAT takes the other's SYN for an
answer. After DCUtR of libp2p (Seemann, Inden, Vyzovitis, "Decentralized Hole Punching", 2022):
the one measures the way there and back, says go, and waits for half of it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Final

import trio

from protocol.bounds import Quota, Seconds

from ..errors import Code
from .addresses import Address, Named, may_dial
from .errors import NetCode, NetError, NobodyError
from .handshake import receive, send
from .network import Outlet
from .reach import observing, read_seen, seen_from

TRIES: Final[Quota] = 3
PERIOD: Final[Seconds] = 1.0
"""Seconds of one try: a SYN that came too early was dropped, and is sent again after so long."""
PAUSE: Final[Seconds] = 0.02
"""Seconds after a NAT that does not drop but refuses what it does not expect."""

SEEN: Final = b"S"
PING: Final = b"P"
GO: Final = b"G"


class PunchCode(Code):
    """Why two did not meet."""

    OTHER_WORD = "punch-of-other-form"
    NOT_MET = "punch-not-met"


Met = tuple[trio.abc.Stream, Address]
"""A fresh stream between the two, and where the other end is seen."""


async def lead(outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
    """The side that says go; NetError if the two do not meet."""
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        other = _read(await receive(stream))
        began = trio.current_time()
        await send(stream, PING)
        await _expect(stream, PING)
        half = (trio.current_time() - began) / 2
        await send(stream, GO)
        await trio.sleep(half)
        return await _meet(outlet, other), other


async def follow(outlet: Outlet, relay: Address, stream: trio.abc.Stream) -> Met:
    """The side that hears go; NetError if the two do not meet ([L-42])."""
    other = _read(await receive(stream))
    async with observing(outlet, relay) as mine:
        await send(stream, SEEN + seen_from(mine))
        await _expect(stream, PING)
        await send(stream, PING)
        await _expect(stream, GO)
        return await _meet(outlet, other), other


def _read(said: bytes) -> Address:
    """Where the other is seen, as it says: no further than what any peer names ([L-14])."""
    if said[:1] != SEEN:
        raise NetError(PunchCode.OTHER_WORD)
    other = replace(read_seen(said[1:]), named=Named.FAR)
    if not may_dial(other.host, other.named):
        raise NobodyError(NetCode.NOT_DIALLED, address=str(other))
    return other


async def _expect(stream: trio.abc.Stream, word: bytes) -> None:
    if await receive(stream) != word:
        raise NetError(PunchCode.OTHER_WORD)


async def _meet(outlet: Outlet, other: Address) -> trio.abc.Stream:
    """The first stream that opens, in three tries within three seconds; NetError for none."""
    end = trio.current_time() + TRIES * PERIOD
    while (now := trio.current_time()) < end:
        with trio.move_on_at(min(now + PERIOD, end)):
            while True:
                with suppress(NetError):
                    return await outlet.open(other)
                await trio.sleep(PAUSE)
    raise NetError(PunchCode.NOT_MET)
