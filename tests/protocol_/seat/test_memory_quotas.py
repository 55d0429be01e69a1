"""A liar who uses up what a seat will keep of him, so that others lack what they need."""

from typing import Any

import pytest
from support.inspection import alter, inspect, own_promise, sign, votes_of, want
from support.machine_table import (
    TIMEOUTS,
    MachineTable,
    begun_table,
    carried,
    make_table,
    toy_choice,
    toy_table,
)
from support.toy_game import ToyGame

from protocol.seat import memory_quotas
from protocol.seat.effects import ChoiceAsked
from protocol.seat.memory_quotas import is_worth_keeping
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Rejoin,
    Statement,
    StepInput,
)

FOOLED, LIAR = 2, 3
HONEST = range(3)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds as in the real code, each smaller, so that they are reached soon."""
    monkeypatch.setattr(memory_quotas, "LOOSE", 40_000)
    monkeypatch.setattr(memory_quotas, "WANTED", 160_000)


def step_input(
    table: MachineTable, epoch: int, step: int, on: bytes, number: int, size: int, liar: int = LIAR
) -> Message:
    body = number.to_bytes(8, "big") * (size // 8)
    return table.sign(liar, StepInput(epoch, step, on, body))


def tell(table: MachineTable, seat: int, message: Message) -> None:
    table.machine(seat).receive(carried(message), table.now, None)


def low_bids(machine: SeatMachine, asked: ChoiceAsked) -> Any:
    """The liar never wins, so that many steps are none of his."""
    return 3 - (machine.seat or 0) if asked.kind == "bid" else toy_choice(machine, asked)


def play_until(table: MachineTable, rounds: int) -> None:
    machine = table.machine()
    table.start()
    while not (machine.has_begun and machine.tip.state.round >= rounds):
        table.deliver()


def speak_out_of_turn(table: MachineTable, size: int) -> None:
    """Return for each seat other inputs, all illegal, to each step in which the liar owed none."""
    first = table.table.first_step
    nodes = [n for n in inspect(table.machine()).path.values() if n.step >= first]
    for seat in HONEST:
        for node in nodes:
            if LIAR not in node.want.speakers:
                tell(table, seat, step_input(table, 0, node.step, node.digest, seat + 1, size))


def test_what_honest_promises_name_can_be_had() -> None:
    table = toy_table(4, 12, timeouts=TIMEOUTS, choose=low_bids)
    play_until(table, 10)
    table.places[LIAR].alive = False
    speak_out_of_turn(table, 8_000)
    for seat in HONEST:
        table.collect(seat)
    for _ in range(2):
        table.run(until=200)
        assert all(machine.finished for machine in table.machines(HONEST))
    assert all(machine.tip.banned == {LIAR} for machine in table.machines(HONEST))


def test_a_promise_names_no_illegal_input_but_its_proof() -> None:
    table = toy_table(4, 3, timeouts=TIMEOUTS, choose=low_bids)
    play_until(table, 3)
    machine = table.machine()
    before = set(own_promise(machine, 1).inputs)
    speak_out_of_turn(table, 800)
    promise = own_promise(machine, 1)
    assert set(promise.inputs) == before
    assert inspect(machine).proofs[LIAR].code == "not-expected"
    assert promise.proofs == (inspect(machine).proofs[LIAR].hashes,)


def other_commitment(table: MachineTable) -> Message:
    """Return the inputs of a second node of the liar, with the same journal, where it owes one."""
    twin = table.build(LIAR)
    twin.restore(list(table.places[LIAR].journal))
    alter(twin, inquiry=None)  # a liar's program need not ask what it has signed
    twin.start(table.now)
    step = twin.tip.step
    twin.choose(2, table.now)
    said = table.own_messages(LIAR, twin.take())
    return next(m for m in said if m.identity == (1, LIAR, 0, step))


def fill(table: MachineTable) -> set[bytes]:
    """Give inputs on unknown chains, which prove nothing, until no seat stores more of them."""
    sent = set()
    sizes = [*[4_000] * 10, 1_600, 800, 400, 200, 80, 40, 16, 8]
    for seat in HONEST:
        for number, size in enumerate(sizes):
            message = step_input(table, 1, number + 1, bytes([seat]) * 32, number, size)
            sent.add(carried(message))
            tell(table, seat, message)
        table.machine(seat).take()
    return sent


def test_who_is_led_onto_another_chain_is_not_made_absent_for_it() -> None:
    rules, who = make_table(ToyGame(4, 2), 4)
    waits = [True]

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        return None if machine.seat == LIAR and waits[0] else toy_choice(machine, asked)

    table = MachineTable(rules, who, choose)
    table.play(until=1)
    liar = table.machine(LIAR)
    step, sent, other = liar.tip.step, fill(table), other_commitment(table)
    assert not any(inspect(table.machine(seat)).proofs for seat in HONEST)
    waits[0] = False
    liar.choose(3, table.now)
    sign(liar, EpochRequest(1))
    table.collect(LIAR)
    (one,) = (m for m in inspect(liar).store.inputs(0, step) if m.seat == LIAR)
    first = (LIAR, FOOLED, carried(one))
    table.queue = [(LIAR, FOOLED, carried(other)), *(q for q in table.queue if q != first)]
    table.drop = lambda source, to, frame: to == LIAR and frame in {carried(other), *sent}
    table.run(until=200)
    for machine in table.machines(HONEST):
        assert machine.finished
        assert (machine.tip.absences, machine.tip.banned) == ((0, 0, 0, 0), {LIAR})


NEXT = 1
"""Return a table at which the liar is the proposer of epoch 1."""
OTHERS = (0, 2, 3)


def bids_below(machine: SeatMachine, asked: ChoiceAsked) -> Any:
    seat = machine.seat or 0
    return (seat != NEXT) * (3 - seat % 3) if asked.kind == "bid" else toy_choice(machine, asked)


def supply(table: MachineTable, inputs: list[Message]) -> None:
    """Give every seat what it wants of these, one after the other, as long as it takes them."""
    by_hash = {message.hash: message for message in inputs}
    for seat in OTHERS:
        wants, before = inspect(table.machine(seat)).store.wants & set(by_hash), None
        while wants != before:
            for digest in wants:
                tell(table, seat, by_hash[digest])
            wants, before = inspect(table.machine(seat)).store.wants & set(by_hash), wants
        table.collect(seat)


def test_what_a_faulty_seats_promise_names_takes_no_room_from_what_honest_ones_name() -> None:
    table = toy_table(4, 12, timeouts=TIMEOUTS, choose=bids_below)
    play_until(table, 6)
    table.places[NEXT].alive = False
    machines = {seat: table.machine(seat) for seat in OTHERS}
    path = inspect(machines[0]).path.values()
    node = next(n for n in path if n.step >= table.table.first_step and NEXT not in n.want.speakers)
    for seat in OTHERS:  # to each another fault, in a long body, which its promise will name
        tell(table, seat, step_input(table, 0, node.step, node.digest, seat, 5_000, NEXT))
        table.machine(seat).take()
    table.run(until=1)
    junk = [
        step_input(table, 0, i % 40 + 1, bytes([i]) * 32, i, 4_000, NEXT) for i in range(1, 100)
    ]
    names = tuple(sorted(message.hash for message in junk))
    own = table.sign(NEXT, EpochPromise(1, None, names, None, (), ()))
    promises = [inspect(machines[seat]).store.versions((3, seat, 1))[0].hash for seat in (0, 2)]
    proposal = NewEpoch(1, (promises[0], own.hash, promises[1]))
    for seat in OTHERS:
        tell(table, seat, own)
        tell(table, seat, table.sign(NEXT, proposal))
    for _ in range(10):
        table.run(until=0.5)
        supply(table, junk)
    assert all(
        inspect(m).store.input_bytes[NEXT] > memory_quotas.WANTED / 2 for m in machines.values()
    )
    table.run(until=200)
    assert all(m.finished and m.tip.banned == {NEXT} for m in machines.values())


def test_what_a_faulty_seat_floods_is_not_kept() -> None:
    table = toy_table(4)
    table.begin()
    machine = table.machine()
    before = len(inspect(machine).store)
    for number in range(1, 400):
        digest = number.to_bytes(32, "big")
        for statement in (
            StepInput(0, machine.tip.step + memory_quotas.AHEAD + number, digest, b"x"),
            StepInput(number + 1, 3, digest, b"x"),
            EpochRequest(number),
            PrepareVote(number + 2, digest),
            CommitVote(number + 2, digest),
            EpochPromise(number + 2, None, (), None, (), ()),
            Rejoin(min(255, 8 + number)),
        ):
            machine.receive(carried(table.sign(3, statement)), table.now, None)
    assert len(inspect(machine).store) - before < 20
    assert inspect(machine).requests[3] == 401


FLOODER = 3


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> MachineTable:
    """A table whose bounds are as in the real code, each smaller, so that they are reached soon."""
    monkeypatch.setattr(memory_quotas, "LOOSE", 1 << 16)
    monkeypatch.setattr(memory_quotas, "WANTED", 1 << 17)
    return begun_table(ToyGame(4, 1))


def test_a_longer_body_than_any_honest_one_is_not_kept_even_if_it_is_wanted(
    table: MachineTable,
) -> None:
    machine = table.machine()
    longer = [long_input(table, 0, machine.tip.step, number, more=8) for number in (1, 2)]
    assert not is_kept(machine, longer[0])
    want(machine, {longer[1].hash})
    assert not is_kept(machine, longer[1])
    assert is_kept(machine, long_input(table, 0, machine.tip.step, 1))


def long_input(table: MachineTable, epoch: int, step: int, number: int, more: int = 0) -> Message:
    body = number.to_bytes(8, "big") * (table.table.max_body // 8) + bytes(more)
    on = number.to_bytes(32, "big")
    return table.sign(FLOODER, StepInput(epoch, step, on, body))


def is_kept(machine: SeatMachine, message: Message) -> bool:
    machine.receive(carried(message), 0.0, None)
    return message.hash in inspect(machine).store


def loose(machine: SeatMachine) -> int:
    found = inspect(machine).store.inputs_by(FLOODER)
    path = inspect(machine).path
    off = (m for m in found if isinstance(m.statement, StepInput) and m.statement.on not in path)
    return sum(len(m.payload) for m in off)


def test_of_inputs_off_the_chain_only_so_many_bytes_are_stored(table: MachineTable) -> None:
    machine = table.machine()
    kept = [
        is_kept(machine, long_input(table, 1, step, 2 * step + version))
        for step in range(1, machine.tip.step + memory_quotas.AHEAD)
        for version in range(2)
    ]
    assert {*kept} == {True, False}
    assert loose(machine) <= memory_quotas.LOOSE


def test_what_is_wanted_has_more_room_and_no_endless_one(table: MachineTable) -> None:
    machine = table.machine()
    wanted = [
        long_input(table, 1, step, step)
        for step in range(1, 2 * memory_quotas.WANTED // table.table.max_body)
    ]
    want(machine, {message.hash for message in wanted})
    kept = [is_kept(machine, message) for message in wanted]
    assert memory_quotas.LOOSE < loose(machine) <= memory_quotas.WANTED
    assert kept == sorted(kept, reverse=True)


def test_a_seat_whose_room_is_full_still_speaks_on_the_chain(table: MachineTable) -> None:
    machine = table.machine()
    for number in range(1, machine.tip.step):
        is_kept(machine, long_input(table, 1, number, number))
    assert not is_kept(machine, long_input(table, 1, machine.tip.step + 1, 99))
    table.run(until=60)
    assert all(place.machine.finished for place in table.places)
    assert not any(inspect(place.machine).proofs for place in table.places)


def test_spare_versions_are_counted_too(table: MachineTable) -> None:
    machine = table.machine()
    versions = [
        long_input(table, 1, 3, number)
        for number in range(1, 2 * memory_quotas.WANTED // table.table.max_body)
    ]
    want(machine, {message.hash for message in versions})
    for message in versions:
        is_kept(machine, message)
    assert (
        loose(machine) <= memory_quotas.WANTED + table.table.max_body + 200
    )  # the second version proves a fault


@pytest.mark.parametrize("kind", [EpochRequest, PrepareVote, CommitVote])
def test_a_request_of_an_epoch_too_far_ahead_is_noted_and_not_kept(
    table: MachineTable, kind: type[Any]
) -> None:
    machine = table.machine()
    most = memory_quotas.EPOCHS_AHEAD
    for epoch, is_near in ((most, True), (most + 1, False)):
        digest = () if kind is EpochRequest else (bytes(32),)
        message = table.sign(3, kind(epoch, *digest))
        assert is_worth_keeping(machine, message) is is_near
        assert votes_of(machine).far == ({} if is_near else {3: message})


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        (Rejoin(8), True),
        (Rejoin(9), False),
        (EpochPromise(2, None, (), None, (), ()), True),
        (EpochPromise(3, None, (), None, (), ()), False),
        (NewEpoch(2, (bytes(32),)), True),
        (NewEpoch(3, (bytes(32),)), False),
        (StepInput(1, 3, bytes(32), b""), True),
        (StepInput(2, 3, bytes(32), b""), False),
        (StepInput(0, 99, bytes(32), b""), False),
    ],
    ids=repr,
)
def test_what_is_near_enough_is_kept_and_nothing_else_is_noted(
    table: MachineTable, statement: Statement, kept: bool
) -> None:
    machine = table.machine()
    assert is_worth_keeping(machine, table.sign(3, statement)) is kept
    assert votes_of(machine).far == {}
    assert is_worth_keeping(machine, table.sign(0, statement)), "it is its own"


def test_only_a_higher_request_than_before_is_kept(table: MachineTable) -> None:
    machine = table.machine()
    table.tell(0, table.sign(3, EpochRequest(1)))
    assert not is_worth_keeping(machine, table.sign(3, EpochRequest(1)))
    assert is_worth_keeping(machine, table.sign(3, EpochRequest(2)))
    assert is_worth_keeping(machine, table.sign(2, EpochRequest(1)))
