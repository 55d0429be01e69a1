"""Build the page that plays, which a relay serves with `--web-page`.

python3 tasks.py page [FOLDER]      usually into dist/page
python3 tasks.py page --list        make the list of modules again
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cli.words.browser_labels import play_start

from . import browser_build as build_of
from .browser_build import BROWSER
from .page_modules import PAGE

PLACE = BROWSER / "play"
WORKER = "play_worker.js"


def build(target: Path, compress: bool = True) -> list[Path]:
    """Build the folder, in the place of the one that was there, and return it.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute.
    """
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = build_of.worker_files(PAGE, work)
        scripts = build_of.bundled(
            work,
            {PLACE / "worker.js": "iife", PLACE / "start.js": "esm"},
            {"play-labels": play_start(), "site-files": {"names": sorted([*files, WORKER])}},
        )
    files[WORKER] = scripts["worker.js"]
    page = {
        "start.js": scripts["start.js"],
        "style.css": build_of.style_of().encode(),
    }
    build_of.write_folder(target, {**files, **page}, BROWSER / "index.html")
    if compress:
        build_of.compress(target, "br", "gz")
    return [target]


if __name__ == "__main__":
    build_of.run_target(PAGE, build, sys.argv[1:])
