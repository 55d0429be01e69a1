"""Join the table of a ticket: dial its host, accept the terms, sit down and wait for the roster."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

import trio

from protocol import Header, Invalid, OtherVersion, Terms, Vouch, table_header, vouches
from protocol.units import Pace, Quota, Seconds

from ...coded_errors import NETWORK, NOT_OK, USAGE, Code, of_protocol
from ...confusable_names import is_stacked, twins_among
from ...game_adapter import HoityToity, bind_raw, read_game
from ...net.hub import Event, Frame, Hub, LinkUp
from ...net.link_limits import Bucket, Limits
from ...net.network_errors import NetError, RefusedError
from ...net.socks_proxy import broken_proxy
from ...net.ticket import Ticket
from ...presentation import screen_updates as updates
from ...reachability.advertised_addresses import Scope, widest
from ...reachability.port_mapping import Reachability
from ...storage import journal as journals
from ...storage.file_store import NotPrivateError
from ...storage.home import Home
from ...storage.journal_format import SeatRecord
from ..beside_game.rematch import Agreed
from ..open_links import Reach, open_hub
from ..peer_error import PeerError
from ..playing.frame_access import check_signed
from ..playing.frame_kinds import is_known, is_of_game
from ..playing.play_table import Backlog, Seat, journal_path, play
from ..playing.session import Outcome
from ..task_groups import beside
from . import lobby
from .drawn_nicknames import nickname_among
from .table_keys import TableKeys
from .ticket_proof import Capability

CONNECT: Final[Seconds] = 20.0
"""Seconds for which the host is dialled again and again before the guest gives up."""
ANSWER: Final[Seconds] = 15.0
"""Seconds for which the first frame of a host is awaited on each link."""
FIRST_PAUSE: Final[Seconds] = 0.5
"""Seconds between the first two attempts to reach a host. Each further pause is twice as long."""
LONGEST_PAUSE: Final[Seconds] = 4.0
"""Seconds of the longest pause between two attempts to reach a host."""
FULL_PAUSE: Final[Seconds] = Limits().full_pause
"""Seconds for which a host that is full is not dialled. The actual pause is up to twice as long."""
MOST_LINKS: Final[Quota] = 12
"""The most links to the host that are made in a row before the guest gives up."""
LINES: Final[Pace] = (24, 0.5)
"""The rate of lines on the screen about seated guests: how many at once, how many a second."""
AcceptTerms = Callable[[Terms, HoityToity, tuple[str, ...], bytes | None], Awaitable[str | None]]
"""Shows the player the terms of a table, and returns the nickname if it accepts them ([L-63]).

