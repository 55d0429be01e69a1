"""Build the page that verifies and replays transcripts: a folder for a server, and one HTML file.

python3 tasks.py site [FOLDER]      usually into dist/site; the one file stands beside it
python3 tasks.py site --list        make the list of modules again
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from cli.words.site_labels import in_all_languages

from . import browser_build as build_of
from .browser_build import BROWSER, LICENCES
from .environments import ROOT
from .page_modules import SITE

PLACE = BROWSER / "site"
ONE_FILE = "hoity-files.html"


def main(args: list[str]) -> None:
    """Build, or make the list of modules again."""
    if args == ["--list"]:
        build_of.list_again(SITE)
        return
    target = Path(args[0]).absolute() if args else ROOT / "dist" / "site"
    build(target)
    build_of.tell_sizes(target)
    print(f"{target}\n{target.parent / ONE_FILE}")


def build(target: Path, compress: bool = True) -> None:
    """Build the folder and the one file, in the place of those that were there.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute.
    """
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = build_of.worker_files(SITE, work)
        names = {"names": sorted([*files, "worker.js"])}
        kinds = {"worker.js": "iife", "folder.js": "esm", "single.js": "iife"}
        scripts = build_of.bundled(
            work,
            {PLACE / name: kind for name, kind in kinds.items()},
            {"site-labels": in_all_languages(), "site-files": names},
        )
    files["worker.js"] = scripts["worker.js"]
    style = build_of.style_of(PLACE / "site.css")
    page = {"start.js": scripts["folder.js"], "style.css": style.encode()}
    build_of.write_folder(target, {**files, **page}, BROWSER / "index.html")
    if compress:
        build_of.compress(target)
    (target.parent / ONE_FILE).write_bytes(_one_file(files, scripts["single.js"], style))


def _one_file(files: Mapping[str, bytes], script: bytes, style: str) -> bytes:
    """Return the page as one file."""
    code = script.decode().replace("</script", "<\\/script")
    policy = (
        f"script-src {_source(code)} blob: 'wasm-unsafe-eval'; style-src {_source(style)}; "
        "connect-src 'none'"
    )
    head = f"<!--\n{LICENCES.read_text('utf-8')}-->\n<style>{style}</style>"
    data = (
        f'<script type="text/plain" data-name="{name}">'
        f"{base64.b64encode(gzip.compress(content, mtime=0)).decode()}</script>"
        for name, content in sorted(files.items())
    )
    body = "\n".join((*data, f"<script>{code}</script>"))
    return build_of.html(BROWSER / "index.html", policy, head, body).encode()


def _source(text: str) -> str:
    """Return the expression of a policy that admits a text inside a page."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


if __name__ == "__main__":
    main(sys.argv[1:])
