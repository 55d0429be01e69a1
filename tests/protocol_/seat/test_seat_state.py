"""The state of a seat: what it reads from its parts, and that they share what they should."""

from support.inspection import alter, find_void, inspect, raise_promise, view_of
from support.machine_table import toy_table, waiting_table

from protocol.seat.effects import VOID_TABLE, Broken, Job
from protocol.seat.seat_state import SeatState
from protocol.seat.signer import SigningState


def test_all_parts_queue_their_orders_in_one_outbox_and_know_one_time() -> None:
    state = toy_table(3).machine(1)
    assert state.judge.outbox is state.log.outbox is state.signer.outbox is state.outbox
    assert state.peers.timers is state.judge.timers is state.signer.timers is state.timers
    assert state.peers.log is state.judge.log is state.signer.log is state.log
    assert (state.peers.seat, state.judge.seat, state.signer.seat) == (1, 1, 1)


def test_an_onlooker_has_the_same_parts_and_no_keys() -> None:
    state = SeatState(toy_table(3).table, bytes)
    assert (state.seat, state.signer.who, state.signer.own_secrets) == (None, None, None)
    assert vars(state).keys() == vars(toy_table(3).machine()).keys()


def test_what_the_parts_note_is_seen() -> None:
    table = toy_table(3)
    machine = table.machine()
    assert (machine.tip.step, machine.has_begun, machine.finished) == (1, False, False)
    assert machine.awaited() == {0, 1, 2}
    table.play(until=5)
    assert machine.has_begun
    assert machine.finished
    assert machine.tip is view_of(machine).tip
    assert machine.broken is None
    job = Job(lambda: 0, lambda given: None)
    alter(machine, job=job)
    assert machine.job is job
    broken = toy_table(3).machine()
    find_void(broken)
    assert broken.broken == Broken(VOID_TABLE)


def test_the_last_final_step_grows_only_while_the_seat_stands_in_its_epoch() -> None:
    table = waiting_table({3})
    machine = table.machine()
    before = machine.final_step()
    raise_promise(machine, 1)
    assert inspect(machine).state is SigningState.PROMISED
    table.thinkers.clear()
    table.choose_now(3, 0)
    table.settle()
    assert machine.tip.step > before + 2
    assert machine.final_step() == before
