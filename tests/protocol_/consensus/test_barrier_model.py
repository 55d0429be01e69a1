"""Every first change of epoch around a sealed choice, and every absence that it may declare.

With a barrier between commit and reveal no change of epoch alters a commit step after an honest
seat has revealed on it. No seat helps to declare an absence in a step in which it owes an input.

A reveal is the input of an honest seat to a step 'R'. It is in vain if a change of epoch alters the
commit step ('C') that the seat saw. An absence is unearned if the step timed out for no honest seat
that had given its input there or owed none.
"""

from collections.abc import Callable, Iterator, Set
from typing import Any

import pytest
from support.models.epochs import (
    EpochChange,
    Inputs,
    Judge,
    Model,
    input_of,
    loses_a_final_step,
    stop_of,
)
from support.mutants import Mutant, planted
from support.sampling import sample
from support.tiny_table import letter, tiny_steps

from protocol.chain import transition
from protocol.chain.chain_state import Missing, Node
from protocol.consensus import absence, fault_evidence

VOID = "a liar's choice is void"
OTHER = "a liar's other choice counts"
AFRESH = "the commit step begins afresh"
LEFT = "an honest choice is left out"
IN_VAIN = {VOID, OTHER, AFRESH, LEFT}
UNEARNED = "an absence nobody honest bears witness to"
VOTED_AWAY = "a seat that thinks has helped to declare an absence"
STUCK = "the step timed out for a quorum that gave its inputs, and no base goes on"


def commit_seen(model: Model, node: Node) -> Node:
    """Return the node behind the last commit step on the chain to `node`."""
    at = node
    while at.parent is not None and at is not model.base and letter(at.parent) != "C":
        at = at.parent
    return at


def reveals(model: Model, inputs: Inputs) -> Iterator[tuple[int, Node]]:
    """Yield each honest seat that has revealed, with the node behind the commit step it saw."""
    node_of = model.node_of(inputs)
    for message in inputs:
        node = node_of[input_of(message).on]
        if letter(node) == "R":
            yield message.seat, commit_seen(model, node)


def has_reveal(model: Model, inputs: Inputs) -> bool:
    """Return whether an honest seat has revealed."""
    return next(reveals(model, inputs), None) is not None


def vain_reveal(model: Model, change: EpochChange) -> str | None:
    """Name what became of a commit step after which an honest seat revealed, if it changed."""
    chain_of = fault_evidence.ancestry(change.base)
    for _, seen in reveals(model, change.inputs):
        if seen.digest not in chain_of:
            return _difference(model, seen, change.base)
    return None


def _difference(model: Model, seen: Node, base: Node) -> str:
    slots = _slots_after(seen, base)
    if slots is None:
        return AFRESH
    assert seen.slots is not None
    changed = [seat for seat, (a, b) in enumerate(zip(seen.slots, slots, strict=True)) if a != b]
    if any(seat not in model.liars for seat in changed):
        return LEFT
    return OTHER if all(isinstance(slots[seat], bytes) for seat in changed) else VOID


def _slots_after(seen: Node, base: Node) -> tuple[bytes | Missing, ...] | None:
    """Return the slots of the step before `seen` on the base's chain, None if it stops before."""
    at: Node | None = base
    while at is not None and (at.parent is not seen.parent or at.slots is None):
        at = at.parent
    return at.slots if at is not None else None


def unearned_absence(model: Model, change: EpochChange) -> str | None:
    """Name an absence that no honest seat supports that has given its own input."""
    missing = made_absent(model, change.base)
    if not missing or change.timeout - model.liars - missing:
        return None
    return UNEARNED


def voted_away(model: Model, change: EpochChange) -> str | None:
    """Name an absence that depends on the promise of an honest seat that owes an input itself."""
    missing = made_absent(model, change.base)
    thinking = (change.timeout & missing) - model.liars
    if not thinking:
        return None
    need = model.seats - model.quorum + 1
    return VOTED_AWAY if len(change.timeout - thinking) < need else None


def made_absent(model: Model, base: Node) -> frozenset[int]:
    """Return the seats that a change of epoch makes absent."""
    stop = stop_of(base, model.base)
    if stop is model.base or stop.slots is None:
        return frozenset()
    return frozenset(seat for seat, slot in enumerate(stop.slots) if slot is Missing.ABSENT)


