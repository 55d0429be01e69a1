"""The catalogue of lies: each turns one honest message of the lying seat into what it sends.

A lie is a function (liar, message) -> list of (message, seats it goes to). The liar runs the
very same machine; only what leaves its process is changed. `LIES` is data: name -> lie.
"""

import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.chain.openings import has_opening
from protocol.errors import Invalid
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, signed_messages, step_bodies
from protocol.wire.signed_messages import (
    Accept,
    Back,
    Close,
    Expired,
    Halt,
    Late,
    Message,
    Say,
    SealVote,
    Statement,
)
from support.inspection import own_halt, promise_of, secrets_of, view_of, votes_of

Sent = list[tuple[Message, frozenset[int]]]
Lie = Callable[["Liar", Message], Sent]


@dataclass
class Liar:
    """The lying seat: its machine and identity, a die, and how often it lies."""

    seat: int
    machine: SeatMachine
    who: Any
    die: random.Random
    rate: float = 0.4
    told: list[str] = field(default_factory=list)
    heard: list[Message] = field(default_factory=list)
    wasted: set[int] = field(default_factory=set)

    @property
    def others(self) -> frozenset[int]:
        return self.machine.table.everyone - {self.seat}

    def some(self) -> frozenset[int]:
        """A random set of the others, neither empty nor all if there are two or more."""
        others = sorted(self.others)
        size = self.die.randint(1, max(1, len(others) - 1))
        return frozenset(self.die.sample(others, size))

    def sign(self, statement: Statement) -> Message:
        return signed_messages.sign(self.who, self.machine.table.id, self.seat, statement)

    def node_of(self, say: Say) -> Node | None:
        return view_of(self.machine).path.get(say.on)


def about(kind: Any, lie: Callable[[Liar, Message, Any], Sent]) -> Lie:
    """Make a lie of one about statements of a kind; all others are told as they are."""

    def told(liar: Liar, message: Message) -> Sent:
        if isinstance(message.statement, kind):
            return lie(liar, message, message.statement)
        return [(message, liar.others)]

    return told


def _with_body(liar: Liar, say: Say, body: bytes) -> Message:
    return liar.sign(replace(say, body=body))


def second_body(liar: Liar, say: Say) -> bytes:
    """Another legal body of the same step if there is one, else an illegal one."""
    node = liar.node_of(say)
    game = liar.machine.table.game
    if node is None or node.want.kind in (Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK):
        return step_bodies.EMPTY
    if transition.needs_choice(node, liar.seat):
        secrets = secrets_of(liar.machine)
        choice = liar.die.choice(game.choices(node.want.name, liar.seat))
        return transition.body_of_choice(node, liar.seat, choice, secrets, liar.die.randbytes)
    return transition.body_of(node, liar.seat, secrets_of(liar.machine), liar.die.randbytes)


# Lies in a step.


def equivocate(liar: Liar, message: Message, say: Say) -> Sent:
    """Two bodies of one step, each to some."""
    other, some = _with_body(liar, say, second_body(liar, say)), liar.some()
    if liar.die.random() < 0.3:
        some = frozenset()
    return [(message, liar.others - some), (other, some or liar.others)]


def withhold(liar: Liar, message: Message) -> Sent:
    """To nobody."""
    return []


def whisper(liar: Liar, message: Message) -> Sent:
    """To some only."""
    return [(message, liar.some())]


def spoil_body(liar: Liar, message: Message, say: Say) -> Sent:
    """One bit of the body flipped: a proof, point, scalar, opening or escrow that is wrong."""
    if not say.body:
        return [(message, liar.others)]
    body = bytearray(say.body)
    body[liar.die.randrange(len(body))] ^= 1 << liar.die.randrange(8)
    return [(_with_body(liar, say, bytes(body)), liar.others)]


def garbage_body(liar: Liar, message: Message, say: Say) -> Sent:
    """Random bytes, or an empty pass, for a body."""
    body = liar.die.choice([step_bodies.EMPTY, liar.die.randbytes(60), codec.encode((b"", b""))])
    return [(_with_body(liar, say, body), liar.others)]


def replay_body(liar: Liar, message: Message, say: Say) -> Sent:
    """A body said before, by anyone, in any step."""
    heard = [m.statement for m in liar.heard if isinstance(m.statement, Say)]
    if not heard:
        return [(message, liar.others)]
    return [(_with_body(liar, say, liar.die.choice(heard).body), liar.others)]


