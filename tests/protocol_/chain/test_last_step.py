"""A fault in the very last step is in the transcript, and changes nothing of what happened."""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest
from support.forgeries.bodies import fixed
from support.inspection import inspect
from support.machine_table import MachineTable, carried
from support.played import TIMEOUTS, forging_in, game_of, new_room, read_input, vanish

from protocol.chain.chain_state import Kind
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verifier import verify
from protocol.wire.signed_messages import StepInput

pytestmark = pytest.mark.usefixtures("cheap")

LIAR, HONEST = 3, (0, 1, 2)


@cache
def played(also: bool) -> MachineTable:
    room = new_room(4, cheaters={LIAR: forging_in(Kind.RESULT, fixed(b"\x01"), also)})
    room.play(until=400)
    stay(room)
    return room


def stay(room: MachineTable, seats: Iterable[int] = HONEST) -> None:
    """Let whoever was done first still answer and vote."""
    for _ in range(40):
        room.settle()
        room.now += 0.5
        for seat in seats:
            room.machine(seat).tick(room.now)
            room.collect(seat)


@pytest.mark.parametrize(("also", "code"), [(False, "bad-body"), (True, "equivocation")])
def test_every_seat_writes_the_fault_down_and_the_same_content(also: bool, code: str) -> None:
    room = played(also)
    reports = []
    for seat in HONEST:
        assert room.machine(seat).finished
        report = verify(room.machine(seat).transcript(), game_of)
        assert report.ok, report.problem
        assert [(fault.seat, fault.code) for fault in report.faults] == [(LIAR, code)]
        reports.append(report)
    undisturbed = new_room(4)
    undisturbed.play(until=60)
    (same,) = {report.digest for report in reports}
    assert same == verify(undisturbed.places[0].machine.transcript(), game_of).digest


def test_a_base_at_the_end_is_the_end_itself() -> None:
    room = played(also=True)
    for seat in HONEST:
        view = inspect(room.machine(seat))
        assert view.epoch > 0
        assert view.base.want.kind is Kind.RESULT
        assert view.base.slots is not None
        assert LIAR in view.base.present
        assert not view.base.banned


def test_a_strict_table_takes_the_inputs_for_the_end() -> None:
    """A second version that comes once all have spoken changes nothing."""
    room = new_room(4, 4)
    room.play(until=60)
    said = next(
        s for s in reversed(inspect(room.machine()).statements(LIAR)) if isinstance(s, StepInput)
    )
    for seat in HONEST:
        room.show(LIAR, seat, replace(said, body=b"\x01"))
    stay(room)
    for seat in HONEST:
        assert LIAR in inspect(room.machine(seat)).proofs
        assert room.machine(seat).finished
        assert inspect(room.machine(seat)).epoch == 0


@pytest.mark.parametrize("proof", [True, False])
def test_who_left_before_the_fault_came_has_a_file_without_it_and_the_same_result(
    proof: bool,
) -> None:
    """Only the fault is lost: content, standings and verdict are those of the others' files."""
    liar, others = 5, range(1, 5)
    room = new_room(6)
    room.play(until=60)
    assert all(place.machine.finished for place in room.places)
    first = verify(room.machine(0).transcript(), game_of)
    vanish(room, 0)
    tip = room.machine(1).tip
    body = b"\x01" if proof else tip.result_body()
    for seat in others:
        room.tell(seat, room.sign(liar, StepInput(0, tip.step, tip.digest, body)))
    stay(room, others)
    assert first.ok
    assert first.faults == ()
    for seat in others:
        report = verify(room.machine(seat).transcript(), game_of)
        assert report.ok, report.problem
        found = [(fault.seat, fault.code) for fault in report.faults]
        assert found == ([(liar, "equivocation")] if proof else [])
        assert (report.digest, report.standings) == (first.digest, first.standings)


def alone_with_a_proof(proof: bool) -> tuple[MachineTable, SeatMachine]:
    """Return a table whose other seats have left; seat 0 lacks an input and stores a second one.

    That second input is of the liar, and proves its fault.
    """
    room, request = new_room(4), list[bytes]()
    machine = room.machine()

    def last_word(source: int, to: int, frame: bytes) -> bool:
        step_input = read_input(room, frame) if to == 0 and not request else None
        is_last = (
            machine.tip.want.kind is Kind.RESULT and step_input is not None and step_input.seat == 2
        )
        request.extend([frame] if is_last else [])
        return to == 0 and frame in request

    room.drop = last_word
    room.play(until=3)
    assert [place.machine.finished for place in room.places] == [False, True, True, True]
    if proof:
        room.tell(0, room.sign(LIAR, StepInput(0, machine.tip.step, machine.tip.digest, b"\x01")))
    machine.receive(request[0], room.now, room.table.ids[2])
    return room, machine


def test_a_seat_that_alone_stores_a_proof_at_the_end_waits_one_step_timeout() -> None:
    _, machine = alone_with_a_proof(proof=False)
    assert machine.finished, "there is none to wait for"
    room, machine = alone_with_a_proof(proof=True)
    assert not machine.awaited()
    assert LIAR in inspect(machine).proofs
    machine.tick(TIMEOUTS.step / 1000 - 0.1)
    assert not machine.finished
    machine.tick(room.now + TIMEOUTS.step / 1000)
    assert machine.finished
    report = verify(machine.transcript(), game_of)
    assert report.ok, report.problem
    assert report.digest == verify(room.machine(1).transcript(), game_of).digest


def test_a_seat_that_stores_the_proof_before_the_last_input_does_not_end_without_a_base() -> None:
    """Every honest seat receives the liar's other input first, and then the empty one it needs."""
    room, passed, ends = new_room(4), set[int](), dict[int, Kind]()

    def other_first(source: int, to: int, frame: bytes) -> bool:
        message = read_input(room, frame) if source == LIAR else None
        if message is None or message.seat != LIAR or to in passed:
            return False
        step_input = message.statement
        node = room.machine(LIAR).tip
        assert isinstance(step_input, StepInput)
        if node.want.kind is not Kind.RESULT or step_input.step != node.step:
            return False
        passed.add(to)
        other = room.sign(LIAR, replace(step_input, body=b"\x01"))
        room.queue[:0] = [(LIAR, to, carried(other)), (LIAR, to, frame)]
        return True

    collect = room.collect

    def watching(seat: int) -> None:
        collect(seat)
        machine = room.machine(seat)
        if machine.finished and seat != LIAR:
            ends.setdefault(seat, inspect(machine).base.want.kind)

    room.drop, room.collect = other_first, watching  # type: ignore[method-assign]
    room.play(until=400)
    assert passed == set(HONEST)
    assert ends == dict.fromkeys(HONEST, Kind.RESULT)
