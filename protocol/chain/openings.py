"""The steps in which things are opened: the deal, reveals, draws and the final opening.

Each present seat gives what it owes: the opening of its own sealed choice, its shares of the
cards the state asks for, backup shares for absent seats, and escrow shares for lost choices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from ..crypto import commitment, dleq, escrow, secret_sharing
from ..crypto.elgamal import Ciphertext, open_card
from ..crypto.hashing import digest
from ..crypto.labels import Label
from ..errors import Invalid
from ..game import Choice, IllegalMove
from ..wire import bodies
from ..wire.bodies import COIN, COIN_SIZE, Gather
from ..wire.faults import FAULTS
from .setup_steps import Said, opening_size
from .state import Conviction, Node, Opening, Sealed

# What is owed.


def choice_size(node: Node, kind: str) -> int:
    """The most bytes a choice of this kind takes."""
    return COIN_SIZE if kind == COIN else node.table.game.size(kind)


def own_due(node: Node, seat: int) -> bool:
    """Whether this seat must open its own sealed choice now."""
    return seat in node.want.dues and (node.want.name, seat) not in node.lost


def lost_dues(node: Node) -> tuple[int, ...]:
    """The seats whose sealed choice the others open now."""
    return tuple(s for s in node.want.dues if (node.want.name, s) in node.lost)


def own_lacks(node: Node, seat: int) -> tuple[int, ...]:
    """The slots of which this seat owes its own share."""
    return tuple(slot for slot, giver in node.want.lacks if giver == seat)


def helped(node: Node) -> tuple[int, ...]:
    """The absent seats for whose shares the present ones stand in, by rising seat."""
    return tuple(sorted({giver for _, giver in node.want.lacks} - node.present))


def owes_nothing(node: Node, seat: int) -> bool:
    """Whether this seat says an empty pass."""
    idle = not own_due(node, seat) and not own_lacks(node, seat)
    return idle and not helped(node) and not lost_dues(node)


def hidden_of(node: Node, seat: int, choice: Choice) -> tuple[int, ...]:
    """The slots of a shown choice that still lack this seat's share; at most its own hand."""
    if not isinstance(choice, tuple):
        return ()
    hand = node.table.layout.hands[seat]
    return tuple(s for s in choice if s in hand and (s, seat) not in node.shares)


# Checking.


@dataclass(frozen=True)
class Given:
    """A checked gather body: the opened choice, and proven shares by (slot, giver)."""

    opened: Opening = None
    shares: Mapping[tuple[int, int], bytes] | None = None
    helps: Mapping[tuple[int, int], bytes] | None = None
    escrows: Mapping[int, bytes] | None = None


def check_gather(node: Node, seat: int, body: bytes) -> Given:
    """Every part of the body against what this seat owes; Invalid names the first fault."""
    key = ("given", seat, body)
    if key not in node.memo:
        node.memo[key] = _check_gather(node, seat, body)
    given: Given = node.memo[key]
    return given


def _check_gather(node: Node, seat: int, body: bytes) -> Given:
    if owes_nothing(node, seat):
        if body != bodies.EMPTY:
            raise Invalid("bad-body", "a body where none was due")
        return Given()
    read = bodies.parse_gather(body, len(helped(node)), len(lost_dues(node)))
    opened = _check_opening(node, seat, read)
    slots = own_lacks(node, seat)
    if node.want.shows and opened is not None and isinstance(opened, tuple):
        slots += hidden_of(node, seat, opened)
    shares = check_batch(node, seat, "shares", seat, node.keys.share_key(seat), slots, read.shares)
    helps = _check_helps(node, seat, read)
    escrows = _check_escrows(node, seat, read)
    if opened is not None and not isinstance(opened, bytes):
        check_move(node, node.want.name, seat, opened, shares)
    return Given(opened, shares, helps, escrows)


