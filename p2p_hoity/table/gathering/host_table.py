"""Host a table: make a ticket, seat the guests, and sign the roster when all seats are taken.

With `hoity host --ask` the host's player is asked about each guest, one question at a time. The
answers are stored. A guest sits down by its consent to the terms, the frame `Sit`. Its source is
the remote computer or network from which its link comes, as `Hub.source` names it. The load of a
source is how many of its guests wait for an answer or were refused ([L-70]).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

import trio

from protocol import Invalid, SeatEntry, Terms
from protocol.units import Pace, PeerId, Quota, Seconds

from ...coded_errors import Code, because, of_protocol
from ...net.addresses import host_of, is_loopback, is_own_host
from ...net.hub import Event, Frame, Hub, LinkDown, LinkUp
from ...net.lan_discovery import Announcement, announce
from ...net.link_limits import Bucket, Buckets
from ...net.ticket import Ticket, encode_ticket, fresh_secret
from ...presentation import screen_updates as updates
from ...presentation.screen_updates import Reached, Screen
from ...reachability.advertised_addresses import Judged
from ...reachability.port_mapping import Reachability
from ..beside_game.rematch import Agreed
from ..open_links import Lan, Reach, open_hub
from ..playing.frame_kinds import is_known, is_of_game
from ..playing.play_table import Seat, play
from ..playing.session import Outcome
from ..seats_in_pages import PageTeller
from ..task_groups import open_nursery
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
from .table_keys import TableKeys
from .ticket_proof import Capability


@dataclass
class TicketTeller:
    """A reporter that tells the host's player from where the ticket can be used ([L-51]).

    Attributes:
        seating: `follow` updates the host's addresses in this list.
        ticket: The ticket with the addresses that are valid now.
        is_told: Whether the player is told anything. True if the host wants guests from outside its
        network.
    """

    seating: Seating
    screen: Screen
    ticket: Ticket
    is_told: bool
    _last: Judged | None = None

    def tell(self, judged: Judged) -> None:
        """Tell from where the ticket can be used, with a new one if its addresses changed."""
        if judged == self._last:
            return
        word = ""
        # At first the player has just been shown the ticket with these addresses.
        if self._last is not None and self.ticket.addresses != judged.direct:
            self.ticket = replace(self.ticket, addresses=judged.direct)
            word = self.word()
        self._last = judged
        if self.is_told:
            self.screen(Reached(judged.scope, judged.reasons, word))

    def word(self) -> str:
        """Return the encoded ticket that is valid now."""
        return encode_ticket(self.ticket)

    async def follow(self, ways: Reachability) -> None:
        """Report each change of this peer's addresses, and update the list of seats."""
        while True:
            await ways.changed()
            judged = ways.judged()
            self.seating.set_addresses(judged.named)
            self.tell(judged)


Admit = Callable[[str, bytes | None], Awaitable[bool]]
"""Asks the host's player about a guest, and returns whether the guest may sit down.

The arguments are the guest's nickname and its long-lived public key. The key is None if the guest
does not show it.
"""
Decided = Callable[[bytes, Sit, bool | None], None]
"""Is called with a guest's id, its consent and the answer, None if there was none in time."""

ADMISSION_TIMEOUT: Final[Seconds] = 180.0
"""Seconds within which the host's player has to answer a question about a guest."""
MOST_WAITING: Final[Quota] = 16
"""The most guests that wait for the host's answer.

If one more guest comes, it replaces a guest from a machine with more guests, or is turned away.
"""
MOST_REMEMBERED: Final[Quota] = 1024
"""The most refused guests that are stored. About a forgotten one the host is asked again."""


@dataclass(frozen=True)
class WaitingGuest:
    """A guest that waits for the host's answer."""

    nickname: str
    sit: Sit
    source: str


