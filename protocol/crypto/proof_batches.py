"""When proofs are checked: each where it stands, or all together afterwards, in any order.

A proof is a function of bytes alone that returns nothing, or raises Invalid. What goes on behind it
is the same whether it was checked yet or not; so if every proof holds that was put off, so does
what was found meanwhile. If one does not, nothing of it counts: then all is checked in its order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from ..bounds import Quota
from ..errors import Invalid

Proof = tuple[Callable[..., None], tuple[Any, ...]]
"""A function of a module and what it takes, so that it can go to another process; never a secret.
"""
Part = Sequence[Proof]
PART: Final = 16384
"""Bytes of the proofs that are handed over together: some ten ms of multiplications and more, in
which the next part finds its way."""


MOST_OUT: Final[Quota] = 1 << 23
"""Bytes of the proofs that are handed over and not known yet; so much memory they may take."""


class DoesNotHold(Exception):
    """A proof that was handed out does not hold."""


class Promise(Protocol):
    """A part under way, such as a `concurrent.futures.Future`."""

    def cancel(self) -> bool:
        """Take it back; False if it is begun or done, and will have a result."""

    def result(self) -> bool:
        """Whether all in it hold, once it is known."""


Submit = Callable[[Callable[[Part], bool], Part], Promise]
"""Has a part done, by whom and when it likes, such as the `submit` of an executor."""


class Checker(Protocol):
    """What becomes of a proof."""

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Check it now, or put it off."""


def at_once(check: Callable[..., None], *parts: Any) -> None:
    """Check it where it stands: Invalid if it does not hold."""
    check(*parts)


@dataclass
class HandedOut:
    """Proofs that others check meanwhile; once it is known whether they hold, those that come
    behind are checked where they stand."""

    submit: Submit
    _part: list[Proof] = field(default_factory=list)
    _size: int = 0
    _promised: deque[tuple[Promise, Part, int]] = field(default_factory=deque)
    _out: int = 0
    _over: bool = False

    def __call__(self, check: Callable[..., None], *parts: Any) -> None:
        """Put it off, and hand out what has come together once that is enough.

        Raises:
            DoesNotHold: too much was handed out, so what was first is waited for, and it fails.
        """
        if self._over:
            check(*parts)
            return
        self._part.append((check, parts))
        self._size += _size(parts)
        if self._size >= PART:
            self._hand_out()

    def _hand_out(self) -> None:
        self._promised.append((self.submit(all_hold, self._part), self._part, self._size))
        self._out += self._size
        self._part, self._size = [], 0
        while self._out > MOST_OUT:
            promise, part, size = self._promised.popleft()
            self._out -= size
            if not (all_hold(part) if promise.cancel() else promise.result()):
                raise DoesNotHold

    def hold(self) -> bool:
        """Whether all of them hold, once that is known of each or one does not. What nobody has
        begun is taken back and done here, where nothing else is to do; the first of it first, as
        the long proofs are those of the beginning, and what is left at the end is short."""
        self._over = True
        under_way: list[Promise] = []
        if not all_hold(self._part):
            return False
        for promise, part, _ in self._promised:
            if not promise.cancel():
                under_way.append(promise)
            elif not all_hold(part):
                return False
        return all(promise.result() for promise in under_way)


def all_hold(proofs: Part) -> bool:
    """Whether these hold, each checked where it stands."""
    try:
        for check, parts in proofs:
            check(*parts)
    except Invalid:
        return False
    return True


def _size(part: Any) -> int:
    """About how many bytes a part of a proof has."""
    if isinstance(part, tuple | list):
        return sum(map(_size, part))
    return len(part) if isinstance(part, bytes) else 0
