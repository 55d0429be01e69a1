"""Taking a seat again after a crash or Ctrl-C, from its journal."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protocol import header, transcript
from protocol.machine import Machine

from . import journal as journals
from .driver import Outcome
from .home import Home, private_folder
from .lobby import (
    Roster,
)
from .net.network import Network
from .seating import PeerError, Reach, Seat, bind_raw, drive, open_hub


@dataclass(frozen=True)
class OpenGame:
    """A journal on this machine: a game that can be taken up again."""

    name: str
    path: Path
    nicknames: tuple[str, ...]
    started: int


def open_games(home: Home, passphrase: str | None = None) -> list[OpenGame]:
    """The games that can be taken up again, newest first; unreadable journals are left out."""
    found = []
    for path in sorted(home.journals.glob("*.journal")):
        try:
            first = journals.read_first(path, passphrase)
            names = tuple(e.nickname for e in header.parse_header(first[0]).roster)
            found.append(OpenGame(path.stem, path, names, int(first[6])))
        except (journals.JournalError, ValueError, IndexError):
            continue
    return sorted(found, key=lambda game: -game.started)


def find_game(home: Home, name: str | None, passphrase: str | None = None) -> OpenGame:
    """The game of this name or the only one; PeerError says which there are."""
    games = open_games(home, passphrase)
    fitting = [game for game in games if name is None or game.name.startswith(name)]
    if not fitting:
        raise PeerError("there is no such game to resume on this machine", 2)
    if len(fitting) > 1:
        names = ", ".join(game.name for game in fitting)
        raise PeerError(f"several games can be resumed: {names}; name one", 2)
    return fitting[0]


def claim_game(seat: Seat, name: str | None) -> Path:
    """Save a game as far as it was played, as a transcript that says that it is not over.

    For whoever stays when the others are gone for good. The game can still be resumed. Nothing is
    signed or sent. PeerError if there is no such game or nothing was played; JournalError if its
    journal is in use.
    """
    book, _, machine, _ = _reopen(seat, name)
    book.close()
    if not machine.has_begun:
        raise PeerError("that game had not begun: there is nothing to save", 1)
    path = seat.output or seat.home.transcripts / f"{machine.table.id.hex()[:16]}.claim.hoity"
    private_folder(path.parent)
    path.write_bytes(transcript.write(machine))
    return path


def _reopen(
    seat: Seat, name: str | None
) -> tuple[journals.Journal, tuple[Any, ...], Machine, Roster]:
    """The journal of a game, its first record, the machine as it was, and who sits where."""
    game = find_game(seat.home, name, seat.passphrase)
    book, first, records = journals.reopen(game.path, seat.passphrase)
    raw, number, seed, addresses = first[:4]
    table = bind_raw(raw)
    if table.ids[number] != seat.me.identity.public:
        book.close()
        raise PeerError("the journal is of another key than yours", 2)
    machine = Machine(table, os.urandom, number, seat.me.identity, seed)
    machine.restore(records)
    return book, first, machine, Roster(raw, addresses)


async def resume_table(seat: Seat, name: str | None, network: Network | None = None) -> Outcome:
    """Take one's seat again after a crash or Ctrl-C."""
    book, first, machine, roster = _reopen(seat, name)
    table, number, addresses, (listen, relays) = machine.table, first[1], first[3], first[4:6]
    if not book.current:
        machine.be_cautious({peer for peer in table.ids if peer != table.ids[number]})
    reach = Reach(_same_port(listen, addresses[number]), tuple(relays), network=network)
    async with open_hub(seat.me.identity, reach) as (hub, _):
        return await drive(hub, seat, roster, machine, book, [])


def _same_port(listen: str, addresses: Sequence[str]) -> str:
    """Listen where the others will dial."""
    host, _, port = listen.rpartition(":")
    if port != "0":
        return listen
    ports = [a.rpartition(":")[2] for a in addresses if not a.startswith("relay+")]
    return f"{host}:{ports[0]}" if ports else listen
