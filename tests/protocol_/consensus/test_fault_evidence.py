"""Proofs of faults: what two messages of a seat show, and what shows nothing."""

import pytest
from support.inspection import alter, inspect, is_effective
from support.machine_table import toy_table, waiting_table
from support.models.epochs import Model
from support.models.promises import base_of, inputs_of, signed
from support.named_faults import LIAR

from protocol.consensus import fault_evidence
from protocol.consensus.fault_evidence import Proof
from protocol.consensus.fork_tree import Tree
from protocol.wire import signed_messages
from protocol.wire.signed_messages import Message, StepInput

pytestmark = pytest.mark.usefixtures("cheap")


def test_two_inputs_on_two_chains_are_a_fault() -> None:
    """The liar gives an input behind its first version, after it gave the others a second one."""
    table = toy_table()
    table.play(until=5)
    inside = inspect(table.machine())
    deal = min(inside.path.values(), key=lambda node: node.step)
    other = table.sign(LIAR, StepInput(0, deal.step, deal.digest, b"\xc0"))

    def is_first(message: Message) -> bool:
        return (message.seat, message.statement.step) == (LIAR, deal.step)  # type: ignore[union-attr]

    inputs = inside.store.epoch_inputs(0, deal.step)
    assert list(fault_evidence.off_chain(Tree(deal, inputs, 0))) == []
    apart = Tree(deal, inputs, 0)
    swapped = [other if is_first(m) else m for m in inputs]
    apart.inputs = [(m, m.statement) for m in swapped if isinstance(m.statement, StepInput)]
    assert {seat for seat, _, _ in fault_evidence.off_chain(apart)} == {LIAR}


def test_an_input_that_only_a_proof_names_counts_for_two_chains(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    after = base_of(model, inputs).node
    whole = Tree(model.base, [*inputs, *inputs_of(model, 0, 1, 2, 3, node=after)], 0)
    stray = signed(model, 3, StepInput(0, model.base.step, b"x" * 32, b"a"))
    assert list(fault_evidence.off_chain(whole)) == []
    assert [seat for seat, _, _ in fault_evidence.off_chain(whole, [stray])] == [3]
    earlier = signed(model, 3, StepInput(0, model.base.step - 1, b"x" * 32, b"a"))
    assert (
        list(fault_evidence.off_chain(whole, [earlier])) == []
    )  # before the base nothing is compared


def test_a_proof_that_the_next_base_will_not_find_turns_no_epoch() -> None:
    machine = waiting_table().machine()
    inputs = inspect(machine).store.epoch_inputs(0, machine.table.first_step)[:2]
    now = Proof(1, "two-chains", tuple(inputs))
    assert is_effective(machine, now)
    alter(machine, epoch=3)
    assert not is_effective(machine, now)
    unknown = signed_messages.sign(
        waiting_table().who[1], machine.table.id, 1, StepInput(3, 40, b"z" * 32, b"")
    )
    assert not is_effective(machine, Proof(1, "bad-body", (unknown,)))
