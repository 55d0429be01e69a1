"""Where the messages and bases of a change of epoch are found, and what may be amiss with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from ..chain.state import Node
from ..wire.messages import (
    Message,
)


class Malformed(Exception):
    """A halt or close that breaks its own form: its signer's doing."""


Lack = bytes | tuple[int, bytes]
"""A message, by its hash, or a base, by its epoch and digest."""


ReadingKey = tuple[bytes, bool]
"""A halt or close, by its hash, and whether it is read as one named in a proof."""


T = TypeVar("T")


class Unknown(Exception):
    """Something a message refers to is not held yet; `lack` says what."""

    def __init__(self, text: str, lack: Lack | None = None) -> None:
        self.lack = lack
        super().__init__(text)


class Void(Exception):
    """Two sealed bases of one epoch: the table is void, with proof."""


class Source(Protocol):
    """Where the messages and bases are found that a message refers to."""

    def message(self, digest: bytes) -> Message:
        """The message with this hash; raises Unknown."""

    def base(self, epoch: int, digest: bytes | None) -> Node:
        """The base of that epoch with this base digest (None: epoch 0); raises Unknown."""

    def once(self, key: ReadingKey, make: Callable[[], T]) -> T:
        """What `make` gives, made once for each reading; a Malformed it raises is kept too.

        A liar could else have one long halt read again by every close and proof that names it.

        SPEC: [V-12].
        """
