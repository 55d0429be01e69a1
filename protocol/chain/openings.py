"""The rules of the steps in which cards and sealed choices are opened: deal, reveal, open, final.

Each present seat gives in one body everything that it owes:

- the opening of its own sealed choice;
- decryption shares of cards, made with its own key;
- decryption shares of cards, made with the key shares of absent seats;
- escrow shares, to open the *lost* choices: those of seats that were absent since the sealing.

Seats and slots are returned in rising order.
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
"""The index of the choice in the field `opening`. The nonce follows."""
SEALED: Final = FieldPlace("escrow")
"""The place of a fault in an escrow that others opened: a field of the owner's `seal` body."""

# Demands


def own_due(node: Node, seat: int) -> bool:
    """Return whether a seat must itself open its sealed choice in the next step."""
    return seat in node.want.dues and (node.want.name, seat) not in node.lost


def lost_dues(node: Node) -> tuple[int, ...]:
    """Return the seats, rising, whose lost choices the others must open next ([D-4])."""
    return tuple(s for s in node.want.dues if (node.want.name, s) in node.lost)


def own_lacks(node: Node, seat: int) -> tuple[int, ...]:
    """Return the slots, rising, for which a share made with a seat's key is missing."""
    return tuple(slot for slot, giver in node.want.lacks if giver == seat)


def helped(node: Node) -> tuple[int, ...]:
    """Return the absent seats, rising, in whose place the present ones give decryption shares."""
    return tuple(sorted({giver for _, giver in node.want.lacks} - node.present))


def owes_nothing(node: Node, seat: int) -> bool:
    """Return whether a seat owes only an empty body in the next step, which opens cards ([N-4])."""
    idle = not own_due(node, seat) and not own_lacks(node, seat)
    return idle and not helped(node) and not lost_dues(node)


def has_opening(node: Node, seat: int, secrets: Secrets) -> bool:
    """Return whether a seat stores the opening that it owes in the next step, or owes none.

    An opening may be missing after an old journal was restored.
    """
    if not own_due(node, seat):
        return True
    return node.sealed[node.want.name, seat].commitment in secrets.openings


# The step


@dataclass(frozen=True)
class Given:
    """The checked content that one seat gives in a step that opens cards or sealed choices.

    Attributes:
        opened: The choice that the seat opened, None if it owes no opening.
        shares: Decryption shares made with the seat's own key.
        helps: Decryption shares in place of absent seats, stored under the absent seat.
        escrows: The escrow shares, by the seat that made the choice. A point of 32 bytes each.
    """

    opened: Opening = None
    shares: Shares = field(default_factory=dict)
    helps: Shares = field(default_factory=dict)
    escrows: Mapping[int, bytes] = field(default_factory=dict)


