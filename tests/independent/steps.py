"""How each kind of step changes the node behind it (7.6, 7).

In every function `node` is the node behind the step, which is changed, `before` the node before the
step, and `bodies` the bodies of the step by seat.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import proofs
from .bodies import Fault, is_showable, opened_choice, own_slots, read_choice
from .encoding import decode
from .group import BASE, NEUTRAL, add, card_point, split_points, total
from .table import Keys, Sealed, Wants

if TYPE_CHECKING:
    from .chain import Node


def take_commits(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply key.commit (7.1)."""
    node.boxes = [tuple(decode(bodies[seat])) for seat in before.table.all_seats]
    node.wants = Wants("key.reveal")


def take_keys(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply key.reveal: the joint key and all public key shares.

    The table ends if they cannot carry one ([D-8]).
    """
    table = before.table
    values = [decode(bodies[seat]) for seat in table.all_seats]
    vectors = tuple(tuple(split_points(value[0])) for value in values)
    summed = [total([vector[k] for vector in vectors]) for k in range(table.vector_size)]
    joint = summed[0]
    totals = () if table.strict else tuple(proofs.evaluate(summed, j) for j in table.all_seats)
    starting = [add(card_point(i), joint) for i in range(table.cards)]
    if joint == NEUTRAL or NEUTRAL in starting or NEUTRAL in totals:
        node.wants = Wants("ended")
        return
    node.keys = Keys(vectors, joint, totals, {card_point(i): i for i in range(table.cards)})
    node.deck = tuple(point for card in starting for point in (BASE, card))
    node.key_shares = [value[2] for value in values]
    node.wants = Wants("key.ok")


def take_coins(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply key.ok: coins under commitment, or a complaint that ends the table (7.1)."""
    node.wants = Wants("shuffle", owing=(0,))
    for seat in sorted(bodies):
        first, second = decode(bodies[seat])
        if isinstance(first, int):
            node.convictions.append((before.step, first, "bad-key-sharing"))
            node.wants = Wants("ended")
            return
        node.sealed["coin", seat] = Sealed(before.step, first, second)


def take_shuffle(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a shuffle (7.2)."""
    (seat,) = before.wants.owing
    node.deck = tuple(split_points(decode(bodies[seat])[0]))
    last = seat == before.table.seats - 1
    node.wants = Wants("deck.ok") if last else Wants("shuffle", owing=(seat + 1,))


def take_deck(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply deck.ok: the game begins (7.3)."""
    node.settle()


def take_sealed_choices(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a step of sealed choices (7.7)."""
    done = set()
    for seat in before.wants.owing:
        if seat in bodies:
            node.sealed[before.wants.kind, seat] = Sealed(before.step, *decode(bodies[seat]))
            done.add(seat)
    node.game.was_sealed(done)
    node.settle()


def take_show(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a shown choice, or none, and its shares (7.7)."""
    (seat,) = before.wants.owing
    choice = None
    if seat in bodies:
        data, batch = decode(bodies[seat])
        choice = read_choice(data)
        take_batch(node, seat, own_slots(before, seat, choice), batch)
        node.open_cards()
    node.opened[before.wants.kind, seat] = choice
    node.settle()


def take_choice(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a choice in the open, or none (7.7)."""
    (seat,) = before.wants.owing
    node.game.was_chosen(read_choice(bodies[seat]) if seat in bodies else None)
    node.settle()


def take_barrier(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a barrier ([N-10])."""
    node.barrier = before.step
    node.settle()


def take_over(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply `over` (7.7)."""
    node.over_is_done = True
    node.settle()


def take_gathered(node: "Node", before: "Node", bodies: dict[int, bytes]) -> None:
    """Apply a gather step (7.6, *Apply*)."""
    wants, table = before.wants, before.table
    helps: dict[int, dict[int, list[bytes]]] = {giver: {} for giver in before.helped()}
    escrow_shares: dict[int, dict[int, bytes]] = {owner: {} for owner in before.lost_dues()}
    for seat, body in sorted(bodies.items()):
        value = decode(body)
        if value is None:
            continue
        opening, batch, help_batches, escrows = value
        choice = None
        if opening is not None:
            choice = opening[0] if wants.kind == "coin" else read_choice(opening[0])
            node.opened[wants.kind, seat] = choice
        take_batch(node, seat, own_slots(before, seat, choice), batch)
        for giver, data in zip(helps, help_batches, strict=True):
            helps[giver][seat] = split_points(data[:-64])
        for owner, share in zip(escrow_shares, escrows, strict=True):
            escrow_shares[owner][seat] = share[:32]
    for giver, slots in before.helped().items():
        if len(helps[giver]) >= table.quorum:
            for k, slot in enumerate(slots):
                points = {seat: given[k] for seat, given in helps[giver].items()}
                node.shares[slot, giver] = proofs.combine(points, table.quorum)
    for owner, points in escrow_shares.items():
        if len(points) >= table.quorum:
            judge_escrow(node, before, owner, proofs.combine(points, table.quorum))
    node.open_cards()
    node.settle()


def take_batch(node: "Node", seat: int, slots: list[int], batch: bytes) -> None:
    """Take a seat's own shares of slots."""
    for k, slot in enumerate(slots):
        node.shares[slot, seat] = batch[32 * k : 32 * k + 32]


def judge_escrow(node: "Node", before: "Node", owner: int, combined: bytes) -> None:
    """Open the escrow of a lost choice and judge its owner (7.6, apply 3)."""
    kind, sealed = before.wants.kind, before.sealed[before.wants.kind, owner]
    read_back = proofs.read_opening(proofs.open_escrow(sealed.escrow, combined))
    try:
        if read_back is None:
            raise Fault("bad-escrow")
        choice = opened_choice(before, owner, *read_back)
    except Fault:
        node.void(kind, owner, sealed.step, "bad-escrow")
        return
    if kind != "coin":
        if before.wants.shows:
            legal = is_showable(before, owner, choice)
        else:
            legal = before.game.is_legal(kind, owner, choice, {})
        if not legal:
            node.void(kind, owner, before.step, "illegal-choice")
            return
    node.opened[kind, owner] = choice


APPLY: dict[str, Callable[["Node", "Node", dict[int, bytes]], None]] = {
    "key.commit": take_commits,
    "key.reveal": take_keys,
    "key.ok": take_coins,
    "shuffle": take_shuffle,
    "deck.ok": take_deck,
    "deal": take_gathered,
    "seal": take_sealed_choices,
    "barrier": take_barrier,
    "reveal": take_gathered,
    "show": take_show,
    "choose": take_choice,
    "open": take_gathered,
    "over": take_over,
    "final": take_gathered,
}
