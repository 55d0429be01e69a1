"""A table of real processes at which one seat lies: how it is set up and what the others saw."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import terminals
from support.liars.plots import PLOTS, Plot
from support.process_table import ProcessTable, verify
from support.terminals import Terminal

TOLD = (" cheated", "Banned for cheating", "without a result", "--claim")
SHORT = "2500,2500,500,4000"
"""Timeouts where the liar or its helper makes others wait for nothing."""


def claim(home: Path) -> dict[str, Any]:
    """Return what `hoity verify` says of a game saved as a claim."""
    told = terminals.hoity(home, "resume", "--claim", "--json").stdout.splitlines()
    return verify(home.parent, json.loads(told[-1])["transcript"])[0]


@dataclass(frozen=True)
class Seen:
    """What the honest seats of one table saw of a lie, and what `hoity verify` says of it."""

    accused: tuple[tuple[int, str], ...]
    screen: tuple[str, ...]
    exits: tuple[int, ...]
    verdicts: tuple[dict[str, Any], ...]


def play(path: Path, code: str, plot: Plot | None = None) -> Seen:
    """Play at one table: the liar is its host, the last honest seat has the plain screen, the
    others JSON. A helper of the liar sits beside it."""
    plot = plot or PLOTS[code]
    habits = {0: (f"lie={code}",)} | ({1: (f"lie={plot.helper}",)} if plot.helper else {})
    options = ("--quorum", str(plot.quorum), *(("--variant", "surprise") * (plot.seats == 2)))
    options = (*options, "--name", "cheater")
    table = ProcessTable(path, plot.seats, habits, options=options, edition=plot.edition)
    table.timeouts = plot.times or SHORT
    with table:
        first = 1
        if plot.helper:
            table.join(first, "--name", plot.helper)
            while len(table.running[0].read_until("names")["names"]) < 2:
                pass
            first += 1
        plain = plot.seats - 1
        honest = [table.join(number) for number in range(first, plain)]
        words = ("join", table.ticket, *terminals.LISTEN, "--auto", "--yes")
        reader = table.start(plain, *words)
        exits = [terminal.end() for terminal in honest]
        screen = (reader.rest() + reader.errors()).splitlines()
        exits.append(reader.process.returncode)
    return _seen([*honest, reader], screen, exits)


def _seen(seats: list[Terminal], screen: list[str], exits: list[int]) -> Seen:
    """Gather what these seats, the last of which has the plain screen, have told and kept."""
    lines = [line for seat in seats for line in seat.lines]
    accused = {(x["seat"], x["code"]) for x in lines if x.get("type") == "alarm"}
    files = [str(file) for seat in seats for file in seat.home.glob("transcripts/*.hoity")]
    verdicts = verify(seats[0].home.parent, *files) if files else []
    told = tuple(line for line in screen if any(word in line for word in TOLD))
    return Seen(tuple(sorted(accused)), told, tuple(exits), tuple(verdicts))
