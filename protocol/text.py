"""Plain text: what may stand in a name, the same in every language and Unicode version."""

from __future__ import annotations

from typing import Final

FORBIDDEN: Final[tuple[tuple[int, int], ...]] = (
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x061C, 0x061C),
    (0x180E, 0x180E),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x3000, 0x3000),
    (0xD800, 0xF8FF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFFF),
    (0xE0000, 0x10FFFF),
)
"""Code points of controls, odd spaces, direction marks, variation and private use, by range."""


def is_plain(text: str) -> bool:
    """No forbidden code point, and no space at either end."""
    if text[:1] == " " or text[-1:] == " ":
        return False
    return not any(low <= ord(c) <= high for c in text for low, high in FORBIDDEN)
