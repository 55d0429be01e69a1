"""A liar who uses up what a seat will keep of him, so that others lack what they need."""

from typing import Any

import pytest
from support.inspection import alter, inspect, own_promise, sign
from support.machine_table import TIMEOUTS, MachineTable, carried, make_table, toy_choice, toy_table
from support.toy_game import ToyGame

from protocol.seat import memory_quotas
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import EpochPromise, EpochRequest, Message, NewEpoch, StepInput

FOOLED, LIAR = 2, 3
HONEST = range(3)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds as in the real code, each smaller, so that they are reached soon."""
    monkeypatch.setattr(memory_quotas, "LOOSE", 40_000)
    monkeypatch.setattr(memory_quotas, "WANTED", 160_000)


def step_input(
    room: MachineTable, epoch: int, step: int, on: bytes, number: int, size: int, liar: int = LIAR
) -> Message:
    body = number.to_bytes(8, "big") * (size // 8)
    return room.sign(liar, StepInput(epoch, step, on, body))


def tell(room: MachineTable, seat: int, message: Message) -> None:
    room.machine(seat).receive(carried(message), room.now, None)


def low_bids(machine: SeatMachine, asked: ChoiceAsked) -> Any:
    """The liar never wins, so that many steps are none of his."""
    return 3 - (machine.seat or 0) if asked.kind == "bid" else toy_choice(machine, asked)


def play_until(room: MachineTable, rounds: int) -> None:
    machine = room.machine()
    room.start()
    while not (machine.has_begun and machine.tip.state.round >= rounds):
        room.deliver()


def speak_out_of_turn(room: MachineTable, size: int) -> None:
    """Return for each seat other inputs, all illegal, to each step in which the liar owed none."""
    first = room.table.first_step
    nodes = [n for n in inspect(room.machine()).path.values() if n.step >= first]
    for seat in HONEST:
        for node in nodes:
            if LIAR not in node.want.speakers:
                tell(room, seat, step_input(room, 0, node.step, node.digest, seat + 1, size))


def test_what_honest_promises_name_can_be_had() -> None:
    room = toy_table(4, 12, timeouts=TIMEOUTS, choose=low_bids)
    play_until(room, 10)
    room.places[LIAR].alive = False
    speak_out_of_turn(room, 8_000)
    for seat in HONEST:
        room.collect(seat)
    for _ in range(2):
        room.run(until=200)
        assert all(machine.finished for machine in room.machines(HONEST))
    assert all(machine.tip.banned == {LIAR} for machine in room.machines(HONEST))


def test_a_promise_names_no_illegal_input_but_its_proof() -> None:
    room = toy_table(4, 3, timeouts=TIMEOUTS, choose=low_bids)
    play_until(room, 3)
    machine = room.machine()
    before = set(own_promise(machine, 1).inputs)
    speak_out_of_turn(room, 800)
    promise = own_promise(machine, 1)
    assert set(promise.inputs) == before
    assert inspect(machine).proofs[LIAR].code == "not-expected"
    assert promise.proofs == (inspect(machine).proofs[LIAR].hashes,)


def other_commitment(room: MachineTable) -> Message:
    """Return the inputs of a second node of the liar, with the same journal, where it owes one."""
    twin = room.build(LIAR)
    twin.restore(list(room.places[LIAR].journal))
    alter(twin, inquiry=None)  # a liar's program need not ask what it has signed
    twin.start(room.now)
    step = twin.tip.step
    twin.choose(2, room.now)
    said = room.own_messages(LIAR, twin.take())
    return next(m for m in said if m.identity == (1, LIAR, 0, step))


def fill(room: MachineTable) -> set[bytes]:
    """Give inputs on unknown chains, which prove nothing, until no seat stores more of them."""
    sent = set()
    sizes = [*[4_000] * 10, 1_600, 800, 400, 200, 80, 40, 16, 8]
    for seat in HONEST:
        for number, size in enumerate(sizes):
            message = step_input(room, 1, number + 1, bytes([seat]) * 32, number, size)
            sent.add(carried(message))
            tell(room, seat, message)
        room.machine(seat).take()
    return sent


def test_who_is_led_onto_another_chain_is_not_made_absent_for_it() -> None:
    table, who = make_table(ToyGame(4, 2), 4)
    waits = [True]

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        return None if machine.seat == LIAR and waits[0] else toy_choice(machine, asked)

    room = MachineTable(table, who, choose)
    room.play(until=1)
    liar = room.machine(LIAR)
    step, sent, other = liar.tip.step, fill(room), other_commitment(room)
    assert not any(inspect(room.machine(seat)).proofs for seat in HONEST)
    waits[0] = False
    liar.choose(3, room.now)
    sign(liar, EpochRequest(1))
    room.collect(LIAR)
    (one,) = (m for m in inspect(liar).store.inputs(0, step) if m.seat == LIAR)
    first = (LIAR, FOOLED, carried(one))
    room.queue = [(LIAR, FOOLED, carried(other)), *(q for q in room.queue if q != first)]
    room.drop = lambda source, to, frame: to == LIAR and frame in {carried(other), *sent}
    room.run(until=200)
    for machine in room.machines(HONEST):
        assert machine.finished
        assert (machine.tip.absences, machine.tip.banned) == ((0, 0, 0, 0), {LIAR})


NEXT = 1
"""Return a table at which the liar is the proposer of epoch 1."""
OTHERS = (0, 2, 3)


def bids_below(machine: SeatMachine, asked: ChoiceAsked) -> Any:
    seat = machine.seat or 0
    return (seat != NEXT) * (3 - seat % 3) if asked.kind == "bid" else toy_choice(machine, asked)


def supply(room: MachineTable, inputs: list[Message]) -> None:
    """Give every seat what it wants of these, one after the other, as long as it takes them."""
    by_hash = {message.hash: message for message in inputs}
    for seat in OTHERS:
        wants, before = inspect(room.machine(seat)).store.wants & set(by_hash), None
        while wants != before:
            for digest in wants:
                tell(room, seat, by_hash[digest])
            wants, before = inspect(room.machine(seat)).store.wants & set(by_hash), wants
        room.collect(seat)


def test_what_a_faulty_seats_promise_names_takes_no_room_from_what_honest_ones_name() -> None:
    room = toy_table(4, 12, timeouts=TIMEOUTS, choose=bids_below)
    play_until(room, 6)
    room.places[NEXT].alive = False
    machines = {seat: room.machine(seat) for seat in OTHERS}
    path = inspect(machines[0]).path.values()
    node = next(n for n in path if n.step >= room.table.first_step and NEXT not in n.want.speakers)
    for seat in OTHERS:  # to each another fault, in a long body, which its promise will name
        tell(room, seat, step_input(room, 0, node.step, node.digest, seat, 5_000, NEXT))
        room.machine(seat).take()
    room.run(until=1)
    junk = [step_input(room, 0, i % 40 + 1, bytes([i]) * 32, i, 4_000, NEXT) for i in range(1, 100)]
    names = tuple(sorted(message.hash for message in junk))
    own = room.sign(NEXT, EpochPromise(1, None, names, None, (), ()))
    promises = [inspect(machines[seat]).store.versions((3, seat, 1))[0].hash for seat in (0, 2)]
    proposal = NewEpoch(1, (promises[0], own.hash, promises[1]))
    for seat in OTHERS:
        tell(room, seat, own)
        tell(room, seat, room.sign(NEXT, proposal))
    for _ in range(10):
        room.run(until=0.5)
        supply(room, junk)
    assert all(
        inspect(m).store.input_bytes[NEXT] > memory_quotas.WANTED / 2 for m in machines.values()
    )
    room.run(until=200)
    assert all(m.finished and m.tip.banned == {NEXT} for m in machines.values())
