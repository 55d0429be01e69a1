"""The chain: a pure function from steps to state, the same for every seat and the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..crypto.hashing import Label, digest
from ..errors import Invalid
from ..game import Presence
from ..wire import encoding
from ..wire.faults import FAULTS, Fault
from . import goals, setup_steps
from .state import (
    NEXT,
    SETUP,
    Accepted,
    Kind,
    Missing,
    Node,
    Refused,
    Slot,
    Table,
    Want,
)
from .steps import STEPS


def begin(table: Table) -> Node:
    """The chain before its first step; its digest is the table id."""
    everyone = table.everyone
    return Node(
        table=table,
        digest=table.id,
        step=1,
        present=everyone,
        absences=(0,) * table.seats,
        want=Want(Kind.KEY_COMMIT, everyone),
    )


def check(node: Node, seat: int, body: bytes) -> Any:
    """What this body gives, read and checked once; the Fault of `seat` if it is illegal in the step
    that `node` stands before ([N-7], [N-9]).
    """
    if seat not in node.want.speakers:
        raise Fault("not-expected", seat, node.step)
    found = known(node, seat, body)
    if found is None:
        found = judge(node, seat, body)
        keep(node, seat, body, found)
    if isinstance(found, Refused):
        raise Fault(found.code, seat, node.step, found.note, found.place)
    return found.given


def known(node: Node, seat: int, body: bytes) -> Accepted | Refused | None:
    """What is known already of a body of a speaker; None if it was not judged yet."""
    return node.derived.verdicts.get((seat, body))


def keep(node: Node, seat: int, body: bytes, found: Accepted | Refused) -> None:
    """Keep what `judge` found for `check`."""
    node.derived.verdicts[seat, body] = found


def judge(node: Node, seat: int, body: bytes) -> Accepted | Refused:
    """What `check` rests on, a pure function: it may go on in another thread."""
    step = STEPS[node.want.kind]
    try:
        return Accepted(step.check(node, seat, step.read(node, seat, body)))
    except Invalid as error:
        code = error.code if error.code in FAULTS else "bad-body"
        return Refused(code, error.reason, error.place)


def step_digest(node: Node, slots: Sequence[Slot]) -> bytes:
    """The digest after a step: the slots in seat order, bodies whole, nothing else ([N-1])."""
    return digest_after_step(node.digest, slots)


def digest_after_step(before: bytes, slots: Sequence[Slot]) -> bytes:
    """The digest after a step on the chain with digest `before`."""
    plain = tuple(slot if isinstance(slot, bytes) else int(slot) for slot in slots)
    return digest(Label.STEP, before, encoding.encode(plain))


def digest_after_link(
    before: bytes, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> bytes:
    """The digest after a link on the chain with digest `before` ([N-1])."""
    value = (sorted(present), sorted(banned), absences)
    return digest(Label.LINK, before, encoding.encode(value))


def append(node: Node, slots: Sequence[Slot]) -> Node:
    """The next node; every body must pass `check`. The same slots give the same node ([N-2]).

    Raises Fault for a body that does not pass, ValueError for slots of seats not asked.
    """
    key = tuple(slots)
    if key not in node.derived.steps:
        node.derived.steps[key] = _append(node, key)
    return node.derived.steps[key]


def _append(node: Node, slots: tuple[Slot, ...]) -> Node:
    said = {seat: slot for seat, slot in enumerate(slots) if isinstance(slot, bytes)}
    if set(said) - node.want.speakers or len(slots) != node.table.seats:
        raise ValueError("slots of seats that were not asked")
    given = {seat: check(node, seat, body) for seat, body in said.items()}
    after = STEPS[node.want.kind].apply(node, given)
    digest, step = step_digest(node, slots), node.step + 1
    after = replace(after, digest=digest, step=step, parent=node, slots=slots)
    return _ask(after, node.want.kind)


def slots_of(
    node: Node, said: dict[int, bytes], missing: Missing = Missing.NONE
) -> tuple[Slot, ...]:
    """n slots: the bodies said; `missing` for other speakers; NONE for all else."""
    return tuple(
        said.get(seat, missing if seat in node.want.speakers else Missing.NONE)
        for seat in range(node.table.seats)
    )


def _ask(node: Node, before: Kind) -> Node:
    if node.state is None:
        after = replace(node, want=setup_steps.setup_want(node))
    else:
        after = goals.settle(node)
    if after.want.kind not in NEXT[before]:
        raise RuntimeError(f"no transition from {before} to {after.want.kind}")
    return after


def link(
    node: Node, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> Node:
    """A change of who is present or banned: one link, no step. The same gives the same node."""
    key = (present, banned, absences)
    if key not in node.derived.links:
        node.derived.links[key] = _link(node, present, banned, absences)
    return node.derived.links[key]


def _link(
    node: Node, present: frozenset[int], banned: frozenset[int], absences: tuple[int, ...]
) -> Node:
    lost = {key for key in node.sealed if key[1] not in present}
    after = replace(
        node,
        digest=digest_after_link(node.digest, present, banned, absences),
        present=present,
        banned=banned,
        absences=absences,
        lost=node.lost | lost,
        parent=node,
        slots=None,
    )
    if node.want.kind in SETUP:
        return after
    if node.want.kind is not Kind.DEAL:
        state = node.table.game.apply(node.state, Presence(present, banned))
        after = replace(after, state=state, playing=present)
    return goals.settle(after)


def may_go_on(node: Node) -> bool:
    """Whether the chain can grow: enough are present, some of them play, the game is not over.

    SPEC: [N-5].
    """
    if node.want.kind in (Kind.RESULT, Kind.ENDED) or node.playing == frozenset():
        return False
    return len(node.present) >= node.table.quorum
