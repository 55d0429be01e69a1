"""Read the small XML documents of routers, at a cost that grows only with their size.

A document is from whoever answers as the router. Names are read without their namespaces, since a
long namespace would be copied into each name. Whatever has more than MOST_ELEMENTS elements, a
deeper one than DEEPEST, or a document type declaration is not read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from protocol.units import Quota

MOST_ELEMENTS: Final[Quota] = 4096
"""The most elements of a document. The descriptions of routers have some hundred."""
DEEPEST: Final[Quota] = 64
"""The most elements inside each other. A description needs ten."""


class _Refused(Exception):
    """An exception that stops the parser at what no router needs."""


@dataclass
class Element:
    """An element of an XML document.

    Attributes:
        name: The name without its namespace, which routers often write wrongly.
        pieces: The text before the first element inside.
        inside: The elements directly inside.
    """

    name: str
    pieces: list[str] = field(default_factory=list)
    inside: list[Element] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text before the first element inside, without white space around it."""
        return "".join(self.pieces).strip()


def read_elements(data: bytes) -> list[Element]:
    """Return all elements of an XML document in the order of their beginnings, the root first.

    The caller limits the size of the data. The result is empty if they are not XML in UTF-8, or are
    refused.
    """
    reader = _Reader()
    try:
        data.decode("utf-8-sig")
        reader.parse(data)
    except (UnicodeDecodeError, expat.ExpatError, _Refused):
        return []
    return reader.found


class _Reader:
    """A reading of one document, with the elements that have begun."""

    def __init__(self) -> None:
        self.found: list[Element] = []
        self._open: list[Element] = []
        parser = self._parser = expat.ParserCreate("utf-8")  # whatever the document declares
        parser.buffer_text = True
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._write
        # A document type could define entities that expand to gigabytes.
        parser.StartDoctypeDeclHandler = self._refuse

    def parse(self, data: bytes) -> None:
        """Read the whole document. An ExpatError or _Refused is raised where it is not read on."""
        # At once: expat before 2.6 reads a long name again for each piece that it is given.
        self._parser.Parse(data, True)

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        """Add an element, unless there are too many of them."""
        if len(self.found) == MOST_ELEMENTS or len(self._open) == DEEPEST:
            raise _Refused
        element = Element(name.rpartition(":")[2])
        if self._open:
            self._open[-1].inside.append(element)
        self.found.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _write(self, text: str) -> None:
        # Later text is only the white space between the elements inside.
        if not self._open[-1].inside:
            self._open[-1].pieces.append(text)

    def _refuse(self, *declared: object) -> None:
        raise _Refused
