"""The catalogue of lies: each turns one honest message of the lying seat into what it sends.

A lie is a function (liar, message) -> list of (message, seats to which it goes). The liar runs the
very same machine as an honest seat; only the messages that leave its process are changed.
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
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Rejoin,
    Statement,
    StepInput,
    StepTimeout,
)
from support.inspection import own_promise, promise_of, secrets_of, view_of, votes_of

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
        """Return a random set of the others, neither empty nor all if there are two or more."""
        others = sorted(self.others)
        size = self.die.randint(1, max(1, len(others) - 1))
        return frozenset(self.die.sample(others, size))

    def sign(self, statement: Statement) -> Message:
        return signed_messages.sign(self.who, self.machine.table.id, self.seat, statement)

    def node_of(self, step_input: StepInput) -> Node | None:
        return view_of(self.machine).path.get(step_input.on)


def about(kind: Any, lie: Callable[[Liar, Message, Any], Sent]) -> Lie:
    """Make a lie about statements of one kind only. All other statements are sent unchanged."""

    def told(liar: Liar, message: Message) -> Sent:
        if isinstance(message.statement, kind):
            return lie(liar, message, message.statement)
        return [(message, liar.others)]

    return told


def _with_body(liar: Liar, step_input: StepInput, body: bytes) -> Message:
    return liar.sign(replace(step_input, body=body))


def second_body(liar: Liar, step_input: StepInput) -> bytes:
    """Return another legal body of the same step if there is one, else an illegal one."""
    node = liar.node_of(step_input)
    game: Any = liar.machine.table.game
    if node is None or node.want.kind in (Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK):
        return step_bodies.EMPTY
    if transition.needs_choice(node, liar.seat):
        secrets = secrets_of(liar.machine)
        choice = liar.die.choice(game.choices(node.want.name, liar.seat))
        return transition.body_of_choice(node, liar.seat, choice, secrets, liar.die.randbytes)
    return transition.body_of(node, liar.seat, secrets_of(liar.machine), liar.die.randbytes)


# Lies in a step.


def equivocate(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Sign two bodies for one step, and send each to some seats."""
    other, some = _with_body(liar, step_input, second_body(liar, step_input)), liar.some()
    if liar.die.random() < 0.3:
        some = frozenset()
    return [(message, liar.others - some), (other, some or liar.others)]


def withhold(liar: Liar, message: Message) -> Sent:
    """Send the message to nobody."""
    return []


def whisper(liar: Liar, message: Message) -> Sent:
    """Send the message to some seats only."""
    return [(message, liar.some())]