@dataclass(eq=False, repr=False)
class AdmissionQueue:
    """The guests that wait for the host's answer, and the answers ([L-60], [L-61], [L-70]).

    Attributes:
        _admit: Asks the host's player about a guest.
        waiting: The guests that the host has not answered yet, by id.
        admitted: The players that the host has admitted, as pairs of the player's key (see
            `Sit.player`) and the nickname that the host was shown.
        denied: The source of each player that the host has refused, by the player's key.
    """

    _admit: Admit
    waiting: dict[bytes, WaitingGuest] = field(default_factory=dict)
    admitted: set[tuple[bytes, str]] = field(default_factory=set)
    denied: dict[bytes, str] = field(default_factory=dict)
    _asking: bytes | None = None
    _more: trio.Event = field(default_factory=trio.Event)

    def wait(self, peer: PeerId, nickname: str, frame: Sit, source: str) -> bytes | None:
        """Queue a question to the host about a guest, or replace the one that waits.

        Return the id of the guest that is turned away because the queue is full. It is this guest,
        or one from the source with the highest load. None if there is room for all.
        """
        turned_away = None
        # Who waits already renews its consent in its own place, and pushes nobody out.
        if len(self.waiting) >= MOST_WAITING and peer not in self.waiting:
            # Somebody with one machine and many keys must not fill the queue against all others.
            turned_away = self._most_crowded(source) or peer
        if turned_away != peer:
            self.waiting.pop(turned_away or b"", None)
            self.waiting[peer] = WaitingGuest(nickname, frame, source)
            self._more.set()
        return turned_away

    def _most_crowded(self, source: str) -> bytes | None:
        """Return the id of the waiting guest that a guest from `source` replaces, or None.

        It is the last guest of the source with the highest load, if that exceeds the load of
        `source` by two or more.
        """
        load = self._load()
        # The guest that the player is looking at keeps its place.
        others = [peer for peer in self.waiting if peer != self._asking]
        # The last one, because who has waited longer keeps the place.
        last = max(reversed(others), key=lambda peer: load[self.waiting[peer].source])
        # By two: with a smaller difference two sources would push each other out in turn.
        return last if load[self.waiting[last].source] > load[source] + 1 else None

    def _least_crowded(self) -> bytes:
        """Return the id of a guest from a source with the lowest load."""
        load = self._load()
        return min(self.waiting, key=lambda peer: load[self.waiting[peer].source])

    def _load(self) -> Counter[str]:
        """Return the load of each source ([L-70])."""
        # Refused guests count, too, or one machine could ask again with ever new keys.
        waiting = (guest.source for guest in self.waiting.values())
        return Counter((*waiting, *self.denied.values()))

    async def run(self, decided: Decided) -> None:
        """Ask the host's player about one guest after the other, those of the lowest load first.

        If a guest loses its link during the question, it gets the answer when it connects again.
        """
        while True:
            # Made before the look at `waiting`, so that no guest who comes meanwhile is missed.
            self._more = trio.Event()
            if self.waiting:
                await self._ask(self._least_crowded(), decided)
            else:
                await self._more.wait()

    async def _ask(self, peer: PeerId, decided: Decided) -> None:
        """Ask the host about one guest, store the answer, and call `decided` with the answer.

        `decided` is not called if the guest is gone, or has another nickname now than was admitted.
        """
        guest, self._asking = self.waiting[peer], peer
        answer: bool | None = None
        # Bounded, because other guests wait for their own question meanwhile.
        with trio.move_on_after(ADMISSION_TIMEOUT):
            vouch = guest.sit.vouch
            answer = await self._admit(guest.nickname, None if vouch is None else vouch.id)
        self._asking = None
        player = guest.sit.player(peer)
        if answer:
            self.admitted.add((player, guest.nickname))
        # Silence is no refusal: the guest may come again ([L-61]).
        elif answer is not None:
            self.denied[player] = guest.source
            # Bounded, because a stranger can make any number of keys.
            if len(self.denied) > MOST_REMEMBERED:
                del self.denied[next(iter(self.denied))]
        last = self.waiting.get(
            peer
        )  # The guest may be gone, or have sent another consent meanwhile.
        if last is None or (answer and last.nickname != guest.nickname):
            return  # The host has not been asked about this nickname.
        # Before `decided`, which queues a guest anew that now shows another long-lived key.
        del self.waiting[peer]
        decided(peer, last.sit, answer)


