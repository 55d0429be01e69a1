"""The memory of whole commands that judge hostile files or read a large journal."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.hostile_files import LARGE, MADE
from support.journals import write
from support.paths import ROOT
from support.sampling import LARGE_FILES, sample

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss counts otherwise there")
BOUND = 100_000_000
"""Bytes beside those of the file."""
MEASURE = """
import json, resource, subprocess, sys
for command in json.loads(sys.argv[1]):
    subprocess.run([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""
"""Run commands and print the peak memory of the process, or child of one, that took most. It is a
process of its own: the memory of who begins a process counts as that of the process."""
REOPEN = """
import sys
from pathlib import Path
from p2p_hoity.storage import journal
book, _, records = journal.reopen(Path(sys.argv[1]))
assert sum(map(len, records)) > 50_000_000
"""


def peak(*commands: list[str], home: Path) -> int:
    """Return the most bytes that a process of these commands had in memory."""
    environment = {**os.environ, "HOITY_HOME": str(home), "PYTHONPATH": str(ROOT)}
    told = [sys.executable, "-c", MEASURE, json.dumps(commands)]
    done = subprocess.run(told, check=True, capture_output=True, env=environment, cwd=ROOT)
    return int(done.stdout)


SLOW = {"promises", "messages", "long_message", "small_items"}
KINDS = [
    *sample([kind for kind in MADE if kind not in SLOW], 1, "hostile files"),
    *(pytest.param(kind, marks=pytest.mark.nightly) for kind in sorted(SLOW)),
]


@LARGE_FILES
@pytest.mark.parametrize("kind", KINDS)
def test_verify_and_replay_take_the_memory_of_the_file_and_a_bound(
    tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "hostile.hoity"
    file.write_bytes(MADE[kind](LARGE))
    words = [["-m", "cli", verb, str(file), "--json"] for verb in ("verify", "replay")]
    assert peak(*words, home=tmp_path) <= file.stat().st_size + BOUND


@pytest.mark.nightly
def test_each_process_that_judges_a_folder_takes_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    largest = 0
    made = {kind: MADE[kind](LARGE) for kind in ("bodies", "long_body", "long_header")}
    for kind in ("bodies", "long_body", "bodies", "long_header"):
        data = made[kind]
        largest = max(largest, len(data))
        (folder / f"{kind} {largest} {len(list(folder.iterdir()))}.hoity").write_bytes(data)
    words = ["-m", "cli", "verify", str(folder), "--json", "--jobs", "2"]
    assert peak(words, home=tmp_path) <= largest + BOUND


def test_a_large_journal_is_read_record_by_record(tmp_path: Path) -> None:
    path = write(tmp_path, *[bytes(1_900_000)] * 30)
    assert path.stat().st_size > 50_000_000
    assert peak(["-c", REOPEN, str(path)], home=tmp_path) <= BOUND
