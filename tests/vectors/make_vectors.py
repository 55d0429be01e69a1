"""Writes the committed vectors anew, or checks that they have not drifted.

    python tests/vectors/make_vectors.py [--check] [NAME ...]

A NAME is a part of a file's name; without one all are made, which takes some minutes. With
--check nothing is written: the names of files that differ are printed, and the exit code is 1.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent.parent), str(FOLDER.parent)]

from vectors.making import files  # noqa: E402 - the path is set above


def made(names: Sequence[str]) -> Iterator[tuple[Path, bytes]]:
    """(path, bytes) of every file whose name holds one of the names."""
    make: Callable[[], Iterator[tuple[str, bytes]]]
    for name, make in files.FILES.items():
        if not names or any(part in name for part in names):
            for path, data in make():
                yield FOLDER / path, data


def check(names: Sequence[str]) -> list[str]:
    """The files that are not as they would be made now."""
    drifted = []
    for path, data in made(names):
        if not path.exists() or path.read_bytes() != data:
            drifted.append(str(path.relative_to(FOLDER)))
    return drifted


def write(names: Sequence[str]) -> None:
    """Make the files."""
    for path, data in made(names):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data):8} {path.relative_to(FOLDER)}", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Write, or check."""
    names = [word for word in arguments if word != "--check"]
    if "--check" not in arguments:
        write(names)
        return
    drifted = check(names)
    for name in drifted:
        print(f"differs: {name}")
    sys.exit(1 if drifted else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