def _check_opening(node: Node, seat: int, read: Gather) -> Opening:
    if not own_due(node, seat):
        if read.opening is not None:
            raise Invalid("bad-body", "an opening where none was due")
        return None
    if read.opening is None:
        raise Invalid("bad-body", "no opening where one was due")
    choice, nonce = read.opening
    sealed = node.sealed[node.want.name, seat]
    check_opening(node, seat, node.want.name, sealed, choice, nonce)
    opened = read_choice(node, node.want.name, choice)
    if node.want.shows and not isinstance(opened, bytes) and not showable(node, seat, opened):
        raise Invalid("illegal-choice", "it shows a card that is not its own to show")
    return opened


def read_choice(node: Node, kind: str, data: bytes) -> bytes | Choice:
    """The coin stays bytes; any other choice is an int or a tuple of ints."""
    if kind == COIN:
        if len(data) != COIN_SIZE:
            raise Invalid("bad-body", "a coin has not 32 bytes")
        return data
    return bodies.parse_choice(data, choice_size(node, kind))


def check_opening(
    node: Node, seat: int, kind: str, sealed: Sealed, choice: bytes, nonce: bytes
) -> None:
    """The opening recomputes commitment and escrow byte for byte."""
    context = node.table.context(sealed.step, seat, kind)
    size = choice_size(node, kind)
    if len(choice) > size:
        raise Invalid("bad-body", "a choice is longer than its kind allows")
    if commitment.commit(context, choice, nonce) != sealed.commitment:
        raise Invalid("bad-opening", "the opening does not fit the commitment")
    if node.table.strict:
        return
    padded = commitment.opening(choice, nonce, opening_size(size))
    if escrow.seal(context, node.keys.joint, sealed.commitment, padded) != sealed.escrow:
        raise Invalid("bad-escrow", "the escrow is not that of the opening")


def check_batch(
    node: Node,
    seat: int,
    kind: str,
    giver: int,
    public: bytes,
    slots: tuple[int, ...],
    data: bytes,
) -> dict[tuple[int, int], bytes]:
    """Shares of `slots` with one proof for the key `public`, keyed by (slot, giver)."""
    points, proof = bodies.parse_batch(data, len(slots))
    if not slots:
        return {}
    bases = [node.keys.deck[slot].a for slot in slots]
    context = node.table.context(node.step, seat, kind)
    dleq.verify_shares(context, node.keys.joint, public, bases, points, proof)
    return {(slot, giver): point for slot, point in zip(slots, points, strict=True)}


def _check_helps(node: Node, seat: int, read: Gather) -> dict[tuple[int, int], bytes]:
    found: dict[tuple[int, int], bytes] = {}
    for absent, data in zip(helped(node), read.helps, strict=True):
        key = node.keys.piece_key(absent, seat)
        slots = own_lacks(node, absent)
        found |= check_batch(node, seat, f"help-{absent}", absent, key, slots, data)
    return found


def _check_escrows(node: Node, seat: int, read: Gather) -> dict[int, bytes]:
    key = node.keys.total_key(seat)
    found: dict[int, bytes] = {}
    for owner, share in zip(lost_dues(node), read.escrows, strict=True):
        sealed = node.sealed[node.want.name, owner]
        context = node.table.context(sealed.step, owner, node.want.name)
        helper = node.table.context(node.step, seat, f"escrow-{owner}")
        joint, committed = node.keys.joint, sealed.commitment
        try:
            point = escrow.verify_share(
                helper, context, joint, committed, sealed.escrow, key, share
            )
        except Invalid as error:
            raise Invalid("bad-escrow-share", error.reason) from error
        found[owner] = point
    return found


def check_move(
    node: Node,
    kind: str,
    seat: int,
    choice: Choice,
    shares: Mapping[tuple[int, int], bytes],
) -> None:
    """The game's own rules, with the cards that the shares open."""
    shown = choice if isinstance(choice, tuple) and node.want.shows else ()
    cards = opened_cards(node, (s for s in shown if (s, seat) in shares), shares)
    try:
        node.table.check_choice(node.state, kind, seat, choice, cards)
    except IllegalMove as error:
        raise Invalid("illegal-choice", FAULTS["illegal-choice"]) from error


