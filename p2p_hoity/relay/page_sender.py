"""The files of the page that a relay serves, so that whoever opens a link needs nothing else.

SPEC: section 13.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import trio

from protocol.units import Pace, Quota, Seconds

from ..net.link_limits import Buckets
from ..web.http_requests import Header, HttpConnection, NotHttp

INDEX: Final = "index.html"
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".zip": "application/zip",
}
CODINGS: Final = {"br": ".br", "gzip": ".gz"}
"""The ways in which files are stored compressed, the better one first, by their names in HTTP."""
LASTING: Final = "public, max-age=31536000, immutable"
"""How long a browser keeps a file in a folder, whose name is a digest of all files in it."""
MOST_SENDING: Final[Quota] = 64
"""The most files that are being sent at the same time."""
MOST_OF_ONE: Final[Quota] = 8
"""The most of them to one address. A page asks for a dozen files, some of them one by one then."""
GRACE: Final[Seconds] = 10.0
SLOWEST: Final = 20_000
"""The bytes a second that a file has to be taken with, after `GRACE`."""
PACE: Final[Pace] = (64e6, 1e6)
"""The bytes that one address is sent: at once, and a second."""


@dataclass(frozen=True)
class PageFile:
    """A file of the page.

    Attributes:
        content: The bytes to send, by the name of their coding. "" for none, which is always there.
    """

    kind: str
    lasting: bool
    content: Mapping[str, bytes] = field(repr=False)

    def coding(self, accepted: str) -> str:
        """Return the best coding among those that are accepted (RFC 9110, section 12.5.3)."""
        wanted = {name for name, weight in map(_weighted, accepted.lower().split(",")) if weight}
        return next((one for one in CODINGS if one in wanted and one in self.content), "")

    def headers(self, coding: str) -> tuple[Header, ...]:
        """Return the headers of an answer with the file in a coding."""
        return (
            ("Content-Type", self.kind),
            ("Cache-Control", LASTING if self.lasting else "no-cache"),
            ("Vary", "Accept-Encoding"),
            # What no page can say of itself.
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            *([("Content-Encoding", coding)] if coding else []),
        )


def _weighted(entry: str) -> tuple[str, float]:
    """Return a coding that a client accepts, and its weight. One that cannot be read is 0."""
    name, _, weight = entry.replace(" ", "").partition(";q=")
    try:
        return name, float(weight or 1)
    except ValueError:
        return name, 0.0


def read_page(folder: Path) -> dict[str, PageFile]:
    """Read the files of a page that `tasks.py page` has built, by their paths.

    Raises:
        FileNotFoundError: If there is no page.
        OSError: If a file cannot be read.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in KINDS and path.is_file():
            packed = {name: path.with_name(path.name + end) for name, end in CODINGS.items()}
            content = {name: one.read_bytes() for name, one in packed.items() if one.is_file()}
            content[""] = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            found[f"/{name}"] = PageFile(KINDS[path.suffix], "/" in name, content)
    if (index := found.pop(f"/{INDEX}", None)) is None:
        raise FileNotFoundError(2, "No such file", str(folder / INDEX))
    found["/"] = index
    return found


class PageSender:
    """Sends files, within limits, to whoever asks."""

    def __init__(self, files: Mapping[str, PageFile]) -> None:
        self.files = files
        self._buckets = Buckets(PACE)
        self._sending = Counter[str]()

    def refusal(self, source: str, size: int) -> int:
        """Charge an address for some bytes, and return the status of a refusal, 0 for none."""
        if self._sending.total() >= MOST_SENDING:
            return 503
        # Who is refused is not charged, or whoever tries again would never be served.
        if (
            self._sending[source] >= MOST_OF_ONE
            or self._buckets.left(source, trio.current_time()) <= 0
        ):
            return 429
        self._buckets.take(source, trio.current_time(), size)
        return 0

    async def send(
        self, http: HttpConnection, source: str, headers: Sequence[Header], body: bytes
    ) -> None:
        """Answer a request with a file, to whoever takes it in time."""
        self._sending[source] += 1
        try:
            with suppress(NotHttp):
                await http.reply(200, headers, body, GRACE + len(body) / SLOWEST)
        finally:
            self._sending[source] -= 1
            self._sending += Counter()  # This forgets addresses without a file.
