"""What the model looks for beside lost steps: a reveal that is out in vain, an absence unearned.

A reveal is the say of an honest seat in a step 'R'. It is in vain if some close leaves its
commit step ('C') otherwise than that seat saw it. An absence is unearned if nobody honest who
had spoken in the step, or was not asked there, ran out of patience.
"""

from __future__ import annotations

from collections.abc import Iterator

from protocol.chain import transition
from protocol.chain.state import Missing, Node
from protocol.consensus import evidence
from support.models.epochs import Closing, Model, Says, say_of, stop_of
from support.tiny_table import letter

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


def reveals(model: Model, says: Says) -> Iterator[tuple[int, Node]]:
    """(seat, node after the commit step it has seen) for each honest seat whose reveal is out."""
    node_of = model.node_of(says)
    for message in says:
        node = node_of[say_of(message).on]
        if letter(node) == "R":
            yield message.seat, commit_seen(model, node)


def has_reveal(model: Model, says: Says) -> bool:
    """Whether an honest seat's reveal is out."""
    return next(reveals(model, says), None) is not None


def vain_reveal(model: Model, closing: Closing) -> str | None:
    """What has become of the choices of a commit step after which an honest seat has revealed."""
    chain_of = evidence.ancestry(closing.base)
    for _, seen in reveals(model, closing.says):
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
    if not missing or closing.expired - model.liars - missing:
        return None
    return UNEARNED


def voted_away(model: Model, closing: Closing) -> str | None:
    """An absence that would not be without the halt of an honest seat that has not spoken."""
    missing = made_absent(model, closing.base)
    thinking = (closing.expired & missing) - model.liars
    if not thinking:
        return None
    need = model.seats - model.quorum + 1
    return VOTED_AWAY if len(closing.expired - thinking) < need else None


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
    spoke = {message.seat for message in closing.told if say_of(message).on == place.digest}
    if closing.signers & place.want.speakers - spoke:
        return None
    spoken = model.may_expire(closing.says, closing.signers, place)
    if closing.expired or not closing.signers <= spoken or not transition.may_go_on(place):
        return None
    if closing.base.banned:
        return None
    after = model.base_of(closing.told, closing.signers, closing.signers, place)
    moved = after is not None and stop_of(after, model.base).step > place.step
    return None if moved else STUCK
