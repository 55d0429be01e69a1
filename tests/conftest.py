"""Options, reporting and fixtures of all tests."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from support import progress, sampling
from support.paths import ROOT, TESTS
from support.patient_clock import patient_clock
from support.relays import either_door
from support.remembered import remember
from trio.testing import MockClock

from cli.words import translation

os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(ROOT), str(TESTS), os.environ.get("PYTHONPATH")])
)
"""Processes that tests start run the code of this checkout too."""
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".pytest_cache" / "bytecode"))
"""They share what was compiled, and leave nothing of it in the checkout."""
for number, heard in (
    ("SIGINT", signal.default_int_handler),
    ("SIGQUIT", signal.SIG_DFL),
    ("SIGHUP", signal.SIG_DFL),
):
    key = getattr(signal, number, None)
    if key is not None and signal.getsignal(key) is signal.SIG_IGN:
        signal.signal(key, heard)
"""A shell has the first two ignored by what it runs in the background, and `nohup` the third.
Processes that tests start would inherit that."""
OF_TESTS = ("HOITY_AXE", "HOITY_BROWSER", "HOITY_CHROMIUM", "HOITY_KEEP", "HOITY_TEST_")
for name in list(os.environ):
    if name.startswith("HOITY_") and not name.startswith(OF_TESTS):
        os.environ.pop(name)
os.environ["HOITY_NO_MAP"] = "1"
"""No test does what the environment of whoever runs it asks the program for, such as to dial
through a proxy, and none asks their router for anything."""
os.environ.pop("COLUMNS", None)
"""Lines are as long as they are, unless a test says otherwise."""


__all__ = ["either_door"]

WAITING = (
    "cli_/ui/browser/test_play.py",
    "processes",
    "p2p_hoity_/test_dask_cluster.py",
    "cli_/local",
    "p2p_hoity_/test_worker_processes.py",
)
"""Tests that wait for other processes. One worker waits while the others compute."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the switch of the nightly run."""
    parser.addoption(
        "--nightly", action="store_true", help="all cases instead of samples, and the long tests"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Before a test module is read, fix the seed of the samples and the number of examples.

    No test fails because the machine has other work: hypothesis does not look at the time.
    """
    sampling.begin(config.getoption("--nightly"))
    settings.register_profile(
        "untimed",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=sampling.times(12, 100),
    )
    settings.load_profile("untimed")
    remember()
    progress.register(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs at night, unless it is asked for, and begin with the tests that wait.

    A test that is named on the command line is asked for, though it was not drawn.
    """
    waiting = tuple(str(TESTS / place) for place in WAITING)
    items.sort(key=lambda item: not str(item.path).startswith(waiting))
    if config.getoption("--nightly") or config.getoption("-m"):
        return
    late = {item for item in items if item.get_closest_marker("nightly")}
    if not any("::" in named for named in config.args):
        late |= sampling.not_drawn([item for item in items if item not in late])
    config.hook.pytest_deselected(items=list(late))
    items[:] = [item for item in items if item not in late]


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the modules and tests that live to the end of the run.

    Games make many small objects and few cycles, so a collection is worth its time less often.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(autouse=True, scope="module")
def _files_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the player's own folders, nor does a process it starts.

    A new journal looks at all marks that are there, so the folders are new ones for each module.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOITY_MARKS", str(tmp_path_factory.mktemp("marks")))
        patch.setenv("HOITY_HOME", str(tmp_path_factory.mktemp("files") / "home"))
        yield


@pytest.fixture(autouse=True)
def _in_english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "en")
    translation.speak("en")
    yield
    translation.speak("en")


@pytest.fixture
def autojump_clock(monkeypatch: pytest.MonkeyPatch) -> MockClock:
    """In place of that of pytest-trio, which jumps while threads work."""
    return patient_clock(monkeypatch)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test wait for a Dask cluster as long as a busy machine needs."""
    monkeypatch.setattr("p2p_hoity.dask_cluster.SCHEDULER_TIMEOUT", 300.0)
