"""The times of a seat: step timeouts, longer waits, and back-offs."""

from support.absent_seats import come_back, gone_at
from support.epoch_requests import own_promises, request_epoch
from support.inspection import inspect
from support.machine_table import MachineTable, toy_table, waiting_table

from protocol.seat.effects import StepTimedOut
from protocol.seat.timeouts import Timers
from protocol.wire.signed_messages import EpochPromise, EpochRequest
from protocol.wire.table_header import Timeouts


def test_the_step_timeout_begins_anew_after_a_crash() -> None:
    table = waiting_table()
    table.wait_first(19)
    table.now += 100
    table.crash_and_resume(0)
    table.wait_first(5)
    assert inspect(table.machine()).requests == {}


def test_a_seat_that_waits_longer_requests_no_epoch_and_claims_no_timeout_until_then() -> None:
    """It is not journalled, and nothing is signed for it."""
    table = waiting_table({3})
    table.wait_first(15)
    records = list(table.places[0].journal)
    assert table.machine().wait_longer(table.now)
    table.collect(0)
    assert table.places[0].journal == records
    assert table.machine().take() == []
    table.wait_first(19)
    assert inspect(table.machine()).requests == {}
    request_epoch(table)
    (promise,) = own_promises(table)
    assert promise.timeout is None
    assert inspect(table.machine()).promise == 1
    assert inspect(table.machine()).clocks.granted != {}
    table.crash_and_resume(0)
    assert inspect(table.machine()).clocks.granted == {}


def test_a_longer_wait_runs_out_too_and_is_told_again() -> None:
    table = waiting_table({3})
    table.wait_first(21)
    assert inspect(table.machine()).requests == {0: 1}
    assert table.machine().wait_longer(table.now)
    table.wait_first(19)
    assert not inspect(table.machine()).clocks.is_out(table.machine().tip)
    table.wait_first(2)
    told = [effect for effect in table.places[0].heard if isinstance(effect, StepTimedOut)]
    assert [effect.seats for effect in told] == [frozenset({3}), frozenset({3})]
    request_epoch(table, 1, 2)
    (promise,) = own_promises(table)
    assert promise.timeout is not None


def test_the_longest_times_of_all_are_kept_to_the_second() -> None:
    """Thirty days in milliseconds need more than 31 bits."""
    day, high = 86_400.0, [86_400_000 * days for days in (30, 30, 1, 30)]
    table = toy_table(4, timeouts=Timeouts(*high), thinkers=[3])
    table.start()
    table.settle()

    def absent_after(seconds: float) -> set[int]:
        table.now = seconds
        for seat in range(4):
            table.machine(seat).tick(table.now)
            table.collect(seat)
        table.settle()
        return {0, 1, 2, 3} - set(table.machine().tip.present)

    assert table.machine().wait(0.0).left == 30 * day
    assert absent_after(30 * day - 1) == set()
    assert absent_after(30 * day) == {3}
    back_offs = [Timers(Timeouts(*high)).back_off(j) / day for j in (0, 1, 4, 5, 10**9)]
    assert back_offs == [1, 2, 16, 30, 30]


def test_back_off_doubles_per_failed_epoch_up_to_its_cap() -> None:
    clocks = inspect(waiting_table().machine()).clocks
    assert [clocks.back_off(j) for j in (0, 1, 2, 3)] == [3.0, 6.0, 12.0, 24.0]
    assert clocks.back_off(9) == clocks.back_off(10**9) == 60.0


def waiting_longer(seats: int, waiting: set[int], quorum: int | None = None) -> MachineTable:
    """Return a table whose last seat is gone; the `waiting` extend its time after ten seconds."""
    table = toy_table(seats, quorum=quorum)
    gone_at(table, {seats - 1}, table.table.first_step)
    table.start()
    table.run(until=8 - table.now)
    for seat in waiting:
        assert table.machine(seat).wait_longer(table.now)
    return table


def test_one_seat_waits_and_the_others_go_on_without_it() -> None:
    table = waiting_longer(6, {0})
    table.run(until=200)
    machine = table.machine()
    assert machine.finished
    assert 5 not in machine.tip.present
    promises = [said for said in inspect(machine).statements(0) if isinstance(said, EpochPromise)]
    assert promises[0].timeout is None
    assert not any(isinstance(said, EpochRequest) for said in inspect(machine).statements(0))


def test_with_enough_waiting_nothing_happens_until_later() -> None:
    table = waiting_longer(4, {0})
    wait = inspect(table.machine()).clocks.timeout(table.machine().tip)
    table.run(until=8 + wait - 1 - table.now)
    assert [inspect(p.machine).promise for p in table.places[:3]] == [0, 0, 0]
    assert inspect(table.machine(1)).requests == {1: 1, 2: 1}
    table.run(until=200)
    assert all(p.machine.finished for p in table.places[:3])
    assert 3 not in table.machine().tip.present


def test_who_comes_back_in_the_extended_time_is_not_absent() -> None:
    table = waiting_longer(4, {0, 1})
    wait = inspect(table.machine()).clocks.timeout(table.machine().tip)
    table.run(until=8 + wait - 2 - table.now)
    come_back(table, 3, asks=False)
    table.run(until=60)
    assert all(p.machine.finished for p in table.places)
    assert all(p.machine.tip.absences == (0, 0, 0, 0) for p in table.places)
    assert all(inspect(p.machine).epoch == 0 for p in table.places)