def stuck(model: Model, change: EpochChange) -> str | None:
    """Name a change of epoch that changes nothing, although the step timed out for a quorum.

    All of the quorum have given their inputs there. A liar that is awaited there has not, whatever
    it signs.
    """
    place = stop_of(change.base, model.base)
    spoke = {message.seat for message in change.told if input_of(message).on == place.digest}
    if change.signers & place.want.speakers - spoke:
        return None
    spoken = model.may_time_out(change.inputs, change.signers, place)
    if change.timeout or not change.signers <= spoken or not transition.may_go_on(place):
        return None
    if change.base.banned:
        return None
    after = model.base_of(change.told, change.signers, change.signers, place)
    moved = after is not None and stop_of(after, model.base).step > place.step
    return None if moved else STUCK


NOBODY: Set[int] = frozenset()
Only = Callable[[Model, Inputs], bool] | None


def run(
    table: tuple[int, int, Set[int]], shape: str, *judges: Judge, only: Only = None, **more: Any
) -> Model:
    with tiny_steps():
        model = Model(*table, shape, **more)
        model.run(*judges, only=only)
    return model


# Reveals.

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


@pytest.mark.parametrize("name", sample(WITHIN, 1, "reveals within the bound"))
def test_with_a_barrier_no_new_epoch_changes_a_commit_step_after_a_reveal(name: str) -> None:
    table, more, states, new_epochs = WITHIN[name]
    model = run(table, "CHR", vain_reveal, only=has_reveal, **more)
    assert model.found == {}
    assert (model.states, model.new_epochs) == (states, new_epochs)


DANGER = {
    "three seats": ((3, 2, NOBODY), {AFRESH, LEFT}),
    "four seats, a liar": ((4, 3, {3}), IN_VAIN),
    "five seats, a liar": ((5, 4, {4}), IN_VAIN),
    "five seats, two liars": ((5, 4, {3, 4}), IN_VAIN),
}


@pytest.mark.parametrize("name", sample(DANGER, 1, "reveals without a barrier"))
def test_a_reveal_on_the_commitments_alone_may_be_in_vain(name: str) -> None:
    """In two steps the model finds all that a liar could gain: a choice that is void or another."""
    table, found = DANGER[name]
    model = run(table, "CR", vain_reveal, only=has_reveal, tail="")
    assert set(model.found) == found
    assert {VOID, OTHER, AFRESH, LEFT} == IN_VAIN


def test_a_quorum_of_faulty_seats_makes_a_reveal_vain_with_a_barrier_too() -> None:
    """With more liars than SPEC allows no rule helps, and the model finds that."""
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
    table, shape, states, new_epochs = ABSENCES[name]
    absences: list[EpochChange] = []

    def note(model: Model, change: EpochChange) -> None:
        if made_absent(model, change.base):
            absences.append(change)

    model = run(table, shape, *JUDGES, note, subsets=True)
    assert model.found == {}
    assert (model.states, model.new_epochs) == (states, new_epochs)
    assert len(absences) > 0


@pytest.mark.parametrize("name", sample(ABSENCES, 1, "thinkers"))
def test_where_a_seat_that_thinks_may_claim_a_timeout_it_votes_itself_away(name: str) -> None:
    """It does if all promises count, and not if those of missing seats are left out."""
    table, shape, _, _ = ABSENCES[name]
    old = "seat not in missing"
    counted = Mutant("promises of the missing count", ((absence.is_timed_out, old, "True"),))
    with planted(counted):
        model = run(table, shape, *JUDGES, subsets=True, thinkers_vote=True)
    assert set(model.found) >= {UNEARNED, VOTED_AWAY}
    model = run(table, shape, voted_away, subsets=True, thinkers_vote=True)
    assert model.found == {}


def test_the_model_sees_a_table_that_stands_for_ever() -> None:
    """If more claims were needed than there are seats, no step would ever time out."""
    old = ">= table.seats - table.quorum + 1"
    never = Mutant("no number of timeout claims is enough", ((absence.is_timed_out, old, ">= 99"),))
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
def test_with_a_barrier_nothing_is_lost_in_long_shapes(name: str) -> None:
    table, shape, more = LONG[name]
    two = len(table[2]) > table[0] - table[1]
    judges = (loses_a_final_step,) if two else JUDGES
    assert run(table, shape, vain_reveal, *judges, **more).found == {}
