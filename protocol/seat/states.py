"""The state table of a seat: where it stands, and which statements it may sign there."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from ..wire.messages import Accept, Back, Close, Halt, Late, Say, SealVote


class State(StrEnum):
    """Where a seat stands; `SIGNS` says what it may sign there."""

    STANDING = "standing"
    HALTED = "halted"
    FINISHED = "finished"
    SILENT = "silent"
    WATCHING = "watching"
    LEFT = "left"
    BROKEN = "broken"


_VOTES: Final = frozenset({Close, Accept, SealVote})
SIGNS: Final[Mapping[State, frozenset[type[Any]]]] = {
    State.STANDING: _VOTES | {Say, Late, Back},
    State.HALTED: _VOTES | {Halt, Late, Back},
    State.FINISHED: _VOTES | {Say, Halt, Late, Back},
    State.SILENT: frozenset(),
    State.WATCHING: frozenset(),
    State.LEFT: frozenset(),
    State.BROKEN: frozenset(),
}
"""The state table of a seat: which statements it may sign in which state.

standing: its promise is the epoch it stands in. halted: its promise is above every open epoch.
finished: its end is final; it stays to answer and to vote, and
wishes an epoch only when halted, or when it can prove a fault. silent: it takes its seat again,
and the others have not told yet what they hold of it. watching: it has no seat. left: it
has said that it leaves for now, and comes back by taking its seat again. broken: the
table ended before the game began, or is void.
"""
