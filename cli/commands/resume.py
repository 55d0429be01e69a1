"""The command `resume`: taking a seat again, or ending a game whose other players are gone.

`tell_running` hands a ticket with new addresses to the process that is playing the game. A game is
named by the beginning of its id or by `last`, and if there is only one, by None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import trio

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.rules.choices import MAX_SEATS
from p2p_hoity.storage import journal as journals
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.kept_company import keep_company
from p2p_hoity.table.beside_game.finish_game import FileCode, finish_from
from p2p_hoity.table.beside_game.saved_games import is_running
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing.play_table import Seat
from p2p_hoity.table.playing.reconnect_moved_seat import check_fresh, hand_over, name_in
from p2p_hoity.table.playing.resume_table import claim_game, resume_table
from p2p_hoity.table.playing.session import Outcome

from ..exit_codes import NOT_OK, OK, Trouble, ctrl_c_means
from ..local.bot_copies import Copy, copies
from ..local.bot_processes import company_at, crew_of, levels_of_bots
from ..local.mistaken_files import Kind, explained
from ..local.seat_checks import check_home, check_output
from ..printing import say, write_line
from ..words.end_sentences import kept_as
from ..words.table_terms import alone_lines
from ..words.translation import _, command_line
from . import list_games
from .options import OutputOptions, SeatOptions
from .page_options import page_of
from .take_seat import Sitting, sit
from .verify import players_of


def tell_running(sitting: Sitting, game: OpenGame, ticket: Ticket) -> int:
    """Hand a ticket to the process that plays a game, so that it dials the ticket's addresses.

    Args:
        ticket: A fresh ticket of a seat of that game whose addresses have changed.

    Raises:
        PeerError: If the ticket is that of the player's own seat.
        Trouble: If the running process does not accept the ticket.
    """
    first = journals.read_first(game.path, sitting.passphrase, game.files)
    check_fresh(ticket, first.table, first.secret)
    if ticket.host_id == first.identity.public:
        raise PeerError(JoinCode.OWN_TICKET)
    with ctrl_c_means(lambda: _("Interrupted")):
        is_taken = trio.run(partial(hand_over, sitting.home.files, game.path, ticket))
    if not is_taken:
        words = _(
            "Your seat at this table is being played in another terminal, which does not accept "
            "this ticket. Leave the table there, and repeat this command."
        )
        raise Trouble(words, NOT_OK)
    name = name_in(first.table, ticket)
    if sitting.output.as_json:
        write_line({"type": "handed", "game": game.name, "name": name})
        return OK
    words = _(
        "Your seat at this table is being played in another terminal. It now also tries to "
        "reach {name} at the addresses of this ticket. Play on there."
    )
    say(words.format(name=name))  # No screen opens for it.
    return OK


def resume(seat: SeatOptions, output: OutputOptions, game: str | None, reach: Reach) -> int:
    """Resume a seat, in the newest game for None, with the bots that this computer runs there."""
    home = own_home()
    check_home(home)
    # Before the player's key is loaded. How many are needed, only the game tells.
    made = copies(MAX_SEATS - 1 if (home.path / "bots").exists() else 0)
    me, passphrase = list_games.key_of_games(home)
    if game is None:
        found, others = list_games.newest(home, passphrase)
    else:
        found, others = list_games.find(home, game, passphrase, _command(output)), ()
    check_output(output.transcript, found.name)
    page = page_of(home, "resume", output)
    sitting = Sitting(home, me, seat, output, passphrase, page=page)
    return take_up(sitting, found, reach, others, made=made)


def _command(output: OutputOptions) -> str:
    """Return the command that resumes a game, with the option of this screen, without the id."""
    return command_line("resume", output.typed)


def take_up(
    sitting: Sitting,
    found: OpenGame,
    reach: Reach,
    others: Sequence[OpenGame] = (),
    fresh: Ticket | None = None,
    made: Sequence[Copy] = (),
) -> int:
    """Resume the player's seat in a game, and tell a person how to resume the other ones.

    Args:
        fresh: A fresh ticket of a seat whose addresses have changed. None if there is none.
        made: Copies of this process that wait to play a bot.
    """
    if not sitting.output.as_json and not is_running(found):
        told = list_games.told(found, sitting.passphrase)
        sitting.say(_("Taking your seat again: {game}.").format(game=told))
        if others:
            sitting.say(_("Other games wait for you:"))
        for line in list_games.commands(others, _command(sitting.output)):
            sitting.say(line)
    if reach.relay_only or found.relay_only:
        relays = reach.relays if reach.relays_anew else found.relays
        for words in alone_lines(relays, reach.hidden, was_shown=not found.relay_only):
            sitting.say(words)
    sitting.crew = crew_of(sitting.home, found.name, sitting.say)
    bots = len(sitting.crew.levels) if sitting.crew is not None else 0
    for copy in made[bots:]:
        copy.dismiss()
    if sitting.crew is not None:
        sitting.crew.copies = list(made[:bots])
    reach = replace(reach, outside=bots < len(found.opponents))

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        if sitting.crew is not None:
            nursery.start_soon(sitting.crew.resume, nursery)
        return await resume_table(sitting.seat, found.name, how=reach, fresh=fresh)

    return sit(sitting, go)


def _kept(game: str | None, transcript: Path | None, command: str) -> tuple[Seat, OpenGame]:
    """Return a seat whose screen shows nothing, and the stored game to end without playing on.

    Args:
        command: The command line to which an id is added if several games are listed.
    """
    home = own_home()
    me, passphrase = list_games.key_of_games(home)
    seat = Seat(lambda update: None, transcript, home=home, me=me, passphrase=passphrase)
    found = list_games.find(home, game, passphrase, command)
    check_output(transcript, found.name)
    return seat, found


def bots_at(home: Home, game: str) -> list[Home]:
    """Return the folders of the files of this computer's bots that have a journal of a game."""
    return [
        Home(path.parent.parent) for path in home.path.glob(f"bots/*/*/journals/{game}.journal")
    ]


