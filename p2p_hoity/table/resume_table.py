"""Resume a seat from its journal after a crash or Ctrl-C.

Another process may play the same seat with a copy of the player's files. So before anything is
signed here, the other seats are asked whether they have a live link with another process of the
seat. After a power failure, they may still take the link from before the failure for live, but only
for some seconds. So this process asks for longer than that before it gives up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from protocol import SeatMachine, Table
from protocol.bounds import Seconds

from .. import rules
from ..coded_errors import NOT_OK, Code
from ..game_adapter import Play, happenings_since, table_name
from ..net.addresses import RELAY_PREFIX, host_of, is_own_host
from ..net.hub import Event, Hub, LinkDown, LinkedElsewhere, LinkUp
from ..net.ticket import Ticket
from ..presentation import screen_updates as updates
from ..storage import journal as journals
from ..storage import transcript_archive
from ..storage.file_store import FileStore, NotPrivateError
from ..storage.home import Home, transcripts
from ..storage.journal_format import SeatRecord
from ..storage.kept_vouches import keep_vouches
from ..storage.player_key import of_file
from .lobby import Roster
from .play_table import (
    Backlog,
    PeerError,
    Reach,
    Seat,
    bind_raw,
    only_by_relays,
    open_hub,
    play,
    run_session,
)
from .reconnect_moved_seat import NewTicketReporter, check_fresh, dial_by_ticket, dial_seats
from .rematch import Agreed
from .session import Outcome
from .table_keys import TableKeys
from .task_groups import open_nursery
from .ticket_proof import Capability

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
        table: The table.
        me: The id of this seat, 32 bytes.
        linked: The ids of the seats that are linked with this process.
        elsewhere: The ids of the seats that report a live link with another process of this seat.
    """

    table: Table
    me: bytes
    linked: set[bytes] = field(default_factory=set)
    elsewhere: set[bytes] = field(default_factory=set)

    def hear(self, event: Event) -> None:
        """Note that a seat is linked to this node, is no longer linked, or refuses a link.

        A seat refuses a link if it is linked to another process with the same key as this node.

        Args:
            event: The network event. Events of other kinds or about other peers are ignored.
        """
        if event.peer not in self.table.ids:
            return
        match event:
            case LinkUp(peer):
                self.linked.add(peer)
                self.elsewhere.discard(peer)
            case LinkDown(peer):
                self.linked.discard(peer)
            case LinkedElsewhere(peer):
                self.elsewhere.add(peer)

    def may_play(self, waited: float) -> bool:
        """Return whether this seat can be resumed now.

        It can if no seat has reported another process that plays this seat, and if the seats have
        had enough time to report.

        Args:
            waited: Seconds since the first dial.

        Returns:
            True if the seat can be resumed now.
        """
        return not self.elsewhere and waited >= (SETTLE if self.linked else ALONE)

    def is_played_elsewhere(self) -> bool:
        """Return whether the answers show that another process plays this seat.

        A seat reports another process if it is linked with that process. The reports of fewer seats
        than a quorum may be false, in order to keep this seat out. Such reports count only if no
        seat is linked with this process.

        Returns:
            True if the seat must not be resumed here.
        """
        enough = len(self.elsewhere) >= self.table.header.terms.quorum
        return bool(self.elsewhere) and (enough or not self.linked)

    def names(self) -> tuple[str, ...]:
        """Return the nicknames of the seats that report a link with another process of this seat.

        Returns:
            The nicknames, in the order of the seats.
        """
        roster = self.table.header.roster
        return tuple(entry.nickname for entry in roster if entry.id in self.elsewhere)