def replay_step(liar: Liar, message: Message, say: Say) -> Sent:
    """A say of another step or on another digest."""
    other = replace(say, step=max(1, say.step + liar.die.choice([-1, 1, 2])))
    if liar.die.random() < 0.5:
        other = replace(say, on=hashlib.sha256(say.on).digest())
    return [(message, liar.others), (liar.sign(other), liar.others)]


def other_table(liar: Liar, message: Message) -> Sent:
    """The same statement signed at another table."""
    other = signed_messages.sign(liar.who, b"o" * 32, liar.seat, message.statement)
    return [(other, liar.others)]


def stranger_escrow(liar: Liar, message: Message, say: Say) -> Sent:
    """An escrow whose header is a card's ciphertext or another seat's escrow."""
    node = liar.node_of(say)
    if node is None or node.want.kind is not Kind.SEAL or say.body == step_bodies.EMPTY:
        return [(message, liar.others)]
    try:
        read = step_bodies.parse(step_bodies.SealBody, say.body)
    except Invalid:
        return [(message, liar.others)]
    stolen = [s.escrow for key, s in node.sealed.items() if key[1] != liar.seat]
    card = liar.die.choice(node.keys.deck)
    stolen.append(card.a + read.escrow[32:])
    escrow = liar.die.choice(stolen)
    body = step_bodies.encode_body(step_bodies.SealBody(read.commitment, escrow))
    return [(_with_body(liar, say, body), liar.others)]


def bad_opening(liar: Liar, message: Message, say: Say) -> Sent:
    """An opening of another choice than the committed one."""
    node = liar.node_of(say)
    if node is None or node.want.kind not in (Kind.REVEAL, Kind.DEAL):
        return [(message, liar.others)]
    if say.body == step_bodies.EMPTY:
        return [(message, liar.others)]
    try:
        opening, *rest = codec.decode(say.body, step_bodies.MAX_BODY)
    except Invalid:  # an earlier lie of its own, come back to it
        return [(message, liar.others)]
    nonce = liar.die.randbytes(32)
    changed = None if opening is None else (opening[0], nonce)
    return [(_with_body(liar, say, codec.encode((changed, *rest))), liar.others)]


def illegal_choice(liar: Liar, message: Message, say: Say) -> Sent:
    """A choice that the rules forbid, openly or sealed."""
    node = liar.node_of(say)
    if node is None or not transition.needs_choice(node, liar.seat):
        return [(message, liar.others)]
    if node.want.kind is Kind.SHOW:
        body = step_bodies.encode_body(step_bodies.ShowBody(step_bodies.encode_choice((0,)), b""))
    else:
        secrets = secrets_of(liar.machine)
        body = transition.body_of_choice(node, liar.seat, 99, secrets, liar.die.randbytes)
    return [(_with_body(liar, say, body), liar.others)]


# Lies about epochs.


def early_late(liar: Liar, message: Message) -> Sent:
    """Wish epochs without cause, near and far."""
    base = promise_of(liar.machine)
    epochs = {base + 1, base + liar.die.choice([1, 2, 50, 2**31])}
    return [(message, liar.others), *((liar.sign(Late(e)), liar.others) for e in epochs)]


def _fake_halt(liar: Liar, halt: Halt) -> Halt:
    kind = liar.die.randrange(6)
    says = tuple(h for h in halt.says if liar.die.random() < 0.6)
    if kind == 0:
        return replace(halt, says=())
    if kind == 1:
        return replace(halt, says=says)
    if kind == 2:
        tip = liar.machine.tip
        epoch = 0 if halt.lock is None else halt.lock.epoch
        return replace(halt, expired=Expired(epoch, tip.step, tip.digest))
    if kind == 3:
        return replace(halt, lock=None, says=(), expired=None)
    if kind == 4:
        return replace(halt, expired=None, proofs=(), backs=())
    return replace(halt, says=tuple(sorted((*says, liar.die.randbytes(32)))))


def false_halt(liar: Liar, message: Message, halt: Halt) -> Sent:
    """A halt that leaves out, adds or claims something; to some or to all."""
    return [(liar.sign(_fake_halt(liar, halt)), liar.others)]


def two_halts(liar: Liar, message: Message, halt: Halt) -> Sent:
    """One halt to some, another to the rest."""
    some = liar.some()
    other = liar.sign(_fake_halt(liar, halt))
    return [(message, liar.others - some), (other, some)]