LOOK: Final[Seconds] = 1.0
"""Seconds between two checks for guests that were too slow, and for a changed number of guests."""
SHOW: Final[Seconds] = 10.0
"""Seconds within which a newly linked peer must have proven that it holds the ticket."""
KEEP: Final[Seconds] = 10.0
"""Seconds for which a guest's seat is kept after its link is lost, so that it can dial again."""
MOST_PROVEN: Final[Quota] = 16
"""The most unseated peers with the ticket whose links are preferred to those of strangers."""
MOST_KEPT: Final[Quota] = 24
"""The most further peers with the ticket whose links are closed only for seated guests.

The other links are free for newcomers ([L-62]).
"""
AGAIN: Final[Seconds] = 10.0
"""Seconds after which a failed announcement on the LAN is tried again."""
CHANGES: Final[Pace] = (24, 0.5)
"""The rate at which changed lists of names are sent: how many at once, and how many a second."""
SITS: Final[Pace] = (4, 0.2)
"""The rate at which one id may sit down: how many times at once, and how many times a second."""


class LobbyCode(Code):
    """The reasons for which a host drops the link of a guest."""

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
    secret: bytes = b"",
    on_full: Callable[[], None] = lambda: None,
) -> Outcome:
    """Open a table, wait until it is full, and play. Return how the last table played ended.

    Args:
        keys: The player's keys at this table.
        terms: The terms, which contain the public key of the host's seat.
        on_ticket: Is called with the encoded ticket.
        admit: None to seat everyone who has the ticket.
        secret: That of the tickets. With the keys, terms and secret of an earlier call its guests
            sit down again. Empty for a fresh one.
        on_full: Is called before the roster is signed. No later call may have the same terms.
    """
    who = keys.seat
    capability = Capability(terms.digest(), secret or fresh_secret(), reach.announced is Lan.OPEN)
    async with open_hub(who, reach, seat.screen) as (hub, ways):
        # Before the ticket is made, or it would lack the address that the router opens.
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
        if reach.announced is not Lan.OFF:
            # The announcement never has the secret, and has addresses only if all may sit down.
            word = encode_ticket(replace(ticket, secret=b"")) if reach.announced is Lan.OPEN else ""
            announced = Announcement(seat.me.nickname, terms.seats, 1, word)
            beside.append(partial(_announce, announced, lobby))
        if reach.relays:
            codes = CodeKeeper(reach.relays, teller.word, seat.screen, reach.dials)
            beside.append(codes.run)
        if admissions is not None:
            beside.append(partial(admissions.run, lobby.decided))
        await _fill(lobby, beside)
        lobby.refuse_the_rest()
        on_full()
        # Signed once: two signatures for the same terms would prove a fault of this host.
        roster = seating.roster(who)  # [L-21]
        for peer in seating.ids:
            hub.post(peer, encode_lobby(roster))
        waiting = lobby.onlookers()
        return await play(hub, seat, keys, reach, Agreed(roster, capability), waiting)


async def _fill(lobby: Lobby, beside: Sequence[Callable[[], Awaitable[None]]]) -> None:
    """Seat guests until the table is full. The tasks in `beside` run meanwhile."""
    lobby.tell()
    async with open_nursery() as nursery:
        nursery.start_soon(_watch_time, lobby, nursery.cancel_scope)
        for task in beside:
            nursery.start_soon(task)
        async for event in lobby.hub.events:
            lobby.hear(event)
            if lobby.seating.is_complete:
                break
        nursery.cancel_scope.cancel()


