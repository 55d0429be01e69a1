"""Open a table: make a ticket, seat the guests, and sign the roster when all seats are taken.

With `host --ask` the host admits each guest: one question at a time, and the answer is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import trio

from protocol import Invalid, SeatEntry, Terms
from protocol.bounds import Pace, Quota, Seconds

from ..coded_errors import Code, because, of_protocol
from ..net.addresses import host_of, is_loopback, is_own_host
from ..net.hub import Event, Frame, Hub, LinkDown, LinkUp
from ..net.lan_discovery import Announcement, announce
from ..net.link_limits import Bucket, Buckets
from ..net.ticket import Ticket, encode_ticket, fresh_secret
from ..presentation import screen_updates as updates
from ..presentation.screen_updates import Reached, Screen
from ..reachability.advertised_addresses import Judged
from ..reachability.port_mapping import Reachability
from .frame_kinds import is_known, is_of_game
from .invite_by_code import CodeKeeper
from .lobby import (
    Ask,
    LobbyFrame,
    Offer,
    Pending,
    Refusal,
    Refuse,
    SeatedNames,
    Seating,
    Sit,
    encode_lobby,
    parse_lobby,
)
from .play_table import Lan, Reach, Seat, open_hub, play
from .rematch import Agreed
from .session import Outcome
from .table_keys import TableKeys
from .task_groups import open_nursery
from .ticket_proof import Capability


@dataclass
class TicketTeller:
    """Tells a host who wants guests from elsewhere what its ticket is good for ([L-51])."""

    seating: Seating
    screen: Screen
    ticket: Ticket
    is_told: bool
    _last: Judged | None = None

    def tell(self, judged: Judged) -> None:
        """Say it if it is new; a ticket with other addresses than the last one is given again."""
        if not self.is_told or judged == self._last:
            return
        word = ""
        if self._last is not None and self.ticket.addresses != judged.direct:
            self.ticket = replace(self.ticket, addresses=judged.direct)
            word = self.word()
        self._last = judged
        self.screen(Reached(judged.scope, judged.reasons, word))

    def word(self) -> str:
        """The ticket that is good now."""
        return encode_ticket(self.ticket)

    async def follow(self, ways: Reachability) -> None:
        """Go on telling, and have the seats told, for as long as the table fills."""
        while True:
            await ways.changed()
            judged = ways.judged()
            self.seating.move(judged.named)
            self.tell(judged)


Admit = Callable[[str, bytes | None], Awaitable[bool]]
"""Asks the host whether a guest with this nickname and long-lived key (None if it shows none) may
sit down."""
Decided = Callable[[bytes, Sit, bool | None], None]
"""Hears what the host has said of a guest: yes, no, or nothing in time (None)."""

ADMISSION_TIMEOUT: Final[Seconds] = 180.0
"""Seconds within which the host has to answer a question about a guest."""
MOST_WAITING: Final[Quota] = 16
"""Guests that may wait for the host's answer. One more replaces a guest of a machine with a higher
load, or is turned away."""
MOST_REMEMBERED: Final[Quota] = 1024
"""Refused guests that are remembered. The host is asked again about one that was forgotten."""


@dataclass(frozen=True)
class WaitingGuest:
    """A guest that waits for the host's answer.

    Attributes:
        nickname: The nickname under which it wants to sit down.
        sit: Its consent to the terms.
        source: The machine that it comes from, as links are counted.
    """

    nickname: str
    sit: Sit
    source: str


@dataclass(eq=False, repr=False)
class AdmissionQueue:
    """The guests that wait for the host's answer, and its answers ([L-60], [L-61], [L-70]).

    Attributes:
        _admit: Asks the host about a guest.
        waiting: The guests that the host has not answered yet, by the key of their link.
        admitted: The players that the host has admitted (`Sit.player`), each with the nickname that
            the host was shown.
        denied: The players that the host has refused, and the machines that they came from.
    """

    _admit: Admit
    waiting: dict[bytes, WaitingGuest] = field(default_factory=dict)
    admitted: set[tuple[bytes, str]] = field(default_factory=set)
    denied: dict[bytes, str] = field(default_factory=dict)
    _asking: bytes | None = None
    _more: trio.Event = field(default_factory=trio.Event)

    def wait(self, peer: bytes, nickname: str, frame: Sit, source: str) -> bytes | None:
        """Queue a question to the host about a guest.

        Args:
            peer: The guest's id.
            nickname: The nickname under which it wants to sit down.
            frame: Its consent to the terms.
            source: The machine that it comes from, as links are counted.

        Returns:
            The guest that is turned away because the queue is full: this one, or one from the
            machine with the highest load. None if there is room for all.
        """
        turned_away = None
        if len(self.waiting) >= MOST_WAITING and peer not in self.waiting:
            turned_away = self._most_crowded(source) or peer
        if turned_away != peer:
            self.waiting.pop(turned_away or b"", None)
            self.waiting[peer] = WaitingGuest(nickname, frame, source)
            self._more.set()
        return turned_away

    def _most_crowded(self, source: str) -> bytes | None:
        """Return the guest that a guest from `source` replaces, or None.

        It is the last one that came from a machine whose load is higher by more than one.
        """
        load = self._load()
        others = [peer for peer in self.waiting if peer != self._asking]
        last = max(reversed(others), key=lambda peer: load[self.waiting[peer].source])
        return last if load[self.waiting[last].source] > load[source] + 1 else None

    def _least_crowded(self) -> bytes:
        """Return a guest of a machine with the lowest load, about which the host is asked next."""
        load = self._load()
        return min(self.waiting, key=lambda peer: load[self.waiting[peer].source])

    def _load(self) -> Counter[str]:
        """Return the load of each machine: how many of its guests wait or were refused ([L-70])."""
        waiting = (guest.source for guest in self.waiting.values())
        return Counter((*waiting, *self.denied.values()))

    async def run(self, decided: Decided) -> None:
        """Ask about one guest after the other, until cancelled.

        Guests of machines with the lowest load come first. A guest that loses its link while the
        host is asked about it gets the answer when it connects again.

        Args:
            decided: Is called with each answer.
        """
        while True:
            self._more = trio.Event()
            if self.waiting:
                await self._ask(self._least_crowded(), decided)
            else:
                await self._more.wait()

    async def _ask(self, peer: bytes, decided: Decided) -> None:
        guest, self._asking = self.waiting[peer], peer
        answer: bool | None = None
        with trio.move_on_after(ADMISSION_TIMEOUT):
            vouch = guest.sit.vouch
            answer = await self._admit(guest.nickname, None if vouch is None else vouch.id)
        self._asking = None
        player = guest.sit.player(peer)
        if answer:
            self.admitted.add((player, guest.nickname))
        elif answer is not None:
            self.denied[player] = guest.source
            if len(self.denied) > MOST_REMEMBERED:
                del self.denied[next(iter(self.denied))]
        last = self.waiting.get(peer)  # the guest may be gone, or have come again meanwhile
        if last is None or (answer and last.nickname != guest.nickname):
            return  # the host has not been asked about this nickname
        del self.waiting[peer]
        decided(peer, last.sit, answer)


LOOK: Final[Seconds] = 1.0
"""Seconds between two looks at who has been too slow, and at how many are seated."""
SHOW: Final[Seconds] = 10.0
"""Seconds in which a newcomer must have shown that it holds the ticket."""
KEEP: Final[Seconds] = 10.0
"""Seconds for which a seat is kept when its link is gone: long enough to dial again."""
MOST_PROVEN: Final[Quota] = 16
"""Newcomers who hold the ticket and keep their link before strangers, beside those seated."""
MOST_KEPT: Final[Quota] = 24
"""More of them who make room for seats only: the rest of the links is for who comes ([L-62])."""
AGAIN: Final[Seconds] = 10.0
"""Seconds after which the LAN is told of a table again, if that has failed."""
CHANGES: Final[Pace] = (24, 0.5)
"""Changes of the list of names that are told at once, and after that."""
SITS: Final[Pace] = (4, 0.2)
"""Times one identity may sit down at once, and after that."""


class LobbyCode(Code):
    """Why a host drops the link of a newcomer."""

    NOT_SHOWN = "ticket-not-shown", "it did not prove that it has the ticket"
    NO_CONSENT = "no-consent", "its consent to these terms is invalid ({why})"
    UNASKED = "sat-unasked", "it sat down without being asked, or too often"


async def host_table(
    seat: Seat,
    keys: TableKeys,
    terms: Terms,
    reach: Reach,
    on_ticket: Callable[[str], None],
    admit: Admit | None = None,
) -> Outcome:
    """Open a table, wait until it is full, and play.

    Args:
        seat: The host's player.
        keys: Its keys at this table.
        terms: The terms, with the host's key of this table.
        reach: How the host is reached.
        on_ticket: Is told the ticket.
        admit: Is asked about each guest. None to seat whoever has the ticket.
    """
    who = keys.seat
    capability = Capability(terms.digest(), fresh_secret(), reach.lan is Lan.OPEN)
    async with open_hub(who, reach, seat.screen) as (hub, ways):
        await ways.settle()
        judged = ways.judged()
        ticket = Ticket(who.public, judged.direct, terms.digest(), reach.relays, capability.secret)
        on_ticket(encode_ticket(ticket))
        own, vouch = keys.consent(terms, seat.me.nickname)
        seating = Seating(terms, own, judged.named, vouch)
        admissions = AdmissionQueue(admit) if admit is not None else None
        lobby = Lobby(hub, seating, capability, seat.screen, who.public, admissions)
        teller = TicketTeller(seating, seat.screen, ticket, reach.outside)
        teller.tell(judged)
        beside: list[Callable[[], Awaitable[None]]] = [partial(teller.follow, ways)]
        if reach.lan is not Lan.OFF:
            # The LAN is never told the secret, and a way to the table only if it is open to all.
            word = encode_ticket(replace(ticket, secret=b"")) if reach.lan is Lan.OPEN else ""
            announced = Announcement(seat.me.nickname, terms.seats, 1, word)
            beside.append(partial(_announce, announced, lobby))
        if reach.relays:
            codes = CodeKeeper(reach.relays, teller.word, seat.screen, reach.dials)
            beside.append(codes.run)
        if admissions is not None:
            beside.append(partial(admissions.run, lobby.decided))
        await _fill(lobby, beside)
        lobby.refuse_the_rest()
        roster = seating.roster(who)  # [L-21]
        for peer in seating.ids:
            hub.post(peer, encode_lobby(roster))
        waiting = lobby.onlookers()
        return await play(hub, seat, keys, reach, Agreed(roster, capability), waiting)


async def _fill(lobby: Lobby, beside: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Seat guests until the table is full. Before the host's roster there is no table, so what
    is no frame of the lobby is not looked at."""
    lobby.tell()
    async with open_nursery() as nursery:
        nursery.start_soon(_watch_time, lobby, nursery.cancel_scope)
        for task in beside:
            nursery.start_soon(task)
        async for event in lobby.hub.events:
            lobby.hear(event)
            if lobby.seating.complete:
                break
        nursery.cancel_scope.cancel()


