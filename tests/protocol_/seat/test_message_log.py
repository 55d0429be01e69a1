"""The message log of a seat: what it stores, whom it awaits, and what it drops."""

from support.epoch_requests import input_steps, request_epoch
from support.inspection import inspect, keep, store
from support.machine_table import MachineTable, carried, waiting_table

from protocol.seat.signer import SigningState
from protocol.wire.signed_messages import EpochPromise, EpochRequest, StepInput


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