async def wait_for_answers(hub: Hub, answers: Answers) -> Sequence[Event]:
    """Wait for the other seats' answers, until this seat may be resumed ([L-11]).

    Args:
        hub: The links of this node, which already dials the other seats.
        answers: The answers of the other seats.

    Returns:
        The events that came while this function waited.

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


class ResumeCode(Code):
    """The reasons for which a game of this computer cannot be resumed."""

    SEVERAL = "several-games", "several games can be resumed: {names}; name one"
    CLAIMED = (
        "only-claimed-games",
        (
            "no game is waiting for you. Games that you have saved as a claim have to be named: "
            "{names}"
        ),
    )
    NO_GAME = (
        "no-game",
        "no game is waiting for you on this machine: join a table with hoity join, or open one "
        "with hoity host",
    )
    NO_SUCH_GAME = (
        "no-such-game",
        "no unfinished game in {path} has an id that begins with {text}: hoity games lists the "
        "games of this machine",
    )
    OVER = (
        "game-over",
        "the game {game} is over, so there is nothing to resume or to forget. To see it again: "
        "hoity replay {game}",
    )
    NOT_BEGUN = "game-not-begun", "that game had not begun: there is nothing to save", NOT_OK
    BY_PROXY = (
        "game-by-proxy",
        "this game is played through a proxy, and you have named none: add --proxy, or the "
        "others would see your address",
    )
    NO_RELAY = (
        "game-by-relays-without-one",
        "this game is played through a relay alone (--relay-only), and none is known: name one"
        " with --relay HOST:PORT",
    )
    SHOWN = (
        "game-by-relays-alone",
        "this game is played through a relay alone (--relay-only): --listen and --advertise would"
        " show an address of yours; leave them out",
    )


@dataclass(frozen=True)
class OpenGame:
    """A journal on this computer, whose game can be resumed.

    Attributes:
        name: The name of the game.
        path: The path of the journal.
        nicknames: The nickname of each seat.
        started: The time at which the game began, in Unix seconds.
        seat: The number of the player's own seat.
        is_claimed: Whether the player has saved the unfinished game as a transcript (a claim to the
            result so far). `find_game` then finds the game only by its name.
        relays: The 'host:port' of each relay at which the seat waits for calls.
        relay_only: Whether the seat is reached by its relays alone.
        files: The store of files that has the journal.
    """

    name: str
    path: Path
    nicknames: tuple[str, ...]
    started: int
    seat: int = 0
    is_claimed: bool = False
    relays: tuple[str, ...] = ()
    relay_only: bool = False
    files: FileStore | None = field(default=None, repr=False, compare=False)

    @property
    def opponents(self) -> tuple[str, ...]:
        """The nicknames of the other seats."""
        return tuple(n for seat, n in enumerate(self.nicknames) if seat != self.seat)


class SeveralGames(PeerError):
    """An error: several stored games could be meant, so the player has to name the right game.

    Attributes:
        games: The games that could be meant.
    """

    def __init__(self, games: Sequence[OpenGame]) -> None:
        super().__init__(ResumeCode.SEVERAL, names=tuple(game.name for game in games))
        self.games = tuple(games)


def open_games(home: Home, passphrase: str | None = None) -> list[OpenGame]:
    """List the games of this computer that can be resumed.

    A journal is left out if it cannot be read, or if other users have access to it (see
    `refused_games`).

    Args:
        home: The folder of the player's files.
        passphrase: The passphrase of the journals, if they have one.

    Returns:
        The games, the newest first.

    Raises:
        NotPrivateError: If other users have access to the folder of the journals.
    """
    found = []
    for path in _journals(home):
        try:
            first = journals.read_first(path, passphrase, home.files)
            names = tuple(entry.nickname for entry in first.table.roster)
            game = OpenGame(path.stem, path, names, first.started, first.seat)
            is_claimed = home.files.has(_claimed(path))
            alone = is_relay_only(home.files, path, first)
            game = replace(game, is_claimed=is_claimed, relays=first.relays, relay_only=alone)
            game = replace(game, files=home.files)
            found.append(game)
        except (journals.JournalError, NotPrivateError, ValueError):
            continue
    return sorted(found, key=lambda game: -game.started)


def refused_games(home: Home) -> Iterator[NotPrivateError]:
    """Find the journals that other users own or have access to.

    Args:
        home: The folder of the player's files.

    Yields:
        For each such journal an error that says what is wrong and how to correct it.
    """
    for path in _journals(home):
        try:
            journals.check(path, home.files)
        except NotPrivateError as error:
            yield error
        except journals.JournalError:
            continue


def _journals(home: Home) -> list[Path]:
    """Return the paths of all journals, sorted by name.

    Raises:
        NotPrivateError: If other users have access to the folder of the journals.
    """
    return home.files.list(home.journals, ".journal")


def find_game(home: Home, name: str | None, passphrase: str | None = None) -> OpenGame:
    """Return the game with a given name, or the only game that waits for its player.

    Args:
        home: The folder of the player's files.
        name: The name of the game or its beginning. None for the only game that is not
            claimed. A game is claimed if the player has saved it as an unfinished transcript.
        passphrase: The passphrase of the journals, if they have one.

    Returns:
        The game.

    Raises:
        SeveralGames: If more than one game fits.
        PeerError: If no game fits.
    """
    games = open_games(home, passphrase)
    if name is None:
        fitting = [game for game in games if not game.is_claimed]
    else:
        fitting = [game for game in games if game.name.startswith(name)]
    if len(fitting) > 1:
        raise SeveralGames(fitting)
    if fitting:
        return fitting[0]
    claimed = tuple(g.name for g in games if g.is_claimed)
    if name is None and claimed:
        raise PeerError(ResumeCode.CLAIMED, names=claimed)
    _tell_unreadable(home, name or "", passphrase)
    if name is None:
        raise PeerError(ResumeCode.NO_GAME)
    for path in transcripts(home):
        if path.stem.startswith(name) and "." not in path.stem:  # no claim
            raise PeerError(ResumeCode.OVER, game=path.stem)
    raise PeerError(ResumeCode.NO_SUCH_GAME, path=str(home.journals), text=name)


def _tell_unreadable(home: Home, name: str, passphrase: str | None) -> None:
    """Check that every journal whose name begins with `name` can be read.

    If one cannot be read, the game that the player looks for may be in that journal.

    Raises:
        PeerError: If such a journal cannot be read.
    """
    for path in _journals(home):
        if path.stem.startswith(name):
            try:
                journals.read_first(path, passphrase, home.files)
            except (journals.JournalError, ValueError) as error:
                why = of_file(error)
                raise PeerError(journals.JournalCode.UNUSABLE, path=str(path), why=why) from error


def _claimed(journal: Path) -> Path:
    """Return the path of the empty file that marks a game as claimed.

    A game is claimed if its player has saved it unfinished as a transcript. The file lies beside
    the journal.
    """
    return journal.with_suffix(".claimed")


def claim_game(seat: Seat, name: str | None) -> Path:
    """Save an unfinished game as a transcript, as far as it was played.

    This is for a player who is left when the others are gone for good. Afterwards the game is no
    longer offered for resuming, but can still be resumed by its name. Nothing is signed or sent.

    Args:
        seat: The player, whose home has the journal.
        name: The name of the game or its beginning. None for the only game that waits for its
            player.

    Returns:
        The path of the transcript.

    Raises:
        PeerError: If there is no such game, or it had not begun and no fault has ended its setup.
        JournalError: If the journal is in use, or the transcript cannot be written.
    """
    book, first, machine, _ = reopen(seat, name)
    book.close()
    if not (machine.has_begun or machine.shows_fault):
        book.files.put(_claimed(book.path), b"")
        raise PeerError(ResumeCode.NOT_BEGUN)
    data = transcript_archive.transcript_of(machine)
    folder, game = seat.home.transcripts, table_name(machine.table)
    files = seat.home.unchecked
    usual = transcript_archive.place_of_claim(folder, game, data, files)
    path = transcript_archive.keep(data, seat.output or usual, usual, None, files)
    keep_vouches(files, folder, machine.table.id, first.vouches)
    book.files.put(_claimed(book.path), b"")
    return path


def reopen(
    seat: Seat, name: str | None
) -> tuple[journals.Journal, SeatRecord, SeatMachine, Roster]:
    """Open the journal of a game, and replay its records in a new state machine.

    Args:
        seat: The player, whose home has the journal.
        name: The name of the game or its beginning. None for the only game that waits for its
            player.

    Returns:
        The journal, its first record, the state machine in the state to which the journal leads,
        and the roster of the table.

    Raises:
        PeerError: If there is no such game.
        JournalError: If its journal is in use, or cannot be read.
    """
    game = find_game(seat.home, name, seat.passphrase)
    book, first, records = journals.reopen(game.path, seat.passphrase, seat.home.files)
    table = bind_raw(first.header)
    machine = SeatMachine(table, os.urandom, first.seat, first.identity, first.seed)
    machine.restore(records)
    roster = Roster(first.header, first.addresses, first.signature, first.vouches)
    return book, first, machine, roster


async def resume_table(
    seat: Seat, name: str | None, how: Reach, fresh: Ticket | None = None
) -> Outcome:
    """Resume a seat after a crash or Ctrl-C, and play on.

    Args:
        seat: The player, whose home has the journal.
        name: The name of the game or its beginning. None for the only game that waits for its
            player.
        how: The settings that decide how the seat is reached. Some are taken from the journal,
            unless the player has set them anew.
        fresh: A new ticket from another seat of the table that has moved. This node then dials the
            addresses of the ticket, too. None without such a ticket.

    Returns:
        How the last table that was played ended for this node.

    Raises:
        PeerError: If the seat cannot be resumed.
        FreshError: If the ticket `fresh` does not lead to a seat of this table.
    """
    book, first, machine, roster = reopen(seat, name)
    with ExitStack() as unplayed:
        unplayed.callback(book.close)
        how = _alone(how, book, first)
        if fresh is not None:
            check_fresh(fresh, machine.table.header, first.secret)
        book.files.remove(_claimed(book.path))
        recalled = replace(seat, screen=_recalling(seat.screen, machine))
        table, known = machine.table, first.addresses[first.seat]
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
            seat = replace(seat, output=None)
            return await play(hub, seat, keys, reach, outcome.again, outcome.early)


def _relay_only_mark(journal: Path) -> Path:
    """Return the path of the file whose presence says that a seat is reached by relays alone.

    The file is empty and lies beside the journal of the seat.
    """
    return journal.with_suffix(".relay-only")


def is_relay_only(files: FileStore, journal: Path, first: SeatRecord) -> bool:
    """Return whether a seat is reached by its relays alone.

    This was decided when the game began, or when the seat was resumed.

    Args:
        files: The store of the journal.
        journal: The path of the journal.
        first: The first record of the journal.

    Returns:
        True if the seat is reached by its relays alone.
    """
    return first.relay_only or files.has(_relay_only_mark(journal))


def _alone(how: Reach, book: journals.Journal, first: SeatRecord) -> Reach:
    """Return the network settings of a resumed seat, restricted to relays if it hides its address.

    A seat that was ever reached by relays alone is reached only by relays for the rest of its game.

    Args:
        how: The settings of the command.
        book: The journal of the game.
        first: The first record of the journal.

    Returns:
        The settings: `how` itself for a seat that does not hide its address.

    Raises:
        PeerError: If the command itself names an address to show, or lacks the proxy with which
            the game began, or if there is no relay.

    SPEC: [L-55], [L-58].
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
        book.files.put(_relay_only_mark(book.path), b"")
    return only_by_relays(how)


