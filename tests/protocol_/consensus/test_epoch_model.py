"""Every first change of epoch at small tables: no final step is lost, nobody honest is framed."""

from collections.abc import Set
from typing import Any

import pytest
from support.models.epochs import Model
from support.mutants import MUTANTS, planted
from support.sampling import sample
from support.tiny_table import tiny_steps

Row = tuple[int, int, Set[int], str, int, int]
NOBODY: Set[int] = frozenset()

QUICK: list[Row] = [
    (3, 2, NOBODY, "A", 15, 51),
    (3, 2, NOBODY, "AA", 22, 75),
    (3, 2, {2}, "A", 12, 292),
    (3, 2, {2}, "2", 9, 256),
    (4, 3, NOBODY, "A", 31, 180),
    (4, 3, {3}, "A", 34, 926),
    (4, 3, {3}, "3", 27, 778),
    (4, 3, {3}, "0", 9, 173),
    (4, 3, {3}, "0A", 35, 934),
    (4, 3, {3}, "A0", 24, 594),
    (4, 3, {3}, "03", 28, 786),
    (4, 3, {3}, "30", 17, 446),
    (5, 4, {4}, "A", 96, 2664),
]
LONG: list[Row] = [
    (3, 2, {2}, "AA", 28, 2242),
    (3, 2, {2}, "2A", 25, 2206),
    (4, 3, {3}, "3A", 79, 6516),
    (4, 3, {3}, "AA", 86, 6664),
    (4, 3, {3}, "33", 125, 59794),
]


def _run(seats: int, quorum: int, liars: Set[int], shape: str, **wrong: Any) -> Model:
    with tiny_steps():
        model = Model(seats, quorum, liars, shape, **wrong)
        model.run()
    return model


@pytest.mark.parametrize(
    ("seats", "quorum", "liars", "shape", "states", "new_epochs"),
    [*sample(QUICK, 5, "epochs"), *(pytest.param(*row, marks=pytest.mark.nightly) for row in LONG)],
)
def test_no_new_epoch_loses_a_final_step(
    seats: int, quorum: int, liars: Set[int], shape: str, states: int, new_epochs: int
) -> None:
    model = _run(seats, quorum, liars, shape)
    assert model.found == {}
    assert (model.states, model.new_epochs) == (states, new_epochs)
    assert model.new_epochs > model.states > 1


def test_the_model_catches_a_wrong_rule() -> None:
    (mutant,) = [m for m in MUTANTS if m.name == "an equivocator's version always void"]
    with planted(mutant):
        model = _run(4, 3, {3}, "A")
    assert model.found != {}


WRONG: dict[str, dict[str, Any]] = {
    "no honest halt": {"signers": 1},
    "final by t says": {"final_by": 3},
    "a completed step final by itself": {"final_by": 1},
    "a halt omits its own last say": {"omit_own_last": True},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_the_model_loses_a_final_step_under_a_weaker_rule(wrong: dict[str, Any]) -> None:
    assert _run(4, 3, {3}, "A", **wrong).found != {}


@pytest.mark.parametrize(("seats", "quorum", "liars"), [(3, 2, {2}), (4, 3, {3})])
def test_a_new_epoch_message_whose_signer_has_said_two_things_is_never_valid(
    seats: int, quorum: int, liars: Set[int]
) -> None:
    """So the model need not try them: with all of them it finds the same valid closes."""
    few, all_of = (_run(seats, quorum, liars, "A", whole=whole) for whole in (False, True))
    assert all_of.new_epochs > few.new_epochs
    assert all_of.valid() == few.valid()
