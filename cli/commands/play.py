"""The commands `play` and `host`, which open a table on this computer and play at it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import trio

from p2p_hoity import rules
from p2p_hoity.coded_errors import because, of_protocol
from p2p_hoity.editions.load_edition import load as load_edition
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.presentation.window_messages import Mode
from p2p_hoity.rules.choices import MAX_SEATS, MIN_SEATS
from p2p_hoity.storage.home import home as own_home
from p2p_hoity.table.gathering.host_table import host_table
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.gathering.table_keys import draw_keys
from p2p_hoity.table.open_links import Lan, Reach
from p2p_hoity.table.playing.session import Outcome
from protocol import Invalid, Terms, Timeouts, table_header
from protocol.game_interface import MAX_CARDS

from ..exit_codes import USAGE, Trouble
from ..local.bot_copies import copies
from ..local.bot_processes import ANY_PORT_HERE, ask_level, hire, kept_level, levels_of
from ..local.player_setup import at_terminal
from ..local.seat_checks import check_output
from ..ui.lines.line_ticket import show_qr
from ..words.error_sentences import sentence
from ..words.table_terms import TableOffer, alone_lines
from ..words.translation import INSTALLED, _, level_word
from .learn import before_the_game
from .options import GuestOptions, OutputOptions, SeatOptions, TableOptions
from .reach_options import PROXY
from .take_seat import Sitting, new_sitting, sit


@dataclass(frozen=True)
class Opening:
    """A table that is to be opened.

    Attributes:
        bots: The level of each bot that this computer runs at the table.
        asks_level: Whether the player is asked for the level of the bots if none was chosen yet.
        show_ticket: Whether a person is shown the ticket.
    """

    table: TableOptions
    bots: tuple[str, ...]
    reach: Reach
    guests: GuestOptions = field(default_factory=GuestOptions)
    asks_level: bool = False
    show_ticket: bool = True


def edition_of(table: TableOptions) -> rules.Edition:
    """Return the edition of a table, with the rules (switches) that the options change."""
    return load_edition(table.edition).with_switches(
        action_choice=table.action_choice,
        detective_in_hall=table.detective_in_hall,
        detective_rank=table.detective_rank,
    )


def checked_terms(table: TableOptions, host: bytes, watched: bool = True) -> Terms:
    """Return the terms that a host offers, after the same checks that a guest will make.

    Args:
        host: The host's public key at this table.

    Raises:
        Trouble: If the options do not fit together.
    """
    seats, variant = table.seats, table.variant
    if not MIN_SEATS <= seats <= MAX_SEATS:
        words = _("2 to 6 seats can play, not {seats}.")
        raise Trouble(words.format(seats=seats), USAGE)
    if variant and seats > MIN_SEATS:
        words = _("The variants are for two seats. Leave out --variant for {seats} seats.")
        raise Trouble(words.format(seats=seats), USAGE)
    if seats == MIN_SEATS:
        variant = variant or "surprise"
    edition = edition_of(table)
    _check_size(edition, seats)
    game = game_value(edition, variant)
    quorum = table_header.default_quorum(seats) if table.quorum is None else table.quorum
    if not seats // 2 < quorum <= seats:
        words = _("A quorum for {seats} seats is from {least} to {most}, not {quorum}.")
        least = seats // 2 + 1
        told = words.format(seats=seats, least=least, most=seats, quorum=quorum)
        raise Trouble(told, USAGE)
    choice, step = (round(s * 1000) for s in (table.patience or 300.0, table.step_patience))
    patience = Timeouts(choice=choice, step=step)
    options = () if watched else ((table_header.ONLOOKERS, False),)
    terms = Terms(host, os.urandom(32), game, seats, quorum, patience, options=options)
    try:
        read_game(terms)
    except Invalid as error:
        why = because(JoinCode.UNPLAYABLE, why=of_protocol(error))
        raise Trouble(sentence(why), USAGE) from error
    return terms


def _check_size(edition: rules.Edition, seats: int) -> None:
    """Raise Trouble unless an edition has cards for every seat and no more than a deck may have."""
    colours, pieces = len(edition.colours), len(edition.collectibles)
    if seats > colours:
        words = _(
            "The edition {edition} has {colours} colours, so at most {colours} seats can play, "
            "not {seats}. Take fewer seats or bots, or another --edition."
        )
        told = words.format(edition=edition.name, colours=colours, seats=seats)
        raise Trouble(told, USAGE)
    if not 4 * seats <= pieces <= MAX_CARDS:
        words = _(
            "The edition {edition} has {pieces} Collectibles. A table of {seats} seats needs "
            "{least} to {most}. Correct the edition, or take another --edition."
        )
        told = words.format(
            edition=edition.name, pieces=pieces, seats=seats, least=4 * seats, most=MAX_CARDS
        )
        raise Trouble(told, USAGE)


def levels_typed(word: str | None, least: int = 1) -> tuple[str, ...]:
    """Return the levels of the bots that the player has asked for, as `levels_of` does.

    Bots without a typed level have the level that the player once chose.
    """
    return levels_of(word, kept_level(own_home()), MAX_SEATS - 1, least)


# Opening a table


def host(seat: SeatOptions, output: OutputOptions, opening: Opening) -> int:
    """Open a table and play at it.

    Raises:
        Trouble: If the bots do not fit at the table, or nobody is there to decide about guests.
    """
    check_output(output.transcript)
    table, guests = opening.table, opening.guests
    if len(opening.bots) >= table.seats:
        words = _("{bots} bots and you do not fit at a table of {seats} seats.")
        raise Trouble(words.format(bots=len(opening.bots), seats=table.seats), USAGE)
    if guests.asks and not (output.as_json or output.web or at_terminal()):
        words = _(
            "--ask needs somebody who answers: a person at a terminal, or a program with --json."
        )
        raise Trouble(words, USAGE)
    made = copies(len(opening.bots))  # Before the player's key is loaded.
    mode: Mode = "host" if opening.show_ticket else "play"
    sitting = new_sitting(seat, output, mode=mode, asks_level=opening.asks_level)
    sitting.asks = guests.asks
    reach = opening.reach
    for words in alone_lines(reach.relays, reach.hidden) if reach.relay_only else ():
        sitting.say(words)
    keys = draw_keys(sitting.seat.long_lived_key)
    terms = checked_terms(table, keys.seat.public, not guests.no_watch)
    if opening.bots:
        levels = opening.bots
        if opening.asks_level and sitting.page is not None:
            levels = (kept_level(sitting.home),) * len(levels)
        elif opening.asks_level and at_terminal():
            level = ask_level(sitting.home, lambda: before_the_game(output.plain))
            levels = (level,) * len(levels)
        sitting.crew = hire(sitting.home, levels, sitting.me.nickname, sitting.say, made)
        sitting.crew.relays = reach.relays if reach.relay_only else ()
    if table.seats == MIN_SEATS and table.variant is None:
        sitting.say(_("Two seats play a variant; this table plays surprise."))

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        def on_ticket(ticket: str) -> None:
            _show_ticket(sitting, terms, ticket, opening)
            if sitting.crew is not None:
                nursery.start_soon(sitting.crew.join, ticket, nursery)

        admit = sitting.admit if sitting.asks else None
        return await host_table(sitting.seat, keys, terms, reach, on_ticket, admit)

    return sit(sitting, go)


def _show_ticket(sitting: Sitting, terms: Terms, ticket: str, opening: Opening) -> None:
    """Show the ticket, or instead tell a person who needs none which bots come to the table."""
    as_json = sitting.output.as_json
    # A program always gets the ticket.
    if opening.show_ticket or as_json:
        seat, names = sitting.seat, (sitting.me.nickname,)
        own = None if seat.long_lived_key is None else seat.long_lived_key.public
        if opening.reach.announced is Lan.OPEN:
            words = _("Everybody in your network may sit down. There they type: {hoity} join")
            sitting.say(words.format(hoity=INSTALLED))
        sitting.player.window.show_ticket(ticket, TableOffer(terms, read_game(terms), names, own))
    else:
        crew = sitting.crew
        bots = crew.levels.items() if crew is not None else ()
        told = ", ".join(f"{name} ({level_word(level)})" for name, level in bots)
        sitting.say(_("Your bots are coming to the table: {bots}.").format(bots=told))
    if opening.guests.qr and not (as_json or sitting.output.web):
        show_qr(ticket)


def loopback() -> Reach:
    """Return the settings of a table for own bots: any free port at loopback, and no proxy."""
    # The bots inherit the environment.
    os.environ.pop(PROXY, None)
    return Reach(ANY_PORT_HERE)
