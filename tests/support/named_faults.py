"""Whom the honest seats of a table report, where seat 1 lies."""

from collections.abc import Callable

from protocol.chain.chain_state import Node
from protocol.seat.effects import ChoiceAsked, Guilty
from protocol.seat.seat_machine import SeatMachine
from support.machine_table import MachineTable, toy_choice

LIAR = 1


def eager(machine: SeatMachine, asked: ChoiceAsked) -> object:
    """Let the liar bid highest, so that it is asked for all there is."""
    if asked.kind == "bid":
        return 3 if machine.seat == LIAR else 0
    return toy_choice(machine, asked)


def reported(table: MachineTable) -> dict[int, set[tuple[int, str]]]:
    """Return, by honest seat that is there, the faults that it reports."""
    return {
        seat: {(one.seat, one.code) for one in place.of_kind(Guilty)}
        for seat, place in enumerate(table.places)
        if seat != LIAR and place.alive
    }


def check_named(table: MachineTable, code: str) -> None:
    """Check that every honest seat reports this fault, and no fault of an honest seat."""
    for seat, faults in reported(table).items():
        broken = table.machine(seat).broken
        told = faults if broken is None else {*faults, (broken.seat, broken.code)}
        assert {who for who, _ in told} == {LIAR}, f"seat {seat} blames an honest seat"
        assert (LIAR, code) in told, f"seat {seat} found {told}"


def gone_before(table: MachineTable, seat: int, due: Callable[[Node], bool]) -> None:
    """Let a seat be gone as soon as seat 0 stands where it is due."""
    collect = table.collect

    def stop(at: int) -> None:
        collect(at)
        if due(table.machine().tip):
            table.places[seat].alive = False

    table.collect = stop  # type: ignore[method-assign]
