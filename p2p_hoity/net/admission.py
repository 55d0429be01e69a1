"""Which links a hub keeps: one a peer, its own peers before strangers, and both ends agree."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field

import trio

from ..errors import because
from .addresses import Named
from .handshake import Proven, Verdict
from .limits import Limits
from .link import Link, LinkCode
from .unproven import of_the_fullest


@dataclass(frozen=True, eq=False)
class Standing:
    """One authenticated link and what decides between it and another to the same peer."""

    peer: bytes
    link: Link = field(repr=False)
    address: str
    via_relay: bool
    dialled_by: bytes
    source: str = ""
    """Whom an incoming link is charged to; empty for a link we dialled."""
    instance: bytes = b""
    """The peer's process."""
    named: Named = Named.BY_US
    """By whom the address was named."""
    binding: bytes = field(default=b"", repr=False)
    is_up: trio.Event = field(default_factory=trio.Event, repr=False)
    finished: trio.Event = field(default_factory=trio.Event, repr=False)

    def goes_on(self, old: Standing | None) -> bool:
        """Whether it takes the place of this one, of the same process, whose owner was told."""
        return old is not None and old.is_up.is_set() and old.instance == self.instance


class Admission:
    """The table of live links; judging and entering happen in one go, without waiting ([L-10])."""

    def __init__(self, me: bytes, limits: Limits) -> None:
        self._me = me
        self._limits = limits
        self._entered: dict[bytes, Standing] = {}  # until its LinkDown is reported
        self._preferred: frozenset[bytes] = frozenset()
        self._kept: frozenset[bytes] = frozenset()
        self._blocked: set[bytes] = set()
        self._gone: dict[bytes, trio.Event] = {}

    def get(self, peer: bytes) -> Standing | None:
        """The live link to peer; one that is closed but not yet gone does not count."""
        standing = self._entered.get(peer)
        return standing if standing is not None and standing.link.reason is None else None

    def _live(self) -> list[Standing]:
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

    def judge(self, proven: Proven, via_relay: bool, dialled_by: bytes, source: str) -> Verdict:
        """Whether such a link would be kept; changes nothing ([L-10])."""
        peer = proven.peer
        if peer == self._me or peer in self._blocked:
            return Verdict.REFUSED
        old = self.get(peer)
        if old is not None and old.instance != proven.instance:
            return Verdict.ELSEWHERE
        if old is not None:
            better = self._rank(peer, via_relay, dialled_by) >= self._rank_of(old)
            return Verdict.WELCOME if better else Verdict.DUPLICATE
        if self._crowded(source) and not self._displaced(source, peer):
            return Verdict.FULL
        return Verdict.WELCOME

    def _rank(self, peer: bytes, via_relay: bool, dialled_by: bytes) -> tuple[bool, bool]:
        """Direct before relayed, then dialled by the lower id: both ends reckon the same ([L-10]).

        Of equal ones the newer stays: its dialler dials only when it has lost the older.
        """
        return not via_relay, dialled_by == min(self._me, peer)

    def _rank_of(self, old: Standing) -> tuple[bool, bool]:
        return self._rank(old.peer, old.via_relay, old.dialled_by)

    def _crowded(self, source: str) -> bool:
        live = self._live()
        same = sum(bool(source) and old.source == source for old in live)
        return len(live) >= self._limits.links or same >= self._limits.links_per_source

    def _strangers(self) -> list[Standing]:
        return [old for old in self._live() if old.peer not in self._preferred]

    def enter(self, new: Standing) -> Standing | None:
        """Enter a link judged welcome and return the one before it, closed, if not yet gone."""
        old = self._entered.pop(new.peer, None)
        if old is not None:
            old.link.close(because(LinkCode.REPLACED))
        if self._crowded(new.source):
            self._make_room(new.source, new.peer)
        self._entered[new.peer] = new
        return old

    def _displaced(self, source: str, peer: bytes) -> list[Standing]:
        """The strangers of whom one may make room: of the same machine if it has its fill, else
        of the one that has most of them here. Chosen at random, as in `unproven` ([L-13]). For the
        table's own those who are kept make room too, if no other can."""
        strangers = self._strangers()
        found = self._of(source, [one for one in strangers if one.peer not in self._kept])
        return found or (self._of(source, strangers) if self.prefers(peer) else [])

    def _of(self, source: str, strangers: list[Standing]) -> list[Standing]:
        same = [old for old in strangers if source and old.source == source]
        if len(self._live()) < self._limits.links:
            return same
        return same or of_the_fullest(strangers)

    def _make_room(self, source: str, peer: bytes) -> None:
        those = self._displaced(source, peer)
        if those:
            random.choice(those).link.close(because(LinkCode.MADE_ROOM))

    def is_last(self, standing: Standing) -> bool:
        """Whether no later link of this peer was entered."""
        return self._entered.get(standing.peer) is standing

    def leave(self, old: Standing) -> None:
        """Take a link that has ended off the table."""
        if self._entered.get(old.peer) is old:
            del self._entered[old.peer]
            self._gone.pop(old.peer, trio.Event()).set()

    async def unlinked(self, peer: bytes) -> None:
        """Wait until no link to peer is left, closed ones included."""
        while peer in self._entered:
            await self._gone.setdefault(peer, trio.Event()).wait()
        await trio.lowlevel.checkpoint()