The other arguments are the nicknames of those who sit, and the host's long-lived key or None. The
nickname is "" for that of the player. None if the player does not accept.
"""


class JoinCode(Code):
    """The reasons for which a player cannot sit down at a table, or look on."""

    OWN_TICKET = (
        "own-ticket",
        (
            "this is your own table, at which you sit already: the others join it. For a second "
            "player on this computer, set HOITY_HOME to another folder"
        ),
        USAGE,
    )
    KEPT = "seat-kept", "you still have your seat at this table: take it again with hoity resume"
    UNREACHED = (
        "host-unreached",
        "the host cannot be reached ({why}); ask the host whether the table is still open, and"
        " try again",
        NETWORK,
    )
    UNREACHED_IPV6 = (
        "host-unreached-six",
        "the host cannot be reached ({why}). From elsewhere its ticket works over IPv6 only, "
        "and only if the host's router lets incoming connections in. Otherwise the host needs a "
        "relay (--relay)",
        NETWORK,
    )
    UNREACHED_LAN = (
        "host-unreached-lan",
        "the host cannot be reached ({why}). Its ticket works only on the host's own network. "
        "If you are elsewhere, the host needs a relay (--relay) or a forwarded port "
        "(--advertise). If you are not, ask whether the table is still open",
        NETWORK,
    )
    UNREACHED_MACHINE = (
        "host-unreached-machine",
        "the host cannot be reached ({why}). Its ticket works only on the host's own machine. "
        "For others the host has to listen on another address (--listen) or use a relay "
        "(--relay)",
        NETWORK,
    )
    UNREACHED_PROXY = (
        "host-unreached-by-proxy",
        "{why}; start it, or choose another one with --proxy",
        NETWORK,
    )
    GONE = (
        "host-gone",
        (
            "the link to the host was lost ({reason}); ask the host whether the table is still "
            "open, and try again"
        ),
        NETWORK,
    )
    CUTS = (
        "host-cuts-links",
        "the host closes every link; ask the host whether the table is still open, and try again",
        NETWORK,
    )
    SILENT = (
        "host-without-terms",
        "the host did not send the terms of the table; ask the host whether the table is still "
        "open, and try again",
        NETWORK,
    )
    LINKS_CLOSED = "links-closed", "the links are closed", NETWORK
    ELSEWHERE = (
        "sits-elsewhere",
        "another process with your key is already at this table, perhaps with a copy of your "
        "files: play there",
    )
    IMPOSTOR = (
        "host-impostor",
        "the program that answers cannot prove that it made this ticket: do not play there",
    )
    OTHER_HOST = (
        "other-host",
        "this table has another host than the ticket says: do not play there",
    )
    OTHER_TABLE = "other-table", "the host's list of seats belongs to another table"
    OTHER_VERSION = (
        "host-of-other-version",
        "the host uses version {theirs} of the protocol, and this program version {ours}: both "
        "need the same one",
    )
    OTHER_LANGUAGE = (
        "host-speaks-otherwise",
        ("the host's program does not follow this protocol: {why}"),
    )
    BAD_ROSTER = "bad-roster", "the host's list of seats is invalid: {why}"
    COLOURS_ALIKE = (
        "colours-alike",
        (
            "two colours of the edition have names that look alike, {one} and {other}: ask the "
            "host for another edition"
        ),
    )
    COLOUR_STACKED = (
        "colour-of-marks",
        (
            "the name of a colour of the edition begins with an accent or has too many on one "
            "letter, {name}: ask the host for another edition"
        ),
    )
    UNPLAYABLE = "unplayable-terms", "this program cannot play by these terms: {why}"
    OLD_CONSENT = (
        "old-consent",
        "the host's list of seats contains an old consent of yours: do not play there",
    )
    UNPROVEN = (
        "ticket-unknown",
        "the host does not know this ticket: it belongs to an earlier table, or has no secret; "
        "ask the host for the ticket",
    )
    NO_RELAYS = (
        "ticket-without-relay",
        "the host waits at no relay, and with --relay-only this program connects to nothing "
        "else: ask for a table that is opened with --relay",
        USAGE,
    )
    OTHER_RELAYS = (
        "ticket-of-other-relays",
        "the host waits at {relays}, which is not one of your relays. If you trust it with your "
        "address, name it with --relay, and try again",
        USAGE,
    )
    FULL = "table-full", "the table is full"
    NAME = (
        "name-taken",
        "the host accepts no guest with your nickname: somebody at this table has the same or a "
        "similar one, or it cannot be displayed; choose another one with --name",
    )
    DENIED = "host-refused", "the host has refused you a seat at this table"
    UNHEARD = (
        "host-did-not-answer",
        "the host did not decide in time whether you may sit down; try again, or contact the host",
    )
    REPLACED = (
        "seat-taken-over",
        "another program with your key has sat down at this table and taken over this seat",
    )
    BEGUN = "game-begun", "the table is full: its game has begun"
    BEGUN_WITHOUT = "game-begun-without-you", "the table is full: its game has begun without you"
    ALIKE = (
        "names-alike",
        (
            "two nicknames at this table are too similar ({one} and {other}), so you did not "
            "sit down there"
        ),
    )
    STACKED = (
        "name-stacked",
        "{name} has so many marks on its letters that it would cover other lines, so you did "
        "not sit down at this table. Ask the host for a table without that nickname",
        USAGE,
    )
    NOT_TAKEN = "seat-not-taken", "you did not sit down"
    UNWATCHED = "table-unwatched", "the host allows nobody to watch this table"
    OTHERWISE = (
        "host-shows-another-key",
        "the host now shows another key than when you sat down: do not play there",
    )
    BAD_VOUCH = (
        "host-vouch-invalid",
        "the host shows a key that has not vouched for this table: do not play there",
    )
    VOUCH_LOST = (
        "own-vouch-missing",
        "the host's list of seats leaves out the key that you have shown: do not play there",
    )

    @classmethod
    def usual_exit(cls) -> int:
        """Return NOT_OK, the exit code of the members that are made without one."""
        return NOT_OK


UNREACHED: Final = {
    Scope.IPV6: JoinCode.UNREACHED_IPV6,
    Scope.LAN: JoinCode.UNREACHED_LAN,
    Scope.MACHINE: JoinCode.UNREACHED_MACHINE,
}
"""The code for a host that cannot be reached, by where its addresses can be reached from."""
REFUSED: Final = {refusal: JoinCode[refusal.name] for refusal in lobby.Refusal}


async def join_table(
    seat: Seat, keys: TableKeys, ticket: Ticket, accept: AcceptTerms, reach: Reach
) -> Outcome:
    """Sit down at the table of a ticket and play, also at further tables of the same people.

    Return how the last of these tables ended.

    Raises:
        PeerError: If the guest cannot sit down.
    """
    # A join has a fresh key, and only `resume` has the key of the kept seat.
    if kept_seat(seat.home, seat.passphrase, ticket) is not None:
        raise PeerError(JoinCode.KEPT)
    # A relay that only the ticket names may be the host's own machine, and would learn the address.
    if reach.relay_only and not set(reach.relays).intersection(ticket.relay):
        code = JoinCode.OTHER_RELAYS if ticket.relay else JoinCode.NO_RELAYS
        raise PeerError(code, **({"relays": ticket.relay} if ticket.relay else {}))
    leads_outside = widest(ticket.dial_addresses()) in (Scope.ANYWHERE, Scope.IPV6)
    # A ticket that leads nowhere outside is of a table at home, for which no router needs to open a
    # port.
    how = replace(reach, maps=reach.maps and leads_outside)
    async with open_hub(keys.seat, how, seat.screen) as (hub, ways):
        guest = _Guest(hub, seat, keys, ticket, ways)
        roster = await beside(guest.stay_linked, guest.sit(accept))
        agreed = Agreed(roster, guest.capability)
        return await play(hub, seat, keys, reach, agreed, guest.backlog.frames)


def kept_seat(home: Home, passphrase: str | None, ticket: Ticket) -> str | None:
    """Return the name of the unfinished game at a ticket's table, or None if none can be read."""
    found = kept_seats(home, passphrase)
    return next((name for name, one in found if one.table.terms.digest() == ticket.terms), None)


