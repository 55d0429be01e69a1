"""Which bodies are legal at a node (6.2, 7.6, 7)."""

from typing import TYPE_CHECKING, Any

from . import constants as c
from . import group, proofs
from .encoding import EncodingError, context, decode, digest, is_array, is_bytes, is_int

if TYPE_CHECKING:
    from .chain import Node


class Fault(Exception):
    """The first fault of a body, by its code (6.4)."""


def require(condition: bool, code: str = "bad-body") -> None:
    """Find a fault unless a condition holds."""
    if not condition:
        raise Fault(code)


def read_choice(data: bytes) -> int | list[int]:
    """Return the choice that bytes encode: an integer or an array of integers (7.7)."""
    try:
        choice = decode(data)
    except EncodingError as error:
        raise Fault("bad-body") from error
    is_ints = is_array(choice) and all(is_int(item) for item in choice)
    require(is_int(choice) or is_ints)
    return choice


def body_fault(node: "Node", seat: int, body: bytes) -> str | None:
    """Return the code of the first fault of a body at a node, None if it is legal (6.2)."""
    if seat not in node.speakers:
        return "not-expected"
    try:
        require(len(body) <= c.MAX_BODY)
        check_body(node, seat, body)
    except Fault as fault:
        return str(fault)
    return None


def check_body(node: "Node", seat: int, body: bytes) -> None:
    """Check a speaker's body by the rules of its step."""
    wants = node.wants
    try:
        value = decode(body)
    except EncodingError as error:
        raise Fault("bad-body") from error
    if wants.step == "choose":
        require(len(body) <= c.CHOICE_SIZES[wants.kind])
        choice = read_choice(body)
        require(node.game.is_legal(wants.kind, seat, choice, {}), "illegal-choice")
        return
    setup_checks = {
        "key.commit": check_commit,
        "key.reveal": check_keys,
        "key.ok": check_coin,
        "shuffle": check_shuffle,
    }
    if wants.step in setup_checks:
        setup_checks[wants.step](node, seat, value)
    elif wants.step in ("deal", "reveal", "open", "final") and owes_gathered(node, seat):
        check_gathered(node, seat, value)
    elif wants.step == "seal" and seat in wants.owing:
        check_sealed(node, seat, wants.kind, value)
    elif wants.step == "show" and seat in wants.owing:
        check_shown(node, seat, value)
    elif wants.step == "result":
        require(body == node.result_body())
    else:
        require(body == c.EMPTY_BODY)


# Setup (7.1, 7.2).


def check_commit(node: "Node", seat: int, value: Any) -> None:
    """Check the body of key.commit."""
    require(is_array(value, 2) and is_bytes(value[0], 32) and is_bytes(value[1], 32))
    require(group.is_transport_key(value[1]), "bad-key")


def check_keys(node: "Node", seat: int, value: Any) -> None:
    """Check the body of key.reveal."""
    table = node.table
    require(is_array(value, 3) and is_bytes(value[0], 32 * table.vector_size))
    vector = group.split_points(value[0])
    require(all(group.is_point(point) for point in vector), "bad-point")
    _, proof, key_shares = value
    require(is_array(key_shares, 0 if table.strict else table.seats))
    require(all(is_bytes(key_share) for key_share in key_shares) and is_bytes(proof, 64))
    committed = digest("key commit", node.context(seat, "key", step=1), *vector)
    require(committed == node.boxes[seat][0], "bad-key-hash")
    proven = proofs.key_proof_is_valid(node.context(seat, "key"), vector[0], proof)
    require(proven, "bad-key-proof")
    if table.strict:
        return
    others = [j for j in table.all_seats if j != seat]
    require(all(proofs.evaluate(vector, j) != group.NEUTRAL for j in others), "bad-key-sharing")
    sizes = [len(key_share) for key_share in key_shares]
    require(sizes == [0 if j == seat else c.KEY_SHARE_SIZE for j in table.all_seats])


