"""The limits of a node's connections: which ones are kept when there are too many.

The connections are limited before their peers have proven a key and afterwards.

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

from protocol.units import PeerId

from ..coded_errors import because
from .addresses import Address
from .link_limits import Limits
from .network_errors import LinkCode
from .peer_link import Link
from .secure_channel import Proven, Verdict


@dataclass(frozen=True, eq=False)
class AdmittedLink:
    """One authenticated link, with the facts that decide whether another link replaces it.

    Attributes:
        proven: What the handshake has proven about the peer.
        address: The address at which the peer is reached, with its source.
        dialled_by: The id of the node that has dialled.
        source: The remote computer or network from which an incoming link comes, as a text. Empty
            for an outgoing link.
        is_up: Set when the event `LinkUp` of this link was reported.
        finished: Set when the link has ended and its `LinkDown` was reported.
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
        """Return whether this link continues another link, with the same process of the peer.

        Args:
            old: The other link, if there is one.

        Returns:
            True if the other link was reported by a `LinkUp`, and its peer was the same process.
        """
        if old is None or not old.is_up.is_set():
            return False
        return old.proven.instance == self.proven.instance


class Admission:
    """The table of live links of one node, which decides which new links are accepted.

    A link must be judged and entered without an await in between ([L-10]).
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

    def get(self, peer: PeerId) -> AdmittedLink | None:
        """Return the live link to a peer.

        A link that is closed but has not ended yet does not count.

        Args:
            peer: The id of the peer.

        Returns:
            The link, or None if there is none.
        """
        standing = self._entered.get(peer)
        return standing if standing is not None and standing.link.reason is None else None

    def _live(self) -> list[AdmittedLink]:
        """Return the links that are not closed."""
        return [standing for standing in self._entered.values() if standing.link.reason is None]

    def peers(self) -> frozenset[bytes]:
        """Return the peers with a live link.

        Returns:
            The ids of these peers, 32 bytes each.
        """
        return frozenset([one.peer for one in self._live()])

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Set the peers of the table. Their links come first if there is no room for all links.

        To make room for a new link of such a peer, a link of any other peer may be closed. A link
        of such a peer is never closed to make room.

        Args:
            peers: The ids of the peers.
        """
        self._preferred = frozenset(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """Protect the links of some peers from being closed to make room for other links.

        A protected link may be closed only for a new link of a peer that belongs to the table, and
        only if no unprotected link can be closed instead.

        Args:
            peers: The ids of the peers to protect, 32 bytes each.
        """
        self._kept = frozenset(peers)
        for old in self._live():
            old.link.is_unhurried = old.peer in self._kept and not self.prefers(old.peer)

    def prefers(self, peer: PeerId) -> bool:
        """Return whether a peer belongs to the table."""
        return peer in self._preferred

    def block(self, peer: PeerId) -> None:
        """Refuse all links of a peer from now on."""
        self._blocked.add(peer)

    def judge(self, new: AdmittedLink) -> Verdict:
        """Return whether a new link would be accepted, or why not ([L-10]). Nothing is changed.

        Returns:
            The verdict, which the dialler is told.
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
        """Return the rank of a link among the links to one peer, the same at both ends ([L-10]).

        The rank has two items: whether the link is direct, and whether the node with the
        lower id dialled the link. Of two links with equal ranks the newer link stays, because its
        dialler has lost the older link.
        """
        return not link.address.via_relay, link.dialled_by == min(self._me, link.peer)

    def _crowded(self, new: AdmittedLink) -> bool:
        """Return whether a new link would exceed the limit of all links or the limit per source."""
        is_full = len(self._live()) >= self._limits.links
        return is_full or self._count_from(new.source) >= self._limits.links_per_source

    def enter(self, new: AdmittedLink) -> AdmittedLink | None:
        """Enter a link that was judged welcome, and close the link that it replaces, if any.

        Returns:
            The earlier link to the same peer, which is closed now. None if there was none or it has
            ended.
        """
        old = self._entered.pop(new.peer, None)
        if old is not None:
            old.link.close(because(LinkCode.REPLACED))
        if self._crowded(new) and (those := self._displaced(new)):
            random.choice(those).link.close(because(LinkCode.MADE_ROOM))
        self._entered[new.peer] = new
        return old

    def _displaced(self, new: AdmittedLink) -> list[AdmittedLink]:
        """Return the links of which any may be closed to make room for a new link ([L-13]).

        Only links of peers that do not belong to the table are returned. If the computer of the
        new link has reached its limit, they are the links from this computer. Otherwise they are
        the links from the computer with the most such links. Links that the method `keep` protects
        are returned only if no other link can be closed and the new peer belongs to the table.
        """
        strangers = [old for old in self._live() if old.peer not in self._preferred]
        unkept = [one for one in strangers if one.peer not in self._kept]
        found = self._of(new.source, unkept)
        return found or (self._of(new.source, strangers) if self.prefers(new.peer) else [])

    def _of(self, source: str, strangers: list[AdmittedLink]) -> list[AdmittedLink]:
        """Return which of the links `strangers` may be closed to make room for a new link.

        If the computer `source`, from which the new link comes, has reached its limit, they are the
        links from this computer. Otherwise they are the links from the computer with the most.
        """
        if self._count_from(source) >= self._limits.links_per_source:
            return [old for old in strangers if old.source == source]
        return of_the_fullest(strangers)

    def _count_from(self, source: str) -> int:
        """Return the number of live links from a computer."""
        return sum(bool(source) and old.source == source for old in self._live())

    def is_last(self, standing: AdmittedLink) -> bool:
        """Return whether this is the latest link to its peer.

        Returns:
            True if no later link to the same peer was entered.
        """
        return self._entered.get(standing.peer) is standing

    def leave(self, old: AdmittedLink) -> None:
        """Remove a link that has ended."""
        if self._entered.get(old.peer) is old:
            del self._entered[old.peer]
            self._gone.pop(old.peer, trio.Event()).set()

    async def unlinked(self, peer: PeerId) -> None:
        """Wait until no link to a peer is open, and all closed links to the peer have ended."""
        while peer in self._entered:
            await self._gone.setdefault(peer, trio.Event()).wait()
        await trio.lowlevel.checkpoint()


class HasSource(Protocol):
    """A connection that counts towards the limits of the computer from which it comes."""

    @property
    def source(self) -> str:
        """The remote computer or network of the connection, as `addresses.source_of` names it."""
        ...


S = TypeVar("S", bound=HasSource)


def of_the_fullest(those: Sequence[S]) -> list[S]:
    """Return the connections of the computer that has the most connections.

    Returns:
        The connections of this computer. If several computers have equally many connections, the
        connections of all these computers.
    """
    counts = Counter(one.source for one in those)
    most = max(counts.values(), default=0)
    return [one for one in those if counts[one.source] == most]


def one_to_make_room(those: Sequence[S], source: str) -> S | None:
    """Choose the connection that is closed to make room for a new one from a given computer.

    The choice is random among the connections of the computer that has the most connections. So
    computers that fill all places cannot keep out a computer that has few connections.

    Returns:
        The chosen connection. None if no computer has at least two connections more than the
        computer of the new connection.
    """
    counts = Counter(one.source for one in those)
    if max(counts.values(), default=0) <= counts[source] + 1:
        return None
    return random.choice(of_the_fullest(those))


class HandshakeStage(IntEnum):
    """The stages of a new connection.

    The later the stage, the more effort it has cost the connecting program.
    """

    SILENT = 0
    SPOKE = 1
    GREETED = 2
    """The connecting program has sent the beginning of a TLS handshake and was answered."""
    SECURED = 3
    """The TLS handshake is complete."""


class UnprovenStream(trio.abc.Stream):
    """The stream of a connection whose peer has not proven a key yet, with its handshake stage.

    Attributes:
        stream: The wrapped stream.
        source: The remote computer or network from which the connection comes.
        stage: The stage that the handshake has reached.
        scope: The cancel scope of the handshake. It is cancelled if the connection has to make room
            for another one.
    """

    def __init__(self, stream: trio.abc.Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.stage = HandshakeStage.SILENT
        self.scope = trio.CancelScope()

    def reach(self, stage: HandshakeStage) -> None:
        """Note that the handshake has reached a stage.

        Args:
            stage: The stage. A lower stage than before is ignored.
        """
        self.stage = max(self.stage, stage)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, and note that the handshake has reached the stage `GREETED`.

        The listener only sends bytes after it has received the beginning of a TLS handshake.
        """
        self.reach(HandshakeStage.GREETED)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the wrapped stream can probably send."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive bytes, and note that the peer has sent something.

        Args:
            max_bytes: The most bytes to return. None for no limit.
        """
        data = await self.stream.receive_some(max_bytes)
        if data:
            self.reach(HandshakeStage.SPOKE)
        return data

    async def aclose(self) -> None:
        """Close the stream."""
        await self.stream.aclose()


class UnprovenConnections:
    """The connections whose peers have not proven a key yet, limited in all and for each computer.

    A new connection is always accepted. If a limit would be exceeded, an older connection is cut.
    Only connections at the lowest handshake stage can be cut. Among these, a random connection of
    the computer with the most connections is cut. So a flood only lowers the chance of each
    attempt, and excludes nobody ([L-12]).
    """

    def __init__(self, most: int, most_per_source: int) -> None:
        self._most = most
        self._most_per_source = most_per_source
        self._waiting: set[UnprovenStream] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def counted(self, newcomer: UnprovenStream, seconds: float) -> Iterator[None]:
        """Count a connection as unproven (not authenticated yet) while the `with` block runs.

        The block is cancelled when the time is over, or when the connection must make room for
        another.

        Args:
            seconds: Seconds that the block may take.
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
        """Cancel a connection if a new one from the computer `source` would exceed a limit."""
        same = [one for one in self._waiting if one.source == source]
        if len(same) >= self._most_per_source:
            self._send_away(same)
        elif len(self._waiting) >= self._most:
            self._send_away(list(self._waiting))

    def _send_away(self, those: list[UnprovenStream]) -> None:
        """Cancel the handshake of one of the connections `those`, to make room.

        Only connections at the lowest handshake stage are considered. Among these, a random
        connection of the computer with the most connections is cancelled.
        """
        least = min(one.stage for one in those)
        behind = [one for one in those if one.stage == least]
        lot = random.choice(of_the_fullest(behind))
        self._waiting.discard(lot)
        lot.scope.cancel()
