"""The search for proofs of faults in signed messages. No messages prove an honest seat at fault."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from ..chain import transition
from ..chain.chain_state import Node, RefusedBody
from ..errors import FieldPlace
from ..fault_codes import Fault
from ..wire.signed_messages import CommitVote, EpochPromise, Message, StepInput
from .followed_chain import FollowedChain
from .fork_tree import Tree, inputs_of
from .message_store import MessageStore


@dataclass(frozen=True)
class Proof:
    """A proof of a fault, which anybody can check by one or two messages of the seat."""

    seat: int
    code: str
    messages: tuple[Message, ...]

    @property
    def hashes(self) -> tuple[bytes, ...]:
        """The message hashes of the proof, in rising order."""
        return tuple(sorted({m.hash for m in self.messages}))


def supersedes(proof: Proof, known: Proof) -> bool:
    """Return whether a new proof is to replace the stored proof against the same seat.

    A proof of an equivocation replaces a proof of another fault that is about a message of the same
    kind, epoch and step. So all seats name the same fault, although the proofs may reach them in
    different orders.
    """
    one, other = ({m.identity for m in p.messages} for p in (proof, known))
    return proof.code == "equivocation" != known.code and bool(one & other)


def ancestry(node: Node) -> dict[bytes, Node]:
    """Return all nodes of the chain that leads to a node, by digest, the last one included."""
    return {at.digest: at for at in node.history()}


def certificate_epoch(promise: EpochPromise) -> int:
    """Return the epoch of an epoch promise's quorum certificate, 0 without a certificate."""
    return 0 if promise.certificate is None else promise.certificate.epoch


def against_promise(promise: Message, message: Message, first: int) -> str | None:
    """Return the code of the fault that an epoch promise and another message of its seat prove.

    A promise must report what its seat has signed in lower epochs. An input or commit vote above
    its certificate's epoch contradicts it, and so does an unlisted input of that epoch. Return None
    if the two messages prove no fault.

    Args:
        first: The step with which epoch 0 begins. No promise lists inputs to earlier steps.
    """
    told, statement = promise.statement, message.statement
    if not isinstance(told, EpochPromise) or promise.seat != message.seat:
        return None
    # What is signed in the promised epoch or above it keeps the promise.
    if not isinstance(statement, (StepInput, CommitVote)) or statement.epoch >= told.epoch:
        return None
    if isinstance(statement, StepInput) and statement.step < first:
        return None
    if certificate_epoch(told) < statement.epoch:
        return "promise-below-certificate"
    if not isinstance(statement, StepInput) or certificate_epoch(told) != statement.epoch:
        return None
    # The hashes are rising, which the form of a promise guarantees.
    at = bisect_left(told.inputs, message.hash)
    return None if told.inputs[at : at + 1] == (message.hash,) else "promise-omits-input"


def illegal_input(message: Message, nodes: Mapping[bytes, Node]) -> Fault | None:
    """Judge an input at the known node (by digest) on which it builds; return its fault.

    Return None if the message is no input, if its node is not known, or if the input is legal.
    """
    step_input = message.statement
    if not isinstance(step_input, StepInput) or step_input.on not in nodes:
        return None
    node = nodes[step_input.on]
    if node.step != step_input.step:
        return Fault("not-expected", message.seat, step_input.step)
    # A body is a fault only where the chain may grow, or where `result` is wanted (10.4).
    if transition.stands_still(node):
        return None
    found = transition.verdict(node, message.seat, step_input.body)
    return found.fault(message.seat, step_input.step) if isinstance(found, RefusedBody) else None


def off_chain(tree: Tree, more: Iterable[Message] = ()) -> Iterator[tuple[int, Message, Message]]:
    """Yield a seat and two of its inputs, lower step first, that cannot be on one chain.

    Args:
        more: Further messages. Their inputs of this epoch are checked as well.
    """
    by_seat: dict[int, list[tuple[Message, StepInput]]] = {}
    every = {
        m.hash: (m, step_input) for m, step_input in (*tree.inputs, *inputs_of(more, tree.epoch))
    }
    for message, step_input in every.values():
        by_seat.setdefault(message.seat, []).append((message, step_input))
    for seat, inputs in by_seat.items():
        ordered = sorted(inputs, key=lambda pair: pair[1].step)
        for (first, one), (second, two) in pairwise(ordered):
            # Two inputs to one step are an equivocation, which has a code of its own.
            if one.step < two.step and _apart(tree, seat, one, two):
                yield seat, first, second


def _apart(tree: Tree, seat: int, one: StepInput, two: StepInput) -> bool:
    """Return whether input `two` builds on a chain that lacks the seat's earlier input `one`."""
    if not tree.resolves(two):
        return False
    at: Node | None = tree.nodes[two.on]
    while at is not None and at.step > one.step + 1:
        at = at.parent
    # A reconfiguration records no bodies, so nothing there can differ from an input (10.4, line 2).
    if at is None or at.slots is None or at.parent is None:
        return False
    return at.parent.digest != one.on or at.slots[seat] != one.body


