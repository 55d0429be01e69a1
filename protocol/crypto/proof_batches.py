"""Two ways to check proofs: each immediately, or in batches that other processes check.

While other processes check a batch, the caller goes on as if all proofs were valid. If the batch
contains an invalid proof, the caller drops what it has computed meanwhile, and starts again with
each proof checked immediately.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ..errors import Invalid
from ..units import Quota

Proof = tuple[Callable[..., None], tuple[Any, ...]]
"""The function that checks a proof, and its arguments, none of which is a secret.

The function is defined at the top of a module, so that another process can run it.
"""
Part = Sequence[Proof]
"""A batch of proofs that are handed over together."""
PART: Final = 16384
"""The bytes from which on a batch of proofs is handed over. Its check takes ten ms or more."""


MOST_OUT: Final[Quota] = 1 << 23
"""The most bytes of proofs that are handed over and not checked yet, to bound the memory."""


class InvalidProof(Exception):
    """The error that a batch of proofs contains an invalid proof."""


class Promise(Protocol):
    """The future result of a batch of proofs, such as a `concurrent.futures.Future`."""

    def cancel(self) -> bool:
        """Cancel the check if it has not begun, and return whether it is cancelled."""

    def result(self) -> bool:
        """Wait until the batch is checked, and return whether all its proofs are valid."""


Submit = Callable[[Callable[[Part], bool], Part], Promise]
"""A function that has a batch of proofs checked elsewhere, such as an executor's `submit`."""


class Checker(Protocol):
    """A function that takes a proof, and checks it now or later."""

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Check a proof by `check(*parts)`, now or later. A check made now can raise Invalid."""


def at_once(check: Callable[..., None], *parts: Any) -> None:
    """Check a proof now. `check` raises Invalid if the proof is invalid."""
    check(*parts)


@dataclass
class HandedOut:
    """A collector of proofs, which hands them over in batches that are checked elsewhere.

    After a call of `are_valid`, it checks every further proof immediately.
    """

    submit: Submit
    _part: list[Proof] = field(default_factory=list)
    _size: int = 0
    _promised: deque[tuple[Promise, Part, int]] = field(default_factory=deque)
    _out: int = 0
    _over: bool = False

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Collect a proof. Once the collected proofs have `PART` bytes, hand them over.

        Raises:
            InvalidProof: If more than `MOST_OUT` bytes were unchecked, and the oldest batch, which
                was then waited for, has an invalid proof.
        """
        if self._over:
            check(*parts)
            return
        self._part.append((check, parts))
        self._size += _size(parts)
        if self._size >= PART:
            self._hand_out()

    def _hand_out(self) -> None:
        """Hand over the collected proofs. Wait while more than `MOST_OUT` bytes are unchecked."""
        self._promised.append((self.submit(all_valid, self._part), self._part, self._size))
        self._out += self._size
        # A new list, because the worker and `_promised` hold the former one.
        self._part, self._size = [], 0
        while self._out > MOST_OUT:
            promise, part, size = self._promised.popleft()
            self._out -= size
            # A batch that no worker has begun is checked here rather than waited for.
            if not (all_valid(part) if promise.cancel() else promise.result()):
                raise InvalidProof

    def are_valid(self) -> bool:
        """Wait until all proofs are checked, and return whether all of them are valid."""
        # Nobody calls again to wait for what is handed over after this, so it is checked at once.
        self._over = True
        under_way: list[Promise] = []
        if not all_valid(self._part):
            return False
        for promise, part, _ in self._promised:
            # What no worker has begun is taken back and checked here, in order.
            if not promise.cancel():
                under_way.append(promise)
            elif not all_valid(part):
                return False
        # Waited for last, so that workers and this process check at the same time.
        return all(promise.result() for promise in under_way)


def all_valid(proofs: Part) -> bool:
    """Check all proofs here, and return whether they are valid."""
    try:
        for check, parts in proofs:
            check(*parts)
    except Invalid:
        return False
    return True


def _size(part: Any) -> int:
    """Return the total length of all byte strings in a value, also in nested tuples and lists."""
    if isinstance(part, tuple | list):
        return sum(map(_size, part))
    return len(part) if isinstance(part, bytes) else 0
