"""Every first change of epoch around a sealed choice, and every absence a close may declare.

With a `hold` step between commit and reveal no close leaves a commit step otherwise than whoever
has revealed saw it, and no seat helps to declare an absence in a step it has not spoken in.

A reveal is the say of an honest seat in a step 'R'. It is in vain if some close leaves its
commit step ('C') otherwise than that seat saw it. An absence is unearned if nobody honest who
had spoken in the step, or was not asked there, ran out of patience.
"""

from collections.abc import Callable, Iterator, Set
from typing import Any

import pytest
from support.models.epochs import (
    Closing,
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
STUCK = "patience is out for a quorum that has spoken, and nothing closes"


def commit_seen(model: Model, node: Node) -> Node:
    """The node after the last commit step on the chain to `node`."""
    at = node
    while at.parent is not None and at is not model.base and letter(at.parent) != "C":
        at = at.parent
    return at


def reveals(model: Model, inputs: Inputs) -> Iterator[tuple[int, Node]]:
    """(seat, node after the commit step it has seen) for each honest seat whose reveal is out."""
    node_of = model.node_of(inputs)
    for message in inputs:
        node = node_of[input_of(message).on]
        if letter(node) == "R":
            yield message.seat, commit_seen(model, node)


def has_reveal(model: Model, inputs: Inputs) -> bool:
    """Whether an honest seat's reveal is out."""
    return next(reveals(model, inputs), None) is not None


def vain_reveal(model: Model, closing: Closing) -> str | None:
    """What has become of the choices of a commit step after which an honest seat has revealed."""
    chain_of = fault_evidence.ancestry(closing.base)
    for _, seen in reveals(model, closing.inputs):
        if seen.digest not in chain_of:
            return _difference(model, seen, closing.base)
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
    """What the base's chain has in the step that ends in `seen`; None if it stops before."""
    at: Node | None = base
    while at is not None and (at.parent is not seen.parent or at.slots is None):
        at = at.parent
    return at.slots if at is not None else None


def unearned_absence(model: Model, closing: Closing) -> str | None:
    """An absence for which no honest seat's patience ran out that has itself done its part."""
    missing = made_absent(model, closing.base)
    if not missing or closing.timeout - model.liars - missing:
        return None
    return UNEARNED


def voted_away(model: Model, closing: Closing) -> str | None:
    """An absence that would not be without the halt of an honest seat that has not spoken."""
    missing = made_absent(model, closing.base)
    thinking = (closing.timeout & missing) - model.liars
    if not thinking:
        return None
    need = model.seats - model.quorum + 1
    return VOTED_AWAY if len(closing.timeout - thinking) < need else None


def made_absent(model: Model, base: Node) -> frozenset[int]:
    """The seats that a close takes out."""
    stop = stop_of(base, model.base)
    if stop is model.base or stop.slots is None:
        return frozenset()
    return frozenset(seat for seat, slot in enumerate(stop.slots) if slot is Missing.ABSENT)


def stuck(model: Model, closing: Closing) -> str | None:
    """A close by a quorum that has spoken in one place, all patience out, that changes nothing.

    A liar that is awaited there has not spoken, whatever it signs.
    """
    place = stop_of(closing.base, model.base)
    spoke = {message.seat for message in closing.told if input_of(message).on == place.digest}
    if closing.signers & place.want.speakers - spoke:
        return None
    spoken = model.may_expire(closing.inputs, closing.signers, place)
    if closing.timeout or not closing.signers <= spoken or not transition.may_go_on(place):
        return None
    if closing.base.banned:
        return None
    after = model.base_of(closing.told, closing.signers, closing.signers, place)
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


@pytest.mark.parametrize("name", sample(WITHIN, 2, "reveals within the bound"))
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


@pytest.mark.parametrize("name", sample(DANGER, 2, "reveals without hold"))
def test_a_reveal_on_the_commitments_alone_may_be_in_vain(name: str) -> None:
    """In two steps the model finds all that a liar could gain: a choice void, new or another."""
    table, found = DANGER[name]
    model = run(table, "CR", vain_reveal, only=has_reveal, tail="")
    assert set(model.found) == found
    assert {VOID, OTHER, AFRESH, LEFT} == IN_VAIN


def test_a_quorum_of_faulty_seats_makes_a_reveal_vain_with_a_barrier_too() -> None:
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
    table, shape, states, new_epochs = ABSENCES[name]
    absences: list[Closing] = []

    def note(model: Model, closing: Closing) -> None:
        if made_absent(model, closing.base):
            absences.append(closing)

    model = run(table, shape, *JUDGES, note, subsets=True)
    assert model.found == {}
    assert (model.states, model.new_epochs) == (states, new_epochs)
    assert len(absences) > 0


@pytest.mark.parametrize("name", sample(ABSENCES, 2, "thinkers"))
def test_where_a_seat_that_thinks_may_say_expired_it_votes_itself_away(name: str) -> None:
    """By the count of halts alone; that those of the missing do not count keeps it from harm."""
    table, shape, _, _ = ABSENCES[name]
    old = "seat not in missing"
    counted = Mutant("halts of the missing count", ((absence.is_timed_out, old, "True"),))
    with planted(counted):
        model = run(table, shape, *JUDGES, subsets=True, thinkers_vote=True)
    assert set(model.found) >= {UNEARNED, VOTED_AWAY}
    model = run(table, shape, voted_away, subsets=True, thinkers_vote=True)
    assert model.found == {}


def test_the_model_sees_a_table_that_stands_for_ever() -> None:
    """If more halts had to say `expired` than there are seats, patience would close nothing."""
    old = ">= table.seats - table.quorum + 1"
    never = Mutant("no number of expired halts is enough", ((absence.is_timed_out, old, ">= 99"),))
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
