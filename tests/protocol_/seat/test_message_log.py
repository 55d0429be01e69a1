"""The message log of a seat: what it stores, whom it awaits, and what it drops."""

from support.epoch_requests import input_steps, request_epoch
from support.inspection import inspect, keep, log_of, store, want
from support.machine_table import MachineTable, carried, toy_table, waiting_table

from protocol.chain.chain_state import Kind
from protocol.seat.effects import Job
from protocol.seat.signer import SigningState
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    PrepareVote,
    StepInput,
)


def test_what_comes_after_the_promise_makes_nothing_final() -> None:
    table = waiting_table({3})
    before, step = table.machine().final_step(), table.machine().tip.step
    table.machine(3).choose(0, table.now)
    (step_input,) = [one for one in input_steps(table, 3) if one.step == step]
    request_epoch(table)
    assert inspect(table.machine()).state is SigningState.PROMISED
    table.tell_first(3, step_input)
    assert table.machine().tip.step == step + 1
    assert table.machine().final_step() == before


def test_inputs_of_passed_epochs_that_lead_nowhere_are_dropped(table: MachineTable) -> None:
    """They are kept while the epoch lasts, and go when the next one is entered."""
    step = table.machine().tip.step
    inputs = (StepInput(0, step + n, bytes([n]) * 32, bytes([n]) * 1024) for n in range(1, 6))
    rest = [table.sign(3, one) for one in inputs]
    for machine in table.machines((0, 1, 2)):
        keep(machine, *rest)
    for seat in (0, 1, 2):
        request = table.sign(seat, EpochRequest(1))
        for machine in table.machines({0, 1, 2, 3} - {seat}):
            machine.receive(carried(request), table.now, None)
        store(table.machine(seat), request)
    for seat in range(4):
        table.collect(seat)
    table.run(until=400)
    machine = table.machine()
    assert machine.finished
    assert inspect(machine).epoch > 0
    held = {m.hash for m in inspect(machine).store}
    named = {
        h
        for m in inspect(machine).store
        if isinstance(m.statement, EpochPromise)
        for h in (*m.statement.inputs, *(h for pair in m.statement.proofs for h in pair))
    }
    gone = [m for m in rest if m.hash not in named]
    assert gone
    assert not held & {m.hash for m in gone}
    on_chain = [m for m in inspect(machine).store if isinstance(m.statement, StepInput)]
    assert len({m.seat for m in on_chain}) == 4


def test_an_input_to_a_step_of_this_epoch_is_known_whether_it_is_legal_or_not() -> None:
    table = waiting_table()
    log, tip = log_of(table.machine()), table.machine().tip
    assert not log.has_input(None, tip.step)
    table.tell_first(2, StepInput(0, tip.step, b"x" * 32, b"\xc0"))
    assert log.has_input(2, tip.step)
    assert log.has_input(None, tip.step)
    assert not log.has_input(1, tip.step)
    assert not log.has_input(2, tip.step + 1)
    assert log.awaited() == {0, 1, 2, 3}, "it is not legal"
    log.enter(1, tip, table.now)
    assert not log.has_input(2, tip.step)


def test_what_a_seat_has_signed_of_an_epoch_is_known_by_its_kind() -> None:
    table = waiting_table()
    log = log_of(table.machine())
    table.tell_first(2, CommitVote(1, bytes(32)))
    assert log.has_signed(2, CommitVote, 1)
    assert not log.has_signed(2, PrepareVote, 1)
    assert not log.has_signed(2, CommitVote, 2)
    assert not log.has_signed(1, CommitVote, 1)


def test_during_a_job_only_checked_inputs_count() -> None:
    table = waiting_table({3})
    machine, log = table.machine(), log_of(table.machine())
    assert log.awaited() == {3}
    machine.tip.derived.clear()
    log.outbox.put(Job(lambda: 0, lambda given: None))
    assert log.awaited() == {0, 1, 2, 3}
    log.outbox.job = None
    assert log.awaited() == {3}


def test_a_seat_lacks_messages_while_some_are_wanted() -> None:
    machine = waiting_table().machine()
    log = log_of(machine)
    assert not log.lacks_messages
    want(machine, {bytes(32)})
    assert log.lacks_messages
    log.store.wants.clear()
    log.store.want_new_epoch(2)
    assert log.lacks_messages


def test_epoch_0_begins_with_the_first_node_behind_setup() -> None:
    table = toy_table(3)
    log = log_of(table.machine())
    assert not log.has_begun
    table.play(until=1)
    assert log.has_begun
    assert log.votes.start is log.followed.base
    assert log.followed.base.want.kind is Kind.DEAL
    assert log.followed.base.step == table.table.first_step


def test_a_final_step_never_falls_and_those_before_a_base_are_final() -> None:
    table = waiting_table()
    log, tip = log_of(table.machine()), table.machine().tip
    final = log.final_step(is_standing=True)
    assert final == tip.step - 2
    log.store.forget_inputs(9, lambda message, step_input: False)
    assert log.final_step(is_standing=True) == final
    log.enter(1, tip, table.now)
    assert log.final_step(is_standing=False) == tip.step - 1


def test_a_fresh_message_is_taken_once_and_may_be_judged_again() -> None:
    table = waiting_table()
    log = log_of(table.machine())
    assert log.take_fresh() == []
    message = table.sign(2, CommitVote(1, bytes(32)))
    assert log.keep(message)
    assert not log.keep(message)
    assert log.take_fresh() == [message]
    assert log.take_fresh() == []
    log.renew([message])
    assert log.take_fresh() == [message]
