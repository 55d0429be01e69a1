"""Resume a seat from its journal after a crash or Ctrl-C.

Another process may play the same seat with a copy of the player's files. So before anything is
signed here, the other seats are asked whether they have a live link with another process of the
seat. After a power failure, they may still take the link from before the failure for live, but only
for some seconds. So this process asks for longer than that before it gives up.

A game is named by its name or the beginning of it. None stands for the only game that waits for its
player.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from protocol import SeatMachine, Table
from protocol.units import Seconds

from ... import rules
from ...coded_errors import NOT_OK, Code
from ...game_adapter import Play, bind_raw, happenings_since, table_name
from ...net.address_schemes import RELAY_PREFIX
from ...net.addresses import host_of, is_loopback, is_own_host
from ...net.hub import Event, Hub, LinkDown, LinkedElsewhere, LinkUp
from ...net.ticket import Ticket
from ...presentation import screen_updates as updates
from ...storage import journal as journals
from ...storage import transcript_archive
from ...storage.journal_format import SeatRecord
from ...storage.kept_vouches import keep_vouches
from ..beside_game.rematch import Agreed
from ..beside_game.unfinished_games import (
    ResumeCode,
    claimed_mark,
    find_game,
    is_relay_only,
    relay_only_mark,
)
from ..gathering.lobby import Roster
from ..gathering.table_keys import TableKeys
from ..gathering.ticket_proof import Capability
from ..open_links import Reach, only_by_relays, open_hub
from ..peer_error import PeerError
from ..task_groups import open_nursery
from .play_table import Backlog, Seat, play, run_session
from .reconnect_moved_seat import NewTicketReporter, check_fresh, dial_by_ticket, dial_seats
from .session import Outcome

SETTLE: Final[Seconds] = 1.0
"""Seconds to wait for answers of the linked seats before the seat is resumed."""
ALONE: Final[Seconds] = 3.0
"""Seconds to wait for a first link before the seat is resumed without one."""
ARRIVAL_TIMEOUT: Final[Seconds] = 15.0
"""Seconds for which a seat keeps asking if others report a link with another process."""


class ArrivalCode(Code):
    """The reasons for which a seat cannot be resumed."""

    ELSEWHERE = (
        "played-elsewhere",
        "another process with your key already plays this seat, perhaps with a copy of your "
        "files. It is linked with: {names}. Play there, or end it there and resume here",
        NOT_OK,
    )


@dataclass
class Answers:
    """The answers of the other seats about whether another process plays this seat.

    Attributes:
        me: The id of this seat.
        linked: The ids of the seats that are linked with this process.
        elsewhere: The ids of the seats that report a live link with another process of this seat.
    """

    table: Table
    me: bytes
    linked: set[bytes] = field(default_factory=set)
    elsewhere: set[bytes] = field(default_factory=set)

    def hear(self, event: Event) -> None:
        """Note that a seat is linked, or no longer, or refuses a link to a second process."""
        # Only seats are believed, or strangers could keep this seat out by their reports.
        if event.peer not in self.table.ids:
            return
        match event:
            case LinkUp(peer):
                self.linked.add(peer)
                # It has found its link with the other process dead, or it would have refused this
                # one.
                self.elsewhere.discard(peer)
            case LinkDown(peer):
                self.linked.discard(peer)
            case LinkedElsewhere(peer):
                self.elsewhere.add(peer)

    def may_play(self, waited: float) -> bool:
        """Return whether this seat can be resumed now, `waited` seconds after the first dial.

        It can if no seat has reported another process, and all have had enough time to report.
        """
        # Longer without a link, because a report can come only from a seat that was reached.
        return not self.elsewhere and waited >= (SETTLE if self.linked else ALONE)

    def is_played_elsewhere(self) -> bool:
        """Return whether the answers show that another process plays this seat.

        The reports of fewer seats than a quorum may be false, in order to keep this seat out. Such
        reports count only if no seat is linked with this process.
        """
        enough = len(self.elsewhere) >= self.table.header.terms.quorum
        return bool(self.elsewhere) and (enough or not self.linked)

    def names(self) -> tuple[str, ...]:
        """Return the nicknames of the seats in `elsewhere`, in the order of the seats."""
        roster = self.table.header.roster
        return tuple(entry.nickname for entry in roster if entry.id in self.elsewhere)


async def wait_for_answers(hub: Hub, answers: Answers) -> Sequence[Event]:
    """Wait until this seat may be resumed, and return the events that came meanwhile ([L-11]).

    Raises:
        PeerError: If another process plays this seat.
    """
    backlog, began = Backlog(), trio.current_time()
    while not answers.may_play(waited := trio.current_time() - began):
        if waited >= ARRIVAL_TIMEOUT:
            if answers.is_played_elsewhere():
                raise PeerError(ArrivalCode.ELSEWHERE, names=answers.names())
            break
        with trio.move_on_after(SETTLE / 4):
            event = await hub.events.receive()
            answers.hear(event)
            backlog.keep(event)
    return backlog.frames


def claim_game(seat: Seat, name: str | None) -> Path:
    """Save an unfinished game as a transcript, as far as it was played. Return where it is.

    This is for a player who is left when the others are gone for good. Afterwards the game is no
    longer offered for resuming, but can still be resumed by its name. Nothing is signed or sent.

    Raises:
        PeerError: If there is no such game, or it had not begun and no fault has ended its setup.
            Such a game is no longer offered either.
        JournalError: If the journal is in use, or the transcript cannot be written.
    """
    book, first, machine, _ = reopen(seat, name)
    book.close()
    if not (machine.has_begun or machine.shows_fault):
        book.files.put(claimed_mark(book.path), b"")
        raise PeerError(ResumeCode.NOT_BEGUN)
    data = transcript_archive.transcript_of(machine)
    folder, game = seat.home.transcripts, table_name(machine.table)
    files = seat.home.unchecked
    usual = transcript_archive.place_of_claim(folder, game, data, files)
    path = transcript_archive.keep(data, seat.output or usual, usual, None, files)
    keep_vouches(files, folder, machine.table.id, first.vouches)
    # Last: if nothing could be saved, the game must still be offered for resuming.
    book.files.put(claimed_mark(book.path), b"")
    return path


def reopen(
    seat: Seat, name: str | None
) -> tuple[journals.Journal, SeatRecord, SeatMachine, Roster]:
    """Open the journal of a game, and replay its records in a new state machine.

    A PeerError is raised if there is no such game, JournalError if it is in use or cannot be read.
    """
    game = find_game(seat.home, name, seat.passphrase)
    book, first, records = journals.reopen(game.path, seat.passphrase, seat.home.files)
    with ExitStack() as unread:
        unread.callback(book.close)
        table = bind_raw(first.header)
        machine = SeatMachine(table, os.urandom, first.seat, first.identity, first.seed)
        machine.restore(records)
        unread.pop_all()
    roster = Roster(first.header, first.addresses, first.signature, first.vouches)
    return book, first, machine, roster


async def resume_table(
    seat: Seat, name: str | None, how: Reach, fresh: Ticket | None = None
) -> Outcome:
    """Resume a seat after a crash or Ctrl-C, and play on. Return how the last table ended.

    What the player has not set anew in `how` comes from the journal. The addresses of `fresh`, a
    ticket of a seat that has moved, are dialled too.

    Raises:
        PeerError: If the seat cannot be resumed.
        FreshError: If the ticket `fresh` does not lead to a seat of this table.
    """
    book, first, machine, roster = reopen(seat, name)
    with ExitStack() as unplayed:
        # If the seat is not played after all, its journal must not stay locked.
        unplayed.callback(book.close)
        how = _alone(how, book, first)
        if fresh is not None:
            check_fresh(fresh, machine.table.header, first.secret)
        # Only after the checks: a game that cannot be resumed so stays claimed.
        book.files.remove(claimed_mark(book.path))
        recalled = replace(seat, screen=_recalling(seat.screen, machine))
        table, known = machine.table, first.addresses[first.seat]
        # Before the machine starts: what an old journal lacks, the seat may have signed already.
        if not book.current:
            machine.be_cautious(certain=book.is_older)
        terms = table.header.terms.digest()
        agreed = Agreed(roster, Capability(terms, first.secret, first.is_open))
        reach = _reach_again(how, first.listen, first.relays, known)
        keys, own = TableKeys(first.identity, seat.long_lived_key), first.identity.public
        bare = Ticket(own, (), terms, reach.relays, first.secret)
        async with open_hub(keys.seat, reach, seat.screen) as (hub, ways):
            if fresh is None:
                dial_seats(hub, table, roster.addresses)
            else:
                dial_by_ticket(hub, table, roster.addresses, fresh)
            # Nothing is signed before this: two processes of one seat would contradict each other.
            came = await wait_for_answers(hub, Answers(table, own))
            is_meant = bool(how.advertised or how.relays)
            giver = NewTicketReporter(hub, ways, machine, seat.screen, bare, known, is_meant)
            async with open_nursery() as nursery:
                if reach.outside:
                    nursery.start_soon(giver.run)
                unplayed.pop_all()  # The session closes the journal.
                outcome = await run_session(hub, recalled, keys, agreed, machine, book, came)
                nursery.cancel_scope.cancel()
            if outcome.again is None:
                return outcome
            # The file that the player named has the first game, which a later one must not replace.
            seat = replace(seat, output=None)
            return await play(hub, seat, keys, reach, outcome.again, outcome.early)


def _alone(how: Reach, book: journals.Journal, first: SeatRecord) -> Reach:
    """Return the settings `how`, for relays alone if the seat was ever reached so ([L-55], [L-58]).

    Raises:
        PeerError: If the command itself names an address to show, or lacks the proxy with which the
            game began, or if there is no relay.
    """
    if first.hidden and not how.hidden:
        raise PeerError(ResumeCode.BY_PROXY)
    was_alone = is_relay_only(book.files, book.path, first)
    if not (how.relay_only or was_alone):
        return how
    if how.anew or how.advertised:
        raise PeerError(ResumeCode.SHOWN)
    if not (how.relays if how.relays_anew else first.relays):
        raise PeerError(ResumeCode.NO_RELAY)
    if not was_alone:
        # On disk before anything is dialled: a later resume without the option must not show an
        # address.
        book.files.put(relay_only_mark(book.path), b"")
    return only_by_relays(how)


def _reach_again(how: Reach, listen: str, relays: tuple[str, ...], known: Sequence[str]) -> Reach:
    """Return the settings of a resumed seat, which keep what `how` does not set anew.

    Another port will do if that in the `known` addresses is taken, because a seat that comes back
    connects to the others.
    """
    reach = replace(how, returning=True, relays=how.relays if how.relays_anew else relays)
    if how.anew:
        return reach
    # Behind a proxy nothing but loopback, wherever the seat listened before ([L-55]).
    host, _, port = listen.rpartition(":")
    if reach.hidden and not is_loopback(host.strip("[]")):
        listen = f":{port}"
    return replace(reach, listen=_same_port(listen, known), or_any=True)


def _recalling(screen: updates.Screen, machine: SeatMachine) -> updates.Screen:
    """Wrap a screen, so that it also gets the state of the resumed game once the table is known.

    A player who has already chosen for the current step would see nothing of the game.
    """

    def tell(update: updates.Update) -> None:
        screen(update)
        play = machine.tip.state
        if isinstance(update, updates.Started) and machine.has_begun and isinstance(play, Play):
            view = rules.view(play.state, machine.seat, machine.hand())
            screen(updates.Resumed(view, tuple(happenings_since(play))))

    return tell


def _same_port(listen: str, addresses: Sequence[str]) -> str:
    """Return where to listen so that others can dial the seat's earlier port.

    That is the port in the earlier addresses of this computer: the port of `listen` may have been
    taken. Other addresses may be the router's, and count only if `listen` has the port 0.
    """
    host, _, port = listen.rpartition(":")
    direct = [a for a in addresses if not a.startswith(RELAY_PREFIX)]
    here = [a for a in direct if is_own_host(host_of(a))]
    ports = [a.rpartition(":")[2] for a in (*here, *(direct if port == "0" else ()))]
    return f"{host}:{ports[0]}" if ports else listen
