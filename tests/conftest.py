"""What holds for every test: marks of its own, and English, whatever a test before it spoke."""

import os
from collections.abc import Iterator

import pytest
from support.paths import ROOT, TESTS

from cli.words import lingo

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")])
)
"""Processes that tests start run the code of this checkout too."""
os.environ.pop("COLUMNS", None)
"""Lines are as long as they are, unless a test says otherwise."""


@pytest.fixture(autouse=True, scope="session")
def _marks_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test leaves a mark in the player's own folder, nor does a process it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOITY_MARKS", str(tmp_path_factory.mktemp("marks")))
        yield


@pytest.fixture(autouse=True)
def _in_english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "en")
    lingo.speak("en")
    yield
    lingo.speak("en")
