"""Every deliberate error in the rules is caught, by a game with a known seed or by a test."""

import os
import subprocess
import sys

import pytest
from support.mutant_run import LIST, killers, line_of
from support.mutants import MUTANTS
from support.paths import ROOT, TESTS
from support.sampling import sample


def run(*names: str) -> str:
    """Return what a run of these mutants in a process of its own prints; of all without a name."""
    command = [sys.executable, "-m", "support.mutant_run", *names]
    path = os.pathsep.join([str(ROOT), str(TESTS)])
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_list_names_every_mutant_with_its_killer() -> None:
    assert list(killers()) == [mutant.name for mutant in MUTANTS]
    assert all(killers().values())


def test_some_mutants_of_the_list_are_killed() -> None:
    some = sample(MUTANTS, 1, "mutants")
    assert run(*(mutant.name for mutant in some)).splitlines() == [*map(line_of, some)]


@pytest.mark.nightly
def test_every_mutant_of_the_list_is_killed() -> None:
    assert run() == LIST.read_text()
