"""The steps in which things are opened: the deal, reveals, draws and the final opening.

Each present seat gives what it owes: the opening of its own sealed choice, its shares of the
cards the state asks for, decryption shares by the key shares of absent seats, and escrow shares for
lost choices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..crypto import commitments, escrow, key_sharing
from ..crypto.hashing import ORDER, Context, Random
from ..errors import FieldPlace, Invalid, coded, within
from ..fault_codes import FAULTS
from ..game_interface import Choice, IllegalMove
from ..wire import step_bodies
from ..wire.step_bodies import Gather
from . import cards
from .cards import Shares, own_shares
from .chain_state import Conviction, Node, Opening, Secrets, ShareKey
from .sealed_choices import check_opening, read_choice, sealing_of
from .step_interface import StepRules, read_empty

CHOICE: Final = 0
"""The index of the choice in the field `opening`; the nonce is behind it."""
SEALED: Final = FieldPlace("escrow")
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


class GatherStep(StepRules[Given]):
    """Each present seat gives what it owes; whoever owes nothing says so."""

    def check(self, node: Node, seat: int, body: bytes) -> Given:
        """Check every part of [opening or nil, shares, helps, escrow shares], or an empty body.

        Raises:
            Invalid: With the first fault in it.

        SPEC: [N-4].
        """
        absent, lost = helped(node), lost_dues(node)
        if owes_nothing(node, seat):
            read_empty(body)
            return Given()
        read = step_bodies.parse(step_bodies.gather_form(len(absent), len(lost)), body)
        helps, escrows = dict[ShareKey, bytes](), dict[int, bytes]()
        with within("opening"):
            opened = self._opened(node, seat, read)
        with within("shares"):
            shares = own_shares(node, seat, _own_slots(node, seat, opened)).check(read.shares)
        for index, (giver, data) in enumerate(zip(absent, read.helps, strict=True)):
            with within("helps", index):
                helps |= _backup_shares(node, seat, giver).check(data)
        for index, (owner, share) in enumerate(zip(lost, read.escrows, strict=True)):
            context, sealing = _escrow_share_of(node, seat, owner)
            with within("escrows", index), coded("bad-escrow-share"):
                key = node.keys.total_key(seat)
                escrows[owner] = escrow.verify_share(context, sealing, key, share)
        if opened is not None and not isinstance(opened, bytes):
            with within("opening", CHOICE):
                check_move(node, node.want.name, seat, opened, shares)
        return Given(opened, shares, helps, escrows)

    def _opened(self, node: Node, seat: int, read: Gather) -> Opening:
        """Return what a seat's own sealed choice opens to, None if it owes no opening."""
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

    def apply(self, node: Node, inputs: Mapping[int, Given]) -> Node:
        """Take in all that was given; what fewer than t gave is asked again."""
        shares, opened, quorum = dict(node.shares), dict(node.opened), node.table.quorum
        for seat, one in inputs.items():
            shares |= one.shares
            if one.opened is not None:
                opened[node.want.name, seat] = one.opened
        for slot, giver in node.want.lacks:
            if giver not in node.present:
                points = {s + 1: one.helps[slot, giver] for s, one in inputs.items() if one.helps}
                if len(points) >= quorum:
                    shares[slot, giver] = key_sharing.combine(points, quorum)
        after = replace(node, shares=shares, opened=opened)
        for owner in lost_dues(node):
            keys = {s + 1: one.escrows[owner] for s, one in inputs.items() if one.escrows}
            if len(keys) >= quorum:
                after = _open_lost(after, node, owner, keys)
        return after

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return everything that this seat owes."""
        if owes_nothing(node, seat):
            return step_bodies.EMPTY
        opening, opened = None, None
        if own_due(node, seat):
            opening = secrets.openings[node.sealed[node.want.name, seat].commitment]
            opened = read_choice(node, node.want.name, opening[0])
        shares = own_shares(node, seat, _own_slots(node, seat, opened)).write(secrets.key, rng)
        helps = tuple(
            _backup_shares(node, seat, giver).write(secrets.key_share_of(node, giver, seat), rng)
            for giver in helped(node)
        )
        keys = []
        for owner in lost_dues(node):
            key_shares = (secrets.key_share_of(node, d, seat) for d in range(node.table.seats))
            total, public = sum(key_shares) % ORDER, node.keys.total_key(seat)
            inputs = _escrow_share_of(node, seat, owner)
            keys.append(escrow.escrow_share(*inputs, total, public, rng))
        return step_bodies.encode_body(Gather(opening, shares, helps, tuple(keys)))


def _own_slots(node: Node, seat: int, opened: Opening) -> tuple[int, ...]:
    """Return the slots that the state asks for, and those of a choice shown by opening it."""
    slots = own_lacks(node, seat)
    if node.want.shows and isinstance(opened, tuple):
        slots += cards.hidden_of(node, seat, opened)
    return slots


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


def _backup_shares(node: Node, seat: int, absent: int) -> cards.ShareBatch:
    """Return the shares of an absent seat that this seat gives with its key share."""
    key, slots = node.keys.public_key_share(absent, seat), own_lacks(node, absent)
    return cards.ShareBatch(node, seat, f"help-{absent}", absent, key, slots)


def _escrow_share_of(node: Node, seat: int, owner: int) -> tuple[Context, escrow.Sealing]:
    """Return where this seat says its share of the escrow of a lost choice, and that escrow."""
    kind = node.want.name
    context = node.table.context(node.step, seat, f"escrow-{owner}")
    return context, sealing_of(node, owner, kind, node.sealed[kind, owner])


def _open_lost(after: Node, node: Node, owner: int, shares: Mapping[int, bytes]) -> Node:
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
    if not isinstance(found, bytes):
        illegal = Conviction(node.step, owner, "illegal-choice")
        try:
            if node.want.shows:  # it is judged again with its cards
                cards.check_showable(node, owner, found)
            else:
                node.table.check_choice(node.state, kind, owner, found, {})
        except (Invalid, IllegalMove):
            return void(after, kind, owner, illegal)
    return replace(after, opened={**after.opened, (kind, owner): found})


def void(node: Node, kind: str, seat: int, conviction: Conviction) -> Node:
    """Return the choice counts as none, and its owner is out for good."""
    return replace(
        node,
        opened={**node.opened, (kind, seat): None},
        banned=node.banned | {seat},
        convictions=(*node.convictions, conviction),
    )
