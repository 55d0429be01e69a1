"""The signed messages one node holds, by hash and by identity."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from ..bounds import Quota
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
"""Whose epoch promise names a message (None: nobody's), and whether only an epoch promise or
new-epoch message it accuses does."""
VARIANTS: Final[Quota] = 2
"""Versions of one identity that are kept: two prove the fault, more add nothing."""


K = TypeVar("K")


def _remove(shelf: dict[K, list[Message]], key: K, message: Message) -> None:
    shelf[key].remove(message)
    if not shelf[key]:
        del shelf[key]


class MessageStore:
    """Messages in the order they came; at most two versions of each identity."""

    def __init__(self) -> None:
        """Nothing is held yet."""
        self._by_hash: dict[bytes, Message] = {}
        self._by_identity: dict[tuple[int, ...], list[Message]] = {}
        self._inputs: dict[tuple[int, int], list[Message]] = {}
        self._epochs: dict[tuple[int, int], list[Message]] = {}
        self._spare: dict[bytes, Message] = {}
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
        return digest in self._by_hash or digest in self._spare

    def __iter__(self) -> Iterator[Message]:
        return iter(self._by_hash.values())

    def add(self, message: Message, sound: bool = False) -> bool:
        """Keep it unless it is known, or a third version that nobody refers to ([M-12]).

        `sound`: a new-epoch message that holds is kept whatever other versions came before it.
        """
        if message.hash in self:
            return False
        versions = self._by_identity.setdefault(message.identity, [])
        is_spare = len(versions) >= VARIANTS and not sound
        if is_spare and message.hash not in self.wants:
            return False
        self.wants.discard(message.hash)
        self.claims.pop(message.hash, None)
        if is_spare:
            self._spare[message.hash] = message
            self._count(message)
            return True
        versions.append(message)
        self._by_hash[message.hash] = message
        self._added += 1
        self._order[message.hash] = self._added
        self._index(message)
        return True

    def _count(self, message: Message) -> None:
        held = self.input_bytes.get(message.seat, 0)
        self.input_bytes[message.seat] = held + len(message.payload)

    def _index(self, message: Message) -> None:
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
            if isinstance(
                statement, EpochRequest
            ):  # the highest alone: no other says anything ([M-11])
                old = self._requests.setdefault(message.seat, message)
                if old is not message:
                    lower, higher = sorted((old, message), key=self.epoch_of)
                    self._requests[message.seat] = higher
                    self._forget(lower)

    @staticmethod
    def epoch_of(message: Message) -> int:
        """Return the epoch a message names; 0 for a back."""
        return 0 if isinstance(message.statement, Rejoin) else message.statement.epoch

    def _forget(self, message: Message) -> None:
        statement = message.statement
        del self._by_hash[message.hash], self._order[message.hash]
        _remove(self._by_identity, message.identity, message)
        if isinstance(statement, EpochRequest):
            _remove(self._epochs, (NUMBER[EpochRequest], statement.epoch), message)
        elif isinstance(statement, StepInput):
            _remove(self._inputs, (statement.epoch, statement.step), message)

    def find(self, digest: bytes) -> Message | None:
        """Return the message with this hash, if held."""
        return self._by_hash.get(digest) or self._spare.get(digest)

    def want(self, digest: bytes, claim: Claim = (None, False)) -> None:
        """Want the message with this hash from now on."""
        self.wants.add(digest)
        self.claims.setdefault(digest, set()).add(claim)

    def want_new_epoch(self, epoch: int) -> None:
        """Want the new-epoch messages of this epoch from now on."""
        self.wanted_new_epochs.add(epoch)

    def versions(self, identity: tuple[int, ...]) -> list[Message]:
        """Return all held versions of one identity, first seen first."""
        return self._by_identity.get(identity, [])

    def inputs(self, epoch: int, step: int) -> list[Message]:
        """Return the inputs of one step in one epoch, first seen first."""
        return self._inputs.get((epoch, step), [])

    def epoch_inputs(self, epoch: int, first: int = 0) -> list[Message]:
        """Return all inputs of an epoch from step `first` on, by step."""
        keys = sorted(key for key in self._inputs if key[0] == epoch and key[1] >= first)
        return [message for key in keys for message in self._inputs[key]]

    def count_inputs(self, epoch: int) -> int:
        """Return the number of inputs of an epoch, two versions of each at most."""
        return sum(len(held) for (of, _), held in self._inputs.items() if of == epoch)

    def of_epoch(
        self,
        kind: type[EpochRequest | EpochPromise | NewEpoch | PrepareVote | CommitVote],
        epoch: int,
    ) -> list[Message]:
        """Return the messages of this kind of one epoch, first seen first."""
        return self._epochs.get((NUMBER[kind], epoch), [])

    def epochs_of(
        self, kind: type[EpochRequest | EpochPromise | NewEpoch | PrepareVote | CommitVote]
    ) -> list[int]:
        """Return the epochs of which a message of this kind is held."""
        return sorted(epoch for number, epoch in self._epochs if number == NUMBER[kind])

    def promises_by(self, seat: int) -> list[Message]:
        """Return the epoch promises of one seat, in the order they came."""
        promises = (
            m for epoch in self.epochs_of(EpochPromise) for m in self.of_epoch(EpochPromise, epoch)
        )
        return sorted((m for m in promises if m.seat == seat), key=lambda m: self._order[m.hash])

    def highest_request(self, seat: int | None) -> int:
        """Return the epoch of a seat's highest epoch request; 0 for none."""
        request = None if seat is None else self._requests.get(seat)
        return 0 if request is None else self.epoch_of(request)

    def rejoins(self) -> list[Message]:
        """Return all rejoins."""
        return list(self._rejoins)

    def since(self, epoch: int, step: int) -> list[Message]:
        """Return what a node that stands at this step of this epoch may lack, in the order it came.

        Every back; the inputs of this step and later ones, and all of an epoch from `epoch` on that
        is not the first; of all else what is of `epoch` or later.
        """
        shelves = [
            held
            for (said, at), held in self._inputs.items()
            if said >= max(1, epoch) or (said, at) >= (epoch, step)
        ]
        shelves += [held for (_, of), held in self._epochs.items() if of >= max(1, epoch)]
        found = [message for held in (*shelves, self._rejoins) for message in held]
        return sorted(found, key=lambda message: self._order[message.hash])

    def inputs_by(self, seat: int) -> Iterator[Message]:
        """Yield every input of one seat, spare versions too; `said_bytes` counts their bytes."""
        for shelf in (self._by_hash, self._spare):
            for message in shelf.values():
                if message.seat == seat and isinstance(message.statement, StepInput):
                    yield message

    def highest_requests(self) -> list[Message]:
        """Return of each seat the epoch request, epoch promise or vote of the highest epoch."""
        found: dict[int, Message] = {}
        for message in self._by_hash.values():
            statement = message.statement
            if isinstance(statement, EpochRequest | EpochPromise | PrepareVote | CommitVote):
                held = found.setdefault(message.seat, message)
                if statement.epoch > self.epoch_of(held):
                    found[message.seat] = message
        return [found[seat] for seat in sorted(found)]

    def forget_inputs(self, epoch: int, keep: Callable[[Message, StepInput], bool]) -> None:
        """Drop the inputs of epochs below `epoch` that nothing keeps."""
        for digest, message in [*self._by_hash.items(), *self._spare.items()]:
            step_input = message.statement
            if (
                isinstance(step_input, StepInput)
                and step_input.epoch < epoch
                and not keep(message, step_input)
            ):
                self.input_bytes[message.seat] -= len(message.payload)
                if self._spare.pop(digest, None) is None:
                    self._forget(message)

    def by_seat(self, seat: int | None) -> Iterable[Message]:
        """Return everything one seat signed."""
        return [m for m in self._by_hash.values() if m.seat == seat]
