"""Play, host, join, resume, watch: the commands at a table, once their words are parsed."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import trio

from p2p_hoity import rules, tables
from p2p_hoity.editions import DEFAULT
from p2p_hoity.editions import load as load_edition
from p2p_hoity.errors import of_protocol
from p2p_hoity.game_port import game_value, read_game
from p2p_hoity.net.discovery import browse
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.storage import archive, marks
from p2p_hoity.storage import journal as journals
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.storage.keys import Player
from p2p_hoity.storage.own_files import check_if_there
from p2p_hoity.tables.joining import JoinCode
from p2p_hoity.tables.resuming import ResumeCode
from protocol.errors import Invalid
from protocol.wire.header import Patience, Terms, default_quorum

from ..local import own_key
from ..local.bot_processes import LOOPBACK, crew_of, hire
from ..local.one_chair import only_one
from ..printing import say
from ..trouble import NOT_OK, OK, USAGE, Trouble, ctrl_c_means
from ..ui.json_screen import write_line
from ..ui.screen import looking_on
from ..words.lingo import _
from ..words.reasons import sentence
from . import open_games
from .sitting import Manner, Sitting, sit, taken_as

Go = Callable[[Sitting, trio.Nursery], Awaitable[Outcome]]
MIN_SEATS, MAX_SEATS = 2, 6


@dataclass(frozen=True)
class Ask:
    """What a host asks of its table."""

    seats: int
    edition: str = DEFAULT
    variant: str | None = None
    action_choice: str | None = None
    detective_in_hall: bool | None = None
    detective_rank: str | None = None
    quorum: int | None = None
    patience: float = 300.0
    step_patience: float = 30.0


@dataclass(frozen=True)
class Opening:
    """A table to be opened: what it asks, how it is reached, and how many bots sit at it."""

    ask: Ask
    bots: int = 0
    reach: tables.Reach = field(default_factory=tables.Reach)
    show_ticket: bool = True


def edition_of(ask: Ask) -> rules.Edition:
    """The edition with its overridden switches; EditionError if there is none such."""
    return load_edition(ask.edition).with_switches(
        ask.action_choice,  # type: ignore[arg-type]
        ask.detective_in_hall,
        ask.detective_rank,  # type: ignore[arg-type]
    )


def variant_of(ask: Ask) -> rules.Variant:
    """The variant of a table for two; Trouble if the number of seats does not fit it."""
    if ask.seats == MIN_SEATS:
        return ask.variant or "surprise"  # type: ignore[return-value]
    if ask.variant:
        words = _("The variants are for two seats; leave --variant out for {seats} seats.")
        raise Trouble(words.format(seats=ask.seats), USAGE)
    return None


def terms_of(ask: Ask, host: bytes) -> Terms:
    """The terms a host offers; Trouble if they cannot be played."""
    if not MIN_SEATS <= ask.seats <= MAX_SEATS:
        words = _("2 to 6 seats can play, not {seats}.")
        raise Trouble(words.format(seats=ask.seats), USAGE)
    game = game_value(edition_of(ask), variant_of(ask))
    quorum = default_quorum(ask.seats) if ask.quorum is None else ask.quorum
    if not ask.seats // 2 < quorum <= ask.seats:
        words = _("A quorum for {seats} seats is from {least} to {most}, not {quorum}.")
        raise Trouble(
            words.format(seats=ask.seats, least=ask.seats // 2 + 1, most=ask.seats, quorum=quorum),
            USAGE,
        )
    choice, step = (round(s * 1000) for s in (ask.patience, ask.step_patience))
    patience = Patience(choice=choice, step=step)
    return Terms(host, os.urandom(32), game, ask.seats, quorum, patience)


def checked_terms(ask: Ask, host: bytes) -> Terms:
    """The terms, read once as every guest will read them; PeerError if they cannot be."""
    terms = terms_of(ask, host)
    try:
        read_game(terms)
    except Invalid as error:
        why = of_protocol(error)
        raise tables.PeerError(JoinCode.UNPLAYABLE, why=why) from error
    return terms


# Opening a table.


def host(manner: Manner, opening: Opening) -> int:
    """Open a table and play at it; the exit code."""
    check_output(manner.transcript)
    if not 0 <= opening.bots < opening.ask.seats:
        words = _("{bots} bots do not fit at a table of {seats} where you sit too.")
        raise Trouble(words.format(bots=opening.bots, seats=opening.ask.seats), USAGE)
    sitting = _sitting(manner)
    terms = checked_terms(opening.ask, sitting.me.identity.public)
    if opening.bots:
        name = sitting.me.nickname
        sitting.crew = hire(sitting.home, opening.bots, name, sitting.say)
    if opening.ask.seats == MIN_SEATS and opening.ask.variant is None:
        sitting.say(_("Two seats play a variant; this table plays surprise."))
    return sit(sitting, _hosting(terms, opening))


def _hosting(terms: Terms, opening: Opening) -> Go:
    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        def on_ticket(ticket: str) -> None:
            _show_ticket(sitting, terms, ticket, opening.show_ticket)
            if sitting.crew is not None:
                nursery.start_soon(sitting.crew.join, ticket, nursery)

        return await tables.host_table(sitting.seat, terms, opening.reach, on_ticket)

    return go


def _show_ticket(sitting: Sitting, terms: Terms, ticket: str, show: bool) -> None:
    """A program gets the ticket in any case; a person not of a table that is full of bots."""
    if show or sitting.manner.as_json:
        sitting.screen.show_ticket(ticket, terms, read_game(terms), sitting.me.nickname)
    else:
        sitting.say(_("Your bots are coming to the table."))


def _sitting(manner: Manner) -> Sitting:
    home = own_home()
    check_home(home)
    me, passphrase = own_key.load_or_make(home, manner.name)
    return Sitting(home, taken_as(me, manner.name), manner, passphrase)


def _key_of_games(home: Home) -> tuple[Player, str | None]:
    """The kept key; PeerError if no game was ever begun here, so that no key is missed."""
    if not home.identity.exists() and not any(home.journals.glob("*.journal")):
        raise tables.PeerError(ResumeCode.NO_GAME)
    return own_key.load(home)


def check_output(path: Path | None) -> None:
    """Trouble if the transcript could not be written there."""
    if path is None:
        return
    if path.is_dir():
        words = _("{path} is a folder; name a file for the transcript.")
        raise Trouble(words.format(path=path), USAGE)
    why = None if path.exists() and not path.is_file() else archive.why_not(path.parent)
    if why is not None:
        words = _("The transcript cannot be written to {path}: {why}. Name another file.")
        raise Trouble(words.format(path=path, why=sentence(why)), USAGE)


def check_home(home: Home) -> None:
    """Trouble if a game could not be kept there."""
    places = (home.journals, home.transcripts)
    named = [*((place, "HOITY_HOME") for place in places), (marks.folder(), "HOITY_MARKS")]
    for folder, variable in named:
        why = archive.why_not(folder)
        if why is not None:
            words = _(
                "Games cannot be kept in {path}: {why}. Make room there and let it be written to,"
                " or name another folder with {variable}."
            )
            raise Trouble(words.format(path=folder, why=sentence(why), variable=variable), USAGE)
        check_if_there(folder)
    check_if_there(home.path)
    journals.check_marks(home.path)


def loopback(listen: str | None) -> tables.Reach:
    """Where a table for bots of this machine listens."""
    return tables.Reach(listen or LOOPBACK)


# Joining and resuming.


def join(manner: Manner, ticket: str, reach: tables.Reach) -> int:
    """Sit down at a table; the exit code."""
    check_output(manner.transcript)
    read = decode_ticket(ticket)

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        sitting.say(_("Asking the host for the terms …"))
        return await tables.join_table(sitting.seat, read, sitting.accept, reach)

    sitting = _sitting(manner)
    with only_one(sitting.home, read):
        return sit(sitting, go)


def resume(manner: Manner, game: str | None) -> int:
    """Take one's seat again, and wake the bots that sat at the table from here."""
    check_output(manner.transcript)
    home = own_home()
    check_home(home)
    me, passphrase = _key_of_games(home)
    found = open_games.find(home, game, me, passphrase, "hoity resume")
    sitting = Sitting(home, me, manner, passphrase)
    sitting.crew = crew_of(home, found.name, sitting.say)

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        if sitting.crew is not None:
            nursery.start_soon(sitting.crew.resume, nursery)
        return await tables.resume_table(sitting.seat, found.name)

    return sit(sitting, go)


