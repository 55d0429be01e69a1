"""Connection racing: several ways to one peer side by side, each some time after the one before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

import trio

from .addresses import Address
from .errors import NetCode, NetError, NobodyError
from .limits import Limits
from .network import cut
from .tls import TlsStream


@dataclass(frozen=True)
class Secured:
    """A TLS stream to a listener whose key is the expected one; nothing else was said yet."""

    stream: TlsStream = field(repr=False)
    listener: bytes
    certificate: bytes
    address: Address


Attempt = Callable[[Address], Awaitable[Secured]]


class Race:
    """Runs attempts until the first succeeds; the others are cut before they prove anything."""

    def __init__(self, attempt: Attempt, limits: Limits) -> None:
        self._attempt = attempt
        self._limits = limits
        self._winner: Secured | None = None
        self._failures: list[NetError] = []

    async def run(self, addresses: Sequence[Address]) -> Secured:
        """The first to succeed; NetError with what failed on each way when none does."""
        is_over = False
        try:
            await self._run(sorted(addresses, key=lambda address: address.via_relay))
            is_over = True
        finally:
            if self._winner is not None and not is_over:  # cancelled just as someone won
                await cut(self._winner.stream)
        if self._winner is None:
            raise self._summed_up()
        return self._winner

    def _summed_up(self) -> NetError:
        is_final = all(one.is_final for one in self._failures)
        kind = NobodyError if is_final else NetError
        if not self._failures:
            return kind(NetCode.NO_ADDRESS)
        return kind(NetCode.EACH_WAY, reasons=tuple(one.reason for one in self._failures))

    async def _run(self, ordered: Sequence[Address]) -> None:
        async with trio.open_nursery() as nursery:
            for address, following in zip_longest(ordered, ordered[1:]):
                failed = trio.Event()
                nursery.start_soon(self._try, address, failed, nursery.cancel_scope)
                if following is not None:
                    with trio.move_on_after(self._head_start(address, following)):
                        await failed.wait()

    def _head_start(self, address: Address, following: Address) -> float:
        first_relay = following.via_relay and not address.via_relay
        return self._limits.relay_stagger if first_relay else self._limits.stagger

    async def _try(self, address: Address, failed: trio.Event, race: trio.CancelScope) -> None:
        try:
            with trio.fail_after(self._limits.dial):
                found = await self._attempt(address)
        except NetError as error:
            self._failures.append(error)
            failed.set()
        except trio.TooSlowError:
            late = {"address": str(address), "seconds": self._limits.dial}
            self._failures.append(NetError(NetCode.SLOW, **late))
            failed.set()
        else:
            if self._winner is None:
                self._winner = found
                race.cancel()
            else:
                await cut(found.stream)
