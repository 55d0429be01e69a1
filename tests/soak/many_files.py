"""How fast an archive is checked: python -m soak.many_files FOLDER [FILES] --jobs 1,2,4.

Makes a folder of so many transcripts, links to those in FOLDER in turn, and has `hoity verify`
judge all of it with each number of jobs: files a second, the most memory of one process, and that
of all at once.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from support.paths import ROOT


def archive(folder: Path, source: Path, files: int) -> None:
    """So many transcripts, a hundred in each folder."""
    found = sorted(source.rglob("*.hoity"))
    if not found:
        raise SystemExit(f"There is no *.hoity file in {source}.")
    for number, path in enumerate(islice(cycle(found), files)):
        below = folder / f"{number // 100:04}"
        below.mkdir(exist_ok=True)
        os.link(path, below / f"{number:06}.hoity")


def memory(group: int) -> tuple[int, int]:
    """Resident memory (kB) of the processes of a group: (of the largest, of all)."""
    sizes = [0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if os.getpgid(int(status.parent.name)) == group:
                sizes.append(int(status.read_text().split("VmRSS:")[1].split()[0]))
        except (OSError, IndexError):
            continue
    return max(sizes), sum(sizes)


def measure(folder: Path, words: list[str]) -> dict[str, Any]:
    """One run, watched each second."""
    command = [sys.executable, "-m", "cli", "verify", str(folder), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    began, used, most, all_of_them = time.perf_counter(), os.times(), 0, 0
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    while True:
        try:
            told = process.communicate(timeout=1)[0]
            break
        except subprocess.TimeoutExpired:
            one, together = memory(process.pid)
            most, all_of_them = max(most, one), max(all_of_them, together)
    seconds, now = time.perf_counter() - began, os.times()
    processor = now.children_user + now.children_system - used.children_user - used.children_system
    return {
        "words": words,
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "largest_process_kB": most,
        "all_processes_kB": all_of_them,
        "exit": process.returncode,
        "told": told.splitlines()[-1],
    }


def main() -> None:
    """Reads the options, prints a line for each number of jobs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", type=int, nargs="?", default=1000)
    parser.add_argument("--jobs", default="1,2")
    chosen = parser.parse_args()
    near = chosen.folder.resolve().parent  # hard links need the same file system
    with tempfile.TemporaryDirectory(dir=near) as folder:
        archive(Path(folder), chosen.folder, chosen.files)
        for jobs in chosen.jobs.split(","):
            found = measure(Path(folder), ["--jobs", jobs])
            found["files_a_second"] = round(chosen.files / found["seconds"], 2)
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
