"""The steps in which things are opened: the deal, reveals, draws and the final opening.

Each present seat gives what it owes: the opening of its own sealed choice, its shares of the
cards the state asks for, backup shares for absent seats, and escrow shares for lost choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..crypto import commitments, escrow, group, key_sharing
from ..crypto.hashing import Random
from ..errors import Invalid, Place, within
from ..fault_codes import FAULTS
from ..game_interface import Choice, IllegalMove
from ..wire import step_bodies
from ..wire.step_bodies import Gather
from . import cards
from .cards import Shares
from .chain_state import Conviction, Node, Opening, Secrets
from .sealed_choices import check_opening, read_choice
from .step_interface import Step, read_empty

CHOICE: Final = 0
"""The index of the choice in the field `opening`; the nonce is behind it."""
SEALED: Final = Place("escrow")
"""Where an escrow is wrong that others opened: in the body that its owner sealed with."""

# What is owed.


def own_due(node: Node, seat: int) -> bool:
    """Return whether this seat must open its own sealed choice now."""
    return seat in node.want.dues and (node.want.name, seat) not in node.lost


def lost_dues(node: Node) -> tuple[int, ...]:
    """Return the seats whose sealed choice the others open now ([D-4])."""
    return tuple(s for s in node.want.dues if (node.want.name, s) in node.lost)


def own_lacks(node: Node, seat: int) -> tuple[int, ...]:
    """Return the slots of which this seat owes its own share."""
    return tuple(slot for slot, giver in node.want.lacks if giver == seat)


def helped(node: Node) -> tuple[int, ...]:
    """Return the absent seats for whose shares the present ones stand in, by rising seat."""
    return tuple(sorted({giver for _, giver in node.want.lacks} - node.present))


def owes_nothing(node: Node, seat: int) -> bool:
    """Return whether this seat says an empty pass ([N-4])."""
    idle = not own_due(node, seat) and not own_lacks(node, seat)
    return idle and not helped(node) and not lost_dues(node)


def has_opening(node: Node, seat: int, secrets: Secrets) -> bool:
    """Return whether this seat can open what it owes; not after a journal was restored."""
    if not own_due(node, seat):
        return True
    return node.sealed[node.want.name, seat].commitment in secrets.openings


# The step.


@dataclass(frozen=True)
class Given:
    """What a checked body gives: the opened choice, and proven shares by (slot, giver)."""

    opened: Opening = None
    shares: Shares = field(default_factory=dict)
    helps: Shares = field(default_factory=dict)
    escrows: Mapping[int, bytes] = field(default_factory=dict)


class GatherStep(Step[Gather | None, Given]):
    """Each present seat gives what it owes; whoever owes nothing says so."""

    def read(self, node: Node, seat: int, body: bytes) -> Gather | None:
        """Read [opening or nil, shares, helps, escrow shares]; None for an empty body ([N-4])."""
        if owes_nothing(node, seat):
            read_empty(body)
            return None
        return step_bodies.parse_gather(body, len(helped(node)), len(lost_dues(node)))

    def check(self, node: Node, seat: int, read: Gather | None) -> Given:
        """Check every part of the body against what this seat owes."""
        if read is None:
            return Given()
        with within("opening"):
            opened = _check_opening(node, seat, read)
        with within("shares"):
            shares = cards.check_own_batch(node, seat, _own_slots(node, seat, opened), read.shares)
        helps = _check_helps(node, seat, read)
        escrows = _check_escrows(node, seat, read)
        if opened is not None and not isinstance(opened, bytes):
            with within("opening", CHOICE):
                check_move(node, node.want.name, seat, opened, shares)
        return Given(opened, shares, helps, escrows)

    def apply(self, node: Node, said: Mapping[int, Given]) -> Node:
        """Take in all that was given; what fewer than t gave is asked again."""
        shares, opened = dict(node.shares), dict(node.opened)
        for seat, one in said.items():
            shares |= one.shares
            if one.opened is not None:
                opened[node.want.name, seat] = one.opened
        shares |= _combine_helps(node, said)
        return _open_lost(replace(node, shares=shares, opened=opened), node, said)

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return everything that this seat owes."""
        if owes_nothing(node, seat):
            return step_bodies.EMPTY
        opening, opened = None, None
        if own_due(node, seat):
            opening = secrets.openings[node.sealed[node.want.name, seat].commitment]
            opened = read_choice(node, node.want.name, opening[0])
        shares = cards.write_own_batch(node, seat, _own_slots(node, seat, opened), secrets, rng)
        helps = tuple(_write_help(node, seat, absent, secrets, rng) for absent in helped(node))
        keys = tuple(_write_escrow(node, seat, one, secrets, rng) for one in lost_dues(node))
        return step_bodies.encode_body(Gather(opening, shares, helps, keys))


def _own_slots(node: Node, seat: int, opened: Opening) -> tuple[int, ...]:
    """Return the slots that the state asks for, and those of a choice shown by opening it."""
    slots = own_lacks(node, seat)
    if node.want.shows and isinstance(opened, tuple):
        slots += cards.hidden_of(node, seat, opened)
    return slots


