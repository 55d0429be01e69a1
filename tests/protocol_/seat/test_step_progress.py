"""How a seat enters epochs, follows steps and gives inputs, and how it ends with a late fault."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from support.epoch_requests import input_steps
from support.forgeries.bodies import fixed
from support.inspection import alter, enter, inspect, secrets_of, want
from support.machine_table import (
    MachineTable,
    carried,
    toy_choice,
    toy_table,
    waiting_table,
)
from support.played import TIMEOUTS, forging_in, game_of, new_table, read_input, vanish

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Missing
from protocol.seat import step_progress
from protocol.seat.effects import VOID_TABLE, Broken, ChoiceAsked, StepTimedOut
from protocol.seat.resume_inquiry import Inquiry
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verifier import verify
from protocol.wire.signed_messages import EpochPromise, EpochRequest, NewEpoch, StepInput

LIAR, HONEST = 3, (0, 1, 2)


@cache
def played(also: bool) -> MachineTable:
    table = new_table(4, cheaters={LIAR: forging_in(Kind.RESULT, fixed(b"\x01"), also)})
    table.play(until=400)
    stay(table)
    return table


def stay(table: MachineTable, seats: Iterable[int] = HONEST) -> None:
    """Let whoever was done first still answer and vote."""
    for _ in range(40):
        table.settle()
        table.now += 0.5
        for seat in seats:
            table.machine(seat).tick(table.now)
            table.collect(seat)


@pytest.mark.parametrize(("also", "code"), [(False, "bad-body"), (True, "equivocation")])
def test_every_seat_writes_the_fault_down_and_the_same_content(also: bool, code: str) -> None:
    table = played(also)
    reports = []
    for seat in HONEST:
        assert table.machine(seat).finished
        report = verify(table.machine(seat).transcript(), game_of)
        assert report.ok, report.problem
        assert [(fault.seat, fault.code) for fault in report.faults] == [(LIAR, code)]
        reports.append(report)
    undisturbed = new_table(4)
    undisturbed.play(until=60)
    (same,) = {report.digest for report in reports}
    assert same == verify(undisturbed.places[0].machine.transcript(), game_of).digest


def test_a_base_at_the_end_is_the_end_itself() -> None:
    table = played(also=True)
    for seat in HONEST:
        view = inspect(table.machine(seat))
        assert view.epoch > 0
        assert view.base.want.kind is Kind.RESULT
        assert view.base.slots is not None
        assert LIAR in view.base.present
        assert not view.base.banned


def test_a_strict_table_takes_the_inputs_for_the_end() -> None:
    """A second version that comes once all have spoken changes nothing."""
    table = new_table(4, 4)
    table.play(until=60)
    said = next(
        s for s in reversed(inspect(table.machine()).statements(LIAR)) if isinstance(s, StepInput)
    )
    for seat in HONEST:
        table.show(LIAR, seat, replace(said, body=b"\x01"))
    stay(table)
    for seat in HONEST:
        assert LIAR in inspect(table.machine(seat)).proofs
        assert table.machine(seat).finished
        assert inspect(table.machine(seat)).epoch == 0


@pytest.mark.parametrize("proof", [True, False])
def test_who_left_before_the_fault_came_has_a_file_without_it_and_the_same_result(
    proof: bool,
) -> None:
    """Only the fault is lost: content, standings and verdict are those of the others' files."""
    liar, others = 5, range(1, 5)
    table = new_table(6)
    table.play(until=60)
    assert all(place.machine.finished for place in table.places)
    first = verify(table.machine(0).transcript(), game_of)
    vanish(table, 0)
    tip = table.machine(1).tip
    body = b"\x01" if proof else tip.result_body()
    for seat in others:
        table.tell(seat, table.sign(liar, StepInput(0, tip.step, tip.digest, body)))
    stay(table, others)
    assert first.ok
    assert first.faults == ()
    for seat in others:
        report = verify(table.machine(seat).transcript(), game_of)
        assert report.ok, report.problem
        found = [(fault.seat, fault.code) for fault in report.faults]
        assert found == ([(liar, "equivocation")] if proof else [])
        assert (report.digest, report.standings) == (first.digest, first.standings)


