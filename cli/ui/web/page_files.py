"""The files of the page, by the path under which a browser asks for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("page")
INDEX: Final = "index.html"
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}
"""The kinds of files that are served. Others, such as licences, stay in the folder."""


@dataclass(frozen=True)
class PageFile:
    """A file of the page."""

    kind: str
    content: bytes


def page_files(folder: Path = FOLDER) -> dict[str, PageFile]:
    """Read all files of the page.

    Raises:
        OSError: If the program is not installed whole.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in TYPES:
            name = path.relative_to(folder).as_posix()
            found[f"/{name}"] = PageFile(TYPES[path.suffix], path.read_bytes())
    found["/"] = found.pop(f"/{INDEX}")
    return found