def _check_opening(node: Node, seat: int, read: Gather) -> Opening:
    if not own_due(node, seat):
        if read.opening is not None:
            raise Invalid("bad-body", "an opening where none was due")
        return None
    if read.opening is None:
        raise Invalid("bad-body", "no opening where one was due")
    kind, check_proof = node.want.name, node.table.check_proof
    check_opening(node, seat, kind, node.sealed[kind, seat], read.opening, check_proof)
    with within("opening", CHOICE):
        opened = read_choice(node, kind, read.opening[0])
        if node.want.shows and not isinstance(opened, bytes):
            cards.check_showable(node, seat, opened)
    return opened


def check_move(node: Node, kind: str, seat: int, choice: Choice, shares: Shares) -> None:
    """Check a choice by the game's own rules, with the cards that the shares open.

    Raises Invalid('illegal-choice') if they forbid it.
    """
    shown = choice if isinstance(choice, tuple) and node.want.shows else ()
    found = cards.opened_cards(node, (s for s in shown if (s, seat) in shares), shares)
    try:
        node.table.check_choice(node.state, kind, seat, choice, found)
    except IllegalMove as error:
        raise Invalid("illegal-choice", FAULTS["illegal-choice"]) from error


# Backup shares for the absent.


def _write_help(node: Node, seat: int, absent: int, secrets: Secrets, rng: Random) -> bytes:
    piece = secrets.piece_of(node, absent, seat)
    key = node.keys.piece_key(absent, seat)
    return cards.write_batch(node, seat, f"help-{absent}", piece, key, own_lacks(node, absent), rng)


def _check_helps(node: Node, seat: int, read: Gather) -> Shares:
    found: dict[tuple[int, int], bytes] = {}
    for index, (absent, data) in enumerate(zip(helped(node), read.helps, strict=True)):
        key = node.keys.piece_key(absent, seat)
        slots = own_lacks(node, absent)
        with within("helps", index):
            found |= cards.check_batch(node, seat, f"help-{absent}", absent, key, slots, data)
    return found


def _combine_helps(node: Node, given: Mapping[int, Given]) -> Shares:
    found: dict[tuple[int, int], bytes] = {}
    absent = set(helped(node))
    for slot, giver in node.want.lacks:
        if giver in absent:
            points = {s + 1: g.helps[slot, giver] for s, g in given.items() if g.helps}
            if len(points) >= node.table.quorum:
                found[slot, giver] = key_sharing.combine(points, node.table.quorum)
    return found


# Escrow shares for lost choices.


def _write_escrow(node: Node, seat: int, owner: int, secrets: Secrets, rng: Random) -> bytes:
    kind = node.want.name
    sealed = node.sealed[kind, owner]
    total = sum(secrets.piece_of(node, d, seat) for d in range(node.table.seats)) % group.ORDER
    return escrow.escrow_share(
        node.table.context(node.step, seat, f"escrow-{owner}"),
        node.table.context(sealed.step, owner, kind),
        node.keys.joint,
        sealed.commitment,
        sealed.escrow,
        total,
        node.keys.total_key(seat),
        rng,
    )


def _check_escrows(node: Node, seat: int, read: Gather) -> Mapping[int, bytes]:
    found: dict[int, bytes] = {}
    for index, (owner, share) in enumerate(zip(lost_dues(node), read.escrows, strict=True)):
        with within("escrows", index):
            found[owner] = _check_escrow(node, seat, owner, share)
    return found


def _check_escrow(node: Node, seat: int, owner: int, share: bytes) -> bytes:
    sealed = node.sealed[node.want.name, owner]
    context = node.table.context(sealed.step, owner, node.want.name)
    helper = node.table.context(node.step, seat, f"escrow-{owner}")
    joint, key = node.keys.joint, node.keys.total_key(seat)
    try:
        return escrow.verify_share(
            helper, context, joint, sealed.commitment, sealed.escrow, key, share
        )
    except Invalid as error:
        raise Invalid("bad-escrow-share", error.reason) from error


def _open_lost(after: Node, node: Node, given: Mapping[int, Given]) -> Node:
    for owner in lost_dues(node):
        shares = {s + 1: g.escrows[owner] for s, g in given.items() if g.escrows}
        if len(shares) >= node.table.quorum:
            after = _open_one(after, node, owner, shares)
    return after


def _open_one(after: Node, node: Node, owner: int, shares: Mapping[int, bytes]) -> Node:
    kind = node.want.name
    sealed = node.sealed[kind, owner]
    found: Opening
    try:
        padded = escrow.decrypt(sealed.escrow, shares, node.table.quorum)
        opening = commitments.parse_opening(padded)
        check_opening(node, owner, kind, sealed, opening)
        found = read_choice(node, kind, opening[0])
    except Invalid:
        return void(after, kind, owner, Conviction(sealed.step, owner, "bad-escrow", SEALED))
    if not isinstance(found, bytes) and not _may_stand(node, kind, owner, found):
        return void(after, kind, owner, Conviction(node.step, owner, "illegal-choice"))
    return replace(after, opened={**after.opened, (kind, owner): found})


def _may_stand(node: Node, kind: str, owner: int, choice: Choice) -> bool:
    """Return whether a choice from escrow is legal; a show is judged again with its cards."""
    if node.want.shows:
        return cards.showable(node, owner, choice)
    try:
        node.table.check_choice(node.state, kind, owner, choice, {})
    except IllegalMove:
        return False
    return True


def void(node: Node, kind: str, seat: int, conviction: Conviction) -> Node:
    """Return the choice counts as none, and its owner is out for good."""
    return replace(
        node,
        opened={**node.opened, (kind, seat): None},
        banned=node.banned | {seat},
        convictions=(*node.convictions, conviction),
    )