def check_coin(node: "Node", seat: int, value: Any) -> None:
    """Check the body of key.ok: a sealed coin, or a complaint."""
    require(is_array(value, 2))
    if not is_int(value[0]):
        require(is_bytes(value[0], 32) and is_bytes(value[1]))
        check_escrow(node, seat, "coin", *value)
        return
    require(is_bytes(value[1], 32))
    blamed, secret = value
    table = node.table
    require(not table.strict and blamed != seat and blamed < table.seats)
    box = node.boxes[seat][1]
    require(group.transport_public(secret) == box, "false-complaint")
    sound = proofs.key_share_is_sound(
        table.id,
        list(node.keys.vectors[blamed]),
        blamed,
        seat,
        node.key_shares[blamed][seat],
        box,
        secret,
    )
    require(not sound, "false-complaint")


def check_shuffle(node: "Node", seat: int, value: Any) -> None:
    """Check the body of a shuffle."""
    require(is_array(value, 2) and is_bytes(value[0], 64 * node.table.cards))
    require(is_bytes(value[1]))
    after = tuple(group.split_points(value[0]))
    ctx = node.context(seat, "shuffle")
    valid = proofs.shuffle_is_valid(ctx, node.keys.joint, node.deck, after, value[1])
    require(valid, "bad-shuffle")


# Choices under commitment (7.5, 7.7).


def sealed_as(kind: str) -> str:
    """Return the kind in the context of a sealed choice ([C-12])."""
    return kind if kind == "coin" else f"game {kind}"


def check_escrow(node: "Node", seat: int, kind: str, committed: bytes, escrow: bytes) -> None:
    """Check the escrow of a choice that is sealed in this step."""
    if node.table.strict:
        require(escrow == b"", "bad-escrow")
        return
    ctx, size = node.context(seat, sealed_as(kind)), c.CHOICE_SIZES[kind]
    valid = proofs.escrow_is_valid(ctx, node.keys.joint, committed, escrow, size)
    require(valid, "bad-escrow")


def check_sealed(node: "Node", seat: int, kind: str, value: Any) -> None:
    """Check a sealed choice."""
    require(is_array(value, 2) and is_bytes(value[0], 32) and is_bytes(value[1]))
    check_escrow(node, seat, kind, *value)


def opened_choice(node: "Node", owner: int, choice: bytes, nonce: bytes) -> Any:
    """Return the choice of an opening that is due, checked by 7.6 but for what it shows."""
    kind, table = node.wants.kind, node.table
    sealed, size = node.sealed[kind, owner], c.CHOICE_SIZES[kind]
    require(len(choice) <= size)
    ctx = node.context(owner, sealed_as(kind), step=sealed.step)
    require(proofs.commitment(ctx, choice, nonce) == sealed.commitment, "bad-opening")
    if not table.strict:
        joint = node.keys.joint
        escrow = proofs.make_escrow(ctx, joint, sealed.commitment, choice, nonce, size)
        require(escrow == sealed.escrow, "bad-escrow")
    if kind == "coin":
        require(len(choice) == size)
        return choice
    return read_choice(choice)


