"""Look up the messages and bases that an epoch promise or a new-epoch message names.

A base is the chain node with which an epoch begins. The look-up is needed to check the promise or
new-epoch message. Each of these messages is checked only once.
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
"""The key of a base (the chain node with which an epoch begins): the epoch and the base digest."""
Lack = bytes | BaseKey
"""What is not stored: the hash of a message, or the epoch and digest of an epoch's first node."""
ReadingKey = tuple[bytes, bool]
"""The key of a message's check: its hash, and whether it is checked because a proof accuses it."""
T = TypeVar("T")
"""The type of the result of checking a message."""


class Malformed(Exception):
    """An epoch promise or new-epoch message is malformed, which is a fault of its signer."""


class Unknown(Exception):
    """Something that a message names is not stored, so that the message cannot be judged yet.

    Attributes:
        lack: What is missing: the hash of a message, or the epoch and the digest of a base (the
            chain node with which the epoch begins). None if it cannot be asked for.
    """

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two different proposals for one epoch have a quorum of commit votes: the table ends."""


@dataclass
class Reading:
    """The result of checking an epoch promise or new-epoch message, and what the check looked up.

    Attributes:
        key: The hash of the message, and whether the message was checked because a fault proof
            accuses its signer.
        error: The error with which the check ended, if the message is malformed.
        used: The hashes of the messages that this check looked up.
        asked: The keys of the bases (chain nodes with which epochs begin) that this check looked
            up.
        called: The keys of the other checks on which this check relies. The messages and bases
            that the other checks looked up are not in `used` and `asked`.
    """

    key: ReadingKey
    made: Any = None
    error: Malformed | None = None
    used: set[bytes] = field(default_factory=set)
    asked: set[BaseKey] = field(default_factory=set)
    called: set[ReadingKey] = field(default_factory=set)


class References(ABC):
    """A look-up of messages and bases in a seat's store or in a file.

    A base is the chain node with which an epoch begins. A reading is the check of an epoch promise
    or new-epoch message. The look-up keeps the result of each reading. If a message or base was
    missing, the reading is repeated only when this message or base is stored. So a faulty seat
    cannot have the same long message checked again and again ([V-12]).

    Attributes:
        start: The chain node with which epoch 0 begins, None before epoch 0 has begun.
        open: The readings that are under way, the innermost last.
    """

    def __init__(self, start: Node | None) -> None:
        """Create a look-up that has checked no message yet.

        Args:
            start: The chain node with which epoch 0 begins, None before epoch 0 has begun.
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
        """Return the base (the chain node with which an epoch begins) of an epoch above 0.

        Args:
            key: The epoch and the base digest.

        Returns:
            The chain node, None if no valid new-epoch message with this base is known.
        """

    def ask(self, lack: Lack) -> None:  # noqa: B027
        """Ask other seats for something that is not stored. This base class asks nobody.

        Args:
            lack: The hash of a missing message, or the epoch and digest of a missing base (the
                chain node with which that epoch begins).
        """

    def count(self, lookups: int) -> None:  # noqa: B027
        """Count looked-up messages, so that a subclass can limit their number. Here, do nothing."""

    # Look-up

    def message(self, digest: bytes) -> Message:
        """Return the stored message with a given hash.

        If the message is not stored, it is requested from other seats, unless a `quiet` block
        suspends such requests.

        Args:
            digest: The message hash, 32 bytes.

        Raises:
            Unknown: If the message is not stored.
        """
        self.count(1)
        found = self.find(digest)
        if found is None:
            raise self._unknown(digest.hex(), digest)
        if self.open:
            self.open[-1].used.add(digest)
        return found

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """Return the base of an epoch, which is the chain node with which the epoch begins.

        If the base is not known, the messages that show it are asked for.

        Args:
            epoch: The epoch. For epoch 0, the node with which the game begins is returned.
            digest: The digest that names the base, 32 bytes. None stands for epoch 0.

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
        """Ask other seats for something not stored, and return the error for the caller to raise.

        While `quiet` suspends such requests, no seat is asked.
        """
        if self._asks:
            self.ask(lack)
        return Unknown(text, lack)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Suspend the requests for missing messages for the length of a `with` block.

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
        """Return the result of checking an epoch promise or new-epoch message, which is done once.

        Args:
            key: The hash of the message, and whether the message is checked because a proof of a
                fault accuses the message.
            make: The function that checks the message.

        Returns:
            What `make` returned, now or earlier.

        Raises:
            Malformed: If `make` raised it, now or earlier.
            Unknown: If something that the message names is not stored.
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
        """Check a message by calling `make`, and put the result or Malformed error into `reading`.

        `reading` is the record of this check, and is returned. If an earlier check of the message
        lacked another message or a base (the chain node with which an epoch begins) that is still
        not stored, raise Unknown, usually without calling `make`.
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
        """Return whether the check of a message was completed, with whatever result.

        Args:
            key: The hash of the message, and whether the message is checked because a proof of a
                fault accuses the message.
        """
        return key in self._made

    def needed(
        self, last: BaseKey, new_epoch_of: Callable[[BaseKey], bytes]
    ) -> tuple[set[BaseKey], set[bytes]]:
        """Return all bases and messages from which a checked base was computed ([F-1]).

        Args:
            last: The key of the base: its epoch and digest. A base is the chain node with which an
                epoch begins. It is computed from epoch promises, which name earlier bases.
            new_epoch_of: A function that returns the hash of the new-epoch message that proposed a
                base.

        Returns:
            The keys of these bases, including `last`, and the hashes of the messages.
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
