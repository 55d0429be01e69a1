"""Dialling a peer again and again, and at each time its addresses in a race."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Protocol

import trio

from ..coded_errors import Reason
from .addresses import Address
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError, RefusedError
from .secure_channel import TlsStream
from .transport import cut


@dataclass(frozen=True)
class Secured:
    """A TLS stream to a listener whose key is the expected one; nothing else was said yet."""

    stream: TlsStream = field(repr=False)
    listener: bytes
    certificate: bytes
    address: Address


Attempt = Callable[[Address], Awaitable[Secured]]


async def race(attempt: Attempt, addresses: Sequence[Address], limits: Limits) -> Secured:
    """Make attempts until the first succeeds; the others are cut before they prove anything.

    Args:
        attempt: Tries one address.
        addresses: The addresses of the peer; relays come last.
        limits: How long an attempt may take, and what head start it has.

    Raises:
        NetError: If none succeeds; with what failed on each way. It is a NobodyError if trying
            again soon gives the same.
    """
    ordered = sorted(addresses, key=lambda address: address.via_relay)
    failures, found, is_over = list[NetError](), list[Secured](), False

    async def try_one(address: Address, failed: trio.Event, scope: trio.CancelScope) -> None:
        failure = NetError(NetCode.SLOW, address=str(address), seconds=limits.dial)
        with trio.move_on_after(limits.dial):
            try:
                secured = await attempt(address)
            except NetError as error:
                failure = error
            else:
                if found:
                    await cut(secured.stream)
                else:
                    found.append(secured)
                    scope.cancel()
                return
        failures.append(failure)
        failed.set()

    try:
        async with trio.open_nursery() as nursery:
            for address, following in zip_longest(ordered, ordered[1:]):
                failed = trio.Event()
                nursery.start_soon(try_one, address, failed, nursery.cancel_scope)
                if following is not None:
                    is_first_relay = following.via_relay and not address.via_relay
                    start = limits.relay_stagger if is_first_relay else limits.stagger
                    with trio.move_on_after(start):
                        await failed.wait()
        is_over = True
    finally:
        if found and not is_over:  # cancelled just as someone won
            await cut(found[0].stream)
    if not found:
        raise _summed_up(failures)
    return found[0]


def _summed_up(failures: Sequence[NetError]) -> NetError:
    kind = NobodyError if all(one.is_final for one in failures) else NetError
    if not failures:
        return kind(NetCode.NO_ADDRESS)
    return kind(NetCode.EACH_WAY, reasons=tuple(one.reason for one in failures))


class Links(Protocol):
    """What a dialler must know of the links there are."""

    async def unlinked(self, peer: bytes) -> None:
        """Wait until there is none."""
        ...

    async def link(self, addresses: list[Address], peer: bytes) -> None:
        """Make one, or NetError; returns at once when there is one."""
        ...

    async def elsewhere(self, peer: bytes) -> None:
        """It is linked with another process of our identity, and says so."""
        ...


class PeerDialler:
    """The attempts to keep one link to one peer."""

    def __init__(self, peer: bytes, links: Links, limits: Limits) -> None:
        self._peer = peer
        self._links = links
        self._limits = limits
        self._addresses: list[Address] = []
        self._scope = trio.CancelScope()
        self._news = trio.Event()
        self._pause = limits.first_pause
        self._flickers = False
        self._not_before = 0.0
        self.trouble: Reason | None = None

    def add(self, address: Address) -> None:
        """Try this address too, and soon; the oldest is forgotten when there are too many."""
        if address not in self._addresses:
            self._addresses = [*self._addresses, address][-self._limits.addresses_per_peer :]
            self._pause = self._limits.first_pause
            self._news.set()

    def stop(self) -> None:
        """Dial no more; a live link stays."""
        self._scope.cancel()

    def leave_alone(self) -> None:
        """It is full: dial it no more for a while, uneven so that a crowd does not come at once.

        SPEC: [L-65].
        """
        pause = self._limits.full_pause * random.uniform(1.0, 2.0)
        self._not_before = trio.current_time() + pause

    async def run(self) -> None:
        """Dial whenever there is no link, until stopped."""
        with self._scope:
            while True:
                await self._links.unlinked(self._peer)
                await trio.sleep_until(self._not_before)
                await self._try_once()
                # Wait, but not for the whole pause if a new address comes. The pause is uneven, so
                # that two diallers fall out of step.
                pause = self._pause * random.uniform(0.5, 1.0)
                self._pause = min(self._pause * 2, self._limits.longest_pause)
                self._news = trio.Event()
                with trio.move_on_after(pause):
                    await self._news.wait()

    async def _try_once(self) -> None:
        try:
            await self._links.link(self._in_order(), self._peer)
        except NetError as error:
            self.trouble = error.reason
            if isinstance(error, RefusedError) and error.elsewhere:
                await self._links.elsewhere(self._peer)
            if isinstance(error, RefusedError) and error.full:
                self.leave_alone()
            return
        self.trouble = None
        since = trio.current_time()
        await self._links.unlinked(self._peer)
        lasted = trio.current_time() - since
        if lasted >= self._limits.silence:  # it was a link, not a flicker
            self._pause = self._limits.first_pause
        self._flickers = lasted < self._limits.stalled

    def _in_order(self) -> list[Address]:
        """As they came; after a link that did not last by lot, since one relay may break them all.

        Direct ways still go first.
        """
        known = self._addresses
        return random.sample(known, len(known)) if self._flickers else list(known)