def is_showable(node: "Node", seat: int, choice: Any) -> bool:
    """Return whether a choice names cards that a seat may show (7.6)."""
    if not is_array(choice) or len(set(choice)) != len(choice):
        return False
    return all(slot in node.cards or slot // 4 == seat for slot in choice)


# Shares (7.6, 7.4).


def own_lacks(node: "Node", seat: int) -> list[int]:
    """Return the slots of which a seat itself owes a share."""
    return [slot for slot, giver in node.wants.lacks if giver == seat]


def own_slots(node: "Node", seat: int, choice: Any) -> list[int]:
    """Return the slots of a seat's own batch, given its choice or None (7.6, check 4)."""
    slots = own_lacks(node, seat)
    if node.wants.shows and choice is not None:
        slots += [s for s in choice if s // 4 == seat and (s, seat) not in node.shares]
    return slots


def check_batch(
    node: "Node", seat: int, kind: str, public: bytes, slots: list[int], batch: bytes
) -> None:
    """Check a batch of shares of slots under a public key (7.6, 7.4)."""
    require(len(batch) == (32 * len(slots) + 64 if slots else 0))
    if not slots:
        return
    shares, proof = tuple(group.split_points(batch[:-64])), batch[-64:]
    require(all(group.is_point(share) for share in shares), "bad-point")
    require(proofs.split_proof(proof) is not None, "bad-scalar")
    bases = tuple(node.slot_of_deck(slot)[0] for slot in slots)
    valid = proofs.share_proof_is_valid(
        node.context(seat, kind), node.keys.joint, public, bases, shares, proof
    )
    require(valid, "bad-share")


def check_own_batch(node: "Node", seat: int, choice: Any, batch: bytes) -> dict[int, int]:
    """Check a seat's own batch, and return the cards that it opens of a choice that shows."""
    slots = own_slots(node, seat, choice)
    check_batch(node, seat, "shares", node.keys.vectors[seat][0], slots, batch)
    if not node.wants.shows or choice is None:
        return {}
    given = {(s, seat): batch[32 * k : 32 * k + 32] for k, s in enumerate(slots)}
    opened = {s: node.open_card(s, {**node.shares, **given}) for s in slots}
    return {slot: card for slot, card in opened.items() if card is not None}


def check_shown(node: "Node", seat: int, value: Any) -> None:
    """Check a choice that is shown in the open, with its shares (7.7)."""
    kind = node.wants.kind
    require(is_array(value, 2) and is_bytes(value[0]) and is_bytes(value[1]))
    require(len(value[0]) <= c.CHOICE_SIZES[kind])
    choice = read_choice(value[0])
    require(is_showable(node, seat, choice), "illegal-choice")
    cards = check_own_batch(node, seat, choice, value[1])
    require(node.game.is_legal(kind, seat, choice, cards), "illegal-choice")


def owes_opening(node: "Node", seat: int) -> bool:
    """Return whether a seat's own opening is due (7.6)."""
    return seat in node.wants.dues and (node.wants.kind, seat) not in node.lost


def owes_gathered(node: "Node", seat: int) -> bool:
    """Return whether a speaker owes anything in a gather step (7.6)."""
    if owes_opening(node, seat) or own_lacks(node, seat):
        return True
    return bool(node.helped() or node.lost_dues())


def check_gathered(node: "Node", seat: int, value: Any) -> None:
    """Check the body of a gather step (7.6, *Check*)."""
    helped, lost = node.helped(), node.lost_dues()
    kind, keys = node.wants.kind, node.keys
    require(is_array(value, 4))
    opening, batch, helps, escrows = value
    if opening is not None:
        require(is_array(opening, 2) and is_bytes(opening[0]) and is_bytes(opening[1], 32))
    require(is_bytes(batch) and is_array(helps, len(helped)) and is_array(escrows, len(lost)))
    require(all(is_bytes(item) for item in helps))
    require(all(is_bytes(item, c.ESCROW_SHARE_SIZE) for item in escrows))

    require((opening is not None) == owes_opening(node, seat))
    choice = None
    if opening is not None:
        choice = opened_choice(node, seat, *opening)
        if node.wants.shows:
            require(is_showable(node, seat, choice), "illegal-choice")
    cards = check_own_batch(node, seat, choice, batch)
    for (giver, slots), data in zip(helped.items(), helps, strict=True):
        public = proofs.evaluate(list(keys.vectors[giver]), seat)
        check_batch(node, seat, c.HELP_KIND.format(giver), public, slots, data)
    for owner, share in zip(lost, escrows, strict=True):
        sealed = node.sealed[kind, owner]
        sealed_in = context(node.table.id, sealed.step, owner, sealed_as(kind))
        where = proofs.where_sealed(sealed_in, keys.joint, sealed.commitment)
        ctx, public = node.context(seat, c.ESCROW_KIND.format(owner)), keys.totals[seat]
        valid = proofs.escrow_share_is_valid(ctx, where, sealed.escrow, public, share)
        require(valid, "bad-escrow-share")
    if opening is not None and kind != "coin":
        legal = node.game.is_legal(kind, seat, choice, cards)
        require(legal, "illegal-choice")