def kept_seats(home: Home, passphrase: str | None) -> Iterator[tuple[str, SeatRecord]]:
    """Yield the name and the first record of each unfinished game that can be read."""
    for path in home.files.list(home.journals, ".journal"):
        # Another one is of another player, or `resume` says why.
        with suppress(journals.JournalError, NotPrivateError, ValueError):
            yield path.stem, journals.read_first(path, passphrase, home.files)


class HostLink:
    """A link to the host of a ticket. `backlog` has the events that came before the roster."""

    def __init__(self, hub: Hub, ticket: Ticket, full: Callable[[], None] | None = None) -> None:
        """Prepare a link to the host, which `stay_linked` dials.

        Args:
            full: Is called once if the host has no room for more links. The host is then dialled
                without limit. If None, a full host counts as one that cannot be reached.
        """
        self.hub, self.ticket, self._full, self._is_told = hub, ticket, full, False
        self.capability = Capability(ticket.terms, ticket.secret)
        self.backlog = Backlog()
        self._answer = trio.CancelScope()

    async def stay_linked(self) -> None:
        """Keep the link to the host, until cancelled.

        Raises:
            PeerError: If the host cannot be reached, or closes every link.
        """
        was_linked = False
        # Bounded, or a host that closes every link would keep the guest dialling for ever.
        for _ in range(MOST_LINKS):
            await self._connect(was_linked)
            await self.hub.unlinked(self.ticket.host_id)
            was_linked = True
            # Not at once: a host bounds how many links one id brings up, and refuses more ([L-26]).
            await trio.sleep(FIRST_PAUSE)
        raise PeerError(JoinCode.CUTS)

    async def _connect(self, was_linked: bool) -> None:
        """Dial the host until there is a link. Raise PeerError after CONNECT seconds without one.

        There is no limit while the host answers that it has no room, if `__init__` was given
        `full`.
        """
        pause, last = FIRST_PAUSE, trio.current_time() + CONNECT
        while True:
            # A computer that has slept may be behind its deadline.
            left = max(0.0, last - trio.current_time())
            try:
                await self.hub.connect(self.ticket.dial_addresses(), self.ticket.host_id, left)
                return
            except NetError as error:
                if self._full is not None and isinstance(error, RefusedError) and error.full:
                    # A full host must not be dialled for a while ([L-65]).
                    if not self._is_told:
                        self._full()
                    self._is_told = True
                    await trio.sleep(FULL_PAUSE * random.uniform(1.0, 2.0))
                    # Counted anew, because the host has answered and the pause is its wish.
                    last = trio.current_time() + CONNECT
                    continue
                # With the pause: an attempt after it would have no time left.
                is_late = trio.current_time() + pause >= last
                # Only when time is up: the host may still take a link of ours that was lost for
                # live.
                if isinstance(error, RefusedError) and error.elsewhere and is_late:
                    raise PeerError(JoinCode.ELSEWHERE) from error
                if error.is_final or is_late:
                    if was_linked:
                        raise PeerError(JoinCode.GONE, reason=error.reason) from error
                    raise self._unreached(error) from error
            await trio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _unreached(self, error: NetError) -> PeerError:
        """Return the error for an unreachable host, by the scope of its addresses ([L-51])."""
        proxy = broken_proxy(error.reason)
        if proxy is not None:
            return PeerError(JoinCode.UNREACHED_PROXY, why=proxy)
        code = UNREACHED.get(widest(self.ticket.dial_addresses()), JoinCode.UNREACHED)
        return PeerError(code, why=error.reason)

    def show_ticket(self) -> None:
        """Prove to the host that this peer holds the ticket, over the present link."""
        # If the link is lost by now, a proof without a binding fits no link and shows nothing.
        host, binding = self.ticket.host_id, self.hub.binding(self.ticket.host_id)
        proof = self.capability.guest_proof(binding or b"", host, self.hub.me)
        self.hub.post(host, lobby.encode_lobby(lobby.Ask(proof)))

    def check_offer(self, offer: lobby.Offer) -> None:
        """Check that the host's offer belongs to this ticket ([L-7], [L-17], [H-16]).

        Raises:
            PeerError: If one of these checks fails.
        """
        host, binding = self.ticket.host_id, self.hub.binding(self.ticket.host_id)
        # Before the terms are looked at: who cannot prove the ticket shall not make the player read
        # anything ([L-17]).
        if not self.capability.trusts(offer.proof, binding or b"", host, self.hub.me):
            raise PeerError(JoinCode.IMPOSTOR)
        if offer.terms.host != host or offer.terms.digest() != self.ticket.terms:
            raise PeerError(JoinCode.OTHER_HOST)
        if offer.vouch is not None:
            try:
                vouches.check_signature(offer.vouch, offer.terms, host)
            except Invalid as error:
                raise PeerError(JoinCode.BAD_VOUCH) from error

    async def next(self) -> lobby.LobbyFrame:
        """Wait for the next lobby frame of the host. It is never a refusal.

        On each new link this peer proves its ticket. Frames of a running table are stored in
        `backlog` ([L-18]).

        Raises:
            PeerError: If the host refuses this peer or plays by another protocol, or if this peer
                has closed its links.
        """
        host = self.ticket.host_id
        async for event in self.hub.events:
            if isinstance(event, LinkUp) and event.peer == host:
                # On each new link, because a proof holds for one link only.
                self.show_ticket()
                # Only from now on: an onlooker may have called a full host for a long time.
                self._answer.deadline = trio.current_time() + ANSWER
            # A later version of the protocol may have it, and it must not end the link ([L-77]).
            if isinstance(event, Frame) and not is_known(event.data):
                continue
            # Any other peer could forge a refusal or a list of names.
            frame = _parsed(event) if event.peer == host else None
            # The session needs it: nothing is read from a seat that has not shown its table
            # ([L-20]).
            if frame is None or isinstance(frame, lobby.SignedTable):
                self.backlog.keep(event)
            elif isinstance(frame, lobby.Refuse):
                raise PeerError(REFUSED[frame.reason])
            else:
                return frame
        raise PeerError(JoinCode.LINKS_CLOSED)

    async def first(self) -> lobby.Offer | lobby.Roster:
        """Wait for the host's terms or, if the game has already begun, for the roster. Check them.

        Raises:
            PeerError: If the host refuses this peer, sends something invalid, or is silent.
        """
        # Both times, because the link may not stand yet.
        with self._answer:
            while True:
                frame = await self.next()
                if isinstance(frame, lobby.Offer):
                    self.check_offer(frame)
                    return frame
                if isinstance(frame, lobby.Roster):
                    checked_header(frame, self.ticket)
                    return frame
        raise PeerError(JoinCode.SILENT)


