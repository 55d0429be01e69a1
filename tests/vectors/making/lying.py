"""The cheats: what a lying seat says or signs instead of the truth, by the fault it proves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from protocol import author, bodies, commitment, escrow, frames, messages
from protocol.machine import Machine
from protocol.messages import Say, Statement
from protocol.node import Kind, Node
from protocol.setup_steps import opening_size

from .stream import stream
from .tables import Lie, VectorRoom, before, on_say

Forge = Callable[[Machine, Node, Say], bytes]


def signed(machine: Machine, statement: Statement) -> messages.Message:
    """Any statement, signed by the machine's own seat."""
    assert machine.seat is not None
    assert machine._who is not None
    return messages.sign(machine._who, machine.table.id, machine.seat, statement)


def also(machine: Machine, statement: Statement) -> None:
    """Send this too, without holding it."""
    machine.send(frames.Carry(signed(machine, statement).encode()), None)


def twice(due: Callable[[Node], bool], forge: Forge) -> Lie:
    """In the first step that is due, say the truth, and a forged body too."""
    done: list[int] = []

    def lie(machine: Machine, statement: Statement) -> Statement:
        node = machine.tip
        if isinstance(statement, Say) and due(node) and not done:
            done.append(node.step)
            also(machine, replace(statement, body=forge(machine, node, statement)))
        return statement

    return lie


# Forged bodies.


def another_seal(machine: Machine, node: Node, say: Say) -> bytes:
    """Another commitment to the same choice."""
    (choice, _), seat = list(machine.secrets.openings.values())[-1], machine.seat or 0
    size = machine.table.game.size(node.want.name)
    secrets = author.new_secrets(bytes(32), 1)
    draw = stream("another seal", "nonce")
    return author.seal_choice(node, seat, node.want.name, size, choice, secrets, draw)


def empty_escrow(machine: Machine, node: Node, say: Say) -> bytes:
    """A commitment whose escrow, proven as it is, holds another opening."""
    read, seat, draw = bodies.parse_seal(say.body), machine.seat or 0, stream("empty escrow", "")
    context, size = node.table.context(node.step, seat, node.want.name), _size(node)
    padded = commitment.opening(b"\x00", draw(32), opening_size(size))
    held = escrow.seal(context, node.keys.joint, read.commitment, padded)
    return bodies.encode_body(replace(read, escrow=held))


def _size(node: Node) -> int:
    return node.table.game.size(node.want.name)


def other_seal_too(name: str = "", least: int = 0) -> Lie:
    """Two commitments in one step."""
    due = before(Kind.SEAL, name, least)

    def owed(node: Node) -> bool:
        return due(node)

    return twice(owed, _if_owed)


def _if_owed(machine: Machine, node: Node, say: Say) -> bytes:
    """Another commitment where one is owed, else a body where an empty pass is."""
    return another_seal(machine, node, say) if machine.seat in node.want.owes else b"\x01"


__all__ = [
    "Forge",
    "Lie",
    "VectorRoom",
    "also",
    "another_seal",
    "empty_escrow",
    "on_say",
    "other_seal_too",
    "signed",
    "twice",
]
