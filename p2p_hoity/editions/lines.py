"""Where in a TOML text a field stands, so that an error can name its line.

A search, not a parser: tomllib has parsed the text already and says nothing of lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Path = tuple[str | int, ...]

_SKIP = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*')


def line_of(text: str, path: Path) -> int | None:
    """The line (from 1) of the field at `path`, or of the nearest part of it that is found; None
    if nothing is."""
    blank = _SKIP.sub(_blank, text)
    at: int | None = None
    for i, part in enumerate(path):
        following = _find(blank, at or 0, path[i - 1] if i else "", part)
        if following is None:
            break
        at = following
    return None if at is None else text.count("\n", 0, at) + 1


def _blank(match: re.Match[str]) -> str:
    """Comments and values go, bare words and quoted keys stay findable by length only."""
    found = match.group()
    word = found[1:-1]
    return f" {word} " if re.fullmatch(r"[A-Za-z_-]+", word) else " " * len(found)


def _find(text: str, start: int, parent: str | int, part: str | int) -> int | None:
    if isinstance(part, int):
        return _item(text, start, str(parent), part)
    key = re.escape(part)
    pattern = rf"^[ \t]*\[\[?[ \t]*(?P<table>{key})[ \t]*\]|(?<![\w-])(?P<key>{key})[ \t]*="
    match = re.compile(pattern, re.MULTILINE).search(text, start)
    return None if match is None else match.start(match.lastgroup or 0)


def _item(text: str, start: int, parent: str, index: int) -> int | None:
    tables = re.finditer(rf"^[ \t]*\[\[[ \t]*{re.escape(parent)}[ \t]*\]\]", text, re.MULTILINE)
    headers = [match.end() for match in tables]
    if headers:
        return headers[index] if index < len(headers) else None
    opening = text.find("[", start)
    if opening < 0:
        return None
    return next((at for i, at in enumerate(_items(text, opening)) if i == index), None)


def _items(text: str, opening: int) -> Iterator[int]:
    """Where each item of the array that opens here begins."""
    depth, fresh = 0, True
    for at in range(opening, len(text)):
        letter = text[at]
        if depth == 1 and fresh and letter not in " \t\r\n,]":
            yield at
            fresh = False
        depth += (letter in "[{") - (letter in "]}")
        if depth == 0:
            return
        fresh = fresh or (depth == 1 and letter == ",")
