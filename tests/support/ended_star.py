"""A star of four seats at the end of its game, whose leaves are linked with the hub alone."""

from protocol.wire.table_header import Timeouts
from support.machine_table import MachineTable, toy_table

HUB = 0
STEP = Timeouts().step / 1000
"""Seconds of a step timeout."""


def ended_star() -> MachineTable:
    """Return a star of four, whose leaves have a link to the hub only, at the end of the game."""
    made = toy_table(timeouts=Timeouts())
    made.cut = lambda seat, other: HUB not in (seat, other)
    made.play(until=60)
    made.settle()
    return made


def may_leave(table: MachineTable) -> list[bool]:
    """Return for each seat whether its program may end."""
    return [machine.may_leave() for machine in table.machines()]
