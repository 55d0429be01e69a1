"""The looks of the seats: a colour for dark and one for light grounds, by the seats' colours."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

SEATS: Final = {
    "black": ("#a8a8b8", "#303038"),
    "red": ("#ff6b6b", "#b3261e"),
    "blue": ("#6fb1ff", "#1d5fbf"),
    "green": ("#6fd08c", "#1f7a3d"),
    "purple": ("#d09bff", "#7b35b8"),
    "beige": ("#e6cf9f", "#8a6414"),
    "yellow": ("#f5e663", "#6b6400"),
    "orange": ("#ff9f50", "#b35300"),
    "white": ("#f4f4ff", "#5c5c70"),
    "pink": ("#ff9ecb", "#b8296f"),
    "brown": ("#c48a5c", "#6d4220"),
    "grey": ("#8fb0ad", "#3f6360"),
}
"""The looks of the seats' colours in the dark and the light version, by name."""
MORE_LOOKS: Final = ("yellow", "orange", "pink", "brown", "white", "grey")
"""The looks that no colour of the shipped editions has."""


@lru_cache(maxsize=32)
def looks(colours: tuple[str, ...]) -> dict[str, str]:
    """Choose for each colour of an edition a look in `SEATS`: its own, or a free one.

    No two names have the same look. There are at most as many colours as looks.
    """
    # Reversed, so that of two names that differ only in their case the first has its own look.
    own = {name.lower(): name for name in reversed(colours) if name.lower() in SEATS}
    spare = (look for look in (*MORE_LOOKS, *SEATS) if look not in own)
    found = {name: look for look, name in own.items()}
    return {name: found.get(name) or next(spare) for name in colours}
