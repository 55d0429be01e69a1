"""The check of signatures: each of a file, and the says that its bodies were said in.

What is kept of the statements is what the bases are computed from, without a second copy of bytes
that the file's own parts hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..chain import transition
from ..chain.chain_state import Missing, Table
from ..crypto import identities
from ..errors import Invalid
from ..wire import signed_messages, step_bodies
from ..wire.signed_messages import Close, Halt, Message, Say, SealVote, Statement
from .transcript_format import Entry, Envelope, Link, Step, Transcript
from .verification_report import Statistics, Unsound

CODES = {
    Missing.NONE: "incomplete-step",
    Missing.ABSENT: "unjustified-absence",
    Missing.FAULT: "unjustified-fault",
}


@dataclass(frozen=True, slots=True)
class Unread:
    """A message whose form and signature hold, kept as its payload: the names in a long halt take
    twice the memory of its bytes."""

    payload: bytes
    hash: bytes


@dataclass
class Signed:
    """What the signatures of a file stand for, once they hold.

    Attributes:
        says: the says of all bodies, without their bytes; none in a file without closes.
        messages: those that the closes rest on.
        closes: the closes.
        votes: how many votes are in the locks of the messages.
    """

    says: list[Message] = field(default_factory=list)
    messages: list[Unread] = field(default_factory=list)
    closes: list[Message] = field(default_factory=list)
    votes: int = 0


def check(table: Table, transcript: Transcript, stats: Statistics) -> Signed:
    """Check the signatures of bodies in chain order, then of messages and closes ([V-4], [V-5]).

    Unsound with the code of the first that does not hold.
    """
    evidence, found = transcript.evidence, Signed()
    for message in _says(table, transcript, stats):
        if evidence.closes:
            found.says.append(message.bare())
    for message in _messages(table, evidence.messages, (3, 1), stats):
        found.messages.append(Unread(message.payload, message.hash))
        found.votes += _lock_votes(message)
    found.closes += _messages(table, evidence.closes, (3, 2), stats)
    hashes = [m.hash for m in found.messages]
    if hashes != sorted(set(hashes)):
        raise Unsound("bad-order", "the messages are not by rising hash", (3, 1))
    epochs = [epoch_of(m, (3, 2, i)) for i, m in enumerate(found.closes)]
    _check_epochs(table, transcript, epochs[-1] if epochs else 0)
    return found


def _lock_votes(message: Message) -> int:
    halt = message.statement
    return len(halt.lock.votes) if isinstance(halt, Halt) and halt.lock is not None else 0


def _check_epochs(table: Table, transcript: Transcript, last: int) -> None:
    """Unsound if a body is signed in an epoch that the file does not reach."""
    steps = (entry for entry in transcript.content.entries if isinstance(entry, Step))
    rows = zip(steps, transcript.evidence.signatures, strict=True)
    for step, (entry, row) in enumerate(rows, 1):
        said = (seat for seat, slot in enumerate(entry.slots) if isinstance(slot, bytes))
        for index, (seat, (epoch, _)) in enumerate(zip(said, row, strict=True)):
            if epoch > (last if step >= table.first_step else 0):
                raise Unsound("bad-epoch", path=(3, 0, step - 1, index), step=step, seat=seat)


def epoch_of(message: Message, path: tuple[int, ...]) -> int:
    """The epoch of a close; Unsound('bad-message') if it is none."""
    close = message.statement
    if not isinstance(close, Close):
        raise Unsound("bad-message", "there is no close where one belongs", path)
    return close.epoch


# Bodies.


def _says(table: Table, transcript: Transcript, stats: Statistics) -> Iterator[Message]:
    rows = transcript.evidence.signatures
    digest, step, row = table.id, 1, 0
    for index, entry in enumerate(transcript.content.entries):
        _check_size(table, entry, index)
        early = step < table.first_step or not transcript.evidence.closes
        if isinstance(entry, Link):
            if early:
                raise Unsound("unjustified-link", path=(2, 1, index), step=step)
            sets = frozenset(entry.present), frozenset(entry.banned)
            digest = transition.digest_after_link(digest, *sets, entry.absences)
            continue
        if early:
            _refuse_missing(entry, index, step)
        if row >= len(rows):
            raise Unsound("missing-signature", path=(3, 0), step=step)
        yield from _row(table, entry, rows[row], (step, digest, row, index), stats)
        digest = transition.digest_after_step(digest, entry.slots)
        step, row = step + 1, row + 1
    if row < len(rows):
        raise Unsound("left-over", "there are signatures of no step", (3, 0, row))


def _check_size(table: Table, entry: Entry, index: int) -> None:
    size = len(entry.slots) if isinstance(entry, Step) else len(entry.absences)
    if size != table.seats:
        raise Unsound("bad-form", "an entry is not of as many seats as the table", (2, 1, index))


def _refuse_missing(entry: Step, index: int, step: int) -> None:
    """Without a close nobody is absent or at fault."""
    for seat, slot in enumerate(entry.slots):
        if isinstance(slot, Missing) and slot is not Missing.NONE:
            raise Unsound(CODES[slot], path=(2, 1, index, 1, seat), step=step, seat=seat)


def _row(
    table: Table,
    entry: Step,
    row: tuple[tuple[int, bytes], ...],
    place: tuple[int, bytes, int, int],
    stats: Statistics,
) -> Iterator[Message]:
    step, digest, at, index = place
    said = [(seat, slot) for seat, slot in enumerate(entry.slots) if isinstance(slot, bytes)]
    if len(row) < len(said):
        seat = said[len(row)][0]
        raise Unsound("missing-signature", path=(3, 0, at), step=step, seat=seat)
    if len(row) > len(said):
        raise Unsound("left-over", "there is a signature of no body", (3, 0, at), step=step)
    for i, (seat, body) in enumerate(said):
        epoch, signature = row[i]
        say = Say(epoch, step, digest, body)
        path = (2, 1, index, 1, seat)
        yield verified(table, seat, say, signature, path, stats)


def verified(
    table: Table,
    seat: int,
    statement: Statement,
    signature: bytes,
    path: tuple[int, ...],
    stats: Statistics,
) -> Message:
    """The message that a statement and its signature make; Unsound('bad-signature')."""
    label = signed_messages.KINDS[signed_messages.NUMBER[type(statement)]][1]
    data = signed_messages.payload(table.id, seat, statement)
    step = statement.step if isinstance(statement, Say) else None
    stats.counts["signatures"] += 1
    try:
        table.check_proof(identities.verify_signature, table.ids[seat], label, data, signature)
    except Invalid as error:
        words = f"seat {seat + 1}'s signature does not hold: this, or what comes before, is changed"
        raise Unsound("bad-signature", words, path, step=step, seat=seat) from error
    return Message(seat, statement, data, signature)


# Messages in full.


def _messages(
    table: Table, envelopes: tuple[Envelope, ...], path: tuple[int, ...], stats: Statistics
) -> Iterator[Message]:
    return (_message(table, e, (*path, i), stats) for i, e in enumerate(envelopes))


def _message(table: Table, envelope: Envelope, path: tuple[int, ...], stats: Statistics) -> Message:
    stats.counts["signatures"] += 1
    try:
        return signed_messages.parse_parts(*envelope, table.id, table.ids)
    except Invalid as error:
        code = "bad-signature" if error.code == "bad-signature" else "bad-message"
        raise Unsound(code, error.reason, path) from error


# Seals and the last says.


def check_seals(
    table: Table, transcript: Transcript, epoch: int, base: bytes, stats: Statistics
) -> None:
    """A quorum of seals of the last base, by rising seat ([V-9]).

    Raises Unsound: 'bad-order', 'bad-signature', 'missing-votes' or 'left-over'.
    """
    seals = transcript.evidence.seals
    seats = _rising(table, [seat for seat, _ in seals], (3, 3))
    for i, (seat, signature) in enumerate(seals):
        verified(table, seat, SealVote(epoch, base), signature, (3, 3, i), stats)
    if len(seats) < table.quorum:
        raise Unsound("missing-votes", path=(3, 3))
    if len(seats) > table.quorum:
        raise Unsound("left-over", "there are more seals than a quorum", (3, 3, table.quorum))


def check_final(
    table: Table, transcript: Transcript, place: tuple[int, int, bytes], stats: Statistics
) -> frozenset[int]:
    """The seats whose say of the last step, at (epoch, step, digest), is in the file ([V-10])."""
    final = transcript.evidence.final
    seats = _rising(table, [seat for seat, _ in final], (3, 4))
    for i, (seat, signature) in enumerate(final):
        verified(table, seat, Say(*place, step_bodies.EMPTY), signature, (3, 4, i), stats)
    return frozenset(seats)


def _rising(table: Table, seats: list[int], path: tuple[int, ...]) -> list[int]:
    if seats != sorted(set(seats)) or any(seat >= table.seats for seat in seats):
        raise Unsound("bad-order", "the signatures are not by rising seat", path)
    return seats