def proven(
    messages: Iterable[Message], tree: Tree, chain_nodes: Mapping[bytes, Node]
) -> tuple[dict[int, str], dict[int, FieldPlace]]:
    """Return the fault code of each seat that messages prove at fault (SPEC 10.4).

    If a seat has several faults, the one that is checked first counts ([N-9]). The second dict has
    the faulty field of an input's body, if the fault lies in one.

    Args:
        tree: All chains that the inputs of one epoch form.
        chain_nodes: The nodes of the chain before that epoch, by digest.
    """
    # A list, because a generator would be used up by the first of the checks.
    every = list(messages)
    found: dict[int, str] = {}
    places: dict[int, FieldPlace] = {}
    versions, by_seat = dict[tuple[int, ...], Message](), dict[int, list[Message]]()
    for message in every:
        if versions.setdefault(message.identity, message).hash != message.hash:
            # The order of the checks below is that of 10.4. Each keeps the code that an earlier one
            # found.
            found.setdefault(message.seat, "equivocation")
        by_seat.setdefault(message.seat, []).append(message)
    for seat, _, _ in off_chain(tree, every):
        found.setdefault(seat, "two-chains")
    first = tree.base.table.first_step
    for seat, signed in by_seat.items():
        promises = (m for m in signed if isinstance(m.statement, EpochPromise))
        codes = (
            against_promise(promise, message, first) for promise in promises for message in signed
        )
        code = next((code for code in codes if code is not None), None)
        if code is not None:
            found.setdefault(seat, code)
    nodes = {**chain_nodes, **tree.nodes}
    for message in every:
        illegal = illegal_input(message, nodes)
        if illegal is not None and message.seat not in found:
            found[message.seat] = illegal.code
            if illegal.place is not None:
                places[message.seat] = illegal.place
    return found, places


# Faults among the stored messages of one seat

STANDING_ALONE = frozenset({"equivocation", "promise-below-certificate", "promise-omits-input"})
"""The codes of faults that two messages prove by themselves, whichever chain is followed."""


def _against_promise(message: Message, store: MessageStore, first: int) -> Proof | None:
    """Return a proof that a message contradicts an epoch promise of its seat, or None.

    A new epoch promise is compared with all that its seat has signed, and any other message with
    the epoch promises of its seat.
    """
    if not isinstance(message.statement, (EpochPromise, StepInput, CommitVote)):
        return None
    is_promise = isinstance(message.statement, EpochPromise)
    for other in (store.by_seat if is_promise else store.promises_by)(message.seat):
        for promise, said in ((message, other), (other, message)):
            code = against_promise(promise, said, first)
            if code is not None:
                return Proof(message.seat, code, (promise, said))
    return None


def find_fault(message: Message, store: MessageStore, followed: FollowedChain) -> Proof | None:
    """Return the proof of a fault that a newly stored message shows, None if it shows none."""
    versions = store.versions(message.identity)
    # First, as in 10.4, so that all seats name the same code for a seat with several faults.
    if len(versions) >= 2:
        return Proof(message.seat, "equivocation", tuple(versions[:2]))
    fault = illegal_input(message, followed.path)
    if fault is not None:
        return Proof(message.seat, fault.code, (message,))
    return (
        _against_promise(message, store, followed.base.table.first_step)
        if store.epochs_of(EpochPromise)
        else None
    )


def find_two_chains(store: MessageStore, followed: FollowedChain) -> Iterable[Proof]:
    """Yield proofs against seats with two inputs of this epoch that cannot be on one chain."""
    messages = store.epoch_inputs(followed.epoch, followed.base.step)
    inputs = (step_input for _, step_input in inputs_of(messages, followed.epoch))
    # The tree of all chains is costly. It is built only if some input is off the followed chain.
    # Inputs ahead of the tip do not count, because the chain may still come to their node.
    if any(
        step_input.step <= followed.tip.step and step_input.on not in followed.path
        for step_input in inputs
    ):
        for seat, *pair in off_chain(Tree(followed.base, messages, followed.epoch)):
            yield Proof(seat, "two-chains", tuple(pair))


def is_effective(proof: Proof, followed: FollowedChain) -> bool:
    """Return whether a base on the followed chain would ban the seat that a proof accuses ([E-23]).

    Only then a change of epoch is worth requesting.
    """
    if proof.code in STANDING_ALONE:
        return True
    if proof.code == "two-chains":
        # A base compares only the inputs of the epoch from which it is computed (10.4, line 2).
        epochs = {m.statement.epoch for m in proof.messages if isinstance(m.statement, StepInput)}
        return epochs == {followed.epoch}
    nodes = ancestry(followed.tip)
    return illegal_input(proof.messages[0], nodes) is not None
