"""Build the program as one file that needs no Python, then play and verify a game with it.

    python tools/onefile.py [FOLDER]    the folder of the file, or `dist`

It runs in an environment into which this project was installed, with its extra `onefile`. The file
runs on the system that builds it, and on newer releases of that system.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import PyInstaller.__main__

ROOT: Final = Path(__file__).resolve().parent.parent
START: Final = Path(__file__).with_name("onefile_start.py")
MOST: Final = 45_000_000
"""The most bytes of the file."""
PARTS: Final = (
    *("--collect-data", "cli", "--collect-data", "p2p_hoity", "--copy-metadata", "p2p-hoity"),
    # They are imported by name: what each release of the protocol offers, and the widgets.
    *("--collect-submodules", "protocol", "--collect-submodules", "textual.widgets"),
    *("--hidden-import", "cli.__main__"),
)
"""What PyInstaller does not find by itself: the files beside the code, and lazy imports."""
LEFT_OUT: Final = ("distributed", "tkinter", "pytest", "setuptools", "pip")


def build(folder: Path) -> Path:
    """Build the file into a folder, and return its path."""
    with tempfile.TemporaryDirectory() as work:
        left_out = [word for name in LEFT_OUT for word in ("--exclude-module", name)]
        places = ["--distpath", str(folder), "--workpath", work, "--specpath", work]
        words = ["--onefile", "--name", "hoity", "--noconfirm", "--log-level", "WARN"]
        PyInstaller.__main__.run([*words, *places, *PARTS, *left_out, str(START)])
    return folder / ("hoity.exe" if os.name == "nt" else "hoity")


def try_out(program: Path) -> None:
    """Play and verify a game with the file alone, where nothing of the checkout can be found.

    Raises:
        CalledProcessError: If one of its commands fails.
    """
    with tempfile.TemporaryDirectory() as outside:
        alone = shutil.copy(program, outside)
        kept = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
        env = {**kept, "HOITY_HOME": str(Path(outside) / "home"), "PATH": os.defpath}
        game = str(Path(outside) / "game.hoity")
        for words in (
            ("--version",),
            ("play", "--auto", "--plain", "--no-again", "--bots", "2", "--transcript", game),
            ("verify", game, game, "--jobs", "2"),
            ("rules",),
        ):
            print("$ hoity " + " ".join(words), flush=True)
            subprocess.run(
                [alone, *words], env=env, cwd=outside, stdout=subprocess.DEVNULL, check=True
            )


def main() -> None:
    """Build the file, try it out, and print its size and its digest.

    Raises:
        SystemExit: If the file is too large, or a command of it fails.
    """
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    program = build(folder.absolute())
    size = program.stat().st_size
    if size > MOST:
        sys.exit(f"{program} has {size:,} bytes. At most {MOST:,} are allowed.")
    try:
        try_out(program)
    except subprocess.CalledProcessError as error:
        sys.exit(f"The built program fails: {error}")
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    print(f"{program} has {size:,} bytes. SHA-256 {digest}")


if __name__ == "__main__":
    main()
