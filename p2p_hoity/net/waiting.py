"""A seat that waits at a relay: registers its id there and takes the calls that come for it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Awaitable, Callable

import trio

from .addresses import Address
from .errors import NetCode, NetError, RefusedError
from .handshake import LONGEST, Identity
from .limits import Limits
from .link import Link
from .network import Network
from .reach import TOKEN, register, take

MOST_AT_ONCE = 8
"""Calls being taken at the same time; more are left unanswered."""

Attend = Callable[[trio.abc.Stream, Address], Awaitable[None]]


class WaitingAtRelay:
    """The registration of one id at one relay, renewed whenever it is lost."""

    def __init__(
        self,
        network: Network,
        relay: Address,
        identity: Identity,
        instance: bytes,
        limits: Limits,
    ) -> None:
        self._network = network
        self._relay = relay
        self._identity = identity
        self._instance = instance
        self._limits = dataclasses.replace(limits, frame=LONGEST, longest=None)
        self._taking = 0
        self.is_registered = False

    async def register(self) -> trio.abc.Stream:
        """A connection on which the relay announces calls; NetError says what failed."""
        with trio.move_on_after(self._limits.dial):
            stream = await register(self._network, self._relay, self._identity, self._instance)
            self.is_registered = True
            return stream
        waited = self._limits.dial
        raise NetError(NetCode.SLOW, address=str(self._relay), seconds=waited)

    async def register_patiently(self) -> trio.abc.Stream:
        """The same; while another process of ours seems to wait there, for longer than the relay
        takes to notice that it is gone."""
        last, pause = trio.current_time() + 2 * self._limits.silence, self._limits.first_pause
        while True:
            try:
                return await self.register()
            except RefusedError as error:
                if not error.elsewhere or trio.current_time() >= last:
                    raise
            await trio.sleep(pause)

    async def run(self, stream: trio.abc.Stream, nursery: trio.Nursery, attend: Attend) -> None:
        """Take calls until cancelled; each is attended in nursery, and outlives this relay link."""
        while True:
            await self._stay(stream, nursery, attend)
            stream = await self._register_again()

    async def _stay(self, stream: trio.abc.Stream, nursery: trio.Nursery, attend: Attend) -> None:
        async def hear(token: bytes) -> None:
            if len(token) == TOKEN and self._taking < MOST_AT_ONCE:
                self._taking += 1
                nursery.start_soon(self._take, token, attend)

        try:
            await Link(stream, self._limits).run(trio.lowlevel.checkpoint, hear)
        finally:
            self.is_registered = False

    async def _take(self, token: bytes, attend: Attend) -> None:
        stream = None
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await take(self._network, self._relay, token)
        except NetError:
            return  # the caller sees that nobody answered, and tries again
        finally:
            self._taking -= 1
        if stream is not None:
            await attend(stream, self._relay)

    async def _register_again(self) -> trio.abc.Stream:
        pause = self._limits.first_pause
        while True:
            await trio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, self._limits.longest_pause)
            try:
                return await self.register()
            except NetError:
                continue  # the relay is still away; others may reach us directly meanwhile
