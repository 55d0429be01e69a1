"""Build the page that plays: a folder, and a wheel with it for whoever runs a relay.

python3 tasks.py page [FOLDER]      usually into dist/page; the wheel stands beside it
python3 tasks.py page [FOLDER] --relay wss://NAME
                                    a page for a server of one's own, and no wheel
python3 tasks.py page --list        make the list of modules again
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

from cli.words.browser_labels import play_start
from p2p_hoity.net.addresses import relay_address
from p2p_hoity.net.network_errors import AddressError

from . import browser_build as build_of
from . import page_wheel
from .browser_build import BROWSER
from .page_modules import PAGE

PLACE = BROWSER / "play"
WORKER = "play_worker.js"


def build(target: Path, compress: bool = True, relay: str = "") -> list[Path]:
    """Build the folder and the wheel, in the place of those that were there, and return them.

    Args:
        compress: Whether each file is written compressed, too, which takes a minute. Without this
            no wheel is made.
        relay: The relay that the page uses, such as 'wss://relay.example', if it is not the one
            that serves the page. Then no wheel is made.
    """
    place_of_relay = _web_relay(relay)
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
    # A relay that starts meanwhile reads a whole page or none.
    new = target.with_name(f".{target.name}-new")
    build_of.write_folder(new, {**files, **page}, BROWSER / "index.html", place_of_relay)
    if compress:
        build_of.compress(new, "br", "gz")
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)
    if not compress:
        return [target]
    return [target] if relay else [target, page_wheel.write(target, target.parent)]


def _web_relay(typed: str) -> str:
    """Return a relay as the page names it, "" for none.

    Raises:
        SystemExit: If it is no relay that a page can reach.
    """
    if not typed:
        return ""
    try:
        relay = relay_address(typed)
    except AddressError:
        relay = None
    if relay is None or not relay.is_web:
        sys.exit(f"A page reaches a relay by a URL such as wss://relay.example, not {typed}.")
    return f"{relay.scheme}://{relay.web_authority}"


def _main(args: list[str]) -> None:
    """Read the command line."""
    relay = ""
    if "--relay" in args[:-1]:
        at = args.index("--relay")
        relay = args[at + 1]
        args = args[:at] + args[at + 2 :]
    build_of.run_target(PAGE, partial(build, relay=relay), args)


if __name__ == "__main__":
    _main(sys.argv[1:])
