"""The kinds of frames between two peers: who may send one, its greatest length, and its handler.

A link looks up the kind of a frame when the first bytes of the frame have arrived. If the frame is
too long, the link is closed before the rest is read ([L-3]). At a running table the session looks
the kind up once for each frame. The head of a frame is its first 16 bytes, or all of a shorter one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any, Final

from protocol import codec, peer_frames

from ..beside_game import chat, rematch_frames
from ..gathering import lobby

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
    """Handles frames of a kind that is unknown here: they are ignored."""


class Sender(Enum):
    """The allowed senders of a kind of frame at a running table. Other frames are not read."""

    ADMITTED = auto()
    """A seat that has shown the table, or an onlooker that was let in."""
    SEAT = auto()
    """The peers of ADMITTED, and a seat that has not shown the table yet."""
    ANYONE = auto()
    """Any linked peer, such as a guest."""


class Budget(Enum):
    """The rate limit of a link that counts a frame before the frame is read.

    After a frame was read, the processor time for the frame is charged to the link as well, unless
    the frame advanced the game.
    """

    NONE = auto()
    QUESTIONS = auto()
    """A request. Answers are not counted, because the asking peer would miss a dropped answer."""
    TALK = auto()
    REMATCH = auto()
    UNKNOWN = auto()
    """A frame of an unknown kind, which is not read. Many such frames slow their link down."""


@dataclass(frozen=True)
class FrameKind:
    """The rules for frames of one kind.

    Attributes:
        is_spread: Whether such frames are passed on to all peers. They are queued while the state
            machine of the game makes a long computation, and then read in their order.
        feature: The number of a protocol feature that a peer must have named to be sent such a
            frame ([L-74]). None if there is none.
    """

    most_bytes: int
    handler: Handler
    sender: Sender
    budget: Budget
    is_spread: bool = False
    feature: int | None = None


def _kinds() -> dict[int | str, FrameKind]:
    """Make the mapping from the first item of a frame to the rules for its kind."""
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
    # A roster is a frame of the lobby, and of another game, too: there as `again` is.
    return found | {"roster": replace(found["again"], most_bytes=found["roster"].most_bytes)}


KINDS: Final[Mapping[int | str, FrameKind]] = _kinds()
"""Every kind of frame, by the first item of its array.

The rules under `roster` are for a running table. There only the roster of the next table is read,
and the agreement on another game handles it instead of the lobby.
"""
_UNKNOWN: Final = FrameKind(OF_OTHERS, Handler.NOBODY, Sender.ANYONE, Budget.UNKNOWN)
_MALFORMED: Final = FrameKind(OF_OTHERS, Handler.GAME, Sender.ADMITTED, Budget.NONE)
"""The rules for bytes that do not begin as a frame. The machine then rejects them as invalid."""


def kind_of(head: bytes) -> FrameKind:
    """Return the rules for a frame. Unknown kinds and malformed bytes have their own ([L-77])."""
    kind = codec.kind_at(head)
    if kind is not None and kind in KINDS:
        return KINDS[kind]
    # An empty array or an empty word names no kind, so such bytes are malformed ([L-77]).
    is_row = 0x90 < head[0] <= 0x90 + MOST_FIELDS if head else False
    return _UNKNOWN if is_row and kind not in (None, "") else _MALFORMED


def is_known(head: bytes) -> bool:
    """Return whether the kind of a frame is known, so that the frame is not ignored ([L-77])."""
    return kind_of(head).handler is not Handler.NOBODY


def is_of_game(head: bytes) -> bool:
    """Return whether the state machine of the game handles a frame.

    The kind of such a frame is a number, that of all others a word. Malformed bytes count as the
    game's, so that it rejects them.
    """
    return kind_of(head).handler is Handler.GAME


def feature_of(head: bytes) -> int | None:
    """Return the feature that a peer must support to be sent a frame, or None ([L-74])."""
    return kind_of(head).feature


def longest(head: bytes) -> int:
    """Return the most bytes that a frame may have."""
    return kind_of(head).most_bytes
