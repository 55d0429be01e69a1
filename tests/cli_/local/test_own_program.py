"""How the program starts itself again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.local.own_program import own_command, own_environment
from p2p_hoity import installation


def test_another_process_runs_this_installation(tmp_path: Path) -> None:
    """Wherever it stands, and whether or not another one is installed."""
    done = subprocess.run(
        own_command("--version"), env=own_environment(), cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"hoity ")
    first = own_environment()["PYTHONPATH"].split(os.pathsep)[0]
    assert Path(first, "cli", "__main__.py").samefile(Path(__file__).parents[3] / "cli/__main__.py")


def test_the_program_of_one_file_is_its_own_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no option of Python, and needs no path to its packages."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert installation.is_one_file()
    assert own_command("join", "--yes") == [sys.executable, "join", "--yes"]
    assert own_environment() == dict(os.environ)
