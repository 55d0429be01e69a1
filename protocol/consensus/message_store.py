"""The store in which a peer keeps the signed messages of all seats, in the order they came.

It finds messages by their hash, epoch, step and kind. Unless another order is named, they are
returned in the order in which they came. The *identity* of a message is its kind, seat, and epoch
or step. An honest seat signs only one message of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from ..units import Quota
from ..wire.signed_messages import (
    NUMBER,
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Rejoin,
    StepInput,
)

Claim = tuple[int | None, bool]
"""Who names a message that is wanted: a seat, and whether only by way of an accused message.

The seat has signed an epoch promise that names the wanted message, None if no promise does. The
second item is True if the promise names it only indirectly, through a message that the promise
accuses of being malformed.
"""
VARIANTS: Final[Quota] = 2
"""How many different messages of one identity are stored. Two prove a fault, and more nothing."""


K = TypeVar("K")
"""The type of the keys of an index."""


def _remove(shelf: dict[K, list[Message]], key: K, message: Message) -> None:
    """Remove a message from an index, and its list too if it becomes empty."""
    shelf[key].remove(message)
    if not shelf[key]:
        del shelf[key]


class MessageStore:
    """The stored messages. At most two have one identity, apart from the exceptions of [M-12].

    Attributes:
        last_steps: By epoch and seat, the highest step to which an input of the seat is stored.
        requests: For each seat, the highest epoch in its epoch requests, epoch promises and votes.
        input_bytes: For each seat, the number of bytes of its stored inputs.
        wants: The hashes of messages to ask for.
        claims: For each hash in `wants`, who names it.
        wanted_new_epochs: The epochs whose new-epoch messages to ask for.
    """

    def __init__(self) -> None:
        """Create an empty store."""
        self._by_hash: dict[bytes, Message] = {}
        self._by_identity: dict[tuple[int, ...], list[Message]] = {}
        self._inputs: dict[tuple[int, int], list[Message]] = {}
        self._epochs: dict[tuple[int, int], list[Message]] = {}
        self._third_versions: dict[bytes, Message] = {}
        self.last_steps: dict[tuple[int, int], int] = {}
        self.requests: dict[int, int] = {}
        self._requests: dict[int, Message] = {}
        self._rejoins: list[Message] = []
        self._order: dict[bytes, int] = {}
        self._added = 0
        self.input_bytes: dict[int, int] = {}
        self.wants: set[bytes] = set()
        self.claims: dict[bytes, set[Claim]] = {}
        self.wanted_new_epochs: set[int] = set()

    def __len__(self) -> int:
        return len(self._by_hash)

    def __contains__(self, digest: bytes) -> bool:
        return digest in self._by_hash or digest in self._third_versions

    def __iter__(self) -> Iterator[Message]:
        return iter(self._by_hash.values())

    def add(self, message: Message, sound: bool = False) -> bool:
        """Store a message with a valid signature, and return whether it was stored now ([M-12]).

        It is not stored if two others have its identity, unless its hash is wanted.

        Args:
            sound: Whether it is a valid new-epoch message, which is stored besides any two others.
        """
        if message.hash in self:
            return False
        versions = self._by_identity.setdefault(message.identity, [])
        is_third = len(versions) >= VARIANTS and not sound
        # A faulty seat could sign versions without end.
        if is_third and message.hash not in self.wants:
            return False
        self.wants.discard(message.hash)
        self.claims.pop(message.hash, None)
        if is_third:
            # It is found only by its hash and by `inputs_by`: the rules read all other lists, and a
            # faulty seat could make these as long as it likes.
            self._third_versions[message.hash] = message
            if isinstance(message.statement, StepInput):
                self._count(message)
            return True
        versions.append(message)
        self._by_hash[message.hash] = message
        self._added += 1
        self._order[message.hash] = self._added
        self._index(message)
        return True

    def _count(self, message: Message) -> None:
        """Add the bytes of an input to the number of stored bytes of its seat."""
        known = self.input_bytes.get(message.seat, 0)
        self.input_bytes[message.seat] = known + len(message.payload)

    def _index(self, message: Message) -> None:
        """Enter a stored message into the indices."""
        statement = message.statement
        if isinstance(statement, StepInput):
            self._inputs.setdefault((statement.epoch, statement.step), []).append(message)
            self._count(message)
            place = (statement.epoch, message.seat)
            self.last_steps[place] = max(self.last_steps.get(place, 0), statement.step)
        elif isinstance(statement, Rejoin):
            self._rejoins.append(message)
        else:
            key = (NUMBER[type(statement)], statement.epoch)
            self._epochs.setdefault(key, []).append(message)
            if not isinstance(statement, NewEpoch):
                request = self.requests.get(message.seat, 0)
                self.requests[message.seat] = max(request, statement.epoch)
            if isinstance(statement, EpochRequest):
                # Of a seat's epoch requests only the highest is kept ([M-11]).
                old = self._requests.setdefault(message.seat, message)
                if old is not message:
                    lower, higher = sorted((old, message), key=self.epoch_of)
                    self._requests[message.seat] = higher
                    self._forget(lower)

    @staticmethod
    def epoch_of(message: Message) -> int:
        """Return the epoch that a message names, 0 for a rejoin."""
        return 0 if isinstance(message.statement, Rejoin) else message.statement.epoch

    def _forget(self, message: Message) -> None:
        """Remove an epoch request or an input from the store and from its indices.

        What was once requested or reached stays in `requests` and `last_steps`. The caller takes
        the bytes of an input out of `input_bytes`.
        """
        statement = message.statement
        # A requested epoch must not fall: promises and floors already rest on it.
        del self._by_hash[message.hash], self._order[message.hash]
        _remove(self._by_identity, message.identity, message)
        if isinstance(statement, EpochRequest):
            _remove(self._epochs, (NUMBER[EpochRequest], statement.epoch), message)
        elif isinstance(statement, StepInput):
            _remove(self._inputs, (statement.epoch, statement.step), message)

    def find(self, digest: bytes) -> Message | None:
        """Return the message with a hash, None if it is not stored."""
        return self._by_hash.get(digest) or self._third_versions.get(digest)

    def want(self, digest: bytes, claim: Claim = (None, False)) -> None:
        """Note that a message is missing and is to be asked for."""
        self.wants.add(digest)
        self.claims.setdefault(digest, set()).add(claim)

    def want_new_epoch(self, epoch: int) -> None:
        """Note that the new-epoch messages of an epoch are to be asked for."""
        self.wanted_new_epochs.add(epoch)

    def versions(self, identity: tuple[int, ...]) -> list[Message]:
        """Return the stored messages of one identity.

        If there are several, their signer is at fault.

        After the first two, only valid new-epoch messages are returned.
        """
        return self._by_identity.get(identity, [])

    def inputs(self, epoch: int, step: int) -> list[Message]:
        """Return the stored inputs to one step in one epoch."""
        return self._inputs.get((epoch, step), [])

    def epoch_inputs(self, epoch: int, first: int = 0) -> list[Message]:
        """Return the stored inputs of an epoch from a step on, by rising step."""
        keys = sorted(key for key in self._inputs if key[0] == epoch and key[1] >= first)
        return [message for key in keys for message in self._inputs[key]]

    def count_inputs(self, epoch: int) -> int:
        """Return how many inputs of an epoch are stored, at most two of each seat to each step."""
        return sum(len(shelf) for (of, _), shelf in self._inputs.items() if of == epoch)

    def of_epoch(
        self,
        kind: type[EpochRequest | EpochPromise | NewEpoch | PrepareVote | CommitVote],
        epoch: int,
    ) -> list[Message]:
        """Return the stored messages of one kind and epoch."""
        return self._epochs.get((NUMBER[kind], epoch), [])

    def epochs_of(
        self, kind: type[EpochRequest | EpochPromise | NewEpoch | PrepareVote | CommitVote]
    ) -> list[int]:
        """Return the epochs of which a message of one kind is stored, rising."""
        return sorted(epoch for number, epoch in self._epochs if number == NUMBER[kind])

    def promises_by(self, seat: int) -> list[Message]:
        """Return the stored epoch promises of one seat."""
        promises = (
            m for epoch in self.epochs_of(EpochPromise) for m in self.of_epoch(EpochPromise, epoch)
        )
        return sorted((m for m in promises if m.seat == seat), key=lambda m: self._order[m.hash])

    def highest_request(self, seat: int | None) -> int:
        """Return the highest epoch of a seat's epoch requests alone, 0 without one or a seat."""
        request = None if seat is None else self._requests.get(seat)
        return 0 if request is None else self.epoch_of(request)

    def rejoins(self) -> list[Message]:
        """Return the stored messages in which seats ask to rejoin."""
        return list(self._rejoins)

    def since(self, epoch: int, step: int) -> list[Message]:
        """Return the stored messages that a peer at a given epoch and step may lack.

        They are all rejoins, and all messages of that epoch and later ones. In epoch 0, the inputs
        before the step are left out.
        """
        shelves = [
            shelf
            for (said, at), shelf in self._inputs.items()
            if said >= max(1, epoch) or (said, at) >= (epoch, step)
        ]
        shelves += [shelf for (_, of), shelf in self._epochs.items() if of >= max(1, epoch)]
        found = [message for shelf in (*shelves, self._rejoins) for message in shelf]
        return sorted(found, key=lambda message: self._order[message.hash])

    def inputs_by(self, seat: int) -> Iterator[Message]:
        """Yield every stored input of one seat, with third versions, as `input_bytes` counts it."""
        for shelf in (self._by_hash, self._third_versions):
            for message in shelf.values():
                if message.seat == seat and isinstance(message.statement, StepInput):
                    yield message

    def highest_requests(self) -> list[Message]:
        """Return each seat's epoch request, promise or vote of the highest epoch, seats rising.

        Of several of a seat the shortest is returned, since a promise can be very long.
        """
        found: dict[int, Message] = {}
        for message in self._by_hash.values():
            statement = message.statement
            if isinstance(statement, EpochRequest | EpochPromise | PrepareVote | CommitVote):
                highest = found.setdefault(message.seat, message)
                rank = self.epoch_of(highest), -len(highest.payload)
                if (statement.epoch, -len(message.payload)) > rank:
                    found[message.seat] = message
        return [found[seat] for seat in sorted(found)]

    def forget_inputs(self, epoch: int, keep: Callable[[Message, StepInput], bool]) -> None:
        """Remove the inputs of epochs below `epoch` that are not to be kept.

        Args:
            keep: Returns whether a message with its input stays.
        """
        # A copy, because the loop removes messages.
        for digest, message in [*self._by_hash.items(), *self._third_versions.items()]:
            step_input = message.statement
            if (
                isinstance(step_input, StepInput)
                and step_input.epoch < epoch
                and not keep(message, step_input)
            ):
                self.input_bytes[message.seat] -= len(message.payload)
                if self._third_versions.pop(digest, None) is None:
                    self._forget(message)

    def by_seat(self, seat: int | None) -> Iterable[Message]:
        """Return the messages of one seat, none for an onlooker (None) and no third versions."""
        return [m for m in self._by_hash.values() if m.seat == seat]
