"""The limits of a peer's connections: which ones are kept when there are too many.

The connections are limited before their peers have proven a key and afterwards. A source is the
remote computer or network of a connection, as `addresses.source_of` names it. If there is no room,
the connection that is closed is drawn at random among those of the source that has the most. So a
source that fills all places keeps out nobody else.

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
from .handshake import Proven
from .handshake_codes import Verdict
from .link_limits import Limits
from .network_errors import LinkCode
from .peer_link import Link


@dataclass(frozen=True, eq=False)
class AdmittedLink:
    """One authenticated link, with the facts that decide whether another link replaces it.

    Attributes:
        address: The address at which the peer is reached, with its source.
        dialled_by: The id of the program that has dialled.
        source: Where an incoming link comes from. Empty for an outgoing link.
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
        """Return whether this continues a reported link with the same process of the peer."""
        # A link that was not reported has told nobody of a peer with whom anything could go on.
        if old is None or not old.is_up.is_set():
            return False
        return old.proven.instance == self.proven.instance


class Admission:
    """The table of live links of one program, which decides which new links are accepted.

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
        """Return the live link to a peer, None if there is none or it is closed."""
        standing = self._entered.get(peer)
        return standing if standing is not None and standing.link.reason is None else None

    def _live(self) -> list[AdmittedLink]:
        return [standing for standing in self._entered.values() if standing.link.reason is None]

    def peers(self) -> frozenset[bytes]:
        """Return the ids of the peers with a live link."""
        return frozenset([one.peer for one in self._live()])

    def prefer(self, peers: Iterable[bytes]) -> None:
        """Set the peers of the table. Links of others may be closed for theirs, not vice versa."""
        self._preferred = frozenset(peers)

    def keep(self, peers: Iterable[bytes]) -> None:
        """Protect the links of some peers from being closed to make room for other links.

        A protected link may be closed only for a new link of a peer of the table, and only if no
        unprotected link can be closed instead.
        """
        self._kept = frozenset(peers)
        for old in self._live():
            # Frames to seats are never held back, because the whole table waits for them.
            old.link.is_unhurried = old.peer in self._kept and not self.prefers(old.peer)

    def prefers(self, peer: PeerId) -> bool:
        """Return whether a peer belongs to the table."""
        return peer in self._preferred

    def block(self, peer: PeerId) -> None:
        """Refuse all links of a peer from now on."""
        self._blocked.add(peer)

    def judge(self, new: AdmittedLink) -> Verdict:
        """Return whether a new link would be accepted, or why not ([L-10]). Change nothing."""
        # A link with itself carries no game, but would take the place of a peer's link.
        if new.peer == self._me or new.peer in self._blocked:
            return Verdict.REFUSED
        old = self.get(new.peer)
        # Two machines with one key: the first keeps its link, or each would displace the other for
        # ever.
        if old is not None and old.proven.instance != new.proven.instance:
            return Verdict.ELSEWHERE
        if old is not None:
            is_better = self._rank(new) >= self._rank(old)
            return Verdict.WELCOME if is_better else Verdict.DUPLICATE
        # Not asked of a link that replaces one of the same peer, since it gets that one's place.
        if self._crowded(new) and not self._displaced(new):
            return Verdict.FULL
        return Verdict.WELCOME

    def _rank(self, link: AdmittedLink) -> tuple[bool, bool]:
        """Return the rank of a link among the links to one peer, the same at both ends ([L-10])."""
        # Of two links with equal ranks the newer one stays, because its dialler has lost the older
        # one.
        return not link.address.via_relay, link.dialled_by == min(self._me, link.peer)

    def _crowded(self, new: AdmittedLink) -> bool:
        """Return whether a new link would exceed the limit of all links or the limit per source."""
        is_full = len(self._live()) >= self._limits.links
        return is_full or self._count_from(new.source) >= self._limits.links_per_source

    def enter(self, new: AdmittedLink) -> AdmittedLink | None:
        """Enter a link that was judged welcome, and close the links that have to give way to it.

        Return the earlier link to the same peer, which is being closed. None if there was none.
        """
        # The old link is closed before the limits are read. It must not count against its
        # successor.
        old = self._entered.pop(new.peer, None)
        if old is not None:
            old.link.close(because(LinkCode.REPLACED))
        if self._crowded(new) and (those := self._displaced(new)):
            random.choice(those).link.close(because(LinkCode.MADE_ROOM))
        self._entered[new.peer] = new
        return old

    def _displaced(self, new: AdmittedLink) -> list[AdmittedLink]:
        """Return the links of which any may be closed to make room for a new link ([L-13]).

        They are links of peers that do not belong to the table. Protected ones are among them only
        if no other link can be closed and the new peer belongs to the table.
        """
        strangers = [old for old in self._live() if old.peer not in self._preferred]
        unkept = [one for one in strangers if one.peer not in self._kept]
        found = self._of(new.source, unkept)
        return found or (self._of(new.source, strangers) if self.prefers(new.peer) else [])

    def _of(self, source: str, strangers: list[AdmittedLink]) -> list[AdmittedLink]:
        """Return which of the links `strangers` may be closed for a new link from `source`.

        If `source` has reached its limit, they are its own links, else those of the source with the
        most.
        """
        if self._count_from(source) >= self._limits.links_per_source:
            return [old for old in strangers if old.source == source]
        return of_the_fullest(strangers)

    def _count_from(self, source: str) -> int:
        # Links that this program has dialled have no source, and must not count as one computer.
        return sum(bool(source) and old.source == source for old in self._live())

    def is_last(self, standing: AdmittedLink) -> bool:
        """Return whether no later link to the same peer was entered."""
        return self._entered.get(standing.peer) is standing

    def leave(self, old: AdmittedLink) -> None:
        """Remove a link that has ended."""
        # A replaced link ends after its successor was entered, which must stay.
        if self._entered.get(old.peer) is old:
            del self._entered[old.peer]
            self._gone.pop(old.peer, trio.Event()).set()

    async def unlinked(self, peer: PeerId) -> None:
        """Wait until no link to a peer is open, and all closed links to the peer have ended."""
        # A new link may be entered before a waiting task runs again.
        while peer in self._entered:
            await self._gone.setdefault(peer, trio.Event()).wait()
        # A caller that asks in a loop must let other tasks run, also if there is no link.
        await trio.lowlevel.checkpoint()


class HasSource(Protocol):
    """A connection that counts towards the limits of its source."""

    @property
    def source(self) -> str:
        """The remote computer or network of the connection, as `addresses.source_of` names it."""
        ...


S = TypeVar("S", bound=HasSource)


def of_the_fullest(those: Sequence[S]) -> list[S]:
    """Return the connections of the source, or of all sources, with the most connections."""
    counts = Counter(one.source for one in those)
    most = max(counts.values(), default=0)
    return [one for one in those if counts[one.source] == most]


def one_to_make_room(those: Sequence[S], source: str) -> S | None:
    """Choose the connection that is closed to make room for a new one from `source`.

    Return None if no source has at least two connections more than `source`.
    """
    counts = Counter(one.source for one in those)
    # With a difference of one, two sources would close each other's connections without end.
    if max(counts.values(), default=0) <= counts[source] + 1:
        return None
    return random.choice(of_the_fullest(those))


class HandshakeStage(IntEnum):
    """The stages of a new connection: a later one has cost the connecting program more effort."""

    SILENT = 0
    SPOKE = 1
    GREETED = 2
    """The first message of its handshake was right, and was answered. It may be a replayed one."""
    SECURED = 3
    """Its answer has come, which needs the secret of its own first message."""


class UnprovenStream(trio.abc.Stream):
    """The stream of a connection whose peer has not proven a key yet, with its handshake stage.

    Attributes:
        scope: The cancel scope of the handshake. It is cancelled if the connection has to make room
            for another one.
    """

    def __init__(self, stream: trio.abc.Stream, source: str) -> None:
        self.stream = stream
        self.source = source
        self.stage = HandshakeStage.SILENT
        self.scope = trio.CancelScope()

    def reach(self, stage: HandshakeStage) -> None:
        """Note that the handshake has reached a stage. A lower stage than before is ignored."""
        # The next bytes would lower `GREETED` to `SPOKE`, and honest peers would be cut first.
        self.stage = max(self.stage, stage)

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send bytes, and note that the handshake has reached the stage `GREETED`."""
        # A listener only sends after it has received the beginning of a handshake.
        self.reach(HandshakeStage.GREETED)
        await self.stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        """Wait until the wrapped stream can probably send."""
        await self.stream.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive bytes, and note that the peer has sent something."""
        data = await self.stream.receive_some(max_bytes)
        # To end the stream costs the other computer nothing, and must not raise the stage.
        if data:
            self.reach(HandshakeStage.SPOKE)
        return data

    async def aclose(self) -> None:
        """Close the stream."""
        await self.stream.aclose()


class UnprovenConnections:
    """The connections whose peers have not proven a key yet, limited in all and for each source.

    A new connection is always accepted. If a limit would be exceeded, an older connection is cut,
    which is one of those at the lowest handshake stage. So a flood only lowers the chance of each
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
        """Count a connection as unproven while the `with` block runs.

        The block is cancelled after so many seconds, or when the connection must make room for
        another.
        """
        # Before it is counted, or the newcomer itself could be drawn.
        self._make_room(newcomer.source)
        with newcomer.scope:
            newcomer.scope.deadline = trio.current_time() + seconds
            self._waiting.add(newcomer)
            try:
                yield
            finally:
                # It may have been discarded already, to make room for another one.
                self._waiting.discard(newcomer)

    def _make_room(self, source: str) -> None:
        """Cancel a connection if a new one from `source` would exceed a limit."""
        same = [one for one in self._waiting if one.source == source]
        if len(same) >= self._most_per_source:
            self._send_away(same)
        # One connection less is enough for both limits. A source at its own limit pays alone.
        elif len(self._waiting) >= self._most:
            self._send_away(list(self._waiting))

    def _send_away(self, those: list[UnprovenStream]) -> None:
        """Cancel the handshake of one of the connections `those`, to make room."""
        least = min(one.stage for one in those)
        behind = [one for one in those if one.stage == least]
        lot = random.choice(of_the_fullest(behind))
        # A cancelled handshake ends only later. Counted until then, it would be drawn again.
        self._waiting.discard(lot)
        lot.scope.cancel()
