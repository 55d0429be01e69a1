"""Taking one's seat again, or saving a game whose others are gone.

A game that is played in another terminal just now is handed a ticket instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import trio

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage import journal as journals
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.join_table import JoinCode
from p2p_hoity.table.play_table import PeerError, Reach, Seat
from p2p_hoity.table.reconnect_moved_seat import check_fresh, hand_over, name_in
from p2p_hoity.table.resume_table import OpenGame, claim_game, resume_table
from p2p_hoity.table.saved_games import finish_from, is_running
from p2p_hoity.table.session import Outcome

from ..exit_codes import NOT_OK, OK, Trouble, ctrl_c_means
from ..local.bot_processes import crew_of
from ..local.player_setup import check_home, check_output
from ..printing import say, write_line
from ..words.presence_sentences import kept_as
from ..words.table_terms import alone_lines
from ..words.translation import _, command_line
from . import list_games
from .options import OutputOptions, SeatOptions
from .take_seat import Sitting, sit


def tell_running(sitting: Sitting, game: OpenGame, ticket: Ticket) -> int:
    """Have the running game dial the seat of a ticket where it is now; return the exit code.

    Raises:
        FreshError: If the ticket is not of that game.
        Trouble: If it is not taken there.
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
    say(words.format(name=name))  # no screen opens for it
    return OK


def resume(seat: SeatOptions, output: OutputOptions, game: str | None, reach: Reach) -> int:
    """Take one's seat again, and wake the bots that sat at the table from here."""
    check_output(output.transcript)
    home = own_home()
    check_home(home)
    me, passphrase = list_games.key_of_games(home)
    if game is None:
        found, others = list_games.newest(home, passphrase)
    else:
        found, others = list_games.find(home, game, passphrase, _command(output)), ()
    return take_up(Sitting(home, me, seat, output, passphrase), found, reach, others)


def _command(output: OutputOptions) -> str:
    """Return the command that takes a seat again on the same kind of screen, without the game."""
    return command_line("resume", output.typed)


def take_up(
    sitting: Sitting,
    found: OpenGame,
    reach: Reach,
    others: Sequence[OpenGame] = (),
    fresh: Ticket | None = None,
) -> int:
    """Sit down again at this game; to a person it is said which it is, and how others are taken.
    `fresh`: a ticket of a seat that is elsewhere now."""
    if not sitting.output.as_json and not is_running(found):
        told = list_games.told(found, sitting.passphrase)
        sitting.say(_("Taking your seat again in game {game}.").format(game=told))
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
    reach = replace(reach, outside=bots < len(found.opponents))

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        if sitting.crew is not None:
            nursery.start_soon(sitting.crew.resume, nursery)
        return await resume_table(sitting.seat, found.name, how=reach, fresh=fresh)

    return sit(sitting, go)


def _kept(game: str | None, transcript: Path | None, command: str) -> tuple[Seat, OpenGame]:
    """Return a seat at which nobody sits down, and the kept game that is meant.

    Raises:
        Trouble: If several games may be meant. `command` takes the name of one.
    """
    check_output(transcript)
    home = own_home()
    me, passphrase = list_games.key_of_games(home)
    seat = Seat(lambda update: None, transcript, home=home, me=me, passphrase=passphrase)
    return seat, list_games.find(home, game, passphrase, command)


def finish(game: str | None, file: Path, output: OutputOptions) -> int:
    """End a kept game by the file of a seat that stayed to the end, once that file is verified."""
    seat, found = _kept(game, output.transcript, command_line("resume", "--from", str(file)))
    path, report = finish_from(seat, found.name, file)
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
    """Save a game whose others are gone, as a transcript that says it is not over."""
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