def claim(game: str | None, transcript: Path | None, as_json: bool) -> int:
    """Save a game whose others are gone, as a transcript that says it is not over."""
    check_output(transcript)
    home = own_home()
    me, passphrase = _key_of_games(home)
    seat = tables.Seat(home, me, BotPlayer(), lambda update: None, transcript, passphrase)
    found = open_games.find(home, game, me, passphrase, "hoity resume --claim")
    path = tables.claim_game(seat, found.name)
    if as_json:
        write_line({"type": "claimed", "transcript": str(path)})
        return OK
    text = _(
        "Saved as a claim: {path}. It shows how far the game came. The game is not offered any"
        " more, but can still be resumed: hoity resume {game}"
    )
    say(text.format(path=path, game=found.name))
    return OK


# Looking on.


def watch(ticket: str, transcript: Path | None, as_json: bool) -> int:
    """Follow a table without a seat; the exit code."""
    check_output(transcript)
    read = decode_ticket(ticket)
    screen = looking_on(as_json)

    async def go() -> Outcome:
        screen.say(_("Looking for the table; the game is shown once it has begun …"))
        return await tables.watch_table(read, screen.tell, transcript)

    with ctrl_c_means(lambda: _("Interrupted: you look on no more.")):
        outcome = trio.run(go)
    screen.end(outcome)
    return OK if outcome.code is None else NOT_OK


def _found(table: Mapping[str, object]) -> str:
    """A table of this LAN: how to sit down, or that it takes the host's ticket."""
    text = _("{host}: {joined} of {seats} seated. Open to all: hoity join {ticket}")
    if table["ticket"] is None:
        text = _("{host}: {joined} of {seats} seated. To sit down, ask the host for the ticket.")
    return text.format(**table)


def look_around(seconds: float, as_json: bool) -> int:
    """The tables open on this LAN; the exit code."""

    async def look() -> list[dict[str, object]]:
        found = await browse(seconds)
        return [
            {"host": a.name, "joined": a.joined, "seats": a.seats, "ticket": a.ticket or None}
            for a in found
        ]

    found = trio.run(look)
    for table in found:
        if as_json:
            write_line(table)
        else:
            say(_found(table))
    if not found and not as_json:
        say(_("No open table on this LAN. Open one with: hoity host"))
    return OK