class GatherStep(StepRules[Given]):
    """The rules of a step in which cards or sealed choices are opened."""

    def check(self, node: Node, seat: int, body: bytes) -> Given:
        """Check a body, and return its parts. It is empty if the seat owes nothing ([N-4]).

        Raises:
            Invalid: With the code of the first fault in it.
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
        # Last, because the game judges the choice by the cards that the shares open.
        # Bytes are the coin of the deal, which no rule of the game judges.
        if opened is not None and not isinstance(opened, bytes):
            with within("opening", CHOICE):
                check_move(node, node.want.name, seat, opened, shares)
        return Given(opened, shares, helps, escrows)

    def _opened(self, node: Node, seat: int, read: Gather) -> Opening:
        """Return the choice that a seat opens in its decoded body, None if it owes none."""
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
        """Return the state after the step, with the decryption shares and openings of all inputs.

        What fewer seats than a quorum gave shares for is asked for again in a later step.
        """
        shares, opened, quorum = dict(node.shares), dict(node.opened), node.table.quorum
        for seat, one in inputs.items():
            shares |= one.shares
            if one.opened is not None:
                opened[node.want.name, seat] = one.opened
        for slot, giver in node.want.lacks:
            if giver not in node.present:
                points = {s + 1: one.helps[slot, giver] for s, one in inputs.items() if one.helps}
                # Fewer points would combine to a wrong share without an error.
                if len(points) >= quorum:
                    shares[slot, giver] = key_sharing.combine(points, quorum)
        after = replace(node, shares=shares, opened=opened)
        for owner in lost_dues(node):
            keys = {s + 1: one.escrows[owner] for s, one in inputs.items() if one.escrows}
            # Fewer shares would decrypt to other bytes, and an honest owner would be convicted.
            if len(keys) >= quorum:
                # By the node before the step, so that no opening of this step changes the next one.
                after = _open_lost(after, node, owner, keys)
        return after

    def write(self, node: Node, seat: int, secrets: Secrets, rng: Random) -> bytes:
        """Return the body with all openings and shares that a seat owes in this step."""
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
    """Return the slots for which a seat must give shares made with its own key.

    They are those that the step asks for, and then the hidden ones that the seat's choice shows.
    """
    slots = own_lacks(node, seat)
    if node.want.shows and isinstance(opened, tuple):
        slots += cards.hidden_of(node, seat, opened)
    return slots


def check_move(node: Node, kind: str, seat: int, choice: Choice, shares: Shares) -> None:
    """Check a choice by the rules of the game, with the cards that its own `shares` open.

    Raises:
        Invalid: With code `illegal-choice` if the rules forbid the choice.
    """
    shown = choice if isinstance(choice, tuple) and node.want.shows else ()
    found = cards.opened_cards(node, (s for s in shown if (s, seat) in shares), shares)
    try:
        node.table.check_choice(node.state, kind, seat, choice, found)
    except IllegalMove as error:
        raise Invalid("illegal-choice", FAULTS["illegal-choice"]) from error


def _backup_shares(node: Node, seat: int, absent: int) -> cards.ShareBatch:
    """Return the batch that a seat makes with the key share which an absent seat dealt to it."""
    key, slots = node.keys.public_key_share(absent, seat), own_lacks(node, absent)
    return cards.ShareBatch(node, seat, f"help-{absent}", absent, key, slots)


def _escrow_share_of(node: Node, seat: int, owner: int) -> tuple[Context, escrow.Sealing]:
    """Return the context to which the escrow share of `seat` is bound, and `owner`'s escrow."""
    kind = node.want.name
    context = node.table.context(node.step, seat, f"escrow-{owner}")
    return context, sealing_of(node, owner, kind, node.sealed[kind, owner])


def _open_lost(after: Node, node: Node, owner: int, shares: Mapping[int, bytes]) -> Node:
    """Open or void a lost choice from the others' escrow shares, and return `after` changed by it.

    `node` is the state before the step, by which the choice is judged. The keys of `shares` are the
    indices of the seats that gave them (seat + 1).
    """
    kind = node.want.name
    sealed = node.sealed[kind, owner]
    found: Opening
    try:
        padded = escrow.decrypt(sealed.escrow, shares, node.table.quorum)
        opening = commitments.parse_opening(padded)
        # At once, not by the table's checker: a wrong escrow is no fault of a seat that gives a
        # body.
        check_opening(node, owner, kind, sealed, opening)
        found = read_choice(node, kind, opening[0])
    except Invalid:
        # The escrow's proof only shows that it can be decrypted. What is in it can be seen only
        # now.
        return void(after, kind, owner, Conviction(sealed.step, owner, "bad-escrow", SEALED))
    if not isinstance(found, bytes):
        illegal = Conviction(node.step, owner, "illegal-choice")
        try:
            if node.want.shows:  # The game judges it later, with its cards.
                cards.check_showable(node, owner, found)
            else:
                node.table.check_choice(node.state, kind, owner, found, {})
        except (Invalid, IllegalMove):
            return void(after, kind, owner, illegal)
    return replace(after, opened={**after.opened, (kind, owner): found})


def void(node: Node, kind: str, seat: int, conviction: Conviction) -> Node:
    """Return the state after a sealed choice is declared void and its owner is banned."""
    return replace(
        node,
        opened={**node.opened, (kind, seat): None},
        # The seat stays present: only the base of an epoch changes that, the same for all.
        banned=node.banned | {seat},
        convictions=(*node.convictions, conviction),
    )
