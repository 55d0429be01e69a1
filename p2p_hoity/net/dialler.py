"""Dial a peer again and again. Each attempt tries all addresses of the peer in a race."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Protocol

import trio

from protocol.units import PeerId

from ..coded_errors import Reason
from .addresses import Address
from .channel import Channel
from .link_limits import Limits
from .network_errors import NetCode, NetError, NobodyError, RefusedError
from .transport import cut


@dataclass(frozen=True)
class Secured:
    """A channel to a listener that has proven the expected id, without other data so far."""

    channel: Channel = field(repr=False)
    listener: PeerId
    address: Address


Attempt = Callable[[Address], Awaitable[Secured]]


async def race(attempt: Attempt, addresses: Sequence[Address], limits: Limits) -> Secured:
    """Try the addresses of a peer, one shortly after the other, until one succeeds.

    Relays are tried last. The other attempts are cut before this program proves its id on them.

    Raises:
        NetError: If no attempt succeeds. The error says what failed for each address. It is a
            NobodyError if another attempt soon would fail in the same way.
    """
    # The sort is stable: a host names first the addresses that it expects to work.
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
                    # Two attempts may succeed in one turn. Only the first one counts.
                    await cut(secured.channel)
                else:
                    found.append(secured)
                    scope.cancel()
                return
        failures.append(failure)
        # The next address need not wait for the rest of its delay.
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
        if found and not is_over:  # It was cancelled just as an attempt succeeded.
            await cut(found[0].channel)
    if not found:
        raise _summed_up(failures)
    return found[0]


def _summed_up(failures: Sequence[NetError]) -> NetError:
    """Return one error for all failed attempts."""
    kind = NobodyError if all(one.is_final for one in failures) else NetError
    if not failures:
        return kind(NetCode.NO_ADDRESS)
    return kind(NetCode.EACH_WAY, reasons=tuple(one.reason for one in failures))


class Links(Protocol):
    """The links of a peer, as far as a dialler needs them."""

    async def unlinked(self, peer: PeerId) -> None:
        """Wait until there is no link to a peer."""
        ...

    async def link(self, addresses: list[Address], peer: PeerId) -> None:
        """Make a link to a peer, unless there is one already. Raise NetError if this fails."""
        ...

    async def elsewhere(self, peer: PeerId) -> None:
        """Note that a peer is linked with another process that has this program's key."""
        ...


class PeerDialler:
    """A task that dials one peer whenever there is no link to it.

    Attributes:
        trouble: Why the last attempt failed. None if it succeeded, or there was no attempt yet.
    """

    def __init__(self, peer: PeerId, links: Links, limits: Limits) -> None:
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
        """Dial an address soon, too. If there are too many addresses, forget the oldest one."""
        # A peer that names an address again and again must not keep the pause short.
        if address not in self._addresses:
            self._addresses = [*self._addresses, address][-self._limits.addresses_per_peer :]
            # What has failed so far says nothing about the new address.
            self._pause = self._limits.first_pause
            self._news.set()

    def stop(self) -> None:
        """Stop dialling. A live link is not closed."""
        self._scope.cancel()

    def leave_alone(self) -> None:
        """Do not dial the peer for a while, because it has no room for more links ([L-65])."""
        # Random, so that many peers do not come back at the same time.
        pause = self._limits.full_pause * random.uniform(1.0, 2.0)
        self._not_before = max(self._not_before, trio.current_time() + pause)

    async def run(self) -> None:
        """Dial the peer whenever there is no link to it, until stopped."""
        with self._scope:
            while True:
                await self._links.unlinked(self._peer)
                # The peer may ask for a longer pause while this waits.
                while trio.current_time() < self._not_before:
                    await trio.sleep_until(self._not_before)
                await self._try_once()
                # A new address ends the pause. Its length is random, so that two diallers do not
                # stay in step.
                pause = self._pause * random.uniform(0.5, 1.0)
                self._pause = min(self._pause * 2, self._limits.longest_pause)
                # An address that came during the attempt has made this pause a short one.
                self._news = trio.Event()
                with trio.move_on_after(pause):
                    await self._news.wait()

    async def _try_once(self) -> None:
        """Make one attempt. If it succeeds, wait until the link has ended."""
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
        # Only a link that has lasted resets the pause: others are dialled ever more slowly.
        if lasted >= self._limits.silence:  # The link has lasted.
            self._pause = self._limits.first_pause
        self._flickers = lasted < self._limits.stalled

    def _in_order(self) -> list[Address]:
        """Return the addresses in the order in which to try them."""
        known = self._addresses
        # A relay that soon breaks its links must not always be tried first.
        return random.sample(known, len(known)) if self._flickers else list(known)