def alone_with_a_proof(proof: bool) -> tuple[MachineTable, SeatMachine]:
    """Return a table whose other seats have left; seat 0 lacks an input and stores a second one.

    That second input is of the liar, and proves its fault.
    """
    table, request = new_table(4), list[bytes]()
    machine = table.machine()

    def last_word(source: int, to: int, frame: bytes) -> bool:
        step_input = read_input(table, frame) if to == 0 and not request else None
        is_last = (
            machine.tip.want.kind is Kind.RESULT and step_input is not None and step_input.seat == 2
        )
        request.extend([frame] if is_last else [])
        return to == 0 and frame in request

    table.drop = last_word
    table.play(until=3)
    assert [place.machine.finished for place in table.places] == [False, True, True, True]
    if proof:
        table.tell(0, table.sign(LIAR, StepInput(0, machine.tip.step, machine.tip.digest, b"\x01")))
    machine.receive(request[0], table.now, table.table.ids[2])
    return table, machine


def test_a_seat_that_alone_stores_a_proof_at_the_end_waits_one_step_timeout() -> None:
    _, machine = alone_with_a_proof(proof=False)
    assert machine.finished, "there is none to wait for"
    table, machine = alone_with_a_proof(proof=True)
    assert not machine.awaited()
    assert LIAR in inspect(machine).proofs
    machine.tick(TIMEOUTS.step / 1000 - 0.1)
    assert not machine.finished
    machine.tick(table.now + TIMEOUTS.step / 1000)
    assert machine.finished
    report = verify(machine.transcript(), game_of)
    assert report.ok, report.problem
    assert report.digest == verify(table.machine(1).transcript(), game_of).digest


def test_a_seat_that_stores_the_proof_before_the_last_input_does_not_end_without_a_base() -> None:
    """Every honest seat receives the liar's other input first, and then the empty one it needs."""
    table, passed, ends = new_table(4), set[int](), dict[int, Kind]()

    def other_first(source: int, to: int, frame: bytes) -> bool:
        message = read_input(table, frame) if source == LIAR else None
        if message is None or message.seat != LIAR or to in passed:
            return False
        step_input = message.statement
        node = table.machine(LIAR).tip
        assert isinstance(step_input, StepInput)
        if node.want.kind is not Kind.RESULT or step_input.step != node.step:
            return False
        passed.add(to)
        other = table.sign(LIAR, replace(step_input, body=b"\x01"))
        table.queue[:0] = [(LIAR, to, carried(other)), (LIAR, to, frame)]
        return True

    collect = table.collect

    def watching(seat: int) -> None:
        collect(seat)
        machine = table.machine(seat)
        if machine.finished and seat != LIAR:
            ends.setdefault(seat, inspect(machine).base.want.kind)

    table.drop, table.collect = other_first, watching  # type: ignore[method-assign]
    table.play(until=400)
    assert passed == set(HONEST)
    assert ends == dict.fromkeys(HONEST, Kind.RESULT)


def test_nothing_is_revealed_before_every_seat_has_confirmed_what_is_sealed() -> None:
    table = waiting_table({0})
    step = table.machine().tip.step
    for place in table.places[:3]:
        place.alive = place is table.places[0]
    table.thinkers.clear()
    table.choose_now(0, 1)
    table.settle()
    assert table.machine().tip.want.kind is Kind.BARRIER
    assert max(step_input.step for step_input in input_steps(table, 0)) == step + 1
    for place in table.places:
        place.alive = True
    table.run(until=5)
    assert table.machine().finished


@pytest.mark.parametrize(("was_complete", "left"), [(True, 20), (False, 5)])
def test_a_choice_that_is_asked_anew_alone_has_its_whole_time(
    was_complete: bool, left: int
) -> None:
    """The step is open again: a seat that chose in time must not time out at once."""
    table = waiting_table()
    machine = table.machine()
    bid = machine.tip
    table.wait_first(15)
    assert inspect(machine).clocks.left(bid) == 5
    if was_complete:
        alter(machine, tip=transition.append(bid, transition.slots_of(bid, {}, Missing.ABSENT)))
    assert enter(machine, 1, bid)
    assert machine.tip is bid
    assert inspect(machine).clocks.left(bid) == left


