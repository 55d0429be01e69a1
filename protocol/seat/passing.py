"""Passing on: which linked nodes a new message goes to, and which hear its author themselves.

Without it every seat would bring every other each word of all: at a full table of six, five times.
Who hears an author says so with every `Sync`; what is lost for all that is asked for within a
second ([L-6]), so this saves bytes and time and decides nothing ([L-66]).
"""

from __future__ import annotations

from ..wire.frames import Sync
from ..wire.messages import Message, Say
from . import sync
from .core import Core


def hear(core: Core, peer: bytes | None) -> None:
    """A frame has come from a linked node itself."""
    seat = _seat(core, peer)
    if seat in core.links:
        core.near.add(seat)


def note(core: Core, told: Sync, peer: bytes | None) -> None:
    """A linked node says whose words it hears from themselves."""
    if peer is not None:
        core.spared[peer] = frozenset(told.near)


def link_up(core: Core, peer: bytes) -> None:
    """A new link: nothing has come over it yet, either way."""
    core.near.discard(_seat(core, peer))
    core.spared.pop(peer, None)


def link_down(core: Core, peer: bytes) -> None:
    """Its words come past others now, who are told at once."""
    core.spared.pop(peer, None)
    if _seat(core, peer) in core.near:
        core.near.discard(_seat(core, peer))
        sync.sync(core, None)


def not_to(core: Core, message: Message, peer: bytes | None) -> frozenset[bytes]:
    """The nodes that a message need not be passed on to: whom it came from, and of a say those who
    hear its author themselves ([M-7]). Votes go round in any case: they are few, and in need."""
    known = frozenset() if peer is None else frozenset((peer,))
    if not isinstance(message.statement, Say):
        return known
    return known.union(p for p, seats in core.spared.items() if message.seat in seats)


def _seat(core: Core, peer: bytes | None) -> int:
    return core.table.ids.index(peer) if peer in core.table.ids else -1