def spoil_body(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Flip one bit of the body, so that a proof, point, scalar, opening or escrow is wrong."""
    if not step_input.body:
        return [(message, liar.others)]
    body = bytearray(step_input.body)
    body[liar.die.randrange(len(body))] ^= 1 << liar.die.randrange(8)
    return [(_with_body(liar, step_input, bytes(body)), liar.others)]


def garbage_body(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Send random bytes or the empty pass as the body."""
    body = liar.die.choice([step_bodies.EMPTY, liar.die.randbytes(60), codec.encode((b"", b""))])
    return [(_with_body(liar, step_input, body), liar.others)]


def replay_body(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Send a body that anybody has sent before, in any step."""
    heard = [m.statement for m in liar.heard if isinstance(m.statement, StepInput)]
    if not heard:
        return [(message, liar.others)]
    return [(_with_body(liar, step_input, liar.die.choice(heard).body), liar.others)]


def replay_step(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Sign the input for another step too, or on another digest."""
    other = replace(step_input, step=max(1, step_input.step + liar.die.choice([-1, 1, 2])))
    if liar.die.random() < 0.5:
        other = replace(step_input, on=hashlib.sha256(step_input.on).digest())
    return [(message, liar.others), (liar.sign(other), liar.others)]


def other_table(liar: Liar, message: Message) -> Sent:
    """Sign the same statement for another table."""
    other = signed_messages.sign(liar.who, b"o" * 32, liar.seat, message.statement)
    return [(other, liar.others)]


def stranger_escrow(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Send an escrow that begins with a card's ciphertext, or the escrow of another seat."""
    node = liar.node_of(step_input)
    if node is None or node.want.kind is not Kind.SEAL or step_input.body == step_bodies.EMPTY:
        return [(message, liar.others)]
    try:
        read = step_bodies.parse(step_bodies.SealBody, step_input.body)
    except Invalid:
        return [(message, liar.others)]
    stolen = [s.escrow for key, s in node.sealed.items() if key[1] != liar.seat]
    card = liar.die.choice(node.keys.deck)
    stolen.append(card.a + read.escrow[32:])
    escrow = liar.die.choice(stolen)
    body = step_bodies.encode_body(step_bodies.SealBody(read.commitment, escrow))
    return [(_with_body(liar, step_input, body), liar.others)]


def bad_opening(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Open the choice with another nonce than the committed one."""
    node = liar.node_of(step_input)
    if node is None or node.want.kind not in (Kind.REVEAL, Kind.DEAL):
        return [(message, liar.others)]
    if step_input.body == step_bodies.EMPTY:
        return [(message, liar.others)]
    try:
        opening, *rest = codec.decode(step_input.body, step_bodies.MAX_BODY)
    except Invalid:  # an earlier lie of its own, come back to it
        return [(message, liar.others)]
    nonce = liar.die.randbytes(32)
    # What an earlier lie of its own has put there, a garbage body, may be empty or a number.
    is_opening = isinstance(opening, tuple | bytes) and len(opening) > 0
    changed = (opening[0], nonce) if is_opening else None
    return [(_with_body(liar, step_input, codec.encode((changed, *rest))), liar.others)]


def illegal_choice(liar: Liar, message: Message, step_input: StepInput) -> Sent:
    """Make a choice that the rules forbid, openly or sealed."""
    node = liar.node_of(step_input)
    if node is None or not transition.needs_choice(node, liar.seat):
        return [(message, liar.others)]
    if node.want.kind is Kind.SHOW:
        body = step_bodies.encode_body(step_bodies.ShowBody(step_bodies.encode_choice((0,)), b""))
    else:
        secrets = secrets_of(liar.machine)
        body = transition.body_of_choice(node, liar.seat, 99, secrets, liar.die.randbytes)
    return [(_with_body(liar, step_input, body), liar.others)]


# Lies about epochs.


def early_request(liar: Liar, message: Message) -> Sent:
    """Request epochs without cause, near and far."""
    base = promise_of(liar.machine)
    epochs = {base + 1, base + liar.die.choice([1, 2, 50, 2**31])}
    return [(message, liar.others), *((liar.sign(EpochRequest(e)), liar.others) for e in epochs)]


def _fake_promise(liar: Liar, promise: EpochPromise) -> EpochPromise:
    kind = liar.die.randrange(6)
    inputs = tuple(h for h in promise.inputs if liar.die.random() < 0.6)
    if kind == 0:
        return replace(promise, inputs=())
    if kind == 1:
        return replace(promise, inputs=inputs)
    if kind == 2:
        tip = liar.machine.tip
        epoch = 0 if promise.certificate is None else promise.certificate.epoch
        return replace(promise, timeout=StepTimeout(epoch, tip.step, tip.digest))
    if kind == 3:
        return replace(promise, certificate=None, inputs=(), timeout=None)
    if kind == 4:
        return replace(promise, timeout=None, proofs=(), rejoins=())
    return replace(promise, inputs=tuple(sorted((*inputs, liar.die.randbytes(32)))))


def false_promise(liar: Liar, message: Message, promise: EpochPromise) -> Sent:
    """Sign an epoch promise that leaves out, adds or claims something, and send it to all seats."""
    return [(liar.sign(_fake_promise(liar, promise)), liar.others)]


def two_promises(liar: Liar, message: Message, promise: EpochPromise) -> Sent:
    """Sign two epoch promises, and send one to some seats and the other to the rest."""
    some = liar.some()
    other = liar.sign(_fake_promise(liar, promise))
    return [(message, liar.others - some), (other, some)]


def promise_and_go_on(liar: Liar, message: Message, _promise: EpochPromise) -> Sent:
    """Promise an epoch, and give inputs in the old epoch all the same."""
    sent: Sent = [(message, liar.others)]
    view, seat = view_of(liar.machine), liar.seat
    node = view.tip
    free = seat in node.want.speakers and not transition.needs_choice(node, seat)
    if free and has_opening(node, seat, secrets_of(liar.machine)):
        body = transition.body_of(node, seat, secrets_of(liar.machine), liar.die.randbytes)
        step_input = StepInput(view.epoch, node.step, node.digest, body)
        sent.append((liar.sign(step_input), liar.some()))
    return sent


def early_promise(liar: Liar, message: Message) -> Sent:
    """Promise the next epoch although no quorum has requested it."""
    if not liar.machine.has_begun:
        return [(message, liar.others)]
    promise = own_promise(liar.machine, promise_of(liar.machine) + 1)
    tip = liar.machine.tip
    epoch = 0 if promise.certificate is None else promise.certificate.epoch
    promise = replace(promise, timeout=StepTimeout(epoch, tip.step, tip.digest))
    return [(message, liar.others), (liar.sign(promise), liar.some())]


def two_new_epochs(liar: Liar, message: Message, new_epoch: NewEpoch) -> Sent:
    """Propose two bases for one epoch, the second from other promises or from too few."""
    machine = liar.machine
    stored = [read.message.hash for read in votes_of(machine).promises(new_epoch.epoch)]
    if len(stored) < machine.table.quorum:  # an earlier lie, come back to it
        return [(message, liar.others)]
    pick = sorted(liar.die.sample(range(len(stored)), machine.table.quorum))
    other = replace(new_epoch, promises=tuple(stored[i] for i in pick))
    if liar.die.random() < 0.3:
        other = replace(new_epoch, promises=new_epoch.promises[:-1])
    some = liar.some()
    return [(message, liar.others - some), (liar.sign(other), some)]


def two_votes(liar: Liar, message: Message, vote: PrepareVote | CommitVote) -> Sent:
    """Vote for two bases, the second from any new-epoch message stored or from none."""
    bases = list(votes_of(liar.machine).new_epochs.get(vote.epoch, {})) or [b"x" * 32]
    other = replace(vote, base=liar.die.choice([*bases, b"x" * 32]))
    some = liar.some()
    return [(message, liar.others - some), (liar.sign(other), some)]


def early_commit(liar: Liar, message: Message, vote: PrepareVote) -> Sent:
    """Vote to commit a base that no quorum has voted to prepare."""
    return [(message, liar.others), (liar.sign(CommitVote(vote.epoch, vote.base)), liar.some())]


def false_rejoin(liar: Liar, message: Message) -> Sent:
    """Ask to rejoin while present, with any count."""
    return [(message, liar.others), (liar.sign(Rejoin(liar.die.randrange(4))), liar.others)]


def flood(liar: Liar, message: Message) -> Sent:
    """Give inputs to steps and epochs far ahead, and vote for bases that nobody proposed."""
    view, die = view_of(liar.machine), liar.die
    junk = [
        StepInput(
            view.epoch + die.choice([0, 1, 7]),
            view.tip.step + die.randrange(1, 5000),
            die.randbytes(32),
            die.randbytes(20),
        ),
        PrepareVote(die.randrange(1, 1000), die.randbytes(32)),
        CommitVote(die.randrange(1, 2**31), die.randbytes(32)),
        EpochPromise(die.randrange(1, 1000), None, (die.randbytes(32),), None, (), ()),
    ]
    return [(message, liar.others), (liar.sign(die.choice(junk)), liar.some())]


LIES: dict[str, Lie] = {
    "bad-opening": about(StepInput, bad_opening),
    "early-promise": early_promise,
    "early-request": early_request,
    "early-commit": about(PrepareVote, early_commit),
    "equivocate": about(StepInput, equivocate),
    "false-rejoin": false_rejoin,
    "false-promise": about(EpochPromise, false_promise),
    "flood": flood,
    "garbage-body": about(StepInput, garbage_body),
    "promise-and-go-on": about(EpochPromise, promise_and_go_on),
    "illegal-choice": about(StepInput, illegal_choice),
    "other-table": other_table,
    "replay-body": about(StepInput, replay_body),
    "replay-step": about(StepInput, replay_step),
    "spoil-body": about(StepInput, spoil_body),
    "stranger-escrow": about(StepInput, stranger_escrow),
    "two-new-epochs": about(NewEpoch, two_new_epochs),
    "two-promises": about(EpochPromise, two_promises),
    "two-votes": about(PrepareVote | CommitVote, two_votes),
    "whisper": whisper,
    "withhold": withhold,
}
"""Name to lie. The lies of a seed are drawn by their place here, so new ones belong at the end."""