# Opening cards.


@lru_cache(maxsize=4096)
def _open(a: bytes, b: bytes, shares: tuple[bytes, ...], cards: int) -> int:
    return open_card(Ciphertext(a, b), shares, cards)


def card_at(node: Node, slot: int, shares: Mapping[tuple[int, int], bytes]) -> int:
    """The card in a slot, from all n shares."""
    ciphertext = node.keys.deck[slot]
    points = tuple(shares[slot, seat] for seat in range(node.table.seats))
    return _open(ciphertext.a, ciphertext.b, points, node.table.layout.cards)


def opened_cards(
    node: Node, slots: Iterable[int], more: Mapping[tuple[int, int], bytes]
) -> dict[int, int]:
    """The cards of those slots of which every share is known."""
    known = {**node.shares, **more}
    seats = range(node.table.seats)
    return {
        slot: card_at(node, slot, known)
        for slot in slots
        if all((slot, seat) in known for seat in seats)
    }


# Applying.


def apply_gather(node: Node, said: Said) -> Node:
    """Take in all that was given; what fewer than t gave is asked again."""
    given = {seat: check_gather(node, seat, body) for seat, body in said.items()}
    shares = dict(node.shares)
    for one in given.values():
        shares |= one.shares or {}
    shares |= _combine_helps(node, given)
    opened = dict(node.opened)
    for seat, one in given.items():
        if one.opened is not None:
            opened[node.want.name, seat] = one.opened
    return _open_lost(replace(node, shares=shares, opened=opened), node, given)


def _combine_helps(node: Node, given: Mapping[int, Given]) -> dict[tuple[int, int], bytes]:
    found: dict[tuple[int, int], bytes] = {}
    absent = set(helped(node))
    for slot, giver in node.want.lacks:
        if giver in absent:
            points = {s + 1: g.helps[slot, giver] for s, g in given.items() if g.helps}
            if len(points) >= node.table.quorum:
                found[slot, giver] = secret_sharing.combine(points, node.table.quorum)
    return found


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
        padded = escrow.open_escrow(sealed.escrow, shares, node.table.quorum)
        choice, nonce = commitment.parse_opening(padded)
        check_opening(node, owner, kind, sealed, choice, nonce)
        found = read_choice(node, kind, choice)
    except Invalid:
        return void(after, kind, owner, sealed.step, "bad-escrow")
    if isinstance(found, bytes):
        return replace(after, opened={**after.opened, (kind, owner): found})
    if not _may_stand(node, kind, owner, found):
        return void(after, kind, owner, node.step, "illegal-choice")
    return replace(after, opened={**after.opened, (kind, owner): found})


def _may_stand(node: Node, kind: str, owner: int, choice: Choice) -> bool:
    """Whether a choice opened from escrow is legal; a show is judged again with its cards."""
    if node.want.shows:
        return showable(node, owner, choice)
    try:
        node.table.check_choice(node.state, kind, owner, choice, {})
    except IllegalMove:
        return False
    return True


def showable(node: Node, seat: int, choice: Choice) -> bool:
    """Distinct slots, each open already or of the seat's own hand: no one else's card is opened."""
    if not isinstance(choice, tuple) or len(set(choice)) != len(choice):
        return False
    hand = node.table.layout.hands[seat]
    return all(slot in node.cards or slot in hand for slot in choice)


def void(node: Node, kind: str, seat: int, step: int, code: str) -> Node:
    """The choice counts as none, and its owner is out for good."""
    return replace(
        node,
        opened={**node.opened, (kind, seat): None},
        banned=node.banned | {seat},
        convictions=(*node.convictions, Conviction(step, seat, code)),
    )


def joint_coin(node: Node) -> bytes:
    """32 bytes no seat could choose; a void coin counts as empty."""
    coins = [node.opened[COIN, seat] for seat in range(node.table.seats)]
    parts = [coin if isinstance(coin, bytes) else b"" for coin in coins]
    return digest(Label.COIN, node.table.id, *parts)
