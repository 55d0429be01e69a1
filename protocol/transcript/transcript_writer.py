"""The writer of transcripts: it makes the file of a game from what one seat stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..chain.chain_state import Kind, Missing, Node
from ..consensus.epoch_votes import Votes
from ..consensus.followed_chain import FollowedChain
from ..consensus.message_store import MessageStore
from ..wire.signed_messages import CommitVote, Message, StepInput
from . import transcript_format
from .transcript_format import (
    Content,
    Entry,
    Envelope,
    Evidence,
    ReconfigurationEntry,
    Signed,
    StepEntry,
)
from .verification_report import Unsound


class TooLarge(ValueError):
    """The error that the file of a game would exceed the limits of the format."""


def write(votes: Votes, followed: FollowedChain, illegal: Message | None = None) -> bytes:
    """Return the `.hoity` file of what one seat stores, whether its game is over or not.

    Args:
        illegal: An input to the first incomplete step whose body is a fault. The file then ends
            with this input, and so proves the fault to anyone ([F-2]). None if there is no such
            input.

    Raises:
        ValueError: If a message from which the chain follows is not stored.
        TooLarge: If the file would exceed the limits of the format.
    """
    nodes = to_the_end(followed.tip)
    entries = [entry_of(node) for node in nodes[1:]]
    evidence = _evidence(votes, followed, nodes)
    if illegal is not None:
        entries.append(_illegal_step(illegal, votes.table.seats))
        row = ((_epoch(illegal), illegal.signature),)
        evidence = replace(evidence, signatures=(*evidence.signatures, row))
    content = Content(votes.table.header.encode(), tuple(entries))
    data = transcript_format.Transcript(content, evidence).encode()
    try:
        # The bounds are those of the reader, so the reader judges whether they are kept.
        transcript_format.open_file(data)
    except Unsound as error:
        raise TooLarge(f"the game does not fit into a file: {error.words}") from error
    return data


def to_the_end(tip: Node) -> list[Node]:
    """Return the nodes of a chain up to the one at which the game is over, else all nodes."""
    nodes = tip.history()
    end = next((i for i, n in enumerate(nodes) if n.want.kind is Kind.RESULT), len(nodes) - 1)
    return nodes[: end + 1]


def entry_of(node: Node) -> Entry:
    """Return the entry of a transcript for the change that leads to a node (not to the first)."""
    if node.slots is not None:
        return StepEntry(node.slots)
    return ReconfigurationEntry(
        tuple(sorted(node.present)), tuple(sorted(node.banned)), node.absences
    )


def _illegal_step(illegal: Message, seats: int) -> StepEntry:
    """Return the entry of the step of a faulty input, with the body of this seat alone."""
    statement = illegal.statement
    body = statement.body if isinstance(statement, StepInput) else b""
    return StepEntry(tuple(body if s == illegal.seat else Missing.NONE for s in range(seats)))


# Evidence


def _evidence(votes: Votes, followed: FollowedChain, nodes: list[Node]) -> Evidence:
    """Return the messages and signatures that prove the chain, and nothing else ([F-1])."""
    new_epochs: list[Message] = []
    commits: tuple[Signed, ...] = ()
    gathered: dict[bytes, Message] = {}
    if followed.epoch > 0:
        base = followed.base.base_digest()
        needed, used = votes.needed(
            (followed.epoch, base), lambda key: votes.new_epoch_of(*key).hash
        )
        new_epochs = [votes.new_epoch_of(*key) for key in sorted(needed)]
        gathered = {digest: votes.message(digest) for digest in used}
        # More than a quorum would be left over ([F-1]).
        commits = votes.votes_for(CommitVote, followed.epoch, base)[: votes.table.quorum]
    inputs = _lowest([*votes.store, *gathered.values()])
    kept = [list(_kept(node, inputs)) for node in nodes[1:] if node.slots is not None]
    # What stands elsewhere in the file would be left over among the messages ([F-1]).
    known = {m.hash for row in kept for m in row} | {m.hash for m in new_epochs}
    return Evidence(
        tuple(tuple((_epoch(m), m.signature) for m in row) for row in kept),
        tuple(_envelope(gathered[h]) for h in sorted(gathered.keys() - known)),
        tuple(_envelope(m) for m in new_epochs),
        commits,
        _final(votes.store, followed, nodes[-1]),
    )


def _envelope(message: Message) -> Envelope:
    return message.payload, message.signature


def _epoch(message: Message) -> int:
    return message.statement.epoch if isinstance(message.statement, StepInput) else 0


InputKey = tuple[int, int, bytes, bytes]
"""The seat, the step, the digest before the step, and the body of an input."""


def _lowest(messages: Iterable[Message]) -> dict[InputKey, Message]:
    """Return the step input of the lowest epoch for each key."""
    found: dict[InputKey, Message] = {}
    for message in messages:
        step_input = message.statement
        if isinstance(step_input, StepInput):
            place = (message.seat, step_input.step, step_input.on, step_input.body)
            # A fixed choice, whatever came first, which keeps the files of honest seats alike.
            if _epoch(found.setdefault(place, message)) > step_input.epoch:
                found[place] = message
    return found


def _kept(node: Node, inputs: dict[InputKey, Message]) -> Iterator[Message]:
    """Yield the signed input of each body in the step that leads to a node, by rising seat.

    Raise ValueError if `inputs` lacks such an input.
    """
    slots, before = node.slots or (), node.parent
    for seat, slot in enumerate(slots):
        if isinstance(slot, Missing) or before is None:
            continue
        message = inputs.get((seat, before.step, before.digest, slot))
        if message is None:
            raise ValueError(f"seat {seat + 1}'s input of step {before.step} is missing")
        yield message


def _final(store: MessageStore, followed: FollowedChain, end: Node) -> tuple[Signed, ...]:
    """Return the seat and signature of each input to `result`, the last step of the game.

    Return an empty tuple if an input is missing, or if the last epoch begins at this step.
    """
    # If the last epoch begins at `result`, its commit votes make the end final, and [F-1] forbids
    # anything unnecessary.
    if end.want.kind is not Kind.RESULT or followed.base.want.kind is Kind.RESULT:
        return ()
    found = {
        m.seat: m.signature
        for m in store.inputs(followed.epoch, end.step)
        if isinstance(m.statement, StepInput)
        and (m.statement.on, m.statement.body) == (end.digest, end.result_body())
    }
    if not end.present <= set(found):
        return ()
    return tuple((seat, found[seat]) for seat in sorted(end.present))
