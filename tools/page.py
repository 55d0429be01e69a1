"""Build the page that plays, which a relay serves with `--web-page`.

python3 tasks.py page [FOLDER]      usually into dist/page
python3 tasks.py page --list        make the list of modules again
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from cli.words.play_labels import in_all_languages

from . import browser_build as build_of
from .browser_build import BROWSER
from .environments import ROOT
from .page_modules import PAGE

PLACE = BROWSER / "play"
WORKER = "play_worker.js"


def main(args: list[str]) -> None:
    """Build, or make the list of modules again."""
    if args == ["--list"]:
        build_of.list_again(PAGE)
        return
    target = Path(args[0]).absolute() if args else ROOT / "dist" / "page"
    build(target)
    build_of.tell_sizes(target)
    print(target)


def build(target: Path, compress: bool = True) -> None:
    """Build the folder, in the place of the one that was there.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute.
    """
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        files = build_of.worker_files(PAGE, work)
        scripts = build_of.bundled(
            work,
            {PLACE / "worker.js": "iife", PLACE / "start.js": "esm"},
            {"play-labels": in_all_languages(), "site-files": {"names": sorted([*files, WORKER])}},
        )
    files[WORKER] = scripts["worker.js"]
    page = {
        "start.js": scripts["start.js"],
        "style.css": build_of.style_of(PLACE / "play.css").encode(),
    }
    build_of.write_folder(target, {**files, **page}, BROWSER / "index.html")
    if compress:
        build_of.compress(target)


if __name__ == "__main__":
    main(sys.argv[1:])
