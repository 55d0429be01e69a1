"""Inputs and epoch promises of a small table, the chain that they make, and a new epoch's base."""

from collections.abc import Iterable
from typing import Any

from protocol.chain.chain_state import Missing, Node
from protocol.consensus import new_epoch
from protocol.consensus.followed_chain import FollowedChain, grow, new_followed_chain
from protocol.consensus.message_lookup import References
from protocol.consensus.message_store import MessageStore
from protocol.consensus.new_epoch import ReadPromise
from protocol.wire import signed_messages
from protocol.wire.signed_messages import EpochPromise, Message, StepTimeout
from support.models.epochs import Model


class StoredMessages(References):
    """A look-up of a few messages, and of no base."""

    def __init__(self, model: Model, *stored: Message) -> None:
        super().__init__(model.base)
        self.stored = {m.hash: m for m in stored}

    def find(self, digest: bytes) -> Message | None:
        return self.stored.get(digest)

    def find_base(self, key: tuple[int, bytes]) -> Node | None:
        return None


def inputs_of(model: Model, *seats: int, node: Node | None = None) -> list[Message]:
    return [model.step_input(node or model.base, seat, b"a") for seat in seats]


def promise_of(
    model: Model,
    seat: int,
    inputs: list[Message],
    timeout: bool = False,
    proofs: tuple[Message, ...] = (),
) -> ReadPromise:
    node = model.base
    place = StepTimeout(0, node.step, node.digest) if timeout else None
    promise = EpochPromise(1, None, tuple(sorted(m.hash for m in inputs)), place, (), ())
    return ReadPromise(
        signed(model, seat, promise), promise, tuple(inputs), (), proofs, (), node, ()
    )


def base_of(model: Model, inputs: list[Message], *seats: int, **more: Any) -> new_epoch.Base:
    """Return the base of promises that all list these inputs, of seats 0 to 2 by default."""
    return new_epoch.base_of_promises(
        [promise_of(model, s, inputs, **more) for s in seats or (0, 1, 2)]
    )


def slots_before(node: Node) -> tuple[bytes | Missing, ...]:
    """Return the slots of the step before the reconfiguration that leads to a node."""
    assert node.parent is not None
    assert node.parent.slots is not None
    return node.parent.slots


def signed(model: Model, seat: int, statement: signed_messages.Statement) -> Message:
    return Message(seat, statement, signed_messages.payload(model.table.id, seat, statement), b"")


def grown(
    model: Model, messages: Iterable[Message], seat: int | None = None
) -> tuple[MessageStore, FollowedChain]:
    """Return a store of messages, and the chain that a seat (None: an onlooker) follows with it."""
    store, followed = MessageStore(), new_followed_chain(0, model.base, 0.0)
    for message in messages:
        store.add(message)
    while grow(store, followed, seat) is not None:
        pass
    return store, followed
