"""What holds for every test: marks of its own, and English, whatever a test before it spoke."""

import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest
from hypothesis import HealthCheck, settings
from support.paths import ROOT, TESTS
from support.patient_clock import patient_clock
from trio.testing import MockClock

from cli.words import lingo

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")])
)
"""Processes that tests start run the code of this checkout too."""
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
"""A shell has Ctrl-C ignored by what it runs in the background; processes would inherit that."""
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")
"""No test fails because the machine has other work."""
os.environ["HOITY_NO_MAP"] = "1"
os.environ.pop("HOITY_PROXY", None)
"""No test asks the router of whoever runs it for anything, or dials through a proxy of theirs."""
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


@pytest.fixture
def autojump_clock(monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """In place of that of pytest-trio, which jumps while threads work."""
    return patient_clock(monkeypatch)
