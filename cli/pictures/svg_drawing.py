"""A drawing in SVG: shapes and texts are added one by one, and it becomes a file as a whole.

A viewer chooses the fonts, so the width of a text is not known. It is estimated by a wide font, so
that a text has room in most fonts. All lengths are in units of the drawing, which viewers scale.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree

from .. import printing

SVG: Final = "http://www.w3.org/2000/svg"
SANS: Final = "Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif"
SERIF: Final = "Palatino, Palatino Linotype, Georgia, DejaVu Serif, serif"
CUT: Final = "…"
HEARD: Final = ("title", "desc")
"""The elements with which a drawing begins, for readers that hear it."""
WIDTHS: Final = {
    **dict.fromkeys("ijl|!.,:;'I·", 0.34),
    **dict.fromkeys("ftr()[]/- ", 0.41),
    **dict.fromkeys("mwM%@→", 0.96),
    "W": 1.0,
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ", 0.74),
}
"""The widths of letters as parts of the size of a font."""
USUAL, WIDE, BOLD = 0.63, 1.02, 1.12
"""The width of a letter that is not in WIDTHS, of one of a wide script, and the factor of bold."""
BESIDE_NUMBER: Final = re.compile(r"(?<=\w) (?=\d)|(?<=\d) (?=\w)")
"""The pattern of a space beside a number, such as those in `round 3` and `3 fields`."""
Point = tuple[float, float]

ElementTree.register_namespace("", SVG)


def number(value: float) -> str:
    """Return a length as short text, such as 12 or 12.5."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Estimate the width of a text in a font of a size, rather too large than too small."""
    return sum(map(_width, words)) * size * (BOLD if bold else 1)


def _width(letter: str) -> float:
    """Return the width of a letter as a part of the size of its font."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE
    return WIDTHS.get(letter, USUAL)


def cut(words: str, width: float, size: float, bold: bool = False) -> str:
    """Cut a text to a width, with `…` at its end if it was cut."""
    if text_width(words, size, bold) <= width:
        return words
    while words and text_width(words + CUT, size, bold) > width:
        words = words[:-1]
    return words.rstrip() + CUT


def wrapped(words: str, width: float, size: float, bold: bool = False) -> list[str]:
    """Break a text into lines that fit a width, between words, or inside a word that is longer.

    A number stays on the line of the word before and behind it.
    """

    def taken(part: str) -> int:
        return round(text_width(part, size, bold))

    glued = BESIDE_NUMBER.sub(printing.GLUE, words)
    lines = printing.broken(glued, int(width), "", taken)
    return [line.replace(printing.GLUE, " ") for line in lines]


class Drawing:
    """A drawing that grows downward. What is added later covers what was added before.

    Attributes:
        width: The width of the drawing. Its height is given at the end.
    """

    def __init__(self, width: float, title: str, description: str, language: str) -> None:
        """Begin a drawing with a title and a description, which readers with no picture hear."""
        self.width = width
        self._root = ElementTree.Element(f"{{{SVG}}}svg", {"role": "img", "lang": language})
        for name, words in zip(HEARD, (title, description), strict=True):
            self._add(name, {}).text = printing.shown(words)

    def rectangle(
        self,
        corner: Point,
        size: Point,
        fill: str,
        stroke: str = "none",
        radius: float = 0,
        opacity: float = 1,
    ) -> None:
        """Add a rectangle by its upper left corner, its width and its height."""
        (x, y), (width, height) = corner, size
        style = Style(fill=fill, stroke=stroke, rx=radius, fill_opacity=opacity)
        self._add("rect", style, x=x, y=y, width=width, height=height)

    def circle(self, centre: Point, radius: float, fill: str, stroke: str = "none") -> None:
        """Add a circle."""
        x, y = centre
        self._add("circle", Style(fill=fill, stroke=stroke), cx=x, cy=y, r=radius)

    def shape(self, points: Iterable[Point], fill: str, stroke: str = "none") -> None:
        """Add a closed shape with straight edges."""
        corners = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._add("polygon", Style(fill=fill, stroke=stroke), points=corners)

    def line(
        self,
        points: Sequence[Point],
        stroke: str,
        width: float = 1,
        dashes: str = "none",
        opacity: float = 1,
    ) -> None:
        """Add a line through some points. `dashes` are lengths drawn and left out in turn."""
        way = " L".join(f"{number(x)} {number(y)}" for x, y in points)
        style = Style(stroke=stroke, stroke_width=width, stroke_dasharray=dashes)
        ends = Style(stroke_linejoin="round", stroke_linecap="round", stroke_opacity=opacity)
        self._add("path", style | ends, d=f"M{way}", fill="none")

    def text(
        self,
        at: Point,
        words: str,
        size: float,
        fill: str,
        anchor: str = "start",
        bold: bool = False,
        family: str = SANS,
        whole: str = "",
    ) -> None:
        """Add one line of text, by the point at its base line.

        Args:
            anchor: Whether that point is at the `start`, the `middle` or the `end` of the text.
            whole: The whole text, if `words` may have been cut.
        """
        weight = "bold" if bold else "normal"
        style = Style(font_family=family, font_size=size, font_weight=weight, text_anchor=anchor)
        found = self._add("text", style, x=at[0], y=at[1], fill=fill)
        # Characters that no XML file may contain are shown as their escapes.
        found.text = printing.shown(words)
        if whole and whole != words:
            ElementTree.SubElement(found, f"{{{SVG}}}title").text = printing.shown(whole)

    def finish(self, height: float, ground: str) -> str:
        """Return the drawing as the text of a file, with a ground of one colour behind it."""
        width, size = number(self.width), number(height)
        area = {"width": width, "height": size}
        for name, value in {**area, "viewBox": f"0 0 {width} {size}"}.items():
            self._root.set(name, value)
        behind = ElementTree.Element(f"{{{SVG}}}rect", {**area, "fill": ground})
        self._root.insert(len(HEARD), behind)
        for element in self._root:
            element.tail = "\n"
        text = ElementTree.tostring(self._root, encoding="unicode")
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'

    def _add(self, name: str, style: Style, **given: float | str) -> ElementTree.Element:
        """Add an element, without the parts of its style that have their usual value."""
        told = {key: value for key, value in style.items() if (key, value) not in USUAL_STYLE}
        attributes = {
            key.replace("_", "-"): value if isinstance(value, str) else number(value)
            for key, value in {**given, **told}.items()
        }
        return ElementTree.SubElement(self._root, f"{{{SVG}}}{name}", attributes)


Style = dict[str, float | str]
"""Attributes of an element by their names, with `_` in place of `-`."""
USUAL_STYLE: Final = {
    ("stroke", "none"),
    ("rx", 0),
    ("fill_opacity", 1),
    ("stroke_opacity", 1),
    ("stroke_dasharray", "none"),
    ("font_weight", "normal"),
    ("text_anchor", "start"),
}
"""The attributes with the values that they have if they are left out."""
