"""Build the page that plays: a folder, and a wheel with it for whoever runs a relay.

python3 tasks.py page [FOLDER]      usually into dist/page; the wheel stands beside it
python3 tasks.py page --list        make the list of modules again
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cli.words.browser_labels import play_start

from . import browser_build as build_of
from . import page_wheel
from .browser_build import BROWSER
from .page_modules import PAGE

PLACE = BROWSER / "play"
WORKER = "play_worker.js"


def build(target: Path, compress: bool = True) -> list[Path]:
    """Build the folder and the wheel, in the place of those that were there, and return them.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute. Without this
            no wheel is made.
    """
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = build_of.worker_files(PAGE, work)
        scripts = build_of.bundled(work, {PLACE / "worker.js": "iife"}, {})
        files[WORKER] = scripts["worker.js"]
        modules = {"play-labels": play_start(), **build_of.digests(files)}
        scripts |= build_of.bundled(work, {PLACE / "start.js": "esm"}, modules)
    page = {
        "start.js": scripts["start.js"],
        "style.css": build_of.style_of().encode(),
    }
    build_of.write_folder(target, {**files, **page}, BROWSER / "index.html")
    if not compress:
        return [target]
    build_of.compress(target, "br", "gz")
    return [target, page_wheel.write(target, target.parent)]


if __name__ == "__main__":
    build_of.run_target(PAGE, build, sys.argv[1:])
