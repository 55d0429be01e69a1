"""The cheats: what a lying seat says or signs instead of the truth, by the fault it proves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from vectors.making.stream import stream
from vectors.making.tables import Lie, VectorRoom, before

from protocol.chain import own_bodies
from protocol.chain.sealing import opening_size, seal_choice
from protocol.chain.secrets import new_secrets
from protocol.chain.state import Kind, Node
from protocol.crypto import commitment, escrow, group
from protocol.seat.machine import Machine
from protocol.wire import bodies, encoding, frames, messages
from protocol.wire.messages import Close, Expired, Halt, Say, Statement

Forge = Callable[[Machine, Node, Say], bytes]
ORDER_EIGHT = bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")


def signed(machine: Machine, statement: Statement) -> messages.Message:
    """Any statement, signed by the machine's own seat."""
    assert machine.seat is not None
    assert machine.core.who is not None
    return messages.sign(machine.core.who, machine.table.id, machine.seat, statement)


def carried(machine: Machine, statement: Statement) -> bytes:
    """The frame of any statement of the machine's own seat."""
    return frames.encode_frame(frames.Carry(signed(machine, statement).encode()))


def twice(due: Callable[[Node], bool], forge: Forge) -> Lie:
    """In the first step that is due, say the truth, and a forged body too."""
    done: list[int] = []

    def lie(machine: Machine, statement: Statement) -> Statement:
        node = machine.tip
        if isinstance(statement, Say) and due(node) and not done:
            done.append(node.step)
            other = replace(statement, body=forge(machine, node, statement))
            machine.core.send(frames.Carry(signed(machine, other).encode()), None)
        return statement

    return lie


def inject(seat: int, make: Callable[[Machine], Statement]) -> Callable[[VectorRoom], None]:
    """The seat signs something more and sends it to all."""

    def act(room: VectorRoom) -> None:
        machine = room.places[seat].machine
        machine.be_cautious = lambda certain=False: None  # type: ignore[method-assign]
        room.tell(seat, carried(machine, make(machine)))

    return act


# Statements.


def unasked(machine: Machine) -> Statement:
    """A say in a step in which another seat is asked alone."""
    node = machine.tip
    return Say(machine.core.view.epoch, node.step, node.digest, bodies.encode_choice(0))


def elsewhere(machine: Machine) -> Statement:
    """A say on a chain that is none, in a step in which another seat is asked alone."""
    node = machine.tip
    return Say(machine.core.view.epoch, node.step, b"\x01" * 32, bodies.encode_choice(0))


def forgetful_halt(machine: Machine) -> Statement:
    """A halt of the next epoch that names no lock and no say."""
    return Halt(machine.core.view.epoch + 1, None, (), None, (), ())


def malform_halts(machine: Machine, statement: Statement) -> Statement:
    """The halt of epoch 1, with patience that ran out in another epoch than that of its lock."""
    if not isinstance(statement, Halt) or statement.epoch != 1:
        return statement
    node = machine.tip
    return replace(statement, expired=Expired(9, node.step, node.digest))


def empty_close(machine: Machine) -> Statement:
    """A base that rests on no halt, proposed by the seat whose turn it is."""
    return Close(machine.core.view.epoch + 1, ())


# Forged bodies.


def patched(index: int, change: Callable[[Any], Any]) -> Forge:
    """One field of the body changed."""

    def forge(machine: Machine, node: Node, say: Say) -> bytes:
        fields = list(encoding.decode(say.body, bodies.MAX_BODY))
        fields[index] = change(fields[index])
        return encoding.encode(tuple(fields))

    return forge


def flip(data: bytes) -> bytes:
    """The lowest bit of the last byte changed."""
    return data[:-1] + bytes([data[-1] ^ 1])


def plus_one(data: bytes) -> bytes:
    """The canonical scalar at the end, one more."""
    value = (int.from_bytes(data[-32:], "little") + 1) % group.ORDER
    return data[:-32] + value.to_bytes(32, "little")


def plus_order(data: bytes) -> bytes:
    """The scalar at the end, written with the order added."""
    value = int.from_bytes(data[-32:], "little") + group.ORDER
    return data[:-32] + value.to_bytes(32, "little")


