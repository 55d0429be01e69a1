"""Which text may stand in names, by fixed lists of code points that no Unicode version changes."""

from __future__ import annotations

import re
from typing import Final

FORBIDDEN: Final[tuple[tuple[int, int], ...]] = (
    (0x0000, 0x001F),  # controls
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),  # what renders as nothing, or stands for a break
    (0x034F, 0x034F),
    (0x0600, 0x0605),  # signs that span what follows
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),  # Hangul fillers
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian selectors
    (0x2000, 0x200F),  # spaces, joiners, direction marks
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),  # the Braille blank
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xF8FF),  # surrogates, private use
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFF),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1345F),  # Egyptian joiners and blanks
    (0x16FE4, 0x16FE4),
    (0x1BCA0, 0x1BCA3),
    (0x1D159, 0x1D159),
    (0x1D173, 0x1D17A),
    (0x1FFFE, 0x1FFFF),
    (0x2FFFE, 0x2FFFF),
    (0x3FFFE, 0x10FFFF),  # unassigned planes, tags, private use
)
"""The ranges of code points that plain text must not contain, both ends included ([H-6]).

They are controls, unusual spaces, direction marks, private use, and code points that are invisible
or look different on each machine.
"""
SEPARATORS: Final[tuple[int, ...]] = (
    *(0x002C, 0x003B, 0x037E, 0x055D, 0x060C, 0x061B, 0x07F8, 0x1363, 0x1364, 0x1802, 0x1808),
    *(0x201A, 0x204F, 0x2E32, 0x2E34, 0x2E35, 0x2E41, 0x2E49, 0x2E4C, 0x3001),
    *(0xA4FE, 0xA60D, 0xA6F5, 0xFE10, 0xFE11, 0xFE14, 0xFE45, 0xFE50, 0xFE51, 0xFE54),
    *(0xFF0C, 0xFF1B, 0xFF64),
)
"""The code points that a name must not contain, because names are shown in lists ([H-10]).

They are the commas and semicolons of all scripts, and signs that look like them.
"""


def _any_of(ranges: tuple[tuple[int, int], ...]) -> re.Pattern[str]:
    return re.compile("[" + "".join(rf"\U{low:08x}-\U{high:08x}" for low, high in ranges) + "]")


NOT_PLAIN: Final = _any_of(FORBIDDEN)
"""The pattern of a code point that plain text must not contain."""
_SEPARATOR: Final = _any_of(tuple((one, one) for one in SEPARATORS))


def is_plain(text: str) -> bool:
    """Return whether a text is plain: no forbidden code point, and no space at either end ([H-6]).

    Args:
        text: The text. The empty text is plain.

    Returns:
        Whether it is.
    """
    return text[:1] != " " and text[-1:] != " " and NOT_PLAIN.search(text) is None


def is_one_name(text: str) -> bool:
    """Return whether a text is plain and cannot be read as several names in a list ([H-10]).

    Args:
        text: The text.

    Returns:
        Whether it is.
    """
    return is_plain(text) and _SEPARATOR.search(text) is None
