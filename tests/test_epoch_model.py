"""Every first change of epoch at small tables: no final step is lost, nobody honest is framed."""

from typing import Any

import pytest
from epoch_model import Model, tiny_steps
from mutants import MUTANTS, planted

ONE_STEP = [
    (3, 2, None, "A", 15, 90),
    (3, 2, None, "AA", 22, 132),
    (3, 2, 2, "A", 12, 1134),
    (3, 2, 2, "2", 9, 1062),
    (4, 3, None, "A", 31, 248),
    (4, 3, 3, "A", 34, 4200),
    (4, 3, 3, "3", 27, 3976),
    (4, 3, 3, "0", 9, 264),
]
TWO_STEPS = [
    (3, 2, 2, "AA", 28, 11514),
    (3, 2, 2, "2A", 25, 11442),
    (4, 3, 3, "3A", 79, 43416),
    (4, 3, 3, "0A", 35, 4208),
    (4, 3, 3, "A0", 24, 1280),
]


def _run(seats: int, quorum: int, liar: int | None, shape: str, **wrong: Any) -> Model:
    with tiny_steps():
        model = Model(seats, quorum, liar, shape, **wrong)
        model.run()
    return model


def _check(model: Model, states: int | None, closes: int | None) -> None:
    assert model.lost == []
    assert states in (None, model.states)
    assert closes in (None, model.closes)
    assert model.closes > model.states > 1


@pytest.mark.parametrize(("seats", "quorum", "liar", "shape", "states", "closes"), ONE_STEP)
def test_no_close_loses_a_final_step(
    seats: int, quorum: int, liar: int | None, shape: str, states: int, closes: int
) -> None:
    _check(_run(seats, quorum, liar, shape), states, closes)


@pytest.mark.soak
@pytest.mark.parametrize(("seats", "quorum", "liar", "shape", "states", "closes"), TWO_STEPS)
def test_no_close_loses_a_final_step_in_two_steps(
    seats: int, quorum: int, liar: int | None, shape: str, states: int, closes: int
) -> None:
    _check(_run(seats, quorum, liar, shape), states, closes)


@pytest.mark.parametrize("name", ["an equivocator's version always void"])
def test_the_model_catches_a_wrong_rule(name: str) -> None:
    (mutant,) = [m for m in MUTANTS if m.name == name]
    with planted(mutant):
        model = _run(4, 3, 3, "A")
    assert model.lost != []


WRONG: dict[str, dict[str, Any]] = {
    "no honest halt": {"signers": 1},
    "final by t says": {"final_by": 3},
    "a completed step final by itself": {"final_by": 1},
    "a halt omits its own last say": {"omit_own_last": True},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_the_model_loses_a_final_step_under_a_weaker_rule(wrong: dict[str, Any]) -> None:
    assert _run(4, 3, 3, "A", **wrong).lost != []
