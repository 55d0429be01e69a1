"""Look up the messages and bases that an epoch promise or a new-epoch message names.

A *base* is the node with which an epoch begins. A *reading* is the check of an epoch promise or
new-epoch message, which needs the look-up. A message can be read in two ways: as itself, or because
a proof of a fault accuses it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..chain.chain_state import Node
from ..wire.signed_messages import Message

BaseKey = tuple[int, bytes]
"""The key of a base: the epoch, and the digest of the base."""
Lack = bytes | BaseKey
"""What is not stored: the hash of a message, or the key of a base."""
ReadingKey = tuple[bytes, bool]
"""The key of a reading: the message's hash, and whether a proof accuses the message."""
T = TypeVar("T")
"""The type of the result of a reading."""


class Malformed(Exception):
    """An epoch promise or new-epoch message is malformed, which is a fault of its signer."""


class Unknown(Exception):
    """Something that a message names is not stored, so that the message cannot be judged yet.

    Attributes:
        lack: None if it cannot be asked for.
    """

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two different proposals for one epoch have a quorum of commit votes: the table ends."""


@dataclass
class Reading:
    """The result of a reading, and what it looked up.

    Attributes:
        error: The error with which it ended, if the message is malformed.
        used: The hashes of the messages that it looked up itself.
        asked: The keys of the bases that it looked up itself.
        called: The keys of the other readings on which it relies.
    """

    key: ReadingKey
    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[BaseKey] = field(default_factory=set)
    called: set[ReadingKey] = field(default_factory=set)


class References(ABC):
    """A look-up of messages and bases in a seat's store or in a file.

    The result of each reading is kept. If a message or base was missing, the reading is repeated
    only when this message or base is stored. So a faulty seat cannot have the same long message
    checked again and again ([V-12]).

    Attributes:
        start: The node with which epoch 0 begins, None before it has begun.
        open: The readings that are under way, the innermost last.
    """

    def __init__(self, start: Node | None) -> None:
        """Create a look-up that has read no message yet."""
        self.start = start
        self._made: dict[ReadingKey, Reading] = {}
        self._lacks: dict[tuple[ReadingKey, bool], Lack] = {}
        self._asks = True
        self.open: list[Reading] = []

    # Sources of messages and bases

    @abstractmethod
    def find(self, digest: bytes) -> Message | None:
        """Return the message with a hash, None if it is not stored."""

    @abstractmethod
    def find_base(self, key: BaseKey) -> Node | None:
        """Return a base of an epoch above 0, None if no valid new-epoch message has it."""

    # Not abstract: a file has nobody to ask.
    def ask(self, lack: Lack) -> None:  # noqa: B027
        """Ask other seats for something that is not stored. This base class asks nobody."""

    # Not abstract: only the look-up in a file has a limit.
    def count(self, lookups: int) -> None:  # noqa: B027
        """Count looked-up messages, so that a subclass can limit their number. Here, do nothing."""

    # Look-up

    def message(self, digest: bytes) -> Message:
        """Return the message with a hash.

        Raises:
            Unknown: If it is not stored. It is then asked for.
        """
        self.count(1)
        found = self.find(digest)
        if found is None:
            raise self._unknown(digest.hex(), digest)
        if self.open:
            self.open[-1].used.add(digest)
        return found

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """Return the base of an epoch. That of epoch 0 has no digest (None).

        Raises:
            Unknown: If it is not known. It is then asked for.
        """
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
        """Ask for what is not stored, unless `quiet` suspends it, and return the error to raise."""
        if self._asks:
            self.ask(lack)
        return Unknown(text, lack)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Suspend the requests for missing messages for the length of a `with` block."""
        self._asks = False
        try:
            yield
        finally:
            self._asks = True

    # Readings

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """Return the result of a reading, which `make` does once.

        Raises:
            Malformed: If `make` raised it, now or earlier.
            Unknown: If something that the message names is not stored.
        """
        reading = self._made.get(key)
        is_known = reading is not None
        if reading is None:
            reading = self._made[key] = self._read(Reading(key), make)
        # Before the error is raised, since whoever catches it relies on what this reading used.
        if self.open:
            self.open[-1].called.add(key)
        if reading.error is not None:
            raise reading.error
        # A repeated reading counts like the first, so that a limit does not depend on their order.
        if is_known:
            self.count(len(reading.used))
        made: T = reading.made
        return made

    def _read(self, reading: Reading, make: Callable[[], T]) -> Reading:
        """Do a reading by calling `make`, and put the result or Malformed error into `reading`.

        Raise Unknown, usually without calling `make`, if what an earlier try lacked is still
        missing.
        """
        # A try that asked nobody must not keep a later one from asking for all that is missing.
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
            # Also after an error, or what others look up would count as used by this reading.
            self.open.pop()
        return reading

    def is_read(self, key: ReadingKey) -> bool:
        """Return whether a reading was completed, with whatever result."""
        return key in self._made

    def needed(
        self, last: BaseKey, new_epoch_of: Callable[[BaseKey], bytes]
    ) -> tuple[set[BaseKey], set[bytes]]:
        """Return all bases and messages from which a base was computed, itself included ([F-1]).

        Args:
            new_epoch_of: Returns the hash of the new-epoch message that proposed a base.
        """
        bases, used = {last}, set[bytes]()
        rest, seen = [(new_epoch_of(last), False)], set[ReadingKey]()
        while rest:
            reading = self._made[rest.pop()]
            used |= reading.used
            # Before `bases` has them, or their new-epoch messages would not be followed ([F-1]).
            found = reading.called | {(new_epoch_of(base), False) for base in reading.asked - bases}
            bases |= reading.asked
            rest += found - seen
            seen |= found
        return bases, used
