"""The choice which connections a hub keeps when there are too many, unproven or proven.

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
    """One authenticated link, and the facts that decide between it and another one to its peer.

    Attributes:
        proven: What the handshake has proven about the peer.
        link: The link.
        address: Where the peer is reached, and by whom that was named.
        dialled_by: The id of the end that has dialled.
        source: The machine to which an incoming link is charged. Empty for an outgoing link.
        is_up: Set when the link was reported to the owner of the hub.
        finished: Set when the end of the link was reported.
    """

    proven: Proven
    link: Link = field(repr=False)
    address: Address
    dialled_by: bytes
    source: str = ""
    is_up: trio.Event = field(default_factory=trio.Event, repr=False)
    finished: trio.Event = field(default_factory=trio.Event, repr=False)

    @property
    def peer(self) -> bytes:
        """The id of the peer."""
        return self.proven.peer

    def goes_on(self, old: AdmittedLink | None) -> bool:
        """Return whether it continues another link with the same process, which was reported.

        Args:
            old: The other link, if there is one.

        Returns:
            True if it replaces that link and the peer has not changed.
        """
        if old is None or not old.is_up.is_set():
            return False
        return old.proven.instance == self.proven.instance


class Admission:
    """The table of live links.

    Judging and entering a link happen without waiting in between ([L-10]).
    """

    def __init__(self, me: bytes, limits: Limits) -> None:
        self._me = me
        self._limits = limits
        self._entered: dict[
            bytes, AdmittedLink
        ] = {}  # Each link stays until its LinkDown was reported.
        self._preferred: frozenset[bytes] = frozenset()
        self._kept: frozenset[bytes] = frozenset()
        self._blocked: set[bytes] = set()
        self._gone: dict[bytes, trio.Event] = {}

    def get(self, peer: bytes) -> AdmittedLink | None:
        """Return the live link to a peer. A closed link that has not ended yet does not count.

        Args:
            peer: The id of the peer.

        Returns:
            The link, or None.
        """
        standing = self._entered.get(peer)
        return standing if standing is not None and standing.link.reason is None else None

    def _live(self) -> list[AdmittedLink]:
        """Return the links that are not closed."""
        return [standing for standing in self._entered.values() if standing.link.reason is None]

    def peers(self) -> frozenset[bytes]:
        """Return the peers with a live link.

        Returns:
            Their ids.
        """
        return frozenset([one.peer for one in self._live()])

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Keep room for the peers of the table.

        Args:
            peers: Their ids.
        """
        self._preferred = frozenset(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """Let only peers of the table replace the links of these peers.

        Args:
            peers: Their ids.
        """
        self._kept = frozenset(peers)
        for old in self._live():
            old.link.is_unhurried = old.peer in self._kept and not self.prefers(old.peer)

    def prefers(self, peer: bytes) -> bool:
        """Return whether a peer belongs to the table.

        Args:
            peer: Its id.

        Returns:
            True if it does.
        """
        return peer in self._preferred

    def block(self, peer: bytes) -> None:
        """Admit a peer never again.

        Args:
            peer: Its id.
        """
        self._blocked.add(peer)

    def judge(self, new: AdmittedLink) -> Verdict:
        """Return whether a link would be kept ([L-10]). Nothing is changed.

        Args:
            new: The link.

        Returns:
            The verdict for the dialler.
        """
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
        """Return the rank of a link among those to one peer, the same at both ends ([L-10]).

        A direct link ranks above a relayed one, and then one dialled by the lower id. Of equal ones
        the newer stays, since its dialler dials only after it has lost the older one.
        """
        return not link.address.via_relay, link.dialled_by == min(self._me, link.peer)

    def _crowded(self, new: AdmittedLink) -> bool:
        """Return whether there is no free place for a link."""
        live = self._live()
        same = sum(bool(new.source) and old.source == new.source for old in live)
        return len(live) >= self._limits.links or same >= self._limits.links_per_source

    def enter(self, new: AdmittedLink) -> AdmittedLink | None:
        """Enter a link that was judged welcome.

        Args:
            new: The link.

        Returns:
            The earlier link to the same peer, now closed, unless it has ended.
        """
        old = self._entered.pop(new.peer, None)
        if old is not None:
            old.link.close(because(LinkCode.REPLACED))
        if self._crowded(new) and (those := self._displaced(new)):
            random.choice(those).link.close(because(LinkCode.MADE_ROOM))
        self._entered[new.peer] = new
        return old

    def _displaced(self, new: AdmittedLink) -> list[AdmittedLink]:
        """Return the links of which one may be replaced by a new one ([L-13]).

        They are links of strangers from the same machine if that has no free place, or else from
        the machine with the most links. One is chosen at random. For a peer of the table the kept
        links may be replaced too, if there are no others.
        """
        strangers = [old for old in self._live() if old.peer not in self._preferred]
        unkept = [one for one in strangers if one.peer not in self._kept]
        found = self._of(new.source, unkept)
        return found or (self._of(new.source, strangers) if self.prefers(new.peer) else [])

    def _of(self, source: str, strangers: list[AdmittedLink]) -> list[AdmittedLink]:
        """Return the links of strangers that may be replaced by one from a machine."""
        same = [old for old in strangers if source and old.source == source]
        if len(self._live()) < self._limits.links:
            return same
        return same or of_the_fullest(strangers)

    def is_last(self, standing: AdmittedLink) -> bool:
        """Return whether no later link of the same peer was entered.

        Args:
            standing: The link.

        Returns:
            True if it is the last one.
        """
        return self._entered.get(standing.peer) is standing

    def leave(self, old: AdmittedLink) -> None:
        """Remove a link that has ended.

        Args:
            old: The link.
        """
        if self._entered.get(old.peer) is old:
            del self._entered[old.peer]
            self._gone.pop(old.peer, trio.Event()).set()

    async def unlinked(self, peer: bytes) -> None:
        """Wait until there is no link to a peer, closed ones included.

        Args:
            peer: Its id.
        """
        while peer in self._entered:
            await self._gone.setdefault(peer, trio.Event()).wait()
        await trio.lowlevel.checkpoint()


class HasSource(Protocol):
    """A connection that is charged to a machine."""

    @property
    def source(self) -> str:
        """The machine."""
        ...


S = TypeVar("S", bound=HasSource)


def of_the_fullest(those: Sequence[S]) -> list[S]:
    """Return the connections of the machines that have the most.

    Args:
        those: The connections.

    Returns:
        Those of the machines with the highest number.
    """
    counts = Counter(one.source for one in those)
    most = max(counts.values(), default=0)
    return [one for one in those if counts[one.source] == most]


def one_to_make_room(those: Sequence[S], source: str) -> S | None:
    """Choose a connection that is replaced by one from another machine.

    It is chosen at random among those of the machine with the most. So machines that use all places
    cannot exclude one that needs few.

    Args:
        those: The connections.
        source: The machine of the new connection.

    Returns:
        The chosen connection. None if its machine would then have no more than the new one's.
    """
    counts = Counter(one.source for one in those)
    if max(counts.values(), default=0) <= counts[source] + 1:
        return None
    return random.choice(of_the_fullest(those))


class HandshakeStage(IntEnum):
    """The stages of a new connection. Each one takes more effort of it than the one before."""

    SILENT = 0
    SPOKE = 1
    GREETED = 2
    """It has sent the beginning of a TLS handshake and was answered."""
    SECURED = 3
    """The TLS handshake is complete."""


class UnprovenStream(trio.abc.Stream):
    """The stream of a connection that has proven nothing. It notes the stage of the connection.

    Attributes:
        stream: The stream.
        source: The machine to which the connection is charged.
        stage: The stage that it has reached.
        scope: Cancelled if the connection has to make room.
    """

    def __init__(self, stream: trio.abc.Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.stage = HandshakeStage.SILENT
        self.scope = trio.CancelScope()

    def reach(self, stage: HandshakeStage) -> None:
        """Note that the connection has reached a stage.

        Args:
            stage: The stage. A lower one than before is ignored.
        """
        self.stage = max(self.stage, stage)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes. A listener sends only to a connection that has sent something.

        Args:
            data: The bytes.
        """
        self.reach(HandshakeStage.GREETED)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait as the stream does."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive bytes.

        Args:
            max_bytes: How many at most.

        Returns:
            The bytes.
        """
        data = await self.stream.receive_some(max_bytes)
        if data:
            self.reach(HandshakeStage.SPOKE)
        return data

    async def aclose(self) -> None:
        """Close the stream."""
        await self.stream.aclose()


class UnprovenConnections:
    """The connections that have proven nothing yet, limited in all and for each machine ([L-12]).

    A new connection is always accepted. If there are too many, one makes room that has reached the
    lowest stage. Among those it is of the machine with the most, chosen at random. So a flood of
    connections that look honest only lowers the chance of an attempt, and excludes nobody.
    """

    def __init__(self, most: int, most_per_source: int) -> None:
        self._most = most
        self._most_per_source = most_per_source
        self._waiting: set[UnprovenStream] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def counted(self, newcomer: UnprovenStream, seconds: float) -> Iterator[None]:
        """Count a connection while inside, for a limited time. It is cancelled to make room.

        Args:
            newcomer: The connection.
            seconds: How long it may take.

        Yields:
            Nothing.
        """
        self._make_room(newcomer.source)
        with newcomer.scope:
            newcomer.scope.deadline = trio.current_time() + seconds
            self._waiting.add(newcomer)
            try:
                yield
            finally:
                self._waiting.discard(newcomer)

    def _make_room(self, source: str) -> None:
        """Cancel a connection if there is no place for one more of this machine."""
        same = [one for one in self._waiting if one.source == source]
        if len(same) >= self._most_per_source:
            self._send_away(same)
        elif len(self._waiting) >= self._most:
            self._send_away(list(self._waiting))

    def _send_away(self, those: list[UnprovenStream]) -> None:
        """Cancel one of the connections."""
        least = min(one.stage for one in those)
        behind = [one for one in those if one.stage == least]
        lot = random.choice(of_the_fullest(behind))
        self._waiting.discard(lot)
        lot.scope.cancel()
