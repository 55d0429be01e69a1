"""Opening a table, for `play` and `host`: what is asked of it, its terms, and the host's seat."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import trio

from p2p_hoity import rules
from p2p_hoity.editions import DEFAULT
from p2p_hoity.editions import load as load_edition
from p2p_hoity.errors import because, of_protocol
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.host_table import host_table
from p2p_hoity.table.join_table import JoinCode
from p2p_hoity.table.play_table import Reach
from p2p_hoity.table.session import Outcome
from protocol import Invalid, Patience, Terms, table_header

from ..exit_codes import USAGE, Trouble
from ..local.bot_processes import LOOPBACK, ask_level, hire, kept_level, levels_of
from ..local.places import check_output
from ..local.player_setup import at_terminal
from ..ui.ticket_block import show_qr
from ..words.reaching import alone_lines
from ..words.reasons import sentence
from ..words.translation import _, level_word
from .learn import before_the_game
from .reaching import PROXY
from .seats import Go, new_sitting
from .take_seat import Manner, Sitting, sit

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
    """A table to be opened: what it asks, how it is reached, and of which levels bots sit at it;
    `asks_level`: the player is asked for the level, once."""

    ask: Ask
    bots: tuple[str, ...] = ()
    reach: Reach = field(default_factory=Reach)
    asks_level: bool = False
    show_ticket: bool = True
    as_qr: bool = False
    asks: bool = False
    watched: bool = True


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
    quorum = table_header.default_quorum(ask.seats) if ask.quorum is None else ask.quorum
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
    """The terms, read once as every guest will read them; Trouble if they cannot be."""
    terms = terms_of(ask, host)
    try:
        read_game(terms)
    except Invalid as error:
        why = because(JoinCode.UNPLAYABLE, why=of_protocol(error))
        raise Trouble(sentence(why), USAGE) from error
    return terms


MOST_BOTS = MAX_SEATS - 1


def levels_typed(word: str | None, least: int = 1) -> tuple[str, ...]:
    """The levels of bots: as typed, or as the player has chosen once. Trouble if there are none
    such."""
    return levels_of(word, kept_level(own_home()), MOST_BOTS, least)


def _levels(opening: Opening, home: Home, plain: bool) -> tuple[str, ...]:
    """Return the level of each bot. It is asked for once, where bots are only counted."""
    if opening.asks_level and at_terminal():
        level = ask_level(home, lambda: before_the_game(plain))
        return (level,) * len(opening.bots)
    return opening.bots


# Opening a table.


def host(manner: Manner, opening: Opening) -> int:
    """Open a table and play at it; the exit code."""
    check_output(manner.transcript)
    if len(opening.bots) >= opening.ask.seats:
        words = _("{bots} bots do not fit at a table of {seats} where you sit too.")
        raise Trouble(words.format(bots=len(opening.bots), seats=opening.ask.seats), USAGE)
    if opening.asks and not (manner.as_json or at_terminal()):
        words = _("--ask needs somebody to ask: a terminal, or a program with --json.")
        raise Trouble(words, USAGE)
    sitting = new_sitting(manner)
    sitting.asks = opening.asks
    reach = opening.reach
    for words in alone_lines(reach.relays, reach.hidden) if reach.relay_only else ():
        sitting.say(words)
    terms = checked_terms(opening.ask, sitting.me.identity.public)
    if opening.bots:
        name = sitting.me.nickname
        levels = _levels(opening, sitting.home, manner.plain)
        sitting.crew = hire(sitting.home, levels, name, sitting.say)
        sitting.crew.relays = reach.relays if reach.relay_only else ()
    if opening.ask.seats == MIN_SEATS and opening.ask.variant is None:
        sitting.say(_("Two seats play a variant; this table plays surprise."))
    return sit(sitting, _hosting(terms, opening))


def _hosting(terms: Terms, opening: Opening) -> Go:
    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        def on_ticket(ticket: str) -> None:
            _show_ticket(sitting, terms, ticket, opening)
            if sitting.crew is not None:
                nursery.start_soon(sitting.crew.join, ticket, nursery)

        admit = sitting.admit if sitting.asks else None
        reach, watched = opening.reach, opening.watched
        return await host_table(sitting.seat, terms, reach, on_ticket, admit, watched)

    return go


def _show_ticket(sitting: Sitting, terms: Terms, ticket: str, opening: Opening) -> None:
    """A program gets the ticket in any case; a person not of a table that is full of bots."""
    as_json = sitting.manner.as_json
    if opening.show_ticket or as_json:
        game, name = read_game(terms), sitting.me.nickname
        sitting.screen.show_ticket(ticket, terms, game, name, opening.watched)
    else:
        sitting.say(_("Your bots are coming to the table: {bots}.").format(bots=_crew(sitting)))
    if opening.as_qr and not as_json:
        show_qr(ticket)


def _crew(sitting: Sitting) -> str:
    """The bots with their levels."""
    crew = sitting.crew
    bots = zip(crew.names, crew.levels, strict=True) if crew is not None else ()
    return ", ".join(f"{name} ({level_word(level)})" for name, level in bots)


def loopback(listen: str | None) -> Reach:
    """Where a table for bots of this machine listens; they need no proxy to come to it."""
    os.environ.pop(PROXY, None)
    return Reach(listen or LOOPBACK)