def halt_and_go_on(liar: Liar, message: Message, _halt: Halt) -> Sent:
    """Halt, and speak on in the old epoch all the same."""
    sent: Sent = [(message, liar.others)]
    view, seat = view_of(liar.machine), liar.seat
    node = view.tip
    free = seat in node.want.speakers and not transition.needs_choice(node, seat)
    if free and has_opening(node, seat, secrets_of(liar.machine)):
        body = transition.body_of(node, seat, secrets_of(liar.machine), liar.die.randbytes)
        say = Say(view.epoch, node.step, node.digest, body)
        sent.append((liar.sign(say), liar.some()))
    return sent


def early_halt(liar: Liar, message: Message) -> Sent:
    """Halt out of nothing."""
    if not liar.machine.has_begun:
        return [(message, liar.others)]
    halt = own_halt(liar.machine, promise_of(liar.machine) + 1)
    tip = liar.machine.tip
    epoch = 0 if halt.lock is None else halt.lock.epoch
    halt = replace(halt, expired=Expired(epoch, tip.step, tip.digest))
    return [(message, liar.others), (liar.sign(halt), liar.some())]


def two_closes(liar: Liar, message: Message, close: Close) -> Sent:
    """Two closes of other halts, or a close that is none."""
    machine = liar.machine
    held = [read.message.hash for read in votes_of(machine).halts(close.epoch)]
    if len(held) < machine.table.quorum:  # an earlier lie, come back to it
        return [(message, liar.others)]
    pick = sorted(liar.die.sample(range(len(held)), machine.table.quorum))
    other = replace(close, halts=tuple(held[i] for i in pick))
    if liar.die.random() < 0.3:
        other = replace(close, halts=close.halts[:-1])
    some = liar.some()
    return [(message, liar.others - some), (liar.sign(other), some)]


def two_votes(liar: Liar, message: Message, vote: Accept | SealVote) -> Sent:
    """Vote for two bases, the second of any other close held or of none."""
    bases = list(votes_of(liar.machine).closes.get(vote.epoch, {})) or [b"x" * 32]
    other = replace(vote, base=liar.die.choice([*bases, b"x" * 32]))
    some = liar.some()
    return [(message, liar.others - some), (liar.sign(other), some)]


def early_seal(liar: Liar, message: Message, accept: Accept) -> Sent:
    """Seal what has not been accepted."""
    return [(message, liar.others), (liar.sign(SealVote(accept.epoch, accept.base)), liar.some())]


def false_back(liar: Liar, message: Message) -> Sent:
    """Ask back while present, with any count."""
    return [(message, liar.others), (liar.sign(Back(liar.die.randrange(4))), liar.others)]


def flood(liar: Liar, message: Message) -> Sent:
    """Says of far steps and epochs, and votes for nothing."""
    view, die = view_of(liar.machine), liar.die
    junk = [
        Say(
            view.epoch + die.choice([0, 1, 7]),
            view.tip.step + die.randrange(1, 5000),
            die.randbytes(32),
            die.randbytes(20),
        ),
        Accept(die.randrange(1, 1000), die.randbytes(32)),
        SealVote(die.randrange(1, 2**31), die.randbytes(32)),
        Halt(die.randrange(1, 1000), None, (die.randbytes(32),), None, (), ()),
    ]
    return [(message, liar.others), (liar.sign(die.choice(junk)), liar.some())]


LIES: dict[str, Lie] = {
    "equivocate": about(Say, equivocate),
    "withhold": withhold,
    "whisper": whisper,
    "spoil-body": about(Say, spoil_body),
    "garbage-body": about(Say, garbage_body),
    "replay-body": about(Say, replay_body),
    "replay-step": about(Say, replay_step),
    "other-table": other_table,
    "stranger-escrow": about(Say, stranger_escrow),
    "bad-opening": about(Say, bad_opening),
    "illegal-choice": about(Say, illegal_choice),
    "early-late": early_late,
    "false-halt": about(Halt, false_halt),
    "two-halts": about(Halt, two_halts),
    "halt-and-go-on": about(Halt, halt_and_go_on),
    "early-halt": early_halt,
    "two-closes": about(Close, two_closes),
    "two-votes": about(Accept | SealVote, two_votes),
    "early-seal": about(Accept, early_seal),
    "false-back": false_back,
    "flood": flood,
}
"""Name to lie; `silence` (say nothing from a step on) and `delay` are the network's in `sim`."""
