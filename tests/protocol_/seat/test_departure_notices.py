"""A seat that leaves for now is not waited for. Nobody else is hurried, framed or lost by it."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from support.departing import (
    come_back,
    depart,
    departing_table,
    departure,
    hear_departure,
    onlooker_of,
)
from support.inspection import alter, inspect, request
from support.machine_table import QUICK, MachineTable, carried
from support.sim.departures import departure_of

from protocol.chain.chain_state import Kind
from protocol.seat.effects import Guilty, SeatLeft, StepTimedOut
from protocol.seat.signer import SigningState
from protocol.wire import peer_frames, signed_notices


def left_by(*seats: int, thinkers: Iterable[int] = (), of: int = 4, at: float = 4) -> MachineTable:
    """Return a table that seats have left, so many seconds after it began to wait."""
    table = departing_table({*seats, *thinkers}, of)
    table.now += at
    for seat in seats:
        depart(table, seat)
    return table


def check_end(table: MachineTable, *absences: int) -> None:
    """Check that seat 0 has finished, so many absences of each seat counted."""
    assert table.machine().finished
    assert table.machine().tip.absences == absences


# What it does.


def test_the_game_goes_on_well_before_the_step_timeout() -> None:
    table = left_by(3)
    table.run(until=2)
    for seat in (0, 1, 2):
        machine = table.machine(seat)
        assert machine.finished
        assert machine.tip.absences == (0, 0, 0, 1)
        assert table.places[seat].of_kind(SeatLeft) == [SeatLeft(3)]
        assert not table.places[seat].of_kind(Guilty)


def test_nobody_goes_on_without_the_notice_or_before_one_back_off() -> None:
    table = departing_table({3})
    table.now += 4
    table.places[3].alive = False
    table.run(until=2)
    assert not table.machine().finished
    assert table.machine().tip.absences == (0, 0, 0, 0)
    table = left_by(3, at=0)
    table.run(until=2.5)
    assert inspect(table.machine()).requests == {}
    table.run(until=1.5)
    assert table.machine().tip.absences == (0, 0, 0, 1)


def test_a_seat_that_still_thinks_keeps_the_whole_step_timeout() -> None:
    table = left_by(3, thinkers={2})
    table.run(until=14)
    for machine in table.machines((0, 1, 2)):
        assert machine.away() == {3}
        assert (inspect(machine).requests, inspect(machine).has_run_out) == ({}, False)
    table.thinkers = {3}
    table.choose_now(2, 0)
    table.run(until=2)
    check_end(table, 0, 0, 0, 1)


def test_who_thinks_itself_hurries_nobody() -> None:
    table = left_by(3, thinkers={0})
    table.run(until=10)
    assert table.machine().awaited() == {0, 3}
    assert not inspect(table.machine()).have_all_left
    assert inspect(table.machine()).requests == {}


def test_who_has_spoken_leaves_for_the_next_step() -> None:
    table = departing_table({2})
    table.now += 4
    step = table.machine().tip.step
    notice = depart(table, 3)
    assert (notice.step, notice.on) == (step + 1, table.machine().tip.digest)
    table.run(until=8)
    assert table.machine().away() == {3}
    assert inspect(table.machine()).requests == {}
    table.thinkers.clear()
    table.choose_now(2, 0)
    table.run(until=2.5)
    assert inspect(table.machine()).epoch == 0
    assert table.machine().tip.want.kind is Kind.BARRIER
    table.run(until=2)
    check_end(table, 0, 0, 0, 1)


def test_several_may_leave_as_long_as_a_quorum_stays() -> None:
    table = left_by(4, 5, of=6)
    table.run(until=3)
    check_end(table, 0, 0, 0, 0, 1, 1)


def test_a_strict_table_pauses_and_is_told_at_once() -> None:
    table = left_by(1, of=2)
    table.run(until=300)
    assert table.machine().tip.absences == (0, 0)
    assert [told.seats for told in table.places[0].of_kind(StepTimedOut)] == [frozenset({1})]
    assert table.places[0].of_kind(SeatLeft) == [SeatLeft(1)]
    table.thinkers.clear()
    come_back(table, 1)
    table.run(until=20)
    assert table.machine().finished


def test_who_waits_longer_waits_for_who_has_left_too() -> None:
    table = departing_table({3})
    table.now += 4
    table.places[3].alive = False
    hear_departure(table, 0, departure(table, 3))
    assert inspect(table.machine()).have_all_left
    assert table.machine().wait_longer(table.now)
    assert not inspect(table.machine()).have_all_left
    assert table.machine().wait(table.now).left == 20
    table.now += 1
    hear_departure(table, 0, departure(table, 3, number=3))
    assert inspect(table.machine()).have_all_left
    assert table.machine().wait(table.now).left == 0


# What ends it.


def test_an_input_of_the_seat_ends_it() -> None:
    table = departing_table({2, 3})
    notice = departure(table, 3)
    assert hear_departure(table, 0, notice) == {3}
    table.choose_now(3, 0)
    table.settle()
    assert table.machine().away() == frozenset()
    assert hear_departure(table, 0, notice) == frozenset()
    assert hear_departure(table, 0, departure(table, 3, number=3)) == frozenset(), (
        "its input came before"
    )
    assert hear_departure(table, 0, departure(table, 3, number=5, ahead=1)) == {3}


def test_it_hurries_nobody_in_the_step_before_its_own() -> None:
    """The input that it has signed there may still be on its way."""
    table = departing_table({3})
    table.now += 4
    for notice, hurries in (
        (departure(table, 3, ahead=1), False),
        (departure(table, 3, number=3), True),
    ):
        assert hear_departure(table, 0, notice) == {3}
        assert inspect(table.machine()).have_all_left is hurries


def test_a_link_with_the_seat_ends_it() -> None:
    """While a seat leaves, a better link to the same process may come up."""
    table = left_by(3, at=1)
    table.machine().link_up(table.table.ids[3], table.now, again=True)
    assert table.machine().away() == {3}
    table.machine().link_up(table.table.ids[3], table.now)
    assert table.machine().away() == frozenset()
    table = left_by(3, at=1)
    come_back(table, 3)
    table.run(until=12)
    for machine in table.machines((0, 1, 2)):
        assert machine.away() == frozenset()
        assert inspect(machine).requests == {}
    table.thinkers.clear()
    table.choose_now(3, 0)
    table.run(until=1)
    check_end(table, 0, 0, 0, 0)


def test_who_is_back_may_leave_again() -> None:
    table = departing_table({3})
    table.now += 1
    first = depart(table, 3)
    come_back(table, 3)
    second = depart(table, 3)
    assert (first.number, second.number) == (1, 3)
    assert (first.epoch, first.step, first.on) == (second.epoch, second.step, second.on)
    assert table.machine().away() == {3}
    assert table.places[0].of_kind(SeatLeft) == [SeatLeft(3)] * 2
    hear_departure(table, 0, first)
    assert inspect(table.machine()).departures.get(3, 0) == 3


def changed(table: MachineTable) -> None:
    """All stand in epoch 1, nobody absent, at the step at which they stood before."""
    for seat, place in enumerate(table.places):
        if place.alive:
            request(place.machine, dict.fromkeys(range(4), 1))
            place.machine.tick(table.now)
            table.collect(seat)
    table.run(until=5)
    assert inspect(table.machine()).epoch == 1
    assert not any(table.machine().tip.absences)


def test_a_change_of_epoch_does_not_end_it() -> None:
    table = left_by(3, thinkers={2}, of=6, at=0)
    changed(table)
    assert table.machine().away() == {3}
    assert table.places[0].of_kind(SeatLeft) == [SeatLeft(3)]
    table.run(until=6)
    assert inspect(table.machine()).requests.get(0, 0) == 1, "seat 2 still thinks"
    table.choose_now(2, 0)
    table.run(until=4)
    assert table.machine().tip.absences == (0, 0, 0, 1, 0, 0)


def test_a_seat_that_left_behind_its_input_is_not_waited_for_to_give_it_again() -> None:
    table = departing_table({2}, 6)
    notice = depart(table, 3)
    assert notice.step == table.machine().tip.step + 1
    changed(table)
    assert table.machine().awaited() == {2, 3}, "its input did not outlive the epoch"
    assert table.machine().away() == {3}
    table.choose_now(2, 0)
    table.run(until=5)
    assert table.machine().tip.absences == (0, 0, 0, 1, 0, 0)


def test_two_who_leave_in_different_steps_cost_no_step_timeout() -> None:
    table = departing_table({4}, 6)
    table.now += 4
    depart(table, 5)
    depart(table, 4)
    began = table.now
    table.run(until=15)
    check_end(table, 0, 0, 0, 0, 1, 1)
    assert table.now - began < QUICK.choice / 1000


def test_an_absence_since_then_ends_it() -> None:
    table = departing_table({3})
    table.now += 4
    notice = depart(table, 3)
    hear_departure(table, 0, notice)
    table.run(until=3)
    assert table.machine().tip.absences == (0, 0, 0, 1)
    tip = table.machine().tip
    back = replace(tip, present=tip.present | {3}, parent=tip)
    alter(table.machine(), tip=back)
    assert table.machine().away() == frozenset()
    alter(table.machine(), tip=replace(back, absences=(0,) * 4))
    assert table.machine().away() == {3}, "but for the absence it would hold"


def test_an_input_of_a_later_epoch_ends_it_and_one_of_an_epoch_to_come_waits_for_it() -> None:
    table = departing_table({2, 3}, 6)
    hear_departure(table, 0, notice := departure(table, 3))
    changed(table)
    assert table.machine().away() == {3}
    table.choose_now(3, 0)
    table.settle()
    assert hear_departure(table, 0, notice) == frozenset()
    table = departing_table({2, 3}, 6)
    hear_departure(table, 0, departure(table, 3, epoch=2))
    changed(table)
    assert table.machine().away() == frozenset()


# Returns.


def test_who_is_back_says_so_once_it_may_sign() -> None:
    table = departing_table({3})
    first = depart(table, 3)
    table.crash_and_resume(3)
    assert inspect(table.machine(3)).state is SigningState.SILENT
    found = (departure_of(raw) for sender, _, raw in table.queue if sender == 3)
    assert not any(notice is not None and notice.is_return for notice in found)
    table.run(until=1)
    assert inspect(table.machine(3)).state is SigningState.STANDING
    for seat in range(4):
        assert inspect(table.machine(seat)).departures.get(3, 0) == first.number + 1
        assert table.machine(seat).away() == frozenset()
    records = len(table.places[3].journal)
    table.run(until=2)
    assert len(table.places[3].journal) == records, "said once"


def test_a_return_ends_it_for_seats_that_are_linked_through_others() -> None:
    table = departing_table({2, 3})
    for number, away in ((1, {3}), (2, set()), (1, set()), (3, {3})):
        assert hear_departure(table, 0, departure(table, 3, number=number)) == away


def test_a_journal_that_forgot_a_departure_is_told_and_returns() -> None:
    table = departing_table({3})
    notice = depart(table, 3)
    table.places[3].journal.pop()
    table.crash_and_resume(3)
    assert inspect(table.machine(3)).departures.get(3, 0) == 0
    hear_departure(table, 3, notice)
    table.run(until=5)
    assert inspect(table.machine(3)).departures.get(3, 0) == 2
    assert inspect(table.machine()).departures.get(3, 0) == 2


@pytest.mark.parametrize(("epoch", "ahead"), [(1, 0), (0, 2), (0, -1)])
def test_a_departure_at_another_step_or_chain_does_not_hold(epoch: int, ahead: int) -> None:
    table = departing_table(range(4))
    notice = signed_notices.sign_notice(
        table.who[3],
        table.table.id,
        signed_notices.Departure(3, 1, 0, table.machine().tip.step, b"x" * 32),
    )
    for other in (departure(table, 3, epoch=epoch, ahead=ahead), notice):
        assert hear_departure(table, 0, other) == frozenset()
        assert not table.places[0].of_kind(SeatLeft)


def test_a_departure_of_an_absent_seat_means_nothing() -> None:
    table = departing_table({3})
    table.places[3].alive = False
    table.run(until=40)
    assert table.machine().tip.absences == (0, 0, 0, 1)
    assert (
        hear_departure(table, 0, departure(table, 3, epoch=inspect(table.machine()).epoch))
        == frozenset()
    )


def test_a_watcher_is_told() -> None:
    table = departing_table({3})
    onlooker = onlooker_of(table)
    for seat in range(4):
        for message in inspect(table.machine(seat)).store:
            onlooker.receive(carried(message), 0.0, table.table.ids[seat])
    onlooker.receive(peer_frames.encode_frame(departure(table, 3)), 0.0, table.table.ids[0])
    assert SeatLeft(3) in onlooker.take()
    assert onlooker.away() == {3}