def _parsed(event: Event) -> lobby.LobbyFrame | None:
    """Return the lobby frame in an event, or None. Raise PeerError if it cannot be read."""
    if not isinstance(event, Frame) or is_of_game(event.data):
        return None
    try:
        return lobby.parse_lobby(event.data)
    except OtherVersion as error:
        raise PeerError(JoinCode.OTHER_VERSION, theirs=error.theirs, ours=error.ours) from error
    except Invalid as error:
        raise PeerError(JoinCode.OTHER_LANGUAGE, why=of_protocol(error)) from error


class _Guest(HostLink):
    """The guest's side of the lobby: from the link to the host up to the complete roster."""

    def __init__(
        self, hub: Hub, seat: Seat, keys: TableKeys, ticket: Ticket, ways: Reachability
    ) -> None:
        super().__init__(hub, ticket)
        self.seat, self.keys, self.ways = seat, keys, ways
        self.names: tuple[str, ...] = ()
        self.entry: table_header.SeatEntry | None = None
        self.vouch: Vouch | None = None

    async def sit(self, accept: AcceptTerms) -> lobby.Roster:
        """Read the terms, ask the player, consent, and wait for the roster ([H-8]).

        Raises:
            PeerError: If the guest cannot sit down, or its player does not want to.
        """
        first = await self.first()
        if isinstance(first, lobby.Roster):
            self._check_mine(checked_header(first, self.ticket), first)
            return first
        if first.vouch is not None and first.vouch.id == self.seat.me.identity.public:
            raise PeerError(JoinCode.OWN_TICKET)
        game, self.names = _game_of(first.terms), first.names
        self._tell_page(first)
        # Read while the player thinks, so that a refusal or a full table shows at once.
        return await beside(partial(self._ask, first, game, accept), self._roster(first))

    def _tell_page(self, offer: lobby.Offer) -> None:
        """Tell the player before it consents if the host says that it plays in a page ([L-90])."""
        server, terms = self.hub.page(self.ticket.host_id), offer.terms
        if server is not None and self.names:
            found = {self.names[0]: server}
            self.seat.screen(updates.InPages(found, terms.seats, terms.quorum, None))

    async def _ask(self, offer: lobby.Offer, game: HoityToity, accept: AcceptTerms) -> None:
        """Show the player the terms, and consent to them if the player accepts ([H-8]).

        A drawn nickname is drawn again if somebody there has one like it.
        """
        host = None if offer.vouch is None else offer.vouch.id
        chosen = await accept(offer.terms, game, self.names, host)
        if chosen is None:
            raise PeerError(JoinCode.NOT_TAKEN)
        nickname = chosen or nickname_among(self.seat.me, self.names)
        self.entry, self.vouch = self.keys.consent(offer.terms, nickname)
        # Before the consent is sent: the addresses in it cannot be changed later.
        await self.ways.settle()
        self._sit_down()

    def _sit_down(self) -> None:
        """Send the host this guest's consent to the terms, if the player has accepted them."""
        # On each link the same entry, because the roster must have exactly this one.
        if self.entry is not None:
            frame = lobby.Sit(self.entry.value(), self.ways.named, self.vouch)
            self.hub.post(self.ticket.host_id, lobby.encode_lobby(frame))

    async def _roster(self, offer: lobby.Offer) -> lobby.Roster:
        """Wait for the roster, check and return it. Meanwhile show the player who sits."""
        # Limited, or the host could flood the screen with changing names.
        lines = Bucket(LINES)
        while True:
            match await self.next():
                case lobby.SeatedNames(names):
                    if names != self.names and lines.take_if_any(trio.current_time()):
                        self.names = names
                        self.seat.screen(updates.Joined(names, offer.terms.seats))
                case lobby.Pending() if lines.take_if_any(trio.current_time()):
                    self.seat.screen(updates.HostAsked())
                case lobby.Offer() as again:  # The link was lost and made again.
                    # Checked again, because the proof in it is of the new link.
                    self.check_offer(again)
                    self._sit_down()
                case lobby.Roster() as roster:
                    self._check_mine(checked_header(roster, self.ticket), roster)
                    # The player has accepted the table of the long-lived key that the offer showed.
                    if roster.vouches[0] != offer.vouch:
                        raise PeerError(JoinCode.OTHERWISE)
                    return roster

    def _check_mine(self, complete: Header, roster: lobby.Roster) -> None:
        """Check that the roster has what this guest has sent, or raise PeerError ([H-9], [L-7])."""
        ids = [entry.id for entry in complete.roster]
        if self.hub.me not in ids:
            # The player may have taken a seat there before, under the key of another join.
            journal = journal_path(self.seat.home, bind_raw(roster.header))
            if self.seat.home.files.has(journal):
                raise PeerError(JoinCode.KEPT)
            raise PeerError(JoinCode.BEGUN if self.entry is None else JoinCode.BEGUN_WITHOUT)
        # An entry that this guest has signed earlier for these terms must not be used in its place.
        if self.entry not in complete.roster:
            raise PeerError(JoinCode.OLD_CONSENT)
        # The signature of the roster does not cover the vouches, so a host could leave one out.
        if roster.vouches[ids.index(self.hub.me)] != self.vouch:
            raise PeerError(JoinCode.VOUCH_LOST)
        _check_names(complete)


