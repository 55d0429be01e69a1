"""The styles by name, in dark and in light; nothing is told by colour alone."""

from __future__ import annotations

from functools import cache
from typing import Final

from textual.color import Color
from textual.style import Style

SEATS: Final = {
    "black": ("#a8a8b8", "#303038"),
    "red": ("#ff6b6b", "#b3261e"),
    "blue": ("#6fb1ff", "#1d5fbf"),
    "green": ("#6fd08c", "#1f7a3d"),
    "purple": ("#d09bff", "#7b35b8"),
    "beige": ("#e6cf9f", "#8a6414"),
}
COLOURS: Final = {
    "plain": ("#d8d5cc", "#2a2a30"),
    "dim": ("#8d8a84", "#74716b"),
    "bright": ("#ffffff", "#000000"),
    "title": ("#f2c14e", "#7a4b00"),
    "good": ("#7fd18b", "#1c7a35"),
    "warn": ("#ffb454", "#9a5200"),
    "bad": ("#ff6b6b", "#b3261e"),
    "qr": ("#ffffff", "#ffffff"),
    "rule": ("#4a4742", "#c9c3b6"),
    **{f"seat.{name}": pair for name, pair in SEATS.items()},
}
GROUNDS: Final = {
    "": ("#16151a", "#faf6ec"),
    "cursor": ("#3a3420", "#f0dfae"),
    "panel": ("#211f26", "#efe8d8"),
    "qr": ("#000000", "#000000"),
    "alarm": ("#5a1512", "#f7d0cc"),
}
BOLD: Final = frozenset({"bright", "title", "good", "bad"})


@cache
def style_of(name: str, light: bool) -> Style:
    """The style of a name as in `seat.red`, `dim` or `title on cursor`; a leading `*` is bold."""
    ink, _, ground = name.partition(" on ")
    bold = ink.startswith("*")
    ink = ink.lstrip("*") or "plain"
    which = int(light)
    return Style(
        foreground=Color.parse(COLOURS.get(ink, COLOURS["plain"])[which]),
        background=Color.parse(GROUNDS.get(ground, GROUNDS[""])[which]),
        bold=bold or ink in BOLD or None,
        reverse=None,
    )
