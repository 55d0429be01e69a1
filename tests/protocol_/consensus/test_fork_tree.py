"""The tree of all chains that the inputs of one epoch can form."""

import pytest
from support.models.epochs import Model
from support.models.promises import inputs_of, signed

from protocol.chain import transition
from protocol.consensus import fork_tree
from protocol.consensus.fork_tree import MAX_CHOICES, Tree
from protocol.consensus.fork_tree import inputs_of as inputs_among
from protocol.wire.signed_messages import EpochRequest, StepInput
from protocol.wire.table_header import MAX_SEATS


def test_of_all_choices_of_bodies_only_the_first_are_looked_at(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = {**dict.fromkeys(range(3), b"a"), 3: b"b"}
    after = transition.append(model.base, transition.slots_of(model.base, bodies))
    inputs = [
        *inputs_of(model, 0, 1, 2, 3),
        model.step_input(model.base, 3, b"b"),
        *inputs_of(model, 0, node=after),
    ]
    assert after.digest in Tree(model.base, inputs, 0).nodes
    monkeypatch.setattr(fork_tree, "MAX_CHOICES", 1)
    assert after.digest not in Tree(model.base, inputs, 0).nodes


def test_no_table_has_so_many_seats_that_a_choice_which_decides_a_base_is_left_out() -> None:
    """A new epoch contains at most 2t bodies of each seat that does not sign it ([E-18])."""
    tables = [(n, t) for n in range(2, MAX_SEATS + 1) for t in range(n // 2 + 1, n + 1)]
    assert max((2 * t) ** (n - t) for n, t in tables) <= 1000 < MAX_CHOICES


def test_a_tree_holds_each_chain_on_which_an_input_builds(model: Model) -> None:
    versions = [transition.append(model.base, (b"a", b"a", b"a", body)) for body in (b"a", b"b")]
    inputs = [*inputs_of(model, 0, 1, 2, 3), model.step_input(model.base, 3, b"b")]
    assert list(Tree(model.base, inputs, 0).nodes) == [model.base.digest]
    tree = Tree(model.base, [*inputs, *inputs_of(model, 0, node=versions[1])], 0)
    assert set(tree.nodes) == {model.base.digest, versions[1].digest}
    assert tree.bodies(model.base) == {0: (b"a",), 1: (b"a",), 2: (b"a",), 3: (b"a", b"b")}
    alone = Tree(model.base, inputs[:4], 0)
    assert set(alone.nodes) == {model.base.digest, versions[0].digest}, "one version needs nobody"
    assert set(Tree(model.base, inputs[:3], 0).nodes) == {model.base.digest}


def test_only_legal_inputs_of_the_epoch_make_chains(model: Model) -> None:
    illegal = signed(model, 3, StepInput(0, model.base.step, model.base.digest, b"c"))
    later = signed(model, 3, StepInput(1, model.base.step, model.base.digest, b"a"))
    request = signed(model, 3, EpochRequest(1))
    tree = Tree(model.base, [*inputs_of(model, 0, 1, 2), illegal, later, request], 0)
    assert set(tree.nodes) == {model.base.digest}
    assert {message.seat for message, _ in tree.inputs} == {0, 1, 2, 3}
    assert [message for message, _ in inputs_among([later, illegal, request], 0)] == [illegal]
    assert not tree.has_legal(illegal)
    assert not tree.has_legal(request)
    assert all(tree.has_legal(one) for one in inputs_of(model, 0, 1, 2))


def test_an_input_resolves_if_its_node_is_there_and_has_its_step(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2, 3)
    tree = Tree(model.base, inputs, 0)
    step, digest = model.base.step, model.base.digest
    assert tree.resolves(StepInput(0, step, digest, b""))
    assert not tree.resolves(StepInput(0, step + 1, digest, b""))
    assert not tree.resolves(StepInput(0, step, b"x" * 32, b""))


def test_who_builds_on_a_later_node_builds_on_all_before_it(model: Model) -> None:
    first = inputs_of(model, 0, 1, 2, 3)
    after = transition.append(model.base, (b"a",) * 4)
    tree = Tree(model.base, [*first, *inputs_of(model, 1, 2, node=after)], 0)
    assert tree.builders(after) == {1, 2}
    assert tree.builders(model.base) == {0, 1, 2, 3}
    few = Tree(model.base, [*inputs_of(model, 0, 1, 2, 3)[:2], *inputs_of(model, 3, node=after)], 0)
    assert few.builders(model.base) == {0, 1}, "nobody knows what seat 3 builds on"
