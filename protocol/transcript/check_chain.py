"""The check of the chain of a file: each body judged in the state in which it was said."""

from __future__ import annotations

from collections.abc import Mapping

from ..chain import transition
from ..chain.chain_state import Kind, Missing, Node, SealedChoice, Slot
from ..chain.openings import Given
from ..chain.play_steps import Showing
from ..fault_codes import Fault
from ..wire.step_bodies import Complaint, KeyReveal
from .check_signatures import CODES
from .transcript_format import Entry, Link, Step
from .transcript_writer import entry_of
from .verification_report import Statistics, Unsound

PARTS: Mapping[Kind, str] = {
    Kind.KEY_COMMIT: "keys",
    Kind.KEY_REVEAL: "keys",
    Kind.KEY_OK: "keys",
    Kind.SHUFFLE: "shuffles",
    Kind.SEAL: "choices",
    Kind.CHOOSE: "choices",
    Kind.SHOW: "choices",
}
"""What the time of a step is booked on; all else is openings."""

Way = Mapping[bytes, Node]
"""Digest to the next node on the way to the last base."""


def way_to(base: Node | None) -> Way:
    """The way from the chain's beginning to a base."""
    found: dict[bytes, Node] = {}
    while base is not None and base.parent is not None:
        found[base.parent.digest] = base
        base = base.parent
    return found


def follow(node: Node, entry: Entry, index: int, way: Way, stats: Statistics) -> Node:
    """The next node: as the way says where it leads, else a complete step of legal bodies.

    SPEC: [V-6].

    Unsound for any other entry.
    """
    path = (2, 1, index)
    if node.want.kind in (Kind.RESULT, Kind.ENDED):
        raise Unsound("left-over", "the chain goes on after its end", path, step=node.step)
    after = way.get(node.digest)
    if after is not None:
        _compare(node, entry, after, path)
    elif isinstance(entry, Link):
        raise Unsound("unjustified-link", path=path, step=node.step)
    elif not transition.may_go_on(node):
        words = "the chain goes on with fewer than a quorum present"
        raise Unsound("left-over", words, path, step=node.step)
    if isinstance(entry, Link):
        return after or node
    _check_bodies(node, entry.slots, path, stats)
    if after is None:
        _check_complete(node, entry.slots, path)
        after = transition.append(node, entry.slots)
    node.derived.clear()  # nothing asks again what follows from a step that is checked
    stats.lap(PARTS.get(node.want.kind, "openings"))
    return after


def _compare(node: Node, entry: Entry, after: Node, path: tuple[int, ...]) -> None:
    """The last base's own chain holds the same here."""
    other = entry_of(after)
    if entry == other:
        return
    if isinstance(entry, Link):
        raise Unsound("unjustified-link", path=path, step=node.step)
    theirs = other.slots if isinstance(other, Step) else ()
    for seat, slot in enumerate(entry.slots):
        if not theirs or slot != theirs[seat]:
            code = CODES.get(slot, "bad-base") if isinstance(slot, Missing) else "bad-base"
            raise Unsound(code, path=(*path, 1, seat), step=node.step, seat=seat)


def _check_bodies(
    node: Node, slots: tuple[Slot, ...], path: tuple[int, ...], stats: Statistics
) -> None:
    for seat, slot in enumerate(slots):
        if isinstance(slot, Missing):
            continue
        try:
            given = transition.check(node, seat, slot)
        except Fault as fault:
            where = (*path, 1, seat)
            at = {"step": node.step, "seat": seat}
            raise Unsound(fault.code, fault.reason, where, **at, place=fault.place) from fault
        _count(node, given, stats)


def _check_complete(node: Node, slots: tuple[Slot, ...], path: tuple[int, ...]) -> None:
    """All that were asked have spoken."""
    for seat, slot in enumerate(slots):
        asked = seat in node.want.speakers
        if isinstance(slot, Missing) and (asked or slot is not Missing.NONE):
            raise Unsound(CODES[slot], path=(*path, 1, seat), step=node.step, seat=seat)


# What was checked.


def _count(node: Node, given: object, stats: Statistics) -> None:
    """Count the proofs in what one checked body gave."""
    counts = stats.counts
    match given:
        case KeyReveal():
            counts["keys"] += 1
        case SealedChoice() | Complaint():
            counts["commitments"] += 1
            counts["escrows"] += not node.table.strict
        case Showing():
            counts["shares"] += len(given.shares)
        case Given():
            counts["shares"] += len(given.shares) + len(given.helps)
            counts["openings"] += given.opened is not None
            counts["escrow_shares"] += len(given.escrows)
        case _ if node.want.kind is Kind.SHUFFLE:
            counts["shuffles"] += 1