def _check_names(complete: Header) -> None:
    """Check that no nickname looks like another or is stacked, or raise PeerError ([H-11])."""
    names = [entry.nickname for entry in complete.roster]
    # The host should have refused such names: one player could pass for another by them.
    for name in filter(is_stacked, names):
        raise PeerError(JoinCode.STACKED, name=name)
    alike = twins_among(names)
    if alike is not None:
        raise PeerError(JoinCode.ALIKE, one=alike[0], other=alike[1])


def checked_header(roster: lobby.Roster, ticket: Ticket) -> Header:
    """Check a roster, and return its header ([L-7], [H-16]).

    Raises:
        PeerError: If it is not signed by the host, has an invalid vouch, or is not of the ticket's
            table.
    """
    try:
        complete = table_header.parse_header(roster.header)
        check_signed(roster, complete)
    except Invalid as error:
        raise PeerError(JoinCode.BAD_ROSTER, why=of_protocol(error)) from error
    # A ticket made after a move is of any seat, so it need not be the host's.
    if ticket.host_id not in {entry.id for entry in complete.roster}:
        raise PeerError(JoinCode.OTHER_HOST)
    if complete.terms.digest() != ticket.terms:
        raise PeerError(JoinCode.OTHER_TABLE)
    return complete


def _game_of(terms: Terms) -> HoityToity:
    """Return the game of the terms, or raise PeerError if this program has none ([H-8], [H-14])."""
    try:
        # An unknown option may change what the player would agree to ([H-14]).
        terms.check_options()
        game = read_game(terms)
    except Invalid as error:
        raise PeerError(JoinCode.UNPLAYABLE, why=of_protocol(error)) from error
    _check_colours([colour.name for colour in game.edition.colours])
    return game


def _check_colours(names: list[str]) -> None:
    """Check that no colours of an edition have names alike, or raise PeerError ([H-11])."""
    for name in filter(is_stacked, names):
        raise PeerError(JoinCode.COLOUR_STACKED, name=name)
    alike = twins_among(names)
    if alike is not None:
        raise PeerError(JoinCode.COLOURS_ALIKE, one=alike[0], other=alike[1])
