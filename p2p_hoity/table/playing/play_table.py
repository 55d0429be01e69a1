"""Play at a table and its rematches, in the same way for hosts, guests and resumed seats."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from protocol import Identity, SeatMachine, Table

from ...game_adapter import bind_raw, table_name
from ...net.hub import Event, Frame, Hub
from ...storage import journal as journals
from ...storage.home import Home
from ...storage.journal_format import SeatRecord
from ...storage.player_key import NamedIdentity as Me
from ..beside_game.rematch import Agreed
from ..gathering.table_keys import TableKeys
from ..open_links import Reach
from ..task_groups import beside
from .reconnect_moved_seat import take_tickets
from .session import Attendee, Outcome, compose


class Backlog:
    """The events of a running table that came before its roster is known, up to a limit.

    The state machine asks the other peers again for what was dropped.
    """

    FRAMES = 1024
    BYTES = 4 << 20

    def __init__(self) -> None:
        """Make an empty store."""
        self.frames: list[Event] = []
        self._size = 0

    def keep(self, event: Event) -> None:
        """Store an event. If there is no room for it, drop it."""
        size = len(event.data) if isinstance(event, Frame) else 0
        # The earliest stay, since a seat shows its table first and only once on a link.
        if len(self.frames) < self.FRAMES and self._size + size <= self.BYTES:
            self.frames.append(event)
            self._size += size


@dataclass(frozen=True)
class Seat(Attendee):
    """The player of a seat, and the place of its files.

    Attributes:
        home: The folder with journals, transcripts and settings.
        passphrase: None for a journal that is not encrypted.
        unknown: Whether the player hides its long-lived key from the others at the table.
    """

    home: Home = field(kw_only=True)
    me: Me = field(kw_only=True)
    passphrase: str | None = field(default=None, kw_only=True, repr=False)
    unknown: bool = field(default=False, kw_only=True)

    @property
    def long_lived_key(self) -> Identity | None:
        """The key by which others recognise the player. None if the player does not show it."""
        return None if self.unknown else self.me.identity


def journal_path(home: Home, table: Table) -> Path:
    """Return the path of the journal of a table, whether there is one or not."""
    return home.journals / f"{table_name(table)}.journal"


async def play(
    hub: Hub, seat: Seat, keys: TableKeys, reach: Reach, agreed: Agreed, early: Sequence[Event]
) -> Outcome:
    """Play at a table that begins now, and at the tables of the same people that follow it.

    A journal is written with which the seat can be resumed. The transcript of the first game is
    written to the path that the player asked for, and the transcripts of later games to the usual
    folder. Return how the last table ended.

    Args:
        hub: The links of this peer, made with the key of the seat.
        early: The network events that came before the table was known.
    """
    while True:
        roster = agreed.roster
        table = bind_raw(roster.header)
        record = SeatRecord(
            header=roster.header,
            seat=table.ids.index(keys.seat.public),
            # Fresh for each table: all secrets of the seat there are derived from it.
            seed=os.urandom(32),
            key=keys.seat.seed,
            addresses=tuple(map(tuple, roster.addresses)),
            listen=reach.listen,
            relays=reach.relays,
            started=int(time.time()),
            signature=roster.signature,
            # With it the resumed seat can check the proofs of onlookers ([L-18]).
            secret=agreed.capability.secret,
            is_open=agreed.capability.is_open,
            hidden=reach.hidden,
            relay_only=reach.relay_only,
            vouches=roster.vouches,
        )
        path, files = journal_path(seat.home, table), seat.home.files
        # On disk before the machine signs anything with these keys.
        book = journals.create(path, record, seat.passphrase, files)
        machine = SeatMachine(table, os.urandom, record.seat, keys.seat, record.seed)
        outcome = await run_session(hub, seat, keys, agreed, machine, book, early)
        if outcome.again is None:
            return outcome
        # The file that the player named has the first game, which no later one may replace.
        agreed, early, seat = outcome.again, outcome.early, replace(seat, output=None)


async def run_session(
    hub: Hub,
    seat: Seat,
    keys: TableKeys,
    agreed: Agreed,
    machine: SeatMachine,
    book: journals.Journal,
    backlog: Sequence[Event],
) -> Outcome:
    """Play at one table with a fresh state machine and an open journal. Return how it ended.

    Meanwhile the player may hand over tickets of seats that have moved (`take_tickets`). The
    journal is closed at the end. The backlog has the events before the table was known.
    """
    roster, capability = agreed.roster, agreed.capability
    usual = seat.home.transcripts / f"{table_name(machine.table)}.hoity"
    files = seat.home.unchecked
    session = compose(hub, machine, seat, roster, capability, keys, files, book, usual)
    taking = partial(take_tickets, hub, machine.table, agreed, seat.screen, book)
    return await beside(taking, session.run(roster.addresses, backlog))
