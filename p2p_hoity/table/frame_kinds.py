"""The kinds of frames between two nodes, and how long each may be.

A link looks a frame up here when its first bytes are in, and ends before it takes in the rest of
one that is too long ([L-3]).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from protocol import FRAME_SIZES

MOST_BYTES: Final[Mapping[int | str, int]] = {
    **dict[int | str, int](FRAME_SIZES.items()),
    # The lobby.
    "ask": 128,
    "offer": 32_768,
    "sit": 16_384,
    "names": 2_048,
    "refuse": 128,
    "asked": 128,
    "roster": 65_536,
    "table": 128,
    # Talk.
    "talk": 2_048,
    "passed": 2_048,
    # Another game with the same people.
    "again": 1_024,
    "no-more": 1_024,
}
"""The most bytes of a frame, by its kind: a number for frames of the table, else a word."""
OF_OTHERS: Final = 2_048
"""The most bytes of a frame of a kind that is not known here; later versions may have such ones."""
_SHORT_WORD: Final = range(0xA0, 0xC0)
"""First bytes of a word of at most 31 bytes."""


def longest(head: bytes) -> int:
    """Return the most bytes of a frame.

    Args:
        head: the first 16 bytes of the frame, or all of a shorter one.
    """
    kind = head[1] if len(head) > 1 else OF_OTHERS
    if kind not in _SHORT_WORD:
        return MOST_BYTES.get(kind, OF_OTHERS)
    word = head[2 : 2 + kind - _SHORT_WORD.start]
    return MOST_BYTES.get(word.decode("ascii", "replace"), OF_OTHERS)