def finish(game: str | None, file: Path, output: OutputOptions) -> int:
    """Finish a game with another seat's transcript of the whole game, which is verified first."""
    seat, found = _kept(game, output.transcript, command_line("resume", "--from", file))
    bots = bots_at(seat.home, found.name)
    try:
        path, report = finish_from(seat, found.name, file, bots)
    except PeerError as error:
        if error.code in (FileCode.NOT_OK, FileCode.UNREADABLE):
            error.add_note(explained(file, Kind.GAME))
        raise
    players = players_of(report, None)[0] or (None,) * len(report.seats)
    company = company_at(found.seat, players, levels_of_bots(bots))
    keep_company(seat.home, found.name, company)
    if output.as_json:
        ranks = [{"rank": rank, "seat": number} for rank, number in report.standings]
        write_line({"type": "finished", "transcript": str(path), "standings": ranks})
        return OK
    winners = (report.seats[seat].nickname for rank, seat in report.standings if rank == 1)
    first = ", ".join(winners)
    say(_("The file is valid, and the game is over. First: {names}.").format(names=first))
    say(*kept_as(path))
    return OK


def claim(game: str | None, output: OutputOptions) -> int:
    """Save a game whose other players are gone, as the transcript of an unfinished game."""
    seat, found = _kept(game, output.transcript, command_line("resume", "--claim"))
    path = claim_game(seat, found.name)
    if output.as_json:
        write_line({"type": "claimed", "transcript": str(path)})
        return OK
    text = _(
        "Saved as a claim: {path}. It shows how far the game came. hoity resume no longer "
        "offers the game, but you can still resume it: hoity resume {game}"
    )
    say(text.format(path=path, game=found.name))
    return OK
