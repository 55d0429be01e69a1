"""A seat that waits at a relay: registers its id there and takes the calls that come for it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Awaitable, Callable
from typing import Final

import trio

from protocol.bounds import Quota

from ..errors import Reason
from .addresses import Address
from .errors import NetCode, NetError, RefusedError
from .handshake import LONGEST, Identity
from .limits import Limits
from .link import Link
from .network import Network
from .reach import TOKEN, register, take

MOST_AT_ONCE: Final[Quota] = 8
"""Calls being taken at the same time; more are left unanswered."""

Attend = Callable[[trio.abc.Stream, Address], Awaitable[None]]
Tell = Callable[[str, Reason | None], None]
"""Hears that a relay ('relay+host:port') does not let us wait there, and why, or, with None, that
it does again."""


class WaitingAtRelay:
    """The registration of one id at one relay, made again and again until it stands."""

    def __init__(
        self,
        network: Network,
        relay: Address,
        identity: Identity,
        instance: bytes,
        limits: Limits,
        tell: Tell,
    ) -> None:
        self._network = network
        self._relay = relay
        self._identity = identity
        self._instance = instance
        self._limits = dataclasses.replace(limits, frame=LONGEST, longest=None)
        self._tell, self._is_told = tell, False
        self._began = trio.current_time()
        self._taking = 0
        self._failure: NetError | None = None
        self._news = trio.Event()
        self.is_registered = False

    async def registered(self) -> None:
        """Wait until the relay lets us wait there.

        Raises:
            NetError: What failed last: at once if trying again soon gives the same, else after
                `Limits.waiting` seconds. It is tried again all the same.
        """
        with trio.move_on_after(self._limits.waiting):
            while not (self.is_registered or (self._failure and self._failure.is_final)):
                await self._news.wait()
        if not self.is_registered:
            raise self._failure or self._slow(self._limits.waiting)

    def _slow(self, seconds: float) -> NetError:
        return NetError(NetCode.SLOW, address=str(self._relay), seconds=seconds)

    async def run(self, nursery: trio.Nursery, attend: Attend) -> None:
        """Take calls until cancelled; each is attended in nursery, and outlives this relay link.

        A relay that is away, or cuts us, is asked again after pauses that grow; others may reach us
        directly meanwhile.
        """
        pause = self._limits.first_pause
        while True:
            stream = await self._register()
            if stream is not None:
                began = trio.current_time()
                await self._stay(stream, nursery, attend)
                if trio.current_time() - began >= self._limits.silence:  # it was no flicker
                    pause = self._limits.first_pause
            await trio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, self._limits.longest_pause)

    async def _register(self) -> trio.abc.Stream | None:
        """A connection on which the relay announces calls; None, and it is noted, if it failed."""
        stream, failure = None, self._slow(self._limits.dial)
        try:
            with trio.move_on_after(self._limits.dial):
                stream = await register(self._network, self._relay, self._identity, self._instance)
        except NetError as error:
            failure = error
        self._note(None if stream is not None else failure)
        return stream

    def _note(self, failure: NetError | None) -> None:
        """Keep what failed, and tell it once until the relay lets us wait there."""
        self._failure, self.is_registered = failure, failure is None
        self._news.set()
        self._news = trio.Event()
        if failure is None and self._is_told:
            self._is_told = False
            self._tell(str(self._relay), None)
        elif failure is not None and not self._is_told and not self._is_usual(failure):
            self._is_told = True
            self._tell(str(self._relay), failure.reason)

    def _is_usual(self, failure: NetError) -> bool:
        """Whether the relay has not noticed yet that an earlier process of ours is gone."""
        is_elsewhere = isinstance(failure, RefusedError) and failure.elsewhere
        return is_elsewhere and trio.current_time() < self._began + 2 * self._limits.silence

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
