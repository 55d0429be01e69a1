"""Look-up of the messages and bases that epoch promises and new-epoch messages name: each is found
and read once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..chain.chain_state import Node
from ..wire.signed_messages import Message

BaseKey = tuple[int, bytes]
"""(epoch, base digest)."""
Lack = bytes | BaseKey
"""What is not stored: a message, by its hash, or a base."""
ReadingKey = tuple[bytes, bool]
"""An epoch promise or new-epoch message, by its hash, and whether it is read as one named in a
proof."""
T = TypeVar("T")


class Malformed(Exception):
    """An epoch promise or new-epoch message breaks its own form: its signer is at fault."""


class Unknown(Exception):
    """Something that a message refers to is not stored yet; `lack` says what."""

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two bases of one epoch are committed: the table is void, with proof."""


@dataclass
class Reading:
    """What one reading gave, what it looked up by itself, and the readings that it rests on."""

    key: ReadingKey
    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[BaseKey] = field(default_factory=set)
    rests: set[ReadingKey] = field(default_factory=set)


class References(ABC):
    """The messages and bases of one node or file, and what was read of its epoch promises and
    new-epoch messages.

    An epoch promise or new-epoch message is read once. While something that it names is not stored,
    it is not read again: a faulty seat could otherwise have one long epoch promise read by every
    new-epoch message and proof that names it, or everything whenever a message comes ([V-12]).
    """

    def __init__(self, start: Node | None) -> None:
        """Begin without a reading, at the node with which epoch 0 begins; None before it has."""
        self.start = start
        self._made: dict[ReadingKey, Reading] = {}
        self._lacks: dict[tuple[ReadingKey, bool], Lack] = {}
        self._asks = True
        self.open: list[Reading] = []

    # What a node and a file do in their own ways

    @abstractmethod
    def find(self, digest: bytes) -> Message | None:
        """Return the message with this hash, None if it is not stored."""

    @abstractmethod
    def find_base(self, key: BaseKey) -> Node | None:
        """Return the base of an epoch above 0, None if it is not known."""

    def ask(self, lack: Lack) -> None:  # noqa: B027
        """Ask for what is not stored; a file asks nobody."""

    def count(self, lookups: int) -> None:  # noqa: B027
        """Count messages that were looked up; only a file sets a bound."""

    # Look-up

    def message(self, digest: bytes) -> Message:
        """Return the message with this hash. Raises Unknown, having asked for it."""
        self.count(1)
        found = self.find(digest)
        if found is None:
            raise self._unknown(digest.hex(), digest)
        if self.open:
            self.open[-1].used.add(digest)
        return found

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """Return the base of that epoch. Raises Unknown, having asked for its close."""
        if epoch == 0 or digest is None:
            if self.start is None:
                raise Unknown("the table has not begun")
            return self.start
        found = self.find_base((epoch, digest))
        if found is None:
            raise self._unknown(f"the base of epoch {epoch}", (epoch, digest))
        if self.open:
            self.open[-1].asked.add((epoch, digest))
        return found

    def _unknown(self, text: str, lack: Lack) -> Unknown:
        if self._asks:
            self.ask(lack)
        return Unknown(text, lack)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Ask for nothing in this block."""
        self._asks = False
        try:
            yield
        finally:
            self._asks = True

    # Readings

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """Return what `make` gives for an epoch promise or new-epoch message, made once.

        Raises:
            Malformed: If `make` did, now or before.
            Unknown: If something is not stored that it names.
        """
        reading = self._made.get(key)
        is_known = reading is not None
        if reading is None:
            reading = self._made[key] = self._read(Reading(key), make)
        if self.open:
            self.open[-1].rests.add(key)
        if reading.error is not None:
            raise reading.error
        if is_known:
            self.count(len(reading.used))
        made: T = reading.made
        return made

    def _read(self, reading: Reading, make: Callable[[], T]) -> Reading:
        """Make a reading, unless what it lacked before is still not stored.

        A reading that asks is not put off by what one lacked that asks nothing: it asks for all
        that it lacks at once.
        """
        place = (reading.key, self._asks)
        self.open.append(reading)
        try:
            lack = self._lacks.get(place)
            if isinstance(lack, bytes):
                self.message(lack)
            elif lack is not None:
                self.base(*lack)
            self._lacks.pop(place, None)
            reading.made = make()
        except Malformed as error:
            reading.error = error
        except Unknown as error:
            if error.lack is not None:
                self._lacks[place] = error.lack
            raise
        finally:
            self.open.pop()
        return reading

    def is_read(self, key: ReadingKey) -> bool:
        """Return whether an epoch promise or new-epoch message was read whole."""
        return key in self._made

    def needed(
        self, last: BaseKey, new_epoch_of: Callable[[BaseKey], bytes]
    ) -> tuple[set[BaseKey], set[bytes]]:
        """Return the bases and the hashes of messages that a base rests on, with itself ([F-1]).

        Args:
            last: The base.
            new_epoch_of: Gives the hash of the new-epoch message that proposed a base.
        """
        bases, used = {last}, set[bytes]()
        rest, seen = [(new_epoch_of(last), False)], set[ReadingKey]()
        while rest:
            reading = self._made[rest.pop()]
            used |= reading.used
            found = reading.rests | {(new_epoch_of(base), False) for base in reading.asked - bases}
            bases |= reading.asked
            rest += found - seen
            seen |= found
        return bases, used
