"""The files of the page that a relay serves, so that whoever opens a link needs nothing else.

SPEC: section 13.2.
"""

from __future__ import annotations

import gzip
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
AT_ONCE: Final[Quota] = 64
"""The most files that are being sent at the same time."""
SENDING: Final[Seconds] = 300.0
"""The longest time that one file may take."""
PACE: Final[Pace] = (64e6, 1e6)
"""The bytes that one address is sent: at once, and a second."""


@dataclass(frozen=True)
class PageFile:
    """A file of the page.

    Attributes:
        content: The bytes to send, by the name of their coding. "" for none.
    """

    kind: str
    lasting: bool
    content: Mapping[str, bytes] = field(repr=False)

    def taken_by(self, accepted: str) -> tuple[tuple[Header, ...], bytes]:
        """Return headers and body for whoever accepts some codings (RFC 9110, section 12.5.3)."""
        wanted = {
            one.partition(";")[0].strip()
            for one in accepted.lower().split(",")
            if "q=0" not in one.replace(" ", "") or "q=0." in one
        }
        coding = next((one for one in CODINGS if one in wanted and one in self.content), "")
        body = self.content.get(coding)
        if body is None:
            body = gzip.decompress(self.content["gzip"])
        headers = [
            ("Content-Type", self.kind),
            ("Cache-Control", LASTING if self.lasting else "no-cache"),
            ("Vary", "Accept-Encoding"),
            # What no page can say of itself.
            ("Content-Security-Policy", "frame-ancestors 'none'"),
        ]
        return (*headers, *([("Content-Encoding", coding)] if coding else [])), body


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
            # Of a file that is stored compressed, the plain bytes are hardly ever asked for.
            content = content if "gzip" in content else {**content, "": path.read_bytes()}
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
        self._sending = 0

    def refusal(self, source: str, size: int) -> int:
        """Charge an address for some bytes, and return the status of a refusal, 0 for none."""
        if self._sending >= AT_ONCE:
            return 503
        return 429 if self._buckets.take(source, trio.current_time(), size) else 0

    async def send(self, http: HttpConnection, headers: Sequence[Header], body: bytes) -> None:
        """Answer a request with a file, to whoever takes it in time."""
        self._sending += 1
        try:
            with suppress(NotHttp):
                await http.reply(200, headers, body, SENDING)
        finally:
            self._sending -= 1
