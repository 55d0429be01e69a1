"""Every first change of epoch around a sealed choice, and every absence a close may declare.

With a `hold` step between commit and reveal no close leaves a commit step otherwise than whoever
has revealed saw it, and no seat helps to declare an absence in a step it has not spoken in.
"""

from collections.abc import Callable, Set
from typing import Any

import pytest
from support.models.epochs import Closing, Judge, Model, Says, loses_a_final_step
from support.models.hold import (
    AFRESH,
    IN_VAIN,
    LEFT,
    OTHER,
    STUCK,
    UNEARNED,
    VOID,
    VOTED_AWAY,
    has_reveal,
    made_absent,
    stuck,
    unearned_absence,
    vain_reveal,
    voted_away,
)
from support.mutants import Mutant, planted
from support.sampling import sample
from support.tiny_table import tiny_steps

from protocol.consensus import view_change

NOBODY: Set[int] = frozenset()
Only = Callable[[Model, Says], bool] | None


def run(
    table: tuple[int, int, Set[int]], shape: str, *judges: Judge, only: Only = None, **more: Any
) -> Model:
    with tiny_steps():
        model = Model(*table, shape, **more)
        model.run(*judges, only=only)
    return model


# A reveal that is out.

WITHIN: dict[str, tuple[tuple[int, int, Set[int]], dict[str, Any], int, int]] = {
    "three seats": ((3, 2, NOBODY), {}, 14, 57),
    "four seats": ((4, 3, NOBODY), {}, 30, 188),
    "four seats, a liar": ((4, 3, {3}), {"tail": "", "illegal": True}, 14, 1938),
    "four seats, a liar, one away": ((4, 3, {3}), {"away": {0}}, 12, 436),
    "five seats, a liar": ((5, 4, {4}), {}, 60, 2146),
    "five seats, a liar, one away": ((5, 4, {3}), {"away": {4}}, 28, 1128),
    "five seats, two liars": ((5, 4, {3, 4}), {"tail": ""}, 28, 2244),
    "five seats, two liars, one away": ((5, 4, {0, 1}), {"away": {4}, "tail": ""}, 12, 1004),
    "six seats, a liar": ((6, 4, {5}), {"tail": ""}, 62, 4850),
    "six seats, a liar, two away": ((6, 4, {5}), {"away": {0, 1}, "tail": ""}, 14, 1554),
}


@pytest.mark.parametrize("name", sample(WITHIN, 3, "reveals within the bound"))
def test_with_hold_no_close_changes_a_commit_step_after_a_reveal(name: str) -> None:
    table, more, states, closes = WITHIN[name]
    model = run(table, "CHR", vain_reveal, only=has_reveal, **more)
    assert model.found == {}
    assert (model.states, model.closes) == (states, closes)


DANGER = {
    "three seats": ((3, 2, NOBODY), {AFRESH, LEFT}),
    "four seats, a liar": ((4, 3, {3}), IN_VAIN),
    "five seats, a liar": ((5, 4, {4}), IN_VAIN),
    "five seats, two liars": ((5, 4, {3, 4}), IN_VAIN),
}


@pytest.mark.parametrize("name", sample(DANGER, 2, "reveals without hold"))
def test_a_reveal_on_the_commitments_alone_may_be_in_vain(name: str) -> None:
    """In two steps the model finds all that a liar could gain: a choice void, new or another."""
    table, found = DANGER[name]
    model = run(table, "CR", vain_reveal, only=has_reveal, tail="")
    assert set(model.found) == found
    assert {VOID, OTHER, AFRESH, LEFT} == IN_VAIN


def test_a_quorum_of_liars_makes_a_reveal_vain_with_hold_too() -> None:
    """Beyond the bound no rule helps; the model sees it."""
    model = run((4, 3, {1, 2, 3}), "CHR", vain_reveal, only=has_reveal, tail="")
    assert model.found != {}


# Absence.

ABSENCES: dict[str, tuple[tuple[int, int, Set[int]], str, int, int]] = {
    "three seats": ((3, 2, NOBODY), "AA", 22, 75),
    "three seats, a liar": ((3, 2, {2}), "A", 12, 292),
    "four seats, a liar, all speak": ((4, 3, {3}), "A", 34, 1067),
    "four seats, a liar, it speaks": ((4, 3, {3}), "3", 27, 892),
    "four seats, a liar, another speaks": ((4, 3, {3}), "0", 9, 215),
    "four seats, a liar, another, all": ((4, 3, {3}), "0A", 35, 1078),
    "four seats, a liar, all, another": ((4, 3, {3}), "A0", 24, 723),
}
JUDGES = (loses_a_final_step, unearned_absence, voted_away, stuck)


@pytest.mark.parametrize("name", sample(ABSENCES, 2, "absences"))
def test_who_has_not_spoken_helps_to_declare_no_absence(name: str) -> None:
    table, shape, states, closes = ABSENCES[name]
    absences: list[Closing] = []

    def note(model: Model, closing: Closing) -> None:
        if made_absent(model, closing.base):
            absences.append(closing)

    model = run(table, shape, *JUDGES, note, subsets=True)
    assert model.found == {}
    assert (model.states, model.closes) == (states, closes)
    assert len(absences) > 0


@pytest.mark.parametrize("name", sample(ABSENCES, 2, "thinkers"))
def test_where_a_seat_that_thinks_may_say_expired_it_votes_itself_away(name: str) -> None:
    """By the count of halts alone; that those of the missing do not count keeps it from harm."""
    table, shape, _, _ = ABSENCES[name]
    old = "read.message.seat not in missing"
    counted = Mutant("halts of the missing count", ((view_change._expire, old, "True"),))
    with planted(counted):
        model = run(table, shape, *JUDGES, subsets=True, thinkers_vote=True)
    assert set(model.found) >= {UNEARNED, VOTED_AWAY}
    model = run(table, shape, voted_away, subsets=True, thinkers_vote=True)
    assert model.found == {}


def test_the_model_sees_a_table_that_stands_for_ever() -> None:
    """If more halts had to say `expired` than there are seats, patience would close nothing."""
    old = "< table.seats - table.quorum + 1"
    never = Mutant("no number of expired halts is enough", ((view_change._expire, old, "< 99"),))
    with planted(never):
        model = run((4, 3, {3}), "A", stuck)
    assert set(model.found) == {STUCK}


# Long runs.

LONG: dict[str, tuple[tuple[int, int, Set[int]], str, dict[str, Any]]] = {
    "four seats, two sealed choices": ((4, 3, {3}), "CHRCHR", {"tail": ""}),
    "four seats, a choice after": ((4, 3, {3}), "CHR3", {}),
    "four seats, a choice before": ((4, 3, {3}), "3CHR", {"tail": ""}),
    "five seats, two liars": ((5, 4, {3, 4}), "CHR", {"illegal": True, "tail": ""}),
    "six seats": ((6, 4, {5}), "CHR", {"illegal": True}),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", LONG)
def test_with_hold_nothing_is_lost_in_long_shapes(name: str) -> None:
    table, shape, more = LONG[name]
    two = len(table[2]) > table[0] - table[1]
    judges = (loses_a_final_step,) if two else JUDGES
    assert run(table, shape, vain_reveal, *judges, **more).found == {}
