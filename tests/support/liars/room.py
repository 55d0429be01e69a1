"""Machines of which one lies: each fault code and how to provoke it, as data.

`PROVOKE` maps a code to (which step's say is changed, how the body is changed); a forger gets
(machine, node, say) and returns the body to say instead.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from protocol.chain import own_bodies
from protocol.chain.secrets import Secrets
from protocol.chain.state import Kind, Node
from protocol.chain.steps import STEPS
from protocol.crypto import group
from protocol.seat.effects import Guilty, Send
from protocol.seat.machine import Machine
from protocol.wire import bodies, encoding, frames, messages
from protocol.wire.bodies import SealBody, ShowBody
from protocol.wire.header import Patience
from protocol.wire.messages import Close, Halt, Message, Say, SealVote
from support.room import Room, make_table, toy_choice
from support.toy_game import ToyGame

LIAR = 1
QUICK = Patience(20_000, 10_000, 3_000, 60_000)
Forger = Callable[[Machine, Node, Say], bytes]


def _patched(start: int, data: bytes) -> Forger:
    """Replace bytes of the body's first field that is long enough."""

    def forge(machine: Machine, node: Node, say: Say) -> bytes:
        fields = list(encoding.decode(say.body, bodies.MAX_BODY))
        for index, value in enumerate(fields):
            if isinstance(value, bytes) and len(value) >= start + len(data):
                fields[index] = value[:start] + data + value[start + len(data) :]
                return encoding.encode(tuple(fields))
        raise LookupError("no field is long enough")

    return forge


def _field(index: int, change: Callable[[Any], Any]) -> Forger:
    def forge(machine: Machine, node: Node, say: Say) -> bytes:
        fields = list(encoding.decode(say.body, bodies.MAX_BODY))
        fields[index] = change(fields[index])
        return encoding.encode(tuple(fields))

    return forge