def off_group(data: bytes) -> bytes:
    """The first point with a point of order eight added: on the curve, not in the group."""
    return group.add(data[:32], ORDER_EIGHT) + data[32:]


def identity_first(data: bytes) -> bytes:
    """The identity for the first point."""
    return group.IDENTITY + data[32:]


def exchanged(data: bytes) -> bytes:
    """The first two cards of a deck exchanged."""
    return data[64:128] + data[:64] + data[128:]


def fixed(body: bytes) -> Forge:
    """Always this body."""
    return lambda machine, node, say: body


def another_seal(machine: Machine, node: Node, say: Say) -> bytes:
    """Another commitment to the same choice where one is owed, else one byte."""
    if machine.seat not in node.want.owes:
        return b"\x01"
    choice, _ = list(machine.core.secrets.openings.values())[-1]
    draw = stream("another seal", "nonce")
    secrets = new_secrets(bytes(32), 1)
    return seal_choice(node, machine.seat, node.want.name, choice, secrets, draw)


def sealed(choice: Any) -> Forge:
    """Another choice, sealed as it should be, and opened as it should be later."""

    def forge(machine: Machine, node: Node, say: Say) -> bytes:
        assert machine.seat is not None
        draw = stream("sealed", f"{choice}")
        return own_bodies.body_of_choice(node, machine.seat, choice, machine.core.secrets, draw)

    return forge


def empty_escrow(machine: Machine, node: Node, say: Say) -> bytes:
    """A commitment whose escrow, proven as it is, holds another opening."""
    read, draw = bodies.parse_seal(say.body), stream("empty escrow", "nonce")
    assert machine.seat is not None
    context = node.table.context(node.step, machine.seat, node.want.name)
    size = opening_size(node.table.game.size(node.want.name))
    padded = commitment.opening(b"\x00", draw(32), size)
    held = escrow.encrypt(context, node.keys.joint, read.commitment, padded)
    return bodies.encode_body(replace(read, escrow=held))


def card_escrow(machine: Machine, node: Node, say: Say) -> bytes:
    """An escrow whose first point is that of a card."""
    read = bodies.parse_seal(say.body)
    held = node.keys.deck[0].a + read.escrow[32:]
    return bodies.encode_body(replace(read, escrow=held))


def zero_piece(machine: Machine, node: Node, say: Say) -> bytes:
    """A commitment to another vector: what seat 0 would hold of its backup is zero."""
    assert machine.seat is not None
    secret = machine.core.secrets.key
    polynomial = (secret, -secret % group.ORDER)
    machine.core.own_secrets = replace(machine.core.secrets, polynomial=polynomial)
    return own_bodies.body_of(
        node, machine.seat, machine.core.secrets, stream("zero piece", "none")
    )


def false_complaint(machine: Machine, node: Node, say: Say) -> bytes:
    """A complaint of seat 0's piece, with the true secret."""
    return bodies.encode_body(bodies.Complaint(0, machine.core.secrets.box))


def other_nonce(machine: Machine, node: Node, say: Say) -> bytes:
    """The opening with another nonce."""
    opening, *rest = encoding.decode(say.body, bodies.MAX_BODY)
    return encoding.encode(((opening[0], flip(opening[1])), *rest))


def escrow_share(machine: Machine, node: Node, say: Say) -> bytes:
    """Another scalar in the proof of a share of an escrow."""
    *rest, escrows = encoding.decode(say.body, bodies.MAX_BODY)
    return encoding.encode((*rest, tuple(plus_one(e) for e in escrows)))


def owing(kind: Kind, name: str, seat: int, least: int = 0) -> Callable[[Node], bool]:
    """Due in a step of this kind in which the seat owes a choice."""
    due = before(kind, name, least)
    return lambda node: due(node) and seat in node.want.owes


def opening(name: str, seat: int) -> Callable[[Node], bool]:
    """Due before the reveal of the seat's sealed choice of this kind."""
    due = before(Kind.REVEAL, name)
    return lambda node: due(node) and seat in node.want.dues
