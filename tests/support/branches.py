"""One table with two histories, as only cheaters can make: the branches `one` and `other`.

All seats have signed both. They agree up to a step, and choose otherwise from there on.
"""

import random
from functools import cache
from typing import Any

from vectors.making.tables import edition_of

from p2p_hoity import bots, game_adapter, rules
from protocol import transcript
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.table_header import Terms, Timeouts
from support.machine_table import MachineTable, identity, seat_at
from support.sim.cheap import cryptography

SPLIT = 30
"""The step from which the branches differ."""


def branch(name: str) -> MachineTable:
    """Return the table of three, played to its end as its seats choose on this branch."""
    return _branch(name, cryptography())


@cache
def _branch(name: str, kind: object) -> MachineTable:
    game = game_adapter.game_value(edition_of("small-4"), None)
    terms = Terms(identity(0).public, b"n" * 32, game, 3, 2, Timeouts())
    bound, who = seat_at(terms, game_adapter.read_game)

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        seen = rules.view(asked.node.state.state, machine.seat, machine.hand())
        seed = name if asked.node.step >= SPLIT else ""
        rng = random.Random(f"{seed} {machine.seat} {asked.node.step}")
        return bots.BOTS["normal"](seen, rules.expected(seen.state), rng)

    played = MachineTable(bound, who, choose, seed="branch")
    played.start()
    played.run()
    return played


def first_difference() -> int:
    """Return the first step in which the two branches differ."""
    ends = [branch(name).machine().tip for name in ("one", "other")]
    known = {node.digest for node in ends[1].history()}
    return next(
        before.step
        for before, _, after in transcript.steps_to(ends[0])
        if after.digest not in known
    )


def records_up_to(final: int, least: int = 0) -> int:
    """Return how many records of seat 0 lead to this final step on branch `one`, and to a tip."""
    played, count = branch("one"), 0
    machine = SeatMachine(played.table, random.Random(1).randbytes)
    for count, record in enumerate(played.places[0].journal, 1):
        machine.restore([record])
        if machine.final_step() >= final and machine.tip.step >= least:
            return count
    raise AssertionError("no such step")


def file_name(here: MachineTable, suffix: str = ".hoity") -> str:
    """Return the name of a file or journal of this table."""
    return here.table.id.hex()[:16] + suffix
