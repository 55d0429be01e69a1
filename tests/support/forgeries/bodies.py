"""Forged bodies: what a faulty seat sends in a step instead of its own body."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from protocol.chain import transition
from protocol.chain.chain_state import Node, new_secrets
from protocol.chain.sealed_choices import context_of, opening_size, seal_choice
from protocol.crypto import commitments, escrow, group
from protocol.crypto.hashing import ORDER
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, step_bodies
from protocol.wire.signed_messages import StepInput
from support.forged_points import order_eight
from support.inspection import alter, secrets_of
from support.stream import stream

Forge = Callable[[SeatMachine, Node, StepInput], bytes]
"""Make a body for the faulty seat's machine, at a node, from the input it would send."""


def patched(index: int, change: Callable[[Any], Any]) -> Forge:
    """Change one field of the body."""

    def forge(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
        fields = list(codec.decode(step_input.body, step_bodies.MAX_BODY))
        fields[index] = change(fields[index])
        return codec.encode(tuple(fields))

    return forge


def fixed(body: bytes) -> Forge:
    """Send this body, whatever is due."""
    return lambda machine, node, step_input: body


# Changes of one field.


def flip(data: bytes) -> bytes:
    """Flip the lowest bit of the last byte."""
    return data[:-1] + bytes([data[-1] ^ 1])


def plus_one(data: bytes) -> bytes:
    """Add one to the scalar at the end. It stays canonical."""
    value = (int.from_bytes(data[-32:], "little") + 1) % ORDER
    return data[:-32] + value.to_bytes(32, "little")


def plus_order(data: bytes) -> bytes:
    """Add the group order to the scalar at the end, which is then not canonical."""
    value = int.from_bytes(data[-32:], "little") + ORDER
    return data[:-32] + value.to_bytes(32, "little")


def off_group(data: bytes) -> bytes:
    """Add a point of order eight to the first point."""
    return group.add(data[:32], order_eight()) + data[32:]


def identity_first(data: bytes) -> bytes:
    """Replace the first point by the identity."""
    return group.IDENTITY + data[32:]


def exchanged(data: bytes) -> bytes:
    """Exchange the first two cards of a deck."""
    return data[64:128] + data[:64] + data[128:]


# Bodies made anew.


def seat_of(machine: SeatMachine) -> int:
    """Return the seat of a machine that is no watcher."""
    assert machine.seat is not None
    return machine.seat


def another_sealed_choice(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Make another commitment to the same choice where one is owed, else a single byte."""
    if machine.seat not in node.want.owes:
        return b"\x01"
    choice, _ = list(secrets_of(machine).openings.values())[-1]
    secrets, draw = new_secrets(bytes(32), 1), stream("another seal", "nonce")
    return seal_choice(node, seat_of(machine), node.want.name, choice, secrets, draw)


def sealed(choice: Any) -> Forge:
    """Seal this choice correctly. The seat will open it correctly, too."""

    def forge(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
        draw = stream("sealed", f"{choice}")
        return transition.body_of_choice(node, seat_of(machine), choice, secrets_of(machine), draw)

    return forge


def empty_escrow(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Make an escrow with a valid proof, of another opening than that of the commitment."""
    read, draw = (
        step_bodies.parse(step_bodies.SealBody, step_input.body),
        stream("empty escrow", "nonce"),
    )
    context = context_of(node, node.step, seat_of(machine), node.want.name)
    size = opening_size(node.table.game.size(node.want.name))
    padded = commitments.opening(b"\x00", draw(32), size)
    forged = escrow.encrypt(context, node.keys.joint, read.commitment, padded)
    return step_bodies.encode_body(replace(read, escrow=forged))


def card_escrow(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Take the first point of a card for that of the escrow."""
    read = step_bodies.parse(step_bodies.SealBody, step_input.body)
    return step_bodies.encode_body(replace(read, escrow=node.keys.deck[0].a + read.escrow[32:]))


def zero_key_share(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Commit to a polynomial with a root at seat 0, whose key share is then zero."""
    secret = secrets_of(machine).key
    polynomial = (secret, -secret % ORDER)
    alter(machine, polynomial=polynomial)
    draw = stream("zero piece", "none")
    return transition.body_of(node, seat_of(machine), secrets_of(machine), draw)


def false_complaint(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Complain of the sound key share from the lowest other seat, with the true secret."""
    blamed = 1 if machine.seat == 0 else 0
    return step_bodies.encode_body(step_bodies.Complaint(blamed, secrets_of(machine).box))


def other_nonce(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Change the nonce of the opening."""
    opening, *rest = codec.decode(step_input.body, step_bodies.MAX_BODY)
    return codec.encode(((opening[0], flip(opening[1])), *rest))


def escrow_share(machine: SeatMachine, node: Node, step_input: StepInput) -> bytes:
    """Change the response in the proof of each share of an escrow."""
    *rest, escrows = codec.decode(step_input.body, step_bodies.MAX_BODY)
    return codec.encode((*rest, tuple(plus_one(e) for e in escrows)))
