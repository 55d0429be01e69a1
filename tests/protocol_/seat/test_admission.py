"""A node stores of each faulty seat a bounded number of bytes, and the inputs on its chain."""

import pytest
from support.inspection import inspect, want
from support.machine_table import TIMEOUTS, MachineTable, begun_room, carried, seeded, toy_table
from support.toy_game import ToyGame

from protocol.seat import memory_quotas
from protocol.seat.effects import Broken, Record
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import Message, StepInput

LIAR = 3


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> MachineTable:
    """A table whose bounds are as in the real code, each smaller, so that they are reached soon."""
    monkeypatch.setattr(memory_quotas, "LOOSE", 1 << 16)
    monkeypatch.setattr(memory_quotas, "WANTED", 1 << 17)
    return begun_room(ToyGame(4, 1))


def test_a_longer_body_than_any_honest_one_is_not_kept_even_if_it_is_wanted(
    room: MachineTable,
) -> None:
    machine = room.machine()
    longer = [step_input(room, 0, machine.tip.step, number, more=8) for number in (1, 2)]
    assert not hear(machine, longer[0])
    want(machine, {longer[1].hash})
    assert not hear(machine, longer[1])
    assert hear(machine, step_input(room, 0, machine.tip.step, 1))


def step_input(room: MachineTable, epoch: int, step: int, number: int, more: int = 0) -> Message:
    body = number.to_bytes(8, "big") * (room.table.max_body // 8) + bytes(more)
    on = number.to_bytes(32, "big")
    return room.sign(LIAR, StepInput(epoch, step, on, body))


def most(room: MachineTable) -> int:
    """Return a number of inputs with twice the bytes that are stored because they are wanted."""
    return 2 * memory_quotas.WANTED // room.table.max_body


def hear(machine: SeatMachine, message: Message) -> bool:
    machine.receive(carried(message), 0.0, None)
    return message.hash in inspect(machine).store


def loose(machine: SeatMachine) -> int:
    found = inspect(machine).store.inputs_by(LIAR)
    path = inspect(machine).path
    off = (m for m in found if isinstance(m.statement, StepInput) and m.statement.on not in path)
    return sum(len(m.payload) for m in off)


def test_of_inputs_off_the_chain_only_so_many_bytes_are_stored(room: MachineTable) -> None:
    machine = room.machine()
    kept = [
        hear(machine, step_input(room, 1, step, 2 * step + version))
        for step in range(1, machine.tip.step + memory_quotas.AHEAD)
        for version in range(2)
    ]
    assert {*kept} == {True, False}
    assert loose(machine) <= memory_quotas.LOOSE


def test_what_is_wanted_has_more_room_and_no_endless_one(room: MachineTable) -> None:
    machine = room.machine()
    wanted = [
        step_input(room, 1, step, step)
        for step in range(1, 2 * memory_quotas.WANTED // room.table.max_body)
    ]
    want(machine, {message.hash for message in wanted})
    kept = [hear(machine, message) for message in wanted]
    assert memory_quotas.LOOSE < loose(machine) <= memory_quotas.WANTED
    assert kept == sorted(kept, reverse=True)


def test_a_seat_whose_room_is_full_still_speaks_on_the_chain(room: MachineTable) -> None:
    machine = room.machine()
    for number in range(1, machine.tip.step):
        hear(machine, step_input(room, 1, number, number))
    assert not hear(machine, step_input(room, 1, machine.tip.step + 1, 99))
    room.run(until=60)
    assert all(place.machine.finished for place in room.places)
    assert not any(inspect(place.machine).proofs for place in room.places)


def test_spare_versions_are_counted_too(room: MachineTable) -> None:
    machine = room.machine()
    versions = [
        step_input(room, 1, 3, number)
        for number in range(1, 2 * memory_quotas.WANTED // room.table.max_body)
    ]
    want(machine, {message.hash for message in versions})
    for message in versions:
        hear(machine, message)
    assert (
        loose(machine) <= memory_quotas.WANTED + room.table.max_body + 200
    )  # the second version proves a fault


def test_a_seat_that_comes_back_to_a_table_that_has_ended_is_told_why_again() -> None:
    made = toy_table(3, 1, 3, timeouts=TIMEOUTS)
    made.begin(0, 1, 2)
    machine = made.machine()
    for body in (b"one", b"two"):
        hear(machine, made.sign(2, StepInput(0, machine.tip.step + 1, bytes(32), body)))
    records = [e.data for e in (*made.places[0].heard, *machine.take()) if isinstance(e, Record)]
    again = SeatMachine(made.table, seeded("again"), 0, made.who[0], bytes(32))
    again.restore(records)
    assert [e for e in again.take() if isinstance(e, Broken)] == [again.broken]
    assert (again.broken or Broken("")).code == "equivocation"
