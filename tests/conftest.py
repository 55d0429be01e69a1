"""Options, reporting and fixtures of all tests."""

import os
import signal
from collections.abc import Iterator

import hypothesis
import pytest
from hypothesis import HealthCheck, settings
from support import progress, sampling
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


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch of the nightly run."""
    parser.addoption(
        "--nightly", action="store_true", help="all cases instead of samples, and the long tests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Fix the seed of the samples before a test module is read, and report progress."""
    sampling.begin(config.getoption("--nightly"))
    progress.register(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long tests, unless this is the nightly run or they are asked for with -m."""
    if config.getoption("--nightly") or config.getoption("-m"):
        return
    late = [item for item in items if item.get_closest_marker("nightly")]
    config.hook.pytest_deselected(items=late)
    items[:] = [item for item in items if item not in set(late)]


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
