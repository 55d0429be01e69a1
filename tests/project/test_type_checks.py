"""What mypy reads: all code, also what only the night runs, and how strictly."""

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from support.paths import ROOT

MYPY: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "mypy"
]
IN_EVERY_RUN = ("training/tests/test_*.py", "training/tests/conftest.py")
"""Tests of the training have no annotations, and each run imports and runs them whole."""
WRONG = '''
import math

def shown(x):
    """Without annotations, as some tests are."""
    not_there(x)
    math.sqrt()
    return math.sealed
'''


def unread(paths: Iterable[str]) -> list[str]:
    """Return which of these files mypy does not read."""
    return [
        path
        for path in paths
        if not any(path == one or path.startswith(f"{one}/") for one in MYPY["files"])
        and not any(Path(path).match(one) for one in IN_EVERY_RUN)
    ]


def test_mypy_reads_every_file_of_the_checkout_except_tests_of_every_run() -> None:
    hidden = {".git", "__pycache__", "build", "dist"}
    there = [path.relative_to(ROOT) for path in ROOT.rglob("*.py")]
    own = [
        path.as_posix()
        for path in there
        if not any(part in hidden or part.startswith(".") for part in path.parts)
    ]
    assert "tests/vectors/making/worked.py" in own
    assert unread(own) == []
    assert unread(["tasks.py", "training/more.py", "tests2/one.py"]) == [
        "training/more.py",
        "tests2/one.py",
    ]


def test_a_missing_name_and_a_wrong_call_are_found_in_what_only_the_night_runs(
    tmp_path: Path,
) -> None:
    folders = ("vectors/making", "independent", "soak", "processes", "support")
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "wrong_one.py").write_text(WRONG, encoding="utf-8")
    config = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "kept")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *config, *(f"{one}/wrong_one.py" for one in folders)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    for folder in folders:
        told = [line for line in done.stdout.splitlines() if line.startswith(f"{folder}/")]
        codes = {line.rpartition("[")[2].rstrip("]") for line in told}
        assert codes == {"name-defined", "call-arg", "attr-defined"}, done.stdout + done.stderr