async def _watch_time(lobby: Lobby, full: trio.CancelScope) -> None:
    while not lobby.seating.complete:
        await trio.sleep(LOOK)
        lobby.tick(trio.current_time())
    full.cancel()


async def _announce(what: Announcement, lobby: Lobby) -> None:
    """Announce how many are seated, each time that has changed; what failed is tried again later.

    SPEC: [L-22].
    """
    last, due = what.joined, trio.current_time() + AGAIN
    async with announce(what) as announcing:
        while True:
            await trio.sleep(LOOK)
            joined = len(lobby.seating.names)
            has_failed = announcing.problem is not None and trio.current_time() >= due
            if joined != last or has_failed:
                last, due = joined, trio.current_time() + AGAIN
                await announcing.update(joined)


@dataclass
class Newcomer:
    """A link in the lobby: what binds proofs to it, since when, where from, how far it came."""

    link: LinkUp
    since: float
    asked: bytes | None = None
    has_sat: bool = False


@dataclass
class Lobby:
    """The host's side of the lobby: who came, who showed the ticket, who sits."""

    hub: Hub
    seating: Seating
    capability: Capability
    screen: Screen
    me: bytes
    admissions: AdmissionQueue | None = None
    _here: dict[bytes, Newcomer] = field(default_factory=dict)
    _sits: Buckets = field(default_factory=lambda: Buckets(SITS))
    _waiting: dict[bytes, Sit] = field(default_factory=dict)
    _told: tuple[str, ...] = ()
    _changes: Bucket = field(default_factory=lambda: Bucket(CHANGES))

    def hear(self, event: Event) -> None:
        """Answer one event."""
        match event:
            case LinkUp():
                self._here[event.peer] = Newcomer(event, trio.current_time())
            case LinkDown(peer, _):
                self._here.pop(peer, None)
                self._waiting.pop(peer, None)
                if self.admissions is not None:
                    self.admissions.waiting.pop(peer, None)
                self.seating.leave(peer, trio.current_time())
                self._prefer()
            case Frame(peer, data) if peer in self._here and not is_of_game(data):
                if is_known(data):
                    self._frame(peer, data)
        self.tell()

    def tick(self, now: float) -> None:
        """Send away who showed nothing, and give up the seats of those who stay away ([L-8])."""
        for peer, one in list(self._here.items()):
            if one.asked is None and one.since <= now - SHOW:
                self.hub.drop(peer, because(LobbyCode.NOT_SHOWN))
        if self.seating.give_up(now - KEEP):
            waiting, self._waiting = self._waiting, {}
            for peer, frame in waiting.items():
                self._seat(peer, frame)
        self.tell()

    def onlookers(self) -> list[Event]:
        """Who holds the ticket and waits to look on: what they came with, for the table."""
        found: list[Event] = []
        for peer, one in self._here.items():
            if one.asked is not None and not one.has_sat and peer not in self.seating.ids:
                found += [one.link, Frame(peer, one.asked)]
        return found

    def _post(self, peer: bytes, frame: LobbyFrame) -> None:
        self.hub.post(peer, encode_lobby(frame))

    def _frame(self, peer: bytes, data: bytes) -> None:
        try:
            frame = parse_lobby(data)
            if isinstance(frame, Ask):
                self._asked(peer, frame.proof, data)
            elif isinstance(frame, Sit):
                # Each link may sit down once, and each id not too often ([L-8]).
                one = self._here[peer]
                is_within_rate = self._sits.take(peer, trio.current_time()) <= 0
                if one.asked is None or one.has_sat or not is_within_rate:
                    self.hub.drop(peer, because(LobbyCode.UNASKED))
                    return
                one.has_sat = True
                addresses = tuple(a for a in frame.addresses if self._may_name(one.link, a))
                self._seat(peer, replace(frame, addresses=addresses))
                self._prefer()
        except Invalid as error:
            self.hub.drop(peer, because(LobbyCode.NO_CONSENT, why=of_protocol(error)))

    def _asked(self, peer: bytes, proof: bytes, data: bytes) -> None:
        """Terms and names only for who proved the ticket ([L-16])."""
        one, binding = self._here[peer], self._here[peer].link.binding
        if not self.capability.admits(proof, binding, self.me, peer):
            self._post(peer, Refuse(Refusal.UNPROVEN))
            return
        one.asked = data
        self._prefer()
        shown = self.capability.host_proof(binding, self.me, peer) if proof else b""
        seating = self.seating
        self._post(peer, Offer(shown, seating.terms, seating.names, seating.vouch))

    def _seat(self, peer: bytes, frame: Sit) -> None:
        entry = self.seating.may_sit(peer, frame)
        if entry is Refusal.FULL and self.seating.is_kept:
            self._waiting[peer] = frame  # until who is away is back, or is given up
        elif isinstance(entry, Refusal):
            self._post(peer, Refuse(entry))
        elif self._lets_in(peer, entry.nickname, frame):
            for replaced in self.seating.sit(entry, frame.addresses, frame.vouch):
                self._post(replaced, Refuse(Refusal.REPLACED))

    def _lets_in(self, peer: bytes, nickname: str, frame: Sit) -> bool:
        """Return whether a guest may sit down at once. Tell it to wait, or why not, otherwise.

        SPEC: [L-60].
        """
        player = frame.player(peer)
        if self.admissions is None or (player, nickname) in self.admissions.admitted:
            return True
        if player in self.admissions.denied:
            self._post(peer, Refuse(Refusal.DENIED))
        else:
            turned_away = self.admissions.wait(peer, nickname, frame, self.hub.source(peer))
            if turned_away is not None:
                self._post(turned_away, Refuse(Refusal.FULL))
            if turned_away != peer:
                self._post(peer, Pending())
        return False

    def decided(self, peer: bytes, frame: Sit, answer: bool | None) -> None:
        """The host has said whether a guest sits down, or nothing in time ([L-61])."""
        entry = self.seating.may_sit(peer, frame)
        if isinstance(entry, SeatEntry):
            self.screen(updates.Admitted(entry.nickname, answer))
        if answer:
            self._seat(peer, frame)
        else:
            unheard = answer is None
            self._post(peer, Refuse(Refusal.UNHEARD if unheard else Refusal.DENIED))
        self._prefer()
        self.tell()

    def refuse_the_rest(self) -> None:
        """The table is complete without those who waited for a seat, or for the host's word."""
        for peer in (*self._waiting, *(self.admissions.waiting if self.admissions else ())):
            self._post(peer, Refuse(Refusal.FULL))

    def _may_name(self, link: LinkUp, address: str) -> bool:
        """Loopback leads elsewhere on every machine: it counts from one that came by it."""
        return not is_loopback(host_of(address)) or is_own_host(host_of(link.address))

    def _prefer(self) -> None:
        proven = [peer for peer, one in self._here.items() if one.asked is not None]
        self.hub.prefer(self.seating.ids.union(proven[:MOST_PROVEN]))
        self.hub.keep(proven[MOST_PROVEN:][:MOST_KEPT])

    def tell(self) -> None:
        """Say who sits here, if it changed; not more often than one can read."""
        names = self.seating.names
        if names == self._told or not self._changes.take_if_any(trio.current_time()):
            return
        self._told = names
        self.screen(updates.Joined(names, self.seating.terms.seats))
        for peer, one in self._here.items():
            if one.asked is not None:
                self._post(peer, SeatedNames(names))
