"""Every deliberate error in the rules is caught, by a game with a known seed or by a test."""

import os
import subprocess
import sys

import pytest
from support.mutant_run import KILLERS, LIST, line_of
from support.mutants import MUTANTS
from support.paths import ROOT, TESTS
from support.sampling import sample

NAMES = [mutant.name for mutant in MUTANTS]


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
    assert set(KILLERS) == set(NAMES)
    assert LIST.read_text().splitlines() == [line_of(name) for name in NAMES]


def test_some_mutants_of_the_list_are_killed() -> None:
    names = sample(NAMES, 4, "mutants")
    assert run(*names).splitlines() == [line_of(name) for name in names]


@pytest.mark.nightly
def test_every_mutant_of_the_list_is_killed() -> None:
    assert run() == LIST.read_text()
