"""The check of bases: each on the chain of locks, computed again from what the file holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from ..bounds import Quota
from ..chain.chain_state import Node, Table
from ..consensus import new_epoch
from ..consensus.message_lookup import (
    BaseKey,
    Malformed,
    Reading,
    ReadingKey,
    Readings,
    T,
    Unknown,
    Void,
)
from ..consensus.new_epoch import Base
from ..wire import signed_messages
from ..wire.signed_messages import Halt, Message
from .check_signatures import Signed, Unread, epoch_of
from .verification_report import Statistics, Unsound

MAX_LOOKUPS: Final[Quota] = 20_000_000
"""Messages that computing the bases of all closes of a file may look up."""


class TooMuch(Exception):
    """The closes rest on more than may be looked up. It says nothing of the form of a message.

    SPEC: [V-12].
    """


@dataclass
class FileSource:
    """The Source over one file; its readings tell what was asked for."""

    start: Node
    held: dict[bytes, Message | Unread]
    bases: dict[BaseKey, Node] = field(default_factory=dict)
    readings: Readings = field(default_factory=Readings)
    lookups: int = 0

    def message(self, digest: bytes) -> Message:
        """The message with this hash. Unknown if the file lacks it."""
        self._count(1)
        if digest not in self.held:
            raise Unknown(digest.hex(), digest)
        found = self.held[digest]
        self.readings.top.used.add(found.hash)
        if isinstance(found, Unread):
            found = self.held[digest] = self._read(found)
        return found

    def _read(self, unread: Unread) -> Message:
        """Read a message; of what it names the file's own hashes are kept, not a copy of each."""
        table = self.start.table
        seat, said = signed_messages.read_payload(unread.payload, table.id, table.seats)
        if isinstance(said, Halt):
            proofs = tuple(map(self._named, said.proofs))
            says, backs = self._named(said.says), self._named(said.backs)
            said = replace(said, says=says, backs=backs, proofs=proofs)
        return Message(seat, said, unread.payload, b"").bare()

    def _named(self, hashes: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return tuple(self.held[h].hash if h in self.held else h for h in hashes)

    def _count(self, lookups: int) -> None:
        self.lookups += lookups
        if self.lookups > MAX_LOOKUPS:
            raise TooMuch

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """What `make` gives, made once; its messages count each time, since a base holds them."""
        made, known = self.readings.once(key, make)
        self._count(known)
        return made

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """The base of that epoch, computed before. Unknown if none was."""
        if epoch == 0 or digest is None:
            return self.start
        if (epoch, digest) not in self.bases:
            raise Unknown(f"the base of epoch {epoch}", (epoch, digest))
        self.readings.top.asked.add((epoch, digest))
        return self.bases[epoch, digest]


@dataclass(frozen=True)
class CheckedBase:
    """One close's base, and what was read for it."""

    epoch: int
    base: Base
    reading: Reading


def check_bases(table: Table, start: Node, signed: Signed, stats: Statistics) -> list[CheckedBase]:
    """The bases of all closes in their order; Unsound if one does not follow ([V-7])."""
    everything: list[Message | Unread] = [*signed.says, *signed.messages, *signed.closes]
    source = FileSource(start, {m.hash: m for m in everything})
    found: dict[BaseKey, CheckedBase] = {}
    highest: BaseKey = (0, b"")
    for index, message in enumerate(signed.closes):
        one = _check_base(table, message, source, (3, 2, index))
        stats.counts["bases"] += 1
        key = (one.epoch, one.base.node.base_digest())
        if key <= highest:
            raise Unsound("bad-order", "the closes are not by epoch and base", (3, 2, index))
        found[key], source.bases[key], highest = one, one.base.node, key
    stats.counts["signatures"] += signed.votes
    _check_needed(found, highest, source.readings, signed)
    return list(found.values())


def _check_base(
    table: Table, message: Message, source: FileSource, path: tuple[int, ...]
) -> CheckedBase:
    reading = source.readings.fresh()
    try:
        base = new_epoch.base_of_close(table, message, source)
    except (Malformed, TooMuch, RecursionError) as error:
        words = str(error) if isinstance(error, Malformed) else "the closes rest on too much"
        raise Unsound("bad-base", words, path, seat=message.seat) from error
    except Unknown as error:
        raise Unsound("missing-evidence", f"not in the file: {error}", path) from error
    except Void as error:
        raise Unsound("void", path=path) from error
    return CheckedBase(epoch_of(message, path), base, reading)


def _check_needed(
    found: dict[BaseKey, CheckedBase], last: BaseKey, readings: Readings, signed: Signed
) -> None:
    """Every close and message is one that the last base rests on ([F-1], [V-7])."""
    needed, used = {last}, set[bytes]()
    rest, seen = [last], set[ReadingKey]()
    while rest:
        for reading in readings.beneath([found[rest.pop()].reading], seen):
            used |= reading.used
            rest += reading.asked - needed
            needed |= reading.asked
    for index, key in enumerate(found):
        if key not in needed:
            raise Unsound("left-over", "a close that no lock needs", (3, 2, index))
    doubled = {m.hash for m in [*signed.says, *signed.closes]}
    for index, message in enumerate(signed.messages):
        if message.hash not in used or message.hash in doubled:
            raise Unsound("left-over", "a message that no close needs", (3, 1, index))
