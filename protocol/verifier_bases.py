"""The recount: every base of the chain of locks, computed again from what the file holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import epochs
from .epochs import Base, Malformed, Unknown, Void
from .messages import Halt, Message
from .node import Node, Table
from .unsound import Unsound
from .verifier_report import Tally
from .verifier_signatures import Signed, epoch_of

MAX_LOOKUPS = 20_000_000
"""Messages that recounting one close may look up; no close of six seats can need as many."""

Key = tuple[int, bytes]
"""(epoch, base digest)."""


class TooMuch(Exception):
    """A close rests on more than may be looked up. It says nothing of the form of a message."""


@dataclass
class Evidence:
    """The Source over one file; it notes what was asked for."""

    start: Node
    held: dict[bytes, Message]
    bases: dict[Key, Node] = field(default_factory=dict)
    used: set[bytes] = field(default_factory=set)
    asked: set[Key] = field(default_factory=set)
    lookups: int = 0

    def message(self, digest: bytes) -> Message:
        """The message with this hash."""
        self.lookups += 1
        if self.lookups > MAX_LOOKUPS:
            raise TooMuch
        if digest not in self.held:
            raise Unknown(digest.hex())
        self.used.add(digest)
        return self.held[digest]

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """The base of that epoch, recounted before."""
        if epoch == 0 or digest is None:
            return self.start
        if (epoch, digest) not in self.bases:
            raise Unknown(f"the base of epoch {epoch}")
        self.asked.add((epoch, digest))
        return self.bases[epoch, digest]

    def fresh(self) -> None:
        """Forget what was asked for."""
        self.used, self.asked, self.lookups = set(), set(), 0


@dataclass(frozen=True)
class Recounted:
    """One close's base, and what it rests on."""

    epoch: int
    base: Base
    used: frozenset[bytes]
    asked: frozenset[Key]


def recount(table: Table, start: Node, signed: Signed, tally: Tally) -> list[Recounted]:
    """The bases of all closes in their order; Unsound if one does not follow."""
    everything = [*signed.says, *signed.messages, *signed.closes]
    source = Evidence(start, {m.hash: m for m in everything})
    found: dict[Key, Recounted] = {}
    for index, message in enumerate(signed.closes):
        one = _recount_one(table, message, source, (3, 2, index))
        tally.counts["bases"] += 1
        key = (one.epoch, one.base.node.base_digest())
        if found and key <= max(found):
            raise Unsound("bad-order", "the closes are not by epoch and base", (3, 2, index))
        found[key], source.bases[key] = one, one.base.node
    tally.counts["signatures"] += sum(_lock_votes(m) for m in signed.messages)
    _check_needed(found, signed)
    return list(found.values())


def _lock_votes(message: Message) -> int:
    halt = message.statement
    return len(halt.lock.votes) if isinstance(halt, Halt) and halt.lock is not None else 0


def _recount_one(
    table: Table, message: Message, source: Evidence, path: tuple[int, ...]
) -> Recounted:
    source.fresh()
    try:
        base = epochs.base_of_close(table, message, source)
    except (Malformed, TooMuch, RecursionError) as error:
        words = str(error) if isinstance(error, Malformed) else "a close rests on too much"
        raise Unsound("bad-base", words, path, seat=message.seat) from error
    except Unknown as error:
        raise Unsound("missing-evidence", f"not in the file: {error}", path) from error
    except Void as error:
        raise Unsound("void", path=path) from error
    return Recounted(epoch_of(message, path), base, frozenset(source.used), frozenset(source.asked))


def _check_needed(found: dict[Key, Recounted], signed: Signed) -> None:
    """Every close and message is one that the last base rests on."""
    needed: set[Key] = set()
    rest = {max(found)}
    while rest:
        needed |= rest
        rest = {key for at in rest for key in found[at].asked} - needed
    for index, key in enumerate(found):
        if key not in needed:
            raise Unsound("left-over", "a close that no lock needs", (3, 2, index))
    used = {digest for key in needed for digest in found[key].used}
    doubled = {m.hash for m in [*signed.says, *signed.closes]}
    for index, message in enumerate(signed.messages):
        if message.hash not in used or message.hash in doubled:
            raise Unsound("left-over", "a message that no close needs", (3, 1, index))