def test_who_came_back_once_is_not_back_from_its_next_absence_before_it_asks() -> None:
    asleep, thinking = [False], list[tuple[float, ChoiceAsked]]()

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        """Seat 3 sleeps; seat 0 takes a while then, so that there is time to come back in."""
        if asleep[0] and machine.seat == 0:
            thinking.append((table.now + 6, asked))
        is_silent = asleep[0] and machine.seat in (0, 3)
        return None if is_silent else toy_choice(machine, asked)

    table = toy_table(4, 12, choose=choose)
    table.begin()
    asleep[0] = True
    first, last = table.machine(), table.machine(3)
    there = [True]
    while not last.finished and table.now < 5000:
        table.run(until=0.5)
        while thinking and thinking[0][0] <= table.now:
            _when, asked = thinking.pop(0)
            if first.must_choose:
                first.choose(toy_choice(first, asked), table.now)
                table.collect(0)
        if (3 in last.tip.present) != there[-1]:
            there.append(not there[-1])
            if len(there) == 2:
                last.ask_rejoin(table.now)
                table.collect(3)
    assert last.finished
    assert there == [True, False, True, False]
    assert last.may_rejoin


# Rules by themselves


def test_a_malformed_message_of_an_epoch_is_a_proof_with_the_code_of_its_kind(
    table: MachineTable,
) -> None:
    proofs = tuple((bytes([i]) * 32,) for i in range(5))
    promise = table.tell(0, table.sign(3, EpochPromise(1, None, (), None, (), proofs)))
    proposal = table.tell(0, table.sign(2, NewEpoch(1, (bytes(32),))))
    found = inspect(table.machine()).proofs
    assert {seat: (proof.code, proof.messages) for seat, proof in found.items()} == {
        3: ("bad-promise", (promise,)),
        2: ("bad-new-epoch", (proposal,)),
    }
    table.tell(0, table.sign(3, NewEpoch(2, (bytes(32),))))
    assert inspect(table.machine()).proofs[3].code == "bad-promise", "the first one stays"


def test_two_committed_bases_of_one_epoch_void_the_table(table: MachineTable) -> None:
    machine = table.machine()
    alter(machine, void=True)
    machine.tick(1.0)
    assert machine.broken == Broken(VOID_TABLE)


def test_a_seat_speaks_only_where_it_stands_and_owes_an_input() -> None:
    table = waiting_table()
    machine = table.machine()
    assert step_progress.may_speak(machine)
    for changes in ({"promise": 1}, {"floor": 1}, {"epoch": 1}):
        before = {"promise": 0, "floor": 0, "epoch": 0}
        alter(machine, **changes)
        assert not step_progress.may_speak(machine), changes
        alter(machine, **before)
    alter(machine, gave_up=True)
    assert not step_progress.may_speak(machine)
    alter(machine, gave_up=False)
    alter(machine, has_left=True)
    assert not step_progress.may_speak(machine)
    alter(machine, has_left=False)
    table.choose_now(0, 1)
    assert not step_progress.may_speak(machine), "it has spoken"


def test_a_seat_that_waits_for_inputs_alone_is_undisturbed(table: MachineTable) -> None:
    machine = table.machine()
    assert step_progress.is_undisturbed(machine)
    want(machine, {bytes(32)})
    assert not step_progress.is_undisturbed(machine)
    alter(machine, wants=set())
    alter(machine, gave_up=True)
    assert not step_progress.is_undisturbed(machine)
    alter(machine, gave_up=False)
    alter(machine, inquiry=Inquiry(0.0))
    assert not step_progress.is_undisturbed(machine)
    alter(machine, inquiry=None)
    assert step_progress.is_undisturbed(machine)
    for epoch in (1, 2):
        table.tell(0, table.sign(2, NewEpoch(2, (bytes([epoch]) * 32,))))
    assert not step_progress.is_undisturbed(machine), "a fault is proven"


def test_a_later_seat_prepares_its_shuffle_while_others_shuffle() -> None:
    table = toy_table(3)
    first, last = table.machine(0), table.machine(2)
    table.start()
    while last.tip.want.kind is not Kind.SHUFFLE:
        assert not secrets_of(last).is_prepared
        assert table.deliver()
    assert last.tip.keys.shuffles == 0
    assert secrets_of(last).is_prepared
    table.settle()
    assert not secrets_of(last).is_prepared, "it is used up"
    assert not secrets_of(first).is_prepared, "its turn came at once"


def test_a_step_that_has_timed_out_is_told_once(table: MachineTable) -> None:
    machine = table.machine()
    machine.take()
    step_progress.tell_waiting(machine)
    assert machine.take() == [StepTimedOut(machine.awaited(), machine.tip.step)]
    step_progress.tell_waiting(machine)
    assert machine.take() == []
    assert EpochRequest(1) not in inspect(machine).statements(0)
