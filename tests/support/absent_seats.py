"""Seats of a table that are gone for some steps, and come back."""

from support.machine_table import MachineTable


def gone_at(table: MachineTable, seats: set[int], step: int) -> None:
    """Let seats be gone as soon as seat 0 has come to a step, until they come back."""
    collect = table.collect

    def stop(at: int) -> None:
        collect(at)
        if table.machine().tip.step >= step:
            for seat in seats - table.returned:  # type: ignore[attr-defined]
                table.places[seat].alive = False

    table.returned = set()  # type: ignore[attr-defined]
    table.collect = stop  # type: ignore[method-assign]


def come_back(table: MachineTable, seat: int, asks: bool = True) -> None:
    """Let a seat resume from its journal, and ask to be present again."""
    table.returned.add(seat)  # type: ignore[attr-defined]
    table.crash_and_resume(seat)
    if asks:
        table.machine(seat).ask_rejoin(table.now)
        table.collect(seat)
