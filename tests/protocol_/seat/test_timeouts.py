"""The times of a seat: step timeouts, longer waits, and back-offs."""

from dataclasses import replace

import pytest
from support.absent_seats import come_back, gone_at
from support.epoch_requests import own_promises, request_epoch
from support.inspection import inspect
from support.machine_table import MachineTable, toy_table, waiting_table

from protocol.chain.chain_state import Kind, Node
from protocol.consensus.followed_chain import new_followed_chain
from protocol.seat.effects import StepTimedOut
from protocol.seat.timeouts import MAX_DOUBLINGS, RETRY, Timers, Wait
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


# By themselves, without a machine


@pytest.fixture
def node() -> Node:
    """Return the node before the first bids, in which players decide."""
    return waiting_table().machine().tip


def at(timers: Timers, now: float) -> Timers:
    """Return the timers at a time."""
    timers.set(now)
    return timers


def test_a_step_in_which_players_decide_has_a_timeout_of_its_own(node: Node) -> None:
    timers = Timers(Timeouts(20_000, 10_000, 3_000, 60_000))
    for kind in Kind:
        human = kind in {Kind.SEAL, Kind.SHOW, Kind.CHOOSE}
        at_kind = replace(node, want=replace(node.want, kind=kind))
        assert timers.timeout(at_kind) == (20.0 if human else 10.0)


def test_a_timeout_runs_from_the_first_time_at_the_step_or_the_last_grant(node: Node) -> None:
    timers, followed = Timers(Timeouts(20_000)), new_followed_chain(0, node, 0.0)
    assert not timers.is_out(node), "it has not come to the step"
    at(timers, 5.0).mark(followed)
    at(timers, 9.0).mark(new_followed_chain(1, node, 9.0))
    assert (timers.counts_from(node), timers.left(node)) == (5.0, 16.0)
    assert at(timers, 24.9).left(node) == pytest.approx(0.1)
    assert not timers.is_out(node)
    assert at(timers, 25.0).is_out(node)
    assert timers.granted_at(node) is None
    timers.grant(node)
    assert timers.granted_at(node) == 25.0
    assert not at(timers, 44.9).is_out(node)
    assert timers.wait(node, 45.0) == Wait(40.0, pytest.approx(0.1), 20.0, 25.0)
    assert at(timers, 45.0).is_out(node)
    timers.begin_anew(node)
    assert (timers.granted_at(node), timers.left(node)) == (None, 20.0)


def test_a_timeout_is_told_once_and_again_after_a_grant(node: Node) -> None:
    timers = Timers(Timeouts())
    assert [timers.tell_timeout(node) for _ in range(2)] == [True, False]
    timers.grant(node)
    assert [timers.tell_timeout(node) for _ in range(2)] == [True, False]


def test_a_step_has_stood_a_back_off_after_it_was_reached_in_this_epoch(node: Node) -> None:
    timers = Timers(Timeouts(20_000, 10_000, 3_000))
    at(timers, 5.0).mark(new_followed_chain(0, node, 0.0))
    at(timers, 7.0).mark(new_followed_chain(0, node, 0.0))
    assert not at(timers, 7.9).has_stood()
    assert at(timers, 8.0).has_stood()
    timers.mark(new_followed_chain(1, node, 0.0))
    assert not timers.has_stood()
    assert at(timers, 11.0).has_stood()


def test_epochs_fail_until_the_chain_is_longer_than_ever() -> None:
    timers = Timers(Timeouts(20_000, 10_000, 3_000, 60_000))
    timers.note_growth(10, 0)
    assert timers.failed_epochs(2) == 2
    timers.note_growth(10, 2)
    assert timers.failed_epochs(3) == 3, "it was so long before"
    timers.note_growth(11, 3)
    assert timers.failed_epochs(3) == 0
    assert timers.back_off(-1) == timers.back_off(0) == 3.0
    long = Timers(Timeouts(back_off=1, cap=2**62))
    longest = 2**MAX_DOUBLINGS / 1000
    assert long.back_off(MAX_DOUBLINGS + 9) == long.back_off(MAX_DOUBLINGS) == longest


def test_a_proposer_waits_half_a_back_off_from_its_first_look_after_each_promise() -> None:
    timers = Timers(Timeouts(20_000, 10_000, 3_000, 60_000))
    assert at(timers, 1.0).waits_as_proposer(0)
    assert at(timers, 2.4).waits_as_proposer(0)
    assert not at(timers, 2.5).waits_as_proposer(0)
    assert timers.waits_as_proposer(1), "the promise has risen, and with it the back-off"
    timers.promise()
    assert (timers.promised_at, timers.proposing) == (2.5, None)
    assert at(timers, 9.0).waits_as_proposer(0)


def test_missing_messages_are_asked_for_once_a_second() -> None:
    timers = Timers(Timeouts())
    asked = [now for now in (0.0, 0.5, 0.9, 1.0, 1.5, 2.5) if at(timers, now).is_asking_due()]
    assert asked == [0.0, 1.0, 2.5]
    assert RETRY == 1.0


def test_the_first_link_with_a_seat_after_the_end_is_noted() -> None:
    timers = Timers(Timeouts())
    timers.note_link(2)
    assert timers.first_links == {}
    at(timers, 5.0).finish()
    for now in (6.0, 7.0):
        at(timers, now).note_link(2)
    assert (timers.over, timers.first_links) == (5.0, {2: 6.0})


def test_a_restart_begins_every_wait_anew(node: Node) -> None:
    timers, followed = Timers(Timeouts()), new_followed_chain(0, node, 0.0)
    timers.mark(followed)
    timers.grant(node)
    timers.finish()
    at(timers, 1.0).waits_as_proposer(0)
    timers.restart(50.0)
    assert (timers.now, timers.asked, timers.promised_at, timers.over) == (50.0,) * 4
    assert (timers.began, timers.granted, timers.proposing) == ({}, {}, None)
    timers.mark(followed)
    assert timers.reached == 50.0
    fresh = Timers(Timeouts())
    fresh.restart(9.0)
    assert fresh.over is None, "the end is not final"