def _flip(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def _plus_one(data: bytes) -> bytes:
    """The canonical scalar at the end of the bytes, one more."""
    value = (int.from_bytes(data[-32:], "little") + 1) % group.ORDER
    return data[:-32] + value.to_bytes(32, "little")


def _garbage(machine: Machine, node: Node, say: Say) -> bytes:
    return encoding.encode(("garbage",))


def _false_complaint(machine: Machine, node: Node, say: Say) -> bytes:
    return bodies.encode_body(bodies.Complaint(0, machine.core.secrets.box))


def _bad_pieces(machine: Machine, node: Node, say: Say) -> bytes:
    vector, proof, pieces = encoding.decode(say.body, bodies.MAX_BODY)
    return encoding.encode((vector, proof, tuple(_flip(p) if p else p for p in pieces)))


def _card_escrow(machine: Machine, node: Node, say: Say) -> bytes:
    """An escrow whose header is the ciphertext of a card: never gets a share."""
    read = bodies.parse_seal(say.body)
    return bodies.encode_body(SealBody(read.commitment, node.keys.deck[0].a + read.escrow[32:]))


def _illegal_bid(machine: Machine, node: Node, say: Say) -> bytes:
    return own_bodies.body_of_choice(
        node, LIAR, 99, machine.core.secrets, random.Random(1).randbytes
    )


def _opening_of(machine: Machine, node: Node, say: Say) -> bytes:
    opening, *rest = encoding.decode(say.body, bodies.MAX_BODY)
    return encoding.encode(((opening[0], _flip(opening[1])), *rest))


def _others_card(machine: Machine, node: Node, say: Say) -> bytes:
    return bodies.encode_body(ShowBody(bodies.encode_choice((0,)), b""))


def _escrow_share(machine: Machine, node: Node, say: Say) -> bytes:
    opening, shares, helps, escrows = encoding.decode(say.body, bodies.MAX_BODY)
    return encoding.encode((opening, shares, helps, tuple(_plus_one(e) for e in escrows)))


OFF_CURVE = bytes([2]) + bytes(31)

PROVOKE: dict[str, tuple[Kind, Forger]] = {
    "bad-body": (Kind.DECK_OK, _garbage),
    "bad-key": (Kind.KEY_COMMIT, _field(1, lambda box: bytes(32))),
    "bad-key-hash": (Kind.KEY_COMMIT, _field(0, _flip)),
    "bad-key-proof": (Kind.KEY_REVEAL, _field(1, _plus_one)),
    "bad-point": (Kind.KEY_REVEAL, _field(0, lambda vector: OFF_CURVE + vector[32:])),
    "bad-backup": (Kind.KEY_REVEAL, _bad_pieces),
    "false-complaint": (Kind.KEY_OK, _false_complaint),
    "bad-shuffle": (Kind.SHUFFLE, _field(1, _plus_one)),
    "bad-scalar": (Kind.OPEN, _field(1, lambda shares: shares[:-32] + b"\xff" * 32)),
    "bad-share": (Kind.OPEN, _field(1, _plus_one)),
    "bad-escrow": (Kind.SEAL, _card_escrow),
    "bad-opening": (Kind.REVEAL, _opening_of),
    "illegal-choice": (Kind.SHOW, _others_card),
    "bad-escrow-share": (Kind.REVEAL, _escrow_share),
}


class LiarRoom(Room):
    """Every own message of seat 1 passes through `lie` before it leaves."""

    def __init__(self, seats: int = 4, rounds: int = 1) -> None:
        table, who = make_table(ToyGame(seats, rounds), seats, patience=QUICK)
        self.lied = 0
        self.instead: dict[tuple[int, ...], Message] = {}
        self.gone: int | None = None
        self.lie: Callable[[Machine, Message], list[Message]] = lambda machine, m: [m]
        super().__init__(table, who, toy_choice)

    def sign(self, statement: Any) -> Message:
        return messages.sign(self.who[LIAR], self.table.id, LIAR, statement)

    def post(self, seat: int, send: Send) -> None:
        frame = frames.parse_frame(send.frame)
        if seat != LIAR or not isinstance(frame, frames.Carry):
            super().post(seat, send)
            return
        message = messages.parse(frame.message, self.table.id, self.table.ids)
        sent = [self.instead.get(message.identity, message)]
        if message.seat == LIAR and send.peer is None:
            sent = self.lie(self.places[LIAR].machine, message)
            self.instead[message.identity] = sent[0]
        for one in sent:
            carried = frames.encode_frame(frames.Carry(one.encode()))
            super().post(seat, replace(send, frame=carried))

    def forge(self, kind: Kind, forger: Forger, owed: bool = False) -> None:
        """From the first step of this kind on, say a forged body instead, once."""

        def lie(machine: Machine, message: Message) -> list[Message]:
            say = message.statement
            node = machine.core.view.path.get(say.on) if isinstance(say, Say) else None
            if node is None or node.want.kind is not kind or self.lied or not isinstance(say, Say):
                return [message]
            if say.body == bodies.EMPTY and kind is not Kind.DECK_OK:
                return [message]
            self.lied += 1
            return [self.sign(replace(say, body=forger(machine, node, say)))]

        self.lie = lie

    @contextmanager
    def forge_own_say(self, kind: Kind, forger: Forger) -> Iterator[None]:
        """The liar's own machine writes the forged body, and goes on from it."""
        step = STEPS[kind]
        write_truly = step.write

        def write(node: Node, seat: int, secrets: Secrets, rng: Any) -> bytes:
            body = write_truly(node, seat, secrets, rng)
            if seat != LIAR:
                return body
            self.lied += 1
            return forger(self.places[LIAR].machine, node, Say(0, node.step, node.digest, body))

        step.write = write  # type: ignore[method-assign]
        try:
            yield
        finally:
            del step.write

    def verdicts(self) -> dict[int, set[tuple[int, str]]]:
        """Honest seat -> (guilty seat, code) it found."""
        return {
            seat: {(e.seat, e.code) for e in place.heard if isinstance(e, Guilty)}
            for seat, place in enumerate(self.places)
            if seat != LIAR and place.alive
        }


__all__ = ["LIAR", "PROVOKE", "Close", "Halt", "LiarRoom", "SealVote"]
