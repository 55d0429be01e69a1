"""The writer of transcripts: a table's file from all that one node holds of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from ..chain.chain_state import Kind, Missing, Node, Table
from ..consensus.epoch_votes import Votes
from ..consensus.followed_chain import View
from ..consensus.message_store import MessageStore
from ..wire import step_bodies
from ..wire.signed_messages import Message, Say, SealVote
from . import transcript_format
from .transcript_format import Content, Entry, Envelope, Evidence, Link, Signed, Step, Transcript
from .verification_report import Unsound


class TooLarge(ValueError):
    """A file of this game would be over the limits of every file."""


class Holder(Protocol):
    """What is asked of a node: its table, what it holds, and the epoch it follows."""

    @property
    def table(self) -> Table:
        """The table."""

    @property
    def store(self) -> MessageStore:
        """All messages held."""

    @property
    def votes(self) -> Votes:
        """The closes held and their bases."""

    @property
    def view(self) -> View:
        """The epoch stood in and its chain."""


def write(node: Holder) -> bytes:
    """The `.hoity` file of a seat's or watcher's machine, whether its game is over or not.

    Raises ValueError if the machine lacks what its own chain rests on, and TooLarge if the file
    would be one that no verifier reads.
    """
    data = transcript_of(node).encode()
    try:
        transcript_format.open_file(data)
    except Unsound as error:
        raise TooLarge(f"the game does not fit into a file: {error.words}") from error
    return data


def transcript_of(machine: Holder) -> Transcript:
    """The same as a value."""
    nodes = to_the_end(machine.view.tip)
    content = Content(machine.table.header.encode(), tuple(entry_of(n) for n in nodes[1:]))
    return Transcript(content, _evidence(machine, nodes))


def to_the_end(tip: Node) -> list[Node]:
    """The chain from its beginning to `tip`, or to the end of the game if that comes before."""
    nodes = [tip]
    while nodes[-1].parent is not None:
        nodes.append(nodes[-1].parent)
    nodes.reverse()
    end = next((i for i, n in enumerate(nodes) if n.want.kind is Kind.RESULT), len(nodes) - 1)
    return nodes[: end + 1]


def entry_of(node: Node) -> Entry:
    """The step or link by which the chain came to this node."""
    if node.slots is not None:
        return Step(node.slots)
    return Link(tuple(sorted(node.present)), tuple(sorted(node.banned)), node.absences)


# Evidence.


def _evidence(machine: Holder, nodes: list[Node]) -> Evidence:
    """Return what the file rests on, and nothing else ([F-1])."""
    view, votes, store = machine.view, machine.votes, machine.store
    closes: list[Message] = []
    seals: tuple[Signed, ...] = ()
    gathered: dict[bytes, Message] = {}
    if view.epoch > 0:
        base = view.base.base_digest()
        needed, used = votes.needed((view.epoch, base), lambda key: votes.close_of(*key).hash)
        closes = [votes.close_of(*key) for key in sorted(needed)]
        gathered = {digest: votes.message(digest) for digest in used}
        seals = votes.votes_for(SealVote, view.epoch, base)[: machine.table.quorum]
    says = _lowest([*store, *gathered.values()])
    kept = [list(_kept(node, says)) for node in nodes[1:] if node.slots is not None]
    known = {m.hash for row in kept for m in row} | {m.hash for m in closes}
    return Evidence(
        tuple(tuple((_epoch(m), m.signature) for m in row) for row in kept),
        tuple(_envelope(gathered[h]) for h in sorted(gathered.keys() - known)),
        tuple(_envelope(m) for m in closes),
        seals,
        _final(machine, nodes[-1]),
    )


def _envelope(message: Message) -> Envelope:
    return message.payload, message.signature


def _epoch(message: Message) -> int:
    return message.statement.epoch if isinstance(message.statement, Say) else 0


Place = tuple[int, int, bytes, bytes]
"""(seat, step, digest before the step, body)."""


def _lowest(messages: Iterable[Message]) -> dict[Place, Message]:
    """For each body that was said on each chain the say of the lowest epoch."""
    found: dict[Place, Message] = {}
    for message in messages:
        say = message.statement
        if isinstance(say, Say):
            place = (message.seat, say.step, say.on, say.body)
            if _epoch(found.setdefault(place, message)) > say.epoch:
                found[place] = message
    return found


def _kept(node: Node, says: dict[Place, Message]) -> Iterator[Message]:
    slots, before = node.slots or (), node.parent
    for seat, slot in enumerate(slots):
        if isinstance(slot, Missing) or before is None:
            continue
        message = says.get((seat, before.step, before.digest, slot))
        if message is None:
            raise ValueError(f"seat {seat + 1}'s say of step {before.step} is lacking")
        yield message


def _final(machine: Holder, end: Node) -> tuple[Signed, ...]:
    """The says of all present seats in the last step, unless a base makes the end final."""
    view, sealed = machine.view, machine.view.base.want.kind is Kind.RESULT
    if end.want.kind is not Kind.RESULT or sealed:
        return ()
    found = {
        m.seat: m.signature
        for m in machine.store.says(view.epoch, end.step)
        if isinstance(m.statement, Say)
        and (m.statement.on, m.statement.body) == (end.digest, step_bodies.EMPTY)
    }
    if not end.present <= set(found):
        return ()
    return tuple((seat, found[seat]) for seat in sorted(end.present))
