"""Which tests run: of those of one kind some are drawn, and at night all are there."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support import sampling
from support.paths import TESTS

CASES, PAIR = pytest.mark.sampled(4), pytest.mark.sampled(1)
LATE = pytest.mark.nightly


@dataclass(eq=False)
class Item:
    """A test as pytest has collected it."""

    nodeid: str
    marks: Sequence[pytest.MarkDecorator] = ()
    path: Path = field(default=TESTS / "test_of_a_test.py")

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return next((one.mark for one in self.marks if one.name == name), None)


ITEMS = (
    *(Item(f"case {number}", [CASES]) for number in range(40)),
    *(Item(f"pair {number}", [PAIR]) for number in range(2)),
    *(Item(f"late {number}", [PAIR, LATE]) for number in range(9)),
    *(Item(f"free {number}") for number in range(3)),
)


@pytest.fixture
def runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return which tests a run with this seed has, and which it says that it leaves out."""
    plugin = request.config.pluginmanager.get_plugin(str(TESTS / "conftest.py"))
    assert plugin is not None

    def run(seed: str, *named: str, nightly: bool = False) -> tuple[list[str], set[str]]:
        monkeypatch.setenv(sampling.SEED, seed)
        monkeypatch.delenv(sampling.NIGHTLY, raising=False)
        if nightly:
            monkeypatch.setenv(sampling.NIGHTLY, "1")
        left: list[Item] = []
        config = SimpleNamespace(
            getoption=lambda name: nightly and name == "--nightly",
            hook=SimpleNamespace(pytest_deselected=lambda items: left.extend(items)),
            args=list(named),
        )
        items = list(ITEMS)
        plugin.pytest_collection_modifyitems(config, items)
        return [item.nodeid for item in items], {item.nodeid for item in left}

    return run


def test_so_many_of_each_kind_are_drawn_and_the_others_are_said_to_be_left_out(runs: Any) -> None:
    drawn, left = runs("1")
    numbers = [sum(name.startswith(kind) for name in drawn) for kind in ("case", "pair", "late")]
    assert numbers == [4, 1, 0]
    assert [name for name in drawn if name.startswith("free")] == ["free 0", "free 1", "free 2"]
    assert left == {item.nodeid for item in ITEMS} - {*drawn}
    assert runs("1") == (drawn, left)


def test_in_the_course_of_many_runs_all_are_drawn(runs: Any) -> None:
    drawn = {name for seed in range(200) for name in runs(str(seed))[0]}
    assert drawn == {item.nodeid for item in ITEMS if LATE not in item.marks}


def test_all_run_at_night_and_whatever_is_named(runs: Any) -> None:
    assert runs("1", nightly=True) == ([item.nodeid for item in ITEMS], set())
    assert len(runs("1", "tests/test_pair.py::test_pair")[0]) == 45
    assert len(runs("1", "tests/test_pair.py")[0]) == 8
