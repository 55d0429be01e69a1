"""A table from which seats leave by a signed departure, and to which they come back."""

from collections.abc import Iterable

from protocol.chain.chain_state import Kind
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_notices import Departure
from support.machine_table import MachineTable, toy_table, waiting_table
from support.sim.departures import departure_of


def table_with_departures(table: MachineTable) -> MachineTable:
    """Let no seat of a table be told of its own departure.

    A seat that did not leave would announce its return.
    """
    table.drop = lambda _, to, raw: (notice := departure_of(raw)) is not None and notice.seat == to
    return table


def departing_table(thinkers: Iterable[int], seats: int = 4) -> MachineTable:
    """Return a table before the first bid; the players of `thinkers` do not bid."""
    return table_with_departures(waiting_table(thinkers, seats))


def depart(table: MachineTable, seat: int) -> Departure:
    """Let a seat leave: it signs, sends, and its process is gone."""
    assert table.machine(seat).depart(table.now)
    table.collect(seat)
    (notice,) = {f for s, _, raw in table.queue if s == seat and (f := departure_of(raw))}
    table.settle()
    table.places[seat].alive = False
    for other in table.linked(seat):
        table.down(other, seat)
    return notice


def come_back(table: MachineTable, seat: int) -> None:
    """Let a seat resume from its journal, linked to all."""
    table.crash_and_resume(seat)
    for other in table.linked(seat):
        if table.places[other].alive:
            table.machine(other).link_up(table.table.ids[seat], table.now)
    table.settle()


def hear_departure(table: MachineTable, to: int, notice: Departure) -> frozenset[int]:
    """Let a node hear a departure, of whomever, from another than its seat; return who is away."""
    table.hear(to, peer_frames.encode_frame(notice), (to + 1) % len(table.places))
    return table.machine(to).away()


def departure(
    table: MachineTable, seat: int, number: int = 1, epoch: int = 0, ahead: int = 0
) -> Departure:
    """Return a departure of a seat for where seat 0 stands."""
    tip, table_id = table.machine().tip, table.table.id
    return signed_notices.sign_notice(
        table.who[seat],
        table_id,
        signed_notices.Departure(seat, number, epoch, tip.step + ahead, tip.digest),
    )


def onlooker_of(table: MachineTable) -> SeatMachine:
    """Return the machine of an onlooker that has heard nothing yet."""
    onlooker = SeatMachine(table.table, bytes, None, None)
    onlooker.start(0.0)
    return onlooker


def setup_before(kind: Kind) -> MachineTable:
    """Return a table of three that seat 0 sees standing before this kind of step."""
    table = table_with_departures(toy_table(3))
    table.start()
    while table.machine().tip.want.kind is not kind:
        table.deliver()
    return table
