"""Build the page that verifies and replays transcripts: a folder for a server, and one HTML file.

python3 tasks.py site [FOLDER]      usually into dist/site; the one file stands beside it
python3 tasks.py site --list        make the list of modules again
"""

from __future__ import annotations

import base64
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from cli.words.browser_labels import site_start

from . import browser_build as build_of
from .browser_build import BROWSER
from .page_modules import SITE

PLACE = BROWSER / "site"
ONE_FILE = "hoity-files.html"


def build(target: Path, compress: bool = True) -> list[Path]:
    """Build the folder and the one file, in the place of those that were there, and return them.

    Args:
        compress: Whether each file is written compressed by brotli, too, which takes a minute.
    """
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = build_of.worker_files(SITE, work)
        files |= build_of.bundled(work, {PLACE / "worker.js": "iife"}, {})
        labels = {**site_start(), "program": f"p2p-hoity {build_of.version()}"}
        kinds = {PLACE / "folder.js": "esm", PLACE / "single.js": "iife"}
        modules = {"site-labels": labels, **build_of.digests(files)}
        scripts = build_of.bundled(work, kinds, modules)
    style = build_of.style_of(PLACE / "site.css")
    page = {"start.js": scripts["folder.js"], "style.css": style.encode()}
    inner = build_of.write_folder(target, {**files, **page}, BROWSER / "index.html")
    build_of.compress(target, *(("br", "gz") if compress else ("gz",)))
    one = target.parent / ONE_FILE
    packed = [inner / f"{name}.gz" for name in sorted(files)]
    one.write_bytes(_one_file(packed, scripts["single.js"], style))
    return [target, one]


def _one_file(packed: Iterable[Path], script: bytes, style: str) -> bytes:
    """Return the page as one file, with the compressed files of its worker in it."""
    code = script.decode().replace("</script", "<\\/script")
    policy = (
        f"script-src {_source(code)} blob: 'wasm-unsafe-eval'; style-src {_source(style)}; "
        "connect-src 'none'"
    )
    head = f"<!--\n{build_of.licences()}-->\n<style>{style}</style>"
    data = (
        f'<script type="text/plain" data-name="{file.stem}">'
        f"{base64.b64encode(file.read_bytes()).decode()}</script>"
        for file in packed
    )
    body = "\n".join((*data, f"<script>{code}</script>"))
    return build_of.html(BROWSER / "index.html", policy, head, body).encode()


def _source(text: str) -> str:
    """Return the expression of a policy that admits a text inside a page."""
    return f"'{build_of.integrity(text.encode())}'"


if __name__ == "__main__":
    build_of.run_target(SITE, build, sys.argv[1:])
