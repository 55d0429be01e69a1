"""Which connections a hub keeps when there are too many: of strangers, and of proven peers.

SPEC: [L-12], [L-13], [L-26].
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol, TypeVar

import trio

from ..coded_errors import because
from .addresses import Address
from .link_limits import Limits
from .peer_link import Link, LinkCode
from .secure_channel import Proven, Verdict


@dataclass(frozen=True, eq=False)
class AdmittedLink:
    """One authenticated link and what decides between it and another to the same peer."""

    proven: Proven
    """What the handshake has proven of the peer."""
    link: Link = field(repr=False)
    address: Address
    """Where it is reached, and by whom that was named."""
    dialled_by: bytes
    source: str = ""
    """Whom an incoming link is charged to; empty for a link we dialled."""
    is_up: trio.Event = field(default_factory=trio.Event, repr=False)
    finished: trio.Event = field(default_factory=trio.Event, repr=False)

    @property
    def peer(self) -> bytes:
        """The id of the peer."""
        return self.proven.peer

    def goes_on(self, old: AdmittedLink | None) -> bool:
        """Whether it takes the place of this one, of the same process, whose owner was told."""
        if old is None or not old.is_up.is_set():
            return False
        return old.proven.instance == self.proven.instance


class Admission:
    """The table of live links; judging and entering happen in one go, without waiting ([L-10])."""

    def __init__(self, me: bytes, limits: Limits) -> None:
        self._me = me
        self._limits = limits
        self._entered: dict[bytes, AdmittedLink] = {}  # until its LinkDown is reported
        self._preferred: frozenset[bytes] = frozenset()
        self._kept: frozenset[bytes] = frozenset()
        self._blocked: set[bytes] = set()
        self._gone: dict[bytes, trio.Event] = {}

    def get(self, peer: bytes) -> AdmittedLink | None:
        """The live link to peer; one that is closed but not yet gone does not count."""
        standing = self._entered.get(peer)
        return standing if standing is not None and standing.link.reason is None else None

    def _live(self) -> list[AdmittedLink]:
        return [standing for standing in self._entered.values() if standing.link.reason is None]

    def peers(self) -> frozenset[bytes]:
        """All peers with a live link."""
        return frozenset([one.peer for one in self._live()])

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Keep room for these, the table's own."""
        self._preferred = frozenset(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """These make room for the table's own only, and for no stranger."""
        self._kept = frozenset(peers)
        for old in self._live():
            old.link.is_unhurried = old.peer in self._kept and not self.prefers(old.peer)

    def prefers(self, peer: bytes) -> bool:
        """Whether it is one of the table's own."""
        return peer in self._preferred

    def block(self, peer: bytes) -> None:
        """Never admit this peer again."""
        self._blocked.add(peer)

    def judge(self, new: AdmittedLink) -> Verdict:
        """Whether such a link would be kept; changes nothing ([L-10])."""
        if new.peer == self._me or new.peer in self._blocked:
            return Verdict.REFUSED
        old = self.get(new.peer)
        if old is not None and old.proven.instance != new.proven.instance:
            return Verdict.ELSEWHERE
        if old is not None:
            is_better = self._rank(new) >= self._rank(old)
            return Verdict.WELCOME if is_better else Verdict.DUPLICATE
        if self._crowded(new) and not self._displaced(new):
            return Verdict.FULL
        return Verdict.WELCOME

    def _rank(self, link: AdmittedLink) -> tuple[bool, bool]:
        """Direct before relayed, then dialled by the lower id: both ends reckon the same ([L-10]).

        Of equal ones the newer stays: its dialler dials only when it has lost the older.
        """
        return not link.address.via_relay, link.dialled_by == min(self._me, link.peer)

    def _crowded(self, new: AdmittedLink) -> bool:
        live = self._live()
        same = sum(bool(new.source) and old.source == new.source for old in live)
        return len(live) >= self._limits.links or same >= self._limits.links_per_source

    def enter(self, new: AdmittedLink) -> AdmittedLink | None:
        """Enter a link judged welcome and return the one before it, closed, if not yet gone."""
        old = self._entered.pop(new.peer, None)
        if old is not None:
            old.link.close(because(LinkCode.REPLACED))
        if self._crowded(new) and (those := self._displaced(new)):
            random.choice(those).link.close(because(LinkCode.MADE_ROOM))
        self._entered[new.peer] = new
        return old

    def _displaced(self, new: AdmittedLink) -> list[AdmittedLink]:
        """The strangers of whom one may make room: of the same machine if it has its fill, else
        of the one that has most of them here. Chosen at random, as in `unproven` ([L-13]). For the
        table's own those who are kept make room too, if no other can."""
        strangers = [old for old in self._live() if old.peer not in self._preferred]
        unkept = [one for one in strangers if one.peer not in self._kept]
        found = self._of(new.source, unkept)
        return found or (self._of(new.source, strangers) if self.prefers(new.peer) else [])

    def _of(self, source: str, strangers: list[AdmittedLink]) -> list[AdmittedLink]:
        same = [old for old in strangers if source and old.source == source]
        if len(self._live()) < self._limits.links:
            return same
        return same or of_the_fullest(strangers)

    def is_last(self, standing: AdmittedLink) -> bool:
        """Whether no later link of this peer was entered."""
        return self._entered.get(standing.peer) is standing

    def leave(self, old: AdmittedLink) -> None:
        """Take a link that has ended off the table."""
        if self._entered.get(old.peer) is old:
            del self._entered[old.peer]
            self._gone.pop(old.peer, trio.Event()).set()

    async def unlinked(self, peer: bytes) -> None:
        """Wait until no link to peer is left, closed ones included."""
        while peer in self._entered:
            await self._gone.setdefault(peer, trio.Event()).wait()
        await trio.lowlevel.checkpoint()


class HasSource(Protocol):
    """A link or a newcomer that is charged to a machine."""

    @property
    def source(self) -> str:
        """The machine."""
        ...


S = TypeVar("S", bound=HasSource)


def of_the_fullest(those: Sequence[S]) -> list[S]:
    """Those of the sources that have most of them; none of none."""
    counts = Counter(one.source for one in those)
    most = max(counts.values(), default=0)
    return [one for one in those if counts[one.source] == most]


def one_to_make_room(those: Sequence[S], source: str) -> S | None:
    """One by lot of the source that has most, for a newcomer of another; None if that one would
    then have as many. So sources that fill all places lock out nobody who needs few."""
    counts = Counter(one.source for one in those)
    if max(counts.values(), default=0) <= counts[source] + 1:
        return None
    return random.choice(of_the_fullest(those))


class HandshakeStage(IntEnum):
    """How far a newcomer has come; each stage costs it more than the one before."""

    SILENT = 0
    SPOKE = 1
    GREETED = 2
    """It sent what a TLS handshake begins with, and was answered."""
    SECURED = 3
    """The TLS handshake is done."""


class UnprovenStream(trio.abc.Stream):
    """The stream of a connection that has proven nothing; it notes how far it has come."""

    def __init__(self, stream: trio.abc.Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.stage = HandshakeStage.SILENT
        self.scope = trio.CancelScope()

    def reach(self, stage: HandshakeStage) -> None:
        """It has come so far, and never falls back."""
        self.stage = max(self.stage, stage)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send; a listener speaks only to who has spoken."""
        self.reach(HandshakeStage.GREETED)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """As of the stream."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive."""
        data = await self.stream.receive_some(max_bytes)
        if data:
            self.reach(HandshakeStage.SPOKE)
        return data

    async def aclose(self) -> None:
        """Close."""
        await self.stream.aclose()


class UnprovenConnections:
    """Counts connections that have proven nothing yet, in all and for each source ([L-12]).

    A newcomer is always let in. Whoever makes room for it has come least far; among those it is of
    the source that has most of them here; among these the lot decides, so that a flood of what
    looks like the honest only lowers their chance at one try and locks nobody out.
    """

    def __init__(self, most: int, most_per_source: int) -> None:
        self._most = most
        self._most_per_source = most_per_source
        self._waiting: set[UnprovenStream] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def counted(self, newcomer: UnprovenStream, seconds: float) -> Iterator[None]:
        """Count here for at most seconds; the scope is cancelled to make room."""
        self._make_room(newcomer.source)
        with newcomer.scope:
            newcomer.scope.deadline = trio.current_time() + seconds
            self._waiting.add(newcomer)
            try:
                yield
            finally:
                self._waiting.discard(newcomer)

    def _make_room(self, source: str) -> None:
        same = [one for one in self._waiting if one.source == source]
        if len(same) >= self._most_per_source:
            self._send_away(same)
        elif len(self._waiting) >= self._most:
            self._send_away(list(self._waiting))

    def _send_away(self, those: list[UnprovenStream]) -> None:
        least = min(one.stage for one in those)
        behind = [one for one in those if one.stage == least]
        lot = random.choice(of_the_fullest(behind))
        self._waiting.discard(lot)
        lot.scope.cancel()
