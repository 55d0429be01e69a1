"""The check of bases: each on the chain of locks, computed again from what the file holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from ..bounds import Quota
from ..chain.chain_state import Node, Table
from ..consensus import new_epoch
from ..consensus.message_lookup import BaseKey, Malformed, References, Unknown, Void
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


class FileReferences(References):
    """The messages and bases of one file.

    Attributes:
        stored: The messages by hash. One is read when it is first looked up.
        bases: The bases that were computed, by epoch and digest.
        lookups: How many messages were looked up.
    """

    def __init__(self, start: Node, stored: dict[bytes, Message | Unread]) -> None:
        """Begin at the node with which epoch 0 begins."""
        super().__init__()
        self.start, self.stored = start, stored
        self.bases: dict[BaseKey, Node] = {}
        self.lookups = 0

    def find(self, digest: bytes) -> Message | None:
        """Return the message with this hash, None if the file lacks it."""
        found = self.stored.get(digest)
        if isinstance(found, Unread):
            found = self.stored[digest] = self._read_payload(found)
        return found

    def _read_payload(self, unread: Unread) -> Message:
        """Read a message; of what it names the file's own hashes are kept, not a copy of each."""
        table = self.start.table
        seat, said = signed_messages.read_payload(unread.payload, table.id, table.seats)
        if isinstance(said, Halt):
            proofs = tuple(map(self._named, said.proofs))
            says, backs = self._named(said.says), self._named(said.backs)
            said = replace(said, says=says, backs=backs, proofs=proofs)
        return Message(seat, said, unread.payload, b"").bare()

    def _named(self, hashes: tuple[bytes, ...]) -> tuple[bytes, ...]:
        return tuple(self.stored[h].hash if h in self.stored else h for h in hashes)

    def find_base(self, epoch: int, digest: bytes | None) -> Node | None:
        """Return the base of that epoch, None if none was computed."""
        return self.start if epoch == 0 or digest is None else self.bases.get((epoch, digest))

    def count(self, lookups: int) -> None:
        """Count lookups, those of a reading anew each time: a base holds its messages.

        Raises TooMuch beyond MAX_LOOKUPS.
        """
        self.lookups += lookups
        if self.lookups > MAX_LOOKUPS:
            raise TooMuch


@dataclass(frozen=True)
class CheckedBase:
    """One close's base."""

    epoch: int
    base: Base


def check_bases(table: Table, start: Node, signed: Signed, stats: Statistics) -> list[CheckedBase]:
    """The bases of all closes in their order; Unsound if one does not follow ([V-7])."""
    everything: list[Message | Unread] = [*signed.says, *signed.messages, *signed.closes]
    references = FileReferences(start, {m.hash: m for m in everything})
    found: dict[BaseKey, CheckedBase] = {}
    highest: BaseKey = (0, b"")
    for index, message in enumerate(signed.closes):
        one = _check_base(table, message, references, (3, 2, index))
        stats.counts["bases"] += 1
        key = (one.epoch, one.base.node.base_digest())
        if key <= highest:
            raise Unsound("bad-order", "the closes are not by epoch and base", (3, 2, index))
        found[key], references.bases[key], highest = one, one.base.node, key
    stats.counts["signatures"] += signed.votes
    closes = {key: message.hash for key, message in zip(found, signed.closes, strict=True)}
    _check_needed(closes, *references.needed(highest, closes.__getitem__), signed)
    return list(found.values())


def _check_base(
    table: Table, message: Message, references: FileReferences, path: tuple[int, ...]
) -> CheckedBase:
    try:
        base = references.once(
            (message.hash, False), lambda: new_epoch.base_of_close(table, message, references)
        )
    except (Malformed, TooMuch, RecursionError) as error:
        words = str(error) if isinstance(error, Malformed) else "the closes rest on too much"
        raise Unsound("bad-base", words, path, seat=message.seat) from error
    except Unknown as error:
        raise Unsound("missing-evidence", f"not in the file: {error}", path) from error
    except Void as error:
        raise Unsound("void", path=path) from error
    return CheckedBase(epoch_of(message, path), base)


def _check_needed(
    closes: dict[BaseKey, bytes], needed: set[BaseKey], used: set[bytes], signed: Signed
) -> None:
    """Every close and message is one that the last base rests on ([F-1], [V-7])."""
    for index, key in enumerate(closes):
        if key not in needed:
            raise Unsound("left-over", "a close that no lock needs", (3, 2, index))
    doubled = {m.hash for m in [*signed.says, *signed.closes]}
    for index, message in enumerate(signed.messages):
        if message.hash not in used or message.hash in doubled:
            raise Unsound("left-over", "a message that no close needs", (3, 1, index))