async def _watch_time(lobby: Lobby, full: trio.CancelScope) -> None:
    """Let the lobby check its time limits each second, until the table is full."""
    while not lobby.seating.is_complete:
        await trio.sleep(LOOK)
        lobby.tick(trio.current_time())
    # `tick` may have seated a guest that waited, and then no event would end `_fill`.
    full.cancel()


async def _announce(what: Announcement, lobby: Lobby) -> None:
    """Announce the table on the LAN, again after each change or failure ([L-22])."""
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
    """A peer that is linked with the host while the table fills.

    Attributes:
        since: The time of its `LinkUp`, in seconds of Trio's clock.
        asked: The frame with which it has proven that it holds the ticket. None as long as it has
            not.
        has_sat: Whether it has sent its consent to the terms on this link.
    """

    link: LinkUp
    since: float
    asked: bytes | None = None
    has_sat: bool = False


@dataclass
class Lobby:
    """The host's side of the lobby. Without `admissions` every guest is admitted."""

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
    _pages: PageTeller = field(init=False)

    def __post_init__(self) -> None:
        terms = self.seating.terms
        self._pages = PageTeller(self.hub, self.screen, terms.seats, terms.quorum)

    def hear(self, event: Event) -> None:
        """Handle a guest's link that was made or lost, or a frame of a guest."""
        match event:
            case LinkUp():
                # What the peer has shown on an earlier link is forgotten: a proof is bound to one
                # link.
                self._here[event.peer] = Newcomer(event, trio.current_time())
            case LinkDown(peer, _):
                self._here.pop(peer, None)
                # A guest that comes back sends its consent again, so nothing waits for it here.
                self._waiting.pop(peer, None)
                if self.admissions is not None:
                    self.admissions.waiting.pop(peer, None)
                self.seating.leave(peer, trio.current_time())
                self._prefer()
            case Frame(peer, data) if peer in self._here and not is_of_game(data):
                # An unknown kind may be of a later version, and must not end the link ([L-77]).
                if is_known(data):
                    self._frame(peer, data)
        self.tell()

    def tick(self, now: float) -> None:
        """Drop peers that did not prove the ticket in time. Free abandoned seats ([L-8]).

        `now` is Trio's time.
        """
        for peer, one in list(self._here.items()):
            # A link without a proof takes up room that a guest needs.
            if one.asked is None and one.since <= now - SHOW:
                self.hub.drop(peer, because(LobbyCode.NOT_SHOWN))
        if self.seating.give_up(now - KEEP):
            # Swapped, because `_seat` may put a guest back.
            waiting, self._waiting = self._waiting, {}
            for peer, frame in waiting.items():
                self._seat(peer, frame)
            self._prefer()
        self.tell()

    def onlookers(self) -> list[Event]:
        """Return two events of each peer with the ticket that has not sat down and may look on.

        They are its `LinkUp`, and the frame in which it proved that it holds the ticket.
        """
        found: list[Event] = []
        for peer, one in self._here.items():
            if one.asked is not None and not one.has_sat and peer not in self.seating.ids:
                found += [one.link, Frame(peer, one.asked)]
        return found

    def _post(self, peer: PeerId, frame: LobbyFrame) -> None:
        self.hub.post(peer, encode_lobby(frame))

    def _frame(self, peer: PeerId, data: bytes) -> None:
        """Handle a frame of the lobby. If the frame is invalid, drop the link."""
        try:
            frame = parse_lobby(data)
            if isinstance(frame, Ask):
                self._asked(peer, frame.proof, data)
            elif isinstance(frame, Sit):
                # Each link may sit down once, and each id not too often ([L-8]).
                one = self._here[peer]
                # By id, because a new link would allow a new consent, whose signatures cost time to
                # check.
                is_within_rate = self._sits.take(peer, trio.current_time()) <= 0
                if one.asked is None or one.has_sat or not is_within_rate:
                    self.hub.drop(peer, because(LobbyCode.UNASKED))
                    return
                # Before the consent is checked: an invalid one counts as well.
                one.has_sat = True
                addresses = tuple(a for a in frame.addresses if self._may_name(one.link, a))
                self._seat(peer, replace(frame, addresses=addresses))
                self._prefer()
        except Invalid as error:
            self.hub.drop(peer, because(LobbyCode.NO_CONSENT, why=of_protocol(error)))

    def _asked(self, peer: PeerId, proof: bytes, data: bytes) -> None:
        """Send the terms and names to a peer that proves the ticket, or refuse it ([L-16]).

        The whole frame, `data`, is stored if the peer is not refused.
        """
        one, binding = self._here[peer], self._here[peer].link.binding
        # The link is not closed here, since that would discard the refusal. `tick` closes it later.
        if not self.capability.admits(proof, binding, self.me, peer):
            self._post(peer, Refuse(Refusal.UNPROVEN))
            return
        # Terms and names follow only now: strangers learn nothing of the table ([L-16]).
        one.asked = data
        self._prefer()
        # Who sends no proof has no secret, and could not check a proof of the host.
        shown = self.capability.host_proof(binding, self.me, peer) if proof else b""
        seating = self.seating
        self._post(peer, Offer(shown, seating.terms, seating.names, seating.vouch))

    def _seat(self, peer: PeerId, frame: Sit) -> None:
        """Seat a guest if it may sit down. Otherwise refuse it, or have it wait."""
        entry = self.seating.may_sit(peer, frame)
        if entry is Refusal.FULL and self.seating.is_kept:
            self._waiting[peer] = frame  # A guest without a link may come back, or lose its seat.
        elif isinstance(entry, Refusal):
            self._post(peer, Refuse(entry))
        elif self._lets_in(peer, entry.nickname, frame):
            for replaced in self.seating.sit(entry, frame.addresses, frame.vouch):
                self._post(replaced, Refuse(Refusal.REPLACED))

    def _lets_in(self, peer: PeerId, nickname: str, frame: Sit) -> bool:
        """Return whether a guest may sit down at once ([L-60]).

        If the host has to decide about the guest first, the guest is told to wait. If the host has
        refused it before, or too many guests wait, the guest is refused.
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

    def decided(self, peer: PeerId, frame: Sit, answer: bool | None) -> None:
        """Seat or refuse a guest after the host's answer, None if it came too late ([L-61])."""
        # Again, because others may have sat down during the question.
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
        """Refuse the guests that wait for a seat or an answer, because the table is full."""
        for peer in (*self._waiting, *(self.admissions.waiting if self.admissions else ())):
            self._post(peer, Refuse(Refusal.FULL))

    def _may_name(self, link: LinkUp, address: str) -> bool:
        """Return whether a guest may give this address to the other seats."""
        # On any other computer a loopback address leads to that computer itself. Seats would dial
        # services there.
        return not is_loopback(host_of(address)) or is_own_host(host_of(link.address))

    def _prefer(self) -> None:
        """Tell the hub which links to keep when there is no room for more."""
        # Seated guests come first, then those who have proven the ticket, so that strangers cannot
        # crowd them out.
        proven = [peer for peer, one in self._here.items() if one.asked is not None]
        self.hub.prefer(self.seating.ids.union(proven[:MOST_PROVEN]))
        self.hub.keep(proven[MOST_PROVEN:][:MOST_KEPT])

    def tell(self) -> None:
        """Send the list of names to the screen and to all guests, if it has changed.

        If the list changes too fast, some changes are not sent.
        """
        # Limited: each change goes to everybody, and one guest could sit and leave again and again.
        names = self.seating.names
        if names == self._told or not self._changes.take_if_any(trio.current_time()):
            return
        # Only now: a change that is held back for its rate is sent by a later call.
        self._told = names
        self.screen(updates.Joined(names, self.seating.terms.seats))
        self._pages.tell(self.seating.nicknames)
        for peer, one in self._here.items():
            if one.asked is not None:
                self._post(peer, SeatedNames(names))
