"""The kinds of frames between two nodes: who may send one, how long it may be, and who handles it.

A link looks a frame up here when its first bytes are in, and ends before it takes in the rest of
one that is too long ([L-3]). At a running table the session looks it up once, and hands it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from protocol import codec, peer_frames

from . import chat, lobby, rematch_frames

OF_OTHERS: Final = 2_048
"""The most bytes of a frame of a kind that is not known here; later versions may have such ones."""
MOST_FIELDS: Final = 15
"""Items of a frame, its kind being the first: an array of more begins otherwise."""


class Handler(Enum):
    """What handles a frame at a running table."""

    GAME = auto()
    LOBBY = auto()
    TALK = auto()
    REMATCH = auto()
    NOBODY = auto()
    """It is of a kind that is not known here, and is ignored."""


class Sender(Enum):
    """Whose frames are read at a running table; those of others are dropped unread."""

    ADMITTED = auto()
    """A seat that has shown the table, or an onlooker that was let in."""
    SEAT = auto()
    """These, and a seat that has not yet shown the table."""
    ANYONE = auto()
    """Any linked node, such as a guest."""


class Budget(Enum):
    """What a frame is charged to before it is read; see `rate_limit`.

    Whatever leads the game nowhere is charged afterwards, for the processor time that it took.
    """

    NONE = auto()
    QUESTIONS = auto()
    """A request. Answers are not counted, because a seat would wait in vain for one dropped."""
    TALK = auto()
    REMATCH = auto()
    UNKNOWN = auto()
    """A frame of an unknown kind. None is read; who sends many is read more slowly."""


@dataclass(frozen=True)
class FrameKind:
    """How frames of one kind are treated.

    Attributes:
        most_bytes: The most bytes of such a frame.
        handler: What handles it at a running table.
        sender: Whose frames of this kind are read there.
        budget: What it is charged to before it is read.
        is_spread: Whether it was told to all. It is read in its turn, and not before a job is done.
        feature: The feature of a node without which it is not sent such frames ([L-74]). None is
            needed in this version.
    """

    most_bytes: int
    handler: Handler
    sender: Sender
    budget: Budget
    is_spread: bool = False
    feature: int | None = None


def _kinds() -> dict[int | str, FrameKind]:
    rows: tuple[tuple[codec.Kinds[Any], Handler, Sender, Budget], ...] = (
        (peer_frames.FRAMES, Handler.GAME, Sender.ADMITTED, Budget.NONE),
        (lobby.FRAMES, Handler.LOBBY, Sender.ANYONE, Budget.NONE),
        (chat.FRAMES, Handler.TALK, Sender.ADMITTED, Budget.TALK),
        (rematch_frames.FRAMES, Handler.REMATCH, Sender.SEAT, Budget.REMATCH),
    )
    found: dict[int | str, FrameKind] = {
        kind: FrameKind(size, handler, sender, budget)
        for frames, handler, sender, budget in rows
        for kind, size in frames.sizes.items()
    }
    for number, row in peer_frames.FRAMES.rows.items():
        if row.kind in peer_frames.REQUESTS:
            found[number] = replace(found[number], budget=Budget.QUESTIONS)
        elif row.kind in peer_frames.SPREAD:
            found[number] = replace(found[number], is_spread=True)
    return found | {"roster": replace(found["again"], most_bytes=found["roster"].most_bytes)}


KINDS: Final[Mapping[int | str, FrameKind]] = _kinds()
"""Every kind of frame, by the first item of its array. At a running table only the roster of the
next one is read, which is no frame of the lobby there."""
_UNKNOWN: Final = FrameKind(OF_OTHERS, Handler.NOBODY, Sender.ANYONE, Budget.UNKNOWN)
_MALFORMED: Final = FrameKind(OF_OTHERS, Handler.GAME, Sender.ADMITTED, Budget.NONE)
"""Whoever reads it finds that it is no frame."""


def kind_of(head: bytes) -> FrameKind:
    """Return the kind of a frame.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    SPEC: [L-77].
    """
    kind = codec.kind_at(head)
    if kind is not None and kind in KINDS:
        return KINDS[kind]
    is_row = 0x90 < head[0] <= 0x90 + MOST_FIELDS if head else False
    return _UNKNOWN if is_row and kind not in (None, "") else _MALFORMED


def is_known(head: bytes) -> bool:
    """Return whether a frame that begins like this is to be read; others are ignored ([L-77])."""
    return kind_of(head).handler is not Handler.NOBODY


def is_of_game(head: bytes) -> bool:
    """Return whether a frame that begins like this is one of the game; others begin with a word."""
    return kind_of(head).handler is Handler.GAME


def feature_of(head: bytes) -> int | None:
    """Return the feature that a node must have named to be sent such a frame ([L-74])."""
    return kind_of(head).feature


def longest(head: bytes) -> int:
    """Return the most bytes of a frame that begins like this."""
    return kind_of(head).most_bytes
