"""The time at which proofs are checked: each at its place, or all together, in any order.

A proof is a function of bytes alone that returns nothing, or raises Invalid. The work after it is
the same, whether it was checked already or not. So if every proof that was put off is valid,
everything that was found meanwhile is right. If one is invalid, all of it is dropped, and the
proofs are checked in their order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ..bounds import Quota
from ..errors import Invalid

Proof = tuple[Callable[..., None], tuple[Any, ...]]
"""A function of a module and its arguments, so that another process can run it.

It has no secrets.
"""
Part = Sequence[Proof]
"""Proofs that are handed over together."""
PART: Final = 16384
"""The bytes of proofs that are handed over together, which take ten milliseconds or more."""


MOST_OUT: Final[Quota] = 1 << 23
"""The most bytes of proofs that are handed over and not checked yet, which bounds the memory."""


class InvalidProof(Exception):
    """A proof that was handed over is invalid."""


class Promise(Protocol):
    """A part under way at an executor, such as a `concurrent.futures.Future`."""

    def cancel(self) -> bool:
        """Take the part back, if its check has not begun.

        Returns:
            False if the check has begun or is done, so that there will be a result.
        """

    def result(self) -> bool:
        """Wait for the result of the part.

        Returns:
            Whether all proofs in it are valid.
        """


Submit = Callable[[Callable[[Part], bool], Part], Promise]
"""A function that has a part checked elsewhere, such as the `submit` of an executor."""


class Checker(Protocol):
    """A function that takes a proof, and checks it now or later."""

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Check a proof now, or put the check off."""


def at_once(check: Callable[..., None], *parts: Any) -> None:
    """Check a proof at its place.

    Args:
        check: The function that checks it. It raises Invalid if the proof is invalid.
        parts: The arguments of the function.
    """
    check(*parts)


@dataclass
class HandedOut:
    """The proofs that others check while the caller goes on.

    After `are_valid` every further proof is checked at its place.

    Attributes:
        submit: Has a part checked elsewhere.
    """

    submit: Submit
    _part: list[Proof] = field(default_factory=list)
    _size: int = 0
    _promised: deque[tuple[Promise, Part, int]] = field(default_factory=deque)
    _out: int = 0
    _over: bool = False

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Put a proof off, and hand over the collected proofs once they have enough bytes.

        Raises:
            InvalidProof: If so much is handed over that the first part is waited for, and it has an
                invalid proof.
        """
        if self._over:
            check(*parts)
            return
        self._part.append((check, parts))
        self._size += _size(parts)
        if self._size >= PART:
            self._hand_out()

    def _hand_out(self) -> None:
        """Hand over the collected proofs, and wait for the first if too many bytes are out."""
        self._promised.append((self.submit(all_valid, self._part), self._part, self._size))
        self._out += self._size
        self._part, self._size = [], 0
        while self._out > MOST_OUT:
            promise, part, size = self._promised.popleft()
            self._out -= size
            if not (all_valid(part) if promise.cancel() else promise.result()):
                raise InvalidProof

    def are_valid(self) -> bool:
        """Return whether all proofs are valid, and wait for their results.

        Parts that nobody has begun are taken back and checked here. They are checked in their
        order, because the long proofs are those of the beginning, and what is left at the end is
        short.

        Returns:
            False as soon as one proof is known to be invalid.
        """
        self._over = True
        under_way: list[Promise] = []
        if not all_valid(self._part):
            return False
        for promise, part, _ in self._promised:
            if not promise.cancel():
                under_way.append(promise)
            elif not all_valid(part):
                return False
        return all(promise.result() for promise in under_way)


def all_valid(proofs: Part) -> bool:
    """Return whether all proofs are valid, after checking each here.

    Args:
        proofs: The proofs.

    Returns:
        Whether they are.
    """
    try:
        for check, parts in proofs:
            check(*parts)
    except Invalid:
        return False
    return True


def _size(part: Any) -> int:
    """Return about how many bytes the arguments of a proof have."""
    if isinstance(part, tuple | list):
        return sum(map(_size, part))
    return len(part) if isinstance(part, bytes) else 0
