"""Proofs of faults: what two messages of a seat show, and what shows nothing."""

from dataclasses import replace

import pytest
from support.inspection import alter, inspect, is_effective
from support.machine_table import toy_table, waiting_table
from support.models.epochs import Model
from support.models.promises import base_of, grown, inputs_of, signed
from support.named_faults import LIAR

from protocol.chain.chain_state import Node
from protocol.consensus import fault_evidence
from protocol.consensus.fault_evidence import (
    Proof,
    against_promise,
    find_fault,
    illegal_input,
    supersedes,
)
from protocol.consensus.fork_tree import Tree
from protocol.wire import signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    PrepareVote,
    QuorumCertificate,
    Rejoin,
    StepInput,
)

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
    found = list(fault_evidence.off_chain(whole, [earlier]))
    assert found == [], "before the base nothing is compared"


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


# Two messages of one seat


def promise(epoch: int, certificate: int = 0, *inputs: bytes) -> EpochPromise:
    """Return a promise of an epoch with a certificate of another, that lists these inputs."""
    under = QuorumCertificate(certificate, bytes(32), True, ()) if certificate else None
    return EpochPromise(epoch, under, tuple(sorted(inputs)), None, (), ())


def test_a_promise_has_to_report_what_its_seat_signed_in_lower_epochs(model: Model) -> None:
    first = model.table.first_step
    said = {
        epoch: signed(model, 3, StepInput(epoch, first, bytes(32), b"a")) for epoch in (0, 1, 2)
    }
    votes = {epoch: signed(model, 3, CommitVote(epoch, bytes(32))) for epoch in (1, 2)}
    below, omits = "promise-below-certificate", "promise-omits-input"
    for told, message, code in (
        (promise(2), said[1], below),
        (promise(2), votes[1], below),
        (promise(3, 1), votes[2], below),
        (promise(3, 1), votes[1], None),
        (promise(3, 1), said[0], None),
        (promise(2, 1), said[1], omits),
        (promise(2, 1, b"x" * 32), said[1], omits),
        (promise(2, 1, said[1].hash, bytes(32), b"\xff" * 32), said[1], None),
        (promise(1), said[0], omits),
        (promise(1), said[1], None),
        (promise(2), said[2], None),
        (promise(2), signed(model, 3, PrepareVote(1, bytes(32))), None),
    ):
        assert against_promise(signed(model, 3, told), message, first) == code, (told, message)


def test_a_promise_reports_nothing_of_others_or_of_setup(model: Model) -> None:
    first = model.table.first_step
    early = signed(model, 3, StepInput(0, first - 1, bytes(32), b"a"))
    mine = signed(model, 3, StepInput(0, first, bytes(32), b"a"))
    told = signed(model, 3, promise(1))
    assert against_promise(told, mine, first) == "promise-omits-input"
    assert against_promise(told, early, first) is None
    assert against_promise(told, replace(mine, seat=2), first) is None
    assert against_promise(mine, told, first) is None, "the promise comes first"


def test_a_second_version_takes_the_place_of_another_fault_of_its_kind_and_step(
    model: Model,
) -> None:
    one, two, other = (
        signed(model, 3, StepInput(0, step, bytes(32), body))
        for step, body in ((9, b"a"), (9, b"b"), (10, b"a"))
    )
    twice = Proof(3, "equivocation", (one, two))
    assert supersedes(twice, Proof(3, "bad-body", (one,)))
    assert not supersedes(twice, Proof(3, "bad-body", (other,)))
    assert not supersedes(twice, Proof(3, "equivocation", (two, one)))
    assert not supersedes(Proof(3, "bad-body", (one,)), Proof(3, "not-expected", (one,)))
    assert twice.hashes == tuple(sorted((one.hash, two.hash)))


# One message


def test_an_input_is_judged_where_its_node_is_known_and_the_chain_may_grow(model: Model) -> None:
    step, digest = model.base.step, model.base.digest
    nodes = fault_evidence.ancestry(model.base)

    def code(statement: StepInput | EpochRequest, nodes: dict[bytes, Node] = nodes) -> str | None:
        found = illegal_input(signed(model, 3, statement), nodes)
        return None if found is None else found.code

    assert code(StepInput(0, step, digest, b"c")) == "bad-body"
    assert code(StepInput(0, step, digest, b"a")) is None
    assert code(StepInput(0, step + 1, digest, b"a")) == "not-expected"
    assert code(StepInput(0, step, b"x" * 32, b"c")) is None
    assert code(EpochRequest(1)) is None
    still = replace(model.base, present=frozenset({0, 1}))
    assert code(StepInput(0, step, digest, b"c"), {digest: still}) is None


def test_a_new_message_is_held_against_what_is_stored_of_its_seat(model: Model) -> None:
    first, base = model.table.first_step, model.base
    inputs = inputs_of(model, 0, 1, 2, 3)
    store, followed = grown(model, inputs)
    assert find_fault(inputs[3], store, followed) is None
    second = signed(model, 3, StepInput(0, base.step, base.digest, b"b"))
    told = signed(model, 2, promise(1, 0, inputs[2].hash))
    later = signed(model, 2, StepInput(0, first + 1, b"y" * 32, b"a"))
    for message, code in (
        (second, "equivocation"),
        (signed(model, 1, StepInput(0, base.step, base.digest, b"c")), "equivocation"),
        (told, None),
        (later, "promise-omits-input"),
        (signed(model, 0, EpochRequest(1)), None),
        (signed(model, 0, Rejoin(0)), None),
        (signed(model, 0, promise(1)), "promise-omits-input"),
    ):
        assert store.add(message)
        found = find_fault(message, store, followed)
        assert (found and (found.seat, found.code)) == (code and (message.seat, code))


def test_two_chains_are_looked_for_only_where_an_input_is_off_the_followed_one(
    model: Model,
) -> None:
    first = inputs_of(model, 0, 1, 2, 3)
    store, followed = grown(model, first)
    later, step = followed.tip, model.base.step
    store.add(model.step_input(later, 3, b"a"))
    assert list(fault_evidence.find_two_chains(store, followed)) == []
    stray, early = (signed(model, 3, StepInput(0, at, b"x" * 32, b"a")) for at in (step, step - 1))
    store.add(early)
    assert list(fault_evidence.find_two_chains(store, followed)) == [], "it is of before the base"
    store, followed = grown(model, [*first, stray, model.step_input(later, 3, b"a")])
    (proof,) = fault_evidence.find_two_chains(store, followed)
    assert (proof.seat, proof.code) == (3, "two-chains")
    assert proof.messages == (stray, model.step_input(later, 3, b"a"))
