"""The kinds of frames between two nodes: who may send one, its greatest length, and its handler.

A link looks up the kind of a frame when its first bytes are in. It closes before it reads the rest
of a frame that is too long ([L-3]). At a running table the session looks the kind up once and
passes it on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from protocol import codec, peer_frames

from . import chat, lobby, rematch_frames

OF_OTHERS: Final = 2_048
"""The most bytes of a frame of a kind that this version does not know."""
MOST_FIELDS: Final = 15
"""The most items in the array of a frame, its kind included."""


class Handler(Enum):
    """The part of a session that handles a frame at a running table."""

    GAME = auto()
    LOBBY = auto()
    TALK = auto()
    REMATCH = auto()
    NOBODY = auto()
    """The kind of the frame is unknown here, and the frame is ignored."""


class Sender(Enum):
    """The nodes from which frames of a kind are read at a running table."""

    ADMITTED = auto()
    """A seat that has shown the table, or an onlooker that was let in."""
    SEAT = auto()
    """These, and a seat that has not shown the table yet."""
    ANYONE = auto()
    """Any linked node, such as a guest."""


class Budget(Enum):
    """The budget of a link to which a frame is charged before it is read; see `rate_limit`.

    Frames that do not advance the game are also charged after they were read, for the processor
    time that they took.
    """

    NONE = auto()
    QUESTIONS = auto()
    """A request. Answers are not counted, because whoever asked would wait for a dropped one."""
    TALK = auto()
    REMATCH = auto()
    UNKNOWN = auto()
    """A frame of an unknown kind, which is not read. Many of them slow their link down."""


@dataclass(frozen=True)
class FrameKind:
    """The rules for frames of one kind.

    Attributes:
        most_bytes: The most bytes of such a frame.
        handler: The part of a session that handles it at a running table.
        sender: The nodes from which it is read there.
        budget: The budget to which it is charged before it is read.
        is_spread: Whether it is passed on to all nodes. While the machine waits for a computation,
            such a frame waits too, so that frames are read in their order.
        feature: The number of the feature that a node must have named to be sent such frames
            ([L-74]). None if every node may be sent them, as in this version.
    """

    most_bytes: int
    handler: Handler
    sender: Sender
    budget: Budget
    is_spread: bool = False
    feature: int | None = None


def _kinds() -> dict[int | str, FrameKind]:
    """Make the table of all kinds of frames."""
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
"""Every kind of frame, by the first item of its array.

The entry `roster` is for a running table. Only the roster of the next table is read there, and the
lobby does not handle it.
"""
_UNKNOWN: Final = FrameKind(OF_OTHERS, Handler.NOBODY, Sender.ANYONE, Budget.UNKNOWN)
_MALFORMED: Final = FrameKind(OF_OTHERS, Handler.GAME, Sender.ADMITTED, Budget.NONE)
"""The kind of bytes that do not begin as a frame. Their reader finds that they are none."""


def kind_of(head: bytes) -> FrameKind:
    """Return the kind of a frame.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        The rules for its kind. Unknown kinds and malformed bytes have rules of their own.

    SPEC: [L-77].
    """
    kind = codec.kind_at(head)
    if kind is not None and kind in KINDS:
        return KINDS[kind]
    is_row = 0x90 < head[0] <= 0x90 + MOST_FIELDS if head else False
    return _UNKNOWN if is_row and kind not in (None, "") else _MALFORMED


def is_known(head: bytes) -> bool:
    """Return whether a frame is of a known kind, so that it is read and not ignored ([L-77]).

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        False if the frame is ignored.
    """
    return kind_of(head).handler is not Handler.NOBODY


def is_of_game(head: bytes) -> bool:
    """Return whether the machine handles a frame. The kinds of all other frames are words.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        True also for malformed bytes, which the machine rejects.
    """
    return kind_of(head).handler is Handler.GAME


def feature_of(head: bytes) -> int | None:
    """Return the feature that a node must have named to be sent a frame ([L-74]).

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        The number of the feature, or None if every node may be sent the frame.
    """
    return kind_of(head).feature


def longest(head: bytes) -> int:
    """Return the most bytes that a frame may have.

    Args:
        head: The first 16 bytes of the frame, or all of a shorter one.

    Returns:
        The number of bytes.
    """
    return kind_of(head).most_bytes
