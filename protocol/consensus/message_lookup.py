"""The look-up of messages and bases that epoch promises and new-epoch messages name.

Each epoch promise and new-epoch message is read once.
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
"""The key of a base: its epoch and its base digest."""
Lack = bytes | BaseKey
"""The name of something that is not stored: a message hash, or the key of a base."""
ReadingKey = tuple[bytes, bool]
"""The key of a reading: a message hash, and whether it is read because a proof names it."""
T = TypeVar("T")
"""The type of the result of a reading."""


class Malformed(Exception):
    """An epoch promise or new-epoch message is malformed, which is a fault of its signer."""


class Unknown(Exception):
    """Something that a message names is not stored, so that the message cannot be judged yet.

    Attributes:
        lack: The name of what is missing, None if it cannot be asked for.
    """

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two bases of one epoch are committed, so the table is void."""


@dataclass
class Reading:
    """The record of one reading of an epoch promise or new-epoch message.

    Attributes:
        key: The message, and whether it is read because a proof names it.
        made: The result of the reading.
        error: The error with which it ended, if the message is malformed.
        used: The hashes of the messages that it looked up by itself.
        asked: The bases that it looked up by itself.
        called: The keys of the readings that it called.
    """

    key: ReadingKey
    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[BaseKey] = field(default_factory=set)
    called: set[ReadingKey] = field(default_factory=set)


class References(ABC):
    """The messages and bases that one seat or file stores, and all readings of them.

    An epoch promise or new-epoch message is read once. While something that it names is missing, it
    is not read again. Otherwise a faulty seat could have one long epoch promise read for every
    new-epoch message and every proof that names it, or for every message that comes ([V-12]).

    Attributes:
        start: The base of epoch 0, None before epoch 0 has begun.
        open: The readings that are under way, the innermost last.
    """

    def __init__(self, start: Node | None) -> None:
        """Start without any reading.

        Args:
            start: The base of epoch 0, None before epoch 0 has begun.
        """
        self.start = start
        self._made: dict[ReadingKey, Reading] = {}
        self._lacks: dict[tuple[ReadingKey, bool], Lack] = {}
        self._asks = True
        self.open: list[Reading] = []

    # Sources of messages and bases

    @abstractmethod
    def find(self, digest: bytes) -> Message | None:
        """Return the message with a hash.

        Args:
            digest: The message hash, 32 bytes.

        Returns:
            The message, None if it is not stored.
        """

    @abstractmethod
    def find_base(self, key: BaseKey) -> Node | None:
        """Return the base of an epoch above 0.

        Args:
            key: The epoch and the base digest.

        Returns:
            The chain node, None if no valid new-epoch message with this base is known.
        """

    def ask(self, lack: Lack) -> None:  # noqa: B027
        """Ask other seats for something that is not stored. A verifier of files asks nobody.

        Args:
            lack: The name of what is missing.
        """

    def count(self, lookups: int) -> None:  # noqa: B027
        """Count messages that were looked up. Only a verifier of files has a bound for them.

        Args:
            lookups: The number of messages.
        """

    # Look-up

    def message(self, digest: bytes) -> Message:
        """Return the message with a hash, or ask for it.

        Args:
            digest: The message hash, 32 bytes.

        Returns:
            The message.

        Raises:
            Unknown: If it is not stored.
        """
        self.count(1)
        found = self.find(digest)
        if found is None:
            raise self._unknown(digest.hex(), digest)
        if self.open:
            self.open[-1].used.add(digest)
        return found

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """Return the base of an epoch, or ask for the new-epoch messages of the epoch.

        Args:
            epoch: The epoch. For epoch 0 it is the node with which the game begins.
            digest: The base digest, 32 bytes. None stands for epoch 0.

        Returns:
            The chain node.

        Raises:
            Unknown: If the base is not known.
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
        """Return the error for something that is not stored, and ask for it unless in `quiet`."""
        if self._asks:
            self.ask(lack)
        return Unknown(text, lack)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Ask for nothing within a `with` block.

        Yields:
            Nothing, once.
        """
        self._asks = False
        try:
            yield
        finally:
            self._asks = True

    # Readings

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """Return the result of reading an epoch promise or new-epoch message, which is made once.

        Args:
            key: The message, and whether it is read because a proof names it.
            make: Reads the message.

        Returns:
            What `make` returned, now or earlier.

        Raises:
            Malformed: If `make` raised it, now or earlier.
            Unknown: If something is not stored that the message names.
        """
        reading = self._made.get(key)
        is_known = reading is not None
        if reading is None:
            reading = self._made[key] = self._read(Reading(key), make)
        if self.open:
            self.open[-1].called.add(key)
        if reading.error is not None:
            raise reading.error
        if is_known:
            self.count(len(reading.used))
        made: T = reading.made
        return made

    def _read(self, reading: Reading, make: Callable[[], T]) -> Reading:
        """Make a reading, unless something that it lacked before is still not stored.

        A reading that asks for what is missing goes on even if one that does not ask lacked the
        same. So it asks for everything at once.
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
        """Return whether a message was read completely, be it well-formed or not.

        Args:
            key: The message, and whether it is read because a proof names it.

        Returns:
            Whether it was.
        """
        return key in self._made

    def needed(
        self, last: BaseKey, new_epoch_of: Callable[[BaseKey], bytes]
    ) -> tuple[set[BaseKey], set[bytes]]:
        """Return the bases and the messages from which a base follows, the base included ([F-1]).

        Args:
            last: The key of the base.
            new_epoch_of: Returns the hash of the new-epoch message that proposed a base.

        Returns:
            The keys of the bases, and the hashes of the messages.
        """
        bases, used = {last}, set[bytes]()
        rest, seen = [(new_epoch_of(last), False)], set[ReadingKey]()
        while rest:
            reading = self._made[rest.pop()]
            used |= reading.used
            found = reading.called | {(new_epoch_of(base), False) for base in reading.asked - bases}
            bases |= reading.asked
            rest += found - seen
            seen |= found
        return bases, used
