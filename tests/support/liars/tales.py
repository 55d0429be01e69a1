"""The lies of the lying process that are no forged body of the catalogue.

A tale looks at each statement that the liar is about to send. It returns None if that is to be sent
unchanged, else the messages to send instead. `support.liars.plots` has the table that each needs.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from protocol.chain.chain_state import Kind, Node
from protocol.consensus.epoch_votes import stored_inputs
from protocol.errors import Invalid
from protocol.seat.effects import Send
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import SigningState
from protocol.wire import signed_messages, step_bodies
from protocol.wire.peer_frames import Carry, parse_frame
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    Message,
    NewEpoch,
    Statement,
    StepInput,
)
from protocol.wire.step_bodies import COIN
from support.forgeries.bodies import seat_of
from support.forgeries.statements import signed
from support.inspection import inspect, store_of, view_of, votes_of

Told = list[Message]


@dataclass
class Liar:
    """The lying seat: its machine, what it has told, and whether it has lied."""

    machine: SeatMachine
    told: dict[tuple[int, ...], Told] = field(default_factory=dict)
    lied: bool = False

    def sign(self, statement: Statement) -> Message:
        return signed(self.machine, statement)

    @property
    def seat(self) -> int:
        return seat_of(self.machine)

    def node(self, step_input: StepInput) -> Node | None:
        return view_of(self.machine).path.get(step_input.on)


Tale = Callable[[Liar, Message], Told | None]


def own_message(send: Send, machine: SeatMachine) -> Message | None:
    """Return the liar's own statement in a frame that is about to be sent, if it carries one."""
    with suppress(Invalid):
        frame = parse_frame(send.frame)
        if isinstance(frame, Carry):
            message = signed_messages.parse(frame.message, machine.table.id, machine.table.ids)
            return message if message.seat == machine.seat else None
    return None


# Statements.


def sealing(liar: Liar, message: Message) -> tuple[StepInput, Node] | None:
    """Return the liar's own sealed choice that is about to be sent, with its node."""
    step_input = message.statement
    node = liar.node(step_input) if isinstance(step_input, StepInput) else None
    if not isinstance(step_input, StepInput) or node is None or node.want.kind is not Kind.SEAL:
        return None
    return (step_input, node) if step_input.body != step_bodies.EMPTY else None


def forge_new_epoch(liar: Liar, message: Message) -> Told | None:
    """Propose a base that rests on no epoch promise."""
    return None if sealing(liar, message) is None else [message, liar.sign(NewEpoch(1, ()))]


def false_promise(change: Callable[[Liar, EpochPromise], EpochPromise]) -> Tale:
    """Return the tale of a false epoch promise, signed when a slow seat makes the epoch change."""

    def tale(liar: Liar, message: Message) -> Told | None:
        if not isinstance(message.statement, EpochPromise):
            return None
        return [liar.sign(change(liar, message.statement))]

    return tale


def withhold(liar: Liar, message: Message) -> Told:
    """Send this message to nobody, ever. That is no lie yet."""
    liar.told[message.identity] = []
    return []


def _own_inputs(liar: Liar, promise: EpochPromise) -> Iterator[Message]:
    for digest in promise.inputs:
        message = store_of(liar.machine).find(digest)
        if message is not None and message.seat == liar.seat:
            yield message


def without_own(liar: Liar, promise: EpochPromise) -> EpochPromise:
    own = {m.hash for m in _own_inputs(liar, promise)}
    return replace(promise, inputs=tuple(h for h in promise.inputs if h not in own))


def groundless(liar: Liar, promise: EpochPromise) -> EpochPromise:
    """Report the liar's own inputs without the inputs on which they build."""
    own = {
        m.hash
        for m in _own_inputs(liar, promise)
        if m.identity not in liar.told or liar.told[m.identity]
    }
    return replace(promise, inputs=tuple(h for h in promise.inputs if h in own))


def forget_certificate(liar: Liar, message: Message) -> Told | None:
    """Promise an epoch without the quorum certificate of the epoch that the liar committed."""
    promise = message.statement
    if not isinstance(promise, EpochPromise) or promise.certificate is None:
        return None
    machine = liar.machine
    assert votes_of(machine).start is not None
    inputs = tuple(
        sorted(m.hash for m in stored_inputs(votes_of(machine).start, store_of(machine), 0))
    )
    return [liar.sign(EpochPromise(promise.epoch, None, inputs, None, (), ()))]


def stall(kind: Kind) -> Tale:
    """Withhold the first input in such a step until the others have gone on. That is no lie."""

    def tale(liar: Liar, message: Message) -> Told | None:
        if view_of(liar.machine).epoch > 0:
            liar.told.clear()
            return None
        step_input = message.statement
        node = liar.node(step_input) if isinstance(step_input, StepInput) else None
        due = node is not None and node.want.kind is kind and node.want.name != COIN
        return withhold(liar, message) if due or liar.told else None

    return tale


def dawdle(kind: Kind) -> Tale:
    """Withhold the first input in such a step of two epochs until the others promise the next."""

    def tale(liar: Liar, message: Message) -> Told | None:
        machine, step_input = liar.machine, message.statement
        if inspect(machine).state is not SigningState.STANDING or view_of(machine).epoch > 1:
            liar.told.clear()
            return None
        node = liar.node(step_input) if isinstance(step_input, StepInput) else None
        due = node is not None and node.want.kind is kind and not liar.told
        return withhold(liar, message) if due or message.identity in liar.told else None

    return tale


def dawdle_uncommitted(kind: Kind) -> Tale:
    """Dawdle, and give no commit vote in epoch 1. That is no lie."""
    slow = dawdle(kind)

    def tale(liar: Liar, message: Message) -> Told | None:
        vote = message.statement
        if isinstance(vote, CommitVote) and vote.epoch == 1:
            return []
        return slow(liar, message)

    return tale


def truth(liar: Liar, message: Message) -> Told | None:
    """Send every statement unchanged."""
    return None


# What needs more than a changed statement.


def speak_unasked(liar: Liar, node: Node) -> Message | None:
    """Give an input where only another seat owes one."""
    if node.want.kind is not Kind.CHOOSE or liar.seat in node.want.speakers:
        return None
    body = step_bodies.encode_choice(0)
    return liar.sign(StepInput(view_of(liar.machine).epoch, node.step, node.digest, body))
