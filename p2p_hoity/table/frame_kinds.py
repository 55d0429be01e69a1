"""The kinds of frames between two nodes: who may send one, how long it may be, and who handles it.

A link looks a frame up here when its first bytes are in, and ends before it takes in the rest of
one that is too long ([L-3]). At a running table the session looks it up once, and hands it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

from protocol import codec, peer_frames

from . import chat, lobby, rematch_frames

OF_OTHERS: Final = 2_048
"""The most bytes of a frame of a kind that is not known here; later versions may have such ones."""


class Part(Enum):
    """What handles a frame at a running table."""

    GAME = auto()
    LOBBY = auto()
    TALK = auto()
    REMATCH = auto()


class Sender(Enum):
    """Whose frames are read at a running table; those of others are dropped unread."""

    ADMITTED = auto()
    """A seat that has shown the table, or an onlooker that was let in."""
    SEAT = auto()
    """These, and a seat that has not yet shown the table."""
    ANYONE = auto()
    """Any linked node, such as a guest."""


class Budget(Enum):
    """Which allowance of its link a frame of the game is charged to before it is read.

    The other parts count their frames themselves. Whatever leads the game nowhere is charged
    afterwards, for the processor time that it took.
    """

    NONE = auto()
    QUESTIONS = auto()
    """A request. Answers are not counted, because a seat would wait in vain for one dropped."""
    ONCE = auto()
    """What is told to all, and kept: the same frame is not read twice."""


@dataclass(frozen=True)
class FrameKind:
    """One kind of frame; see the classes of its fields."""

    most_bytes: int
    part: Part
    sender: Sender
    budget: Budget = Budget.NONE


def _kinds() -> dict[int | str, FrameKind]:
    asks, once = dict.fromkeys((1, 2, 3), Budget.QUESTIONS), dict.fromkeys((0, 5), Budget.ONCE)
    rows: tuple[tuple[codec.Kinds[Any], Part, Sender], ...] = (
        (peer_frames.FRAMES, Part.GAME, Sender.ADMITTED),
        (lobby.FRAMES, Part.LOBBY, Sender.ANYONE),
        (chat.FRAMES, Part.TALK, Sender.ADMITTED),
        (rematch_frames.FRAMES, Part.REMATCH, Sender.SEAT),
    )
    found = {
        kind: FrameKind(size, part, sender, (asks | once).get(kind, Budget.NONE))
        for frames, part, sender in rows
        for kind, size in frames.sizes.items()
    }
    roster = found["roster"].most_bytes
    return found | {"roster": FrameKind(roster, Part.REMATCH, Sender.SEAT)}


KINDS: Final[Mapping[int | str, FrameKind]] = _kinds()
"""Every kind of frame, by the first item of its array. At a running table only the roster of the
next one is read, which is no frame of the lobby there."""
_NUMBERED: Final = FrameKind(OF_OTHERS, Part.GAME, Sender.ADMITTED)
_WORDED: Final = FrameKind(OF_OTHERS, Part.LOBBY, Sender.ANYONE)


def kind_of(head: bytes) -> FrameKind:
    """Return the kind of a frame.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.
    """
    kind = codec.kind_at(head)
    if kind is not None and kind in KINDS:
        return KINDS[kind]
    return _WORDED if isinstance(kind, str) else _NUMBERED


def is_of_game(head: bytes) -> bool:
    """Return whether a frame that begins like this is one of the game; others begin with a word."""
    return kind_of(head).part is Part.GAME


def longest(head: bytes) -> int:
    """Return the most bytes of a frame that begins like this."""
    return kind_of(head).most_bytes