def _reach_again(how: Reach, listen: str, relays: tuple[str, ...], known: Sequence[str]) -> Reach:
    """Return the settings that decide how a resumed seat is reached.

    Args:
        how: The settings that the player gave when resuming.
        listen: The address at which the seat was to listen. It is kept unless `how` names a new
            one, with the port at which the seat listened in fact. Another port will do if that one
            is taken, because a seat that comes back connects to the others.
        relays: The seat's earlier relays, which are kept unless `how` names new relays.
        known: The seat's earlier addresses, in which its earlier port is looked up.
    """
    reach = replace(how, returning=True, relays=how.relays if how.relays_anew else relays)
    if how.anew:
        return reach
    return replace(reach, listen=_same_port(listen, known), or_any=True)


def _recalling(screen: updates.Screen, machine: SeatMachine) -> updates.Screen:
    """Wrap a screen, so that it also gets the state of the resumed game once the table is known.

    Without this, a player who has already made the choice for the current step would see nothing of
    the game.
    """

    def tell(update: updates.Update) -> None:
        screen(update)
        play = machine.tip.state
        if isinstance(update, updates.Started) and machine.has_begun and isinstance(play, Play):
            view = rules.view(play.state, machine.seat, machine.hand())
            screen(updates.Resumed(view, tuple(happenings_since(play))))

    return tell


def _same_port(listen: str, addresses: Sequence[str]) -> str:
    """Return the address to listen at so that others can dial the seat's earlier port.

    That is the port in the earlier addresses of this computer, `addresses`: the port of `listen`
    may have been taken. Other addresses may be the router's, and count only if `listen` has the
    port 0 (any free port). Without such an address, `listen` is returned unchanged.
    """
    host, _, port = listen.rpartition(":")
    direct = [a for a in addresses if not a.startswith(RELAY_PREFIX)]
    here = [a for a in direct if is_own_host(host_of(a))]
    ports = [a.rpartition(":")[2] for a in (*here, *(direct if port == "0" else ()))]
    return f"{host}:{ports[0]}" if ports else listen
