"""A home with games in it, over or not, made without a network."""

import random
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from vectors.making.tables import edition_of

from p2p_hoity import bots, game_adapter, rules
from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage import journal, player_key
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.journal import Journal
from p2p_hoity.table.beside_game.known_progress import Progress
from p2p_hoity.table.beside_game.saved_games import KeptGame, kept_games
from p2p_hoity.table.playing.play_table import Seat
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.table_header import Terms, Timeouts
from support.journals import seat_record
from support.machine_table import MachineTable, identity, seat_at
from support.sim.cheap import cryptography

SEED = b"s" * 32
ALL = 1e9
SECRET = b"s" * 16
"""The secret of the tickets that `ticket_of` returns."""
STARTED = 1_700_000_000


def table_of(
    seats: int, rounds: int, nonce: bytes = b"n", edition: str = "small-4"
) -> MachineTable:
    """Return a table of seeded seats, played by bots until this round has begun.

    It is shared by all who ask for it, and not to be changed.
    """
    return _table_of(seats, rounds, nonce, edition, cryptography())


@lru_cache(maxsize=16)
def _table_of(seats: int, rounds: int, nonce: bytes, edition: str, kind: object) -> MachineTable:
    variant = "surprise" if seats == 2 else None
    game = game_adapter.game_value(edition_of(edition), variant)
    terms = Terms(identity(0).public, nonce * 32, game, seats, seats // 2 + 1, Timeouts())
    bound, who = seat_at(terms, game_adapter.read_game)
    rng = random.Random(2)

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        seen = rules.view(asked.node.state.state, machine.seat, machine.hand())
        if seen.state.round >= rounds:
            return None
        return bots.BOTS["normal"](seen, rules.expected(seen.state), rng)

    here = MachineTable(bound, who, choose)
    here.start()
    here.run()
    return here


def player(home: Home, seat: int = 0) -> player_key.NamedIdentity:
    """The kept key of this home: that of a seeded seat."""
    who, nickname = identity(seat), f"seat {seat}"
    player_key.save_identity(home, who.seed, nickname, player_key.new_vault(None))
    return player_key.NamedIdentity(who, nickname)


def keep_journal(
    home: Home,
    here: MachineTable,
    seat: int = 0,
    started: int = STARTED,
    password: str | None = None,
    secret: bytes = b"",
    records: int | None = None,
) -> Journal:
    """Return the open journal of a seat of this table, as the game stands.

    Args:
        home: Where it is kept.
        here: The table.
        seat: The seat.
        started: When the game began, in Unix seconds.
        password: Encrypts the journal, if given.
        secret: The secret of the ticket.
        records: How many of the machine's records it has. None: all.
    """
    table = here.table
    places = tuple(() for _ in range(table.seats))
    more = {"seed": SEED, "addresses": places, "started": started, "secret": secret}
    first = seat_record(table.header.encode(), seat, **more)
    path = home.journals / f"{table.id.hex()[:16]}.journal"
    book = journal.create(path, first, password)
    for record in here.places[seat].journal[:records]:
        book.append(record)
    book.sync()
    return book


def keep_transcript(home: Home, data: bytes, name: str) -> Path:
    """A transcript in its usual place."""
    home.transcripts.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = home.transcripts / name
    path.write_bytes(data)
    return path


def listed(home: Home, seconds: float = ALL, password: str | None = None) -> list[KeptGame]:
    """Return the games of a home, as far as they can be read in so many ticks of a clock."""
    ticks = iter(range(10_000))
    return kept_games(home, password, lambda: float(next(ticks)), seconds)


def only(home: Home, **given: Any) -> tuple[KeptGame, Progress]:
    """Return the one game that is listed, and how far it came."""
    (game,) = listed(home, **given)
    assert game.progress is not None
    return game, game.progress


def seat_in(home: Home) -> Seat:
    """Return the player of this home, who sits at seat 0 and sees nothing."""
    me = player_key.NamedIdentity(identity(0), "seat 0")
    return Seat(lambda update: None, None, home=home, me=me, passphrase=None)


def ticket_of(here: MachineTable, **given: Any) -> Ticket:
    """Return a ticket of this table's host, with these fields otherwise."""
    terms = here.table.header.terms
    ticket = Ticket(terms.host, ("127.0.0.1:9",), terms.digest(), (), SECRET)
    return replace(ticket, **given)
