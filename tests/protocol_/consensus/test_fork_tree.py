"""The tree of all chains that the inputs of one epoch can form."""

import pytest
from support.models.epochs import Model
from support.models.promises import inputs_of

from protocol.chain import transition
from protocol.consensus import fork_tree
from protocol.consensus.fork_tree import MAX_CHOICES, Tree
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
