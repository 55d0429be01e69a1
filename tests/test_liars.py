"""A lying process at a table of honest `hoity` processes: named by its code, and out.

Two codes here, every code with `-m soak`. What each lie is: tests/liar_tales.py.
"""

from __future__ import annotations

from pathlib import Path

import liar_table
import pytest
from liar_plots import PLOTS
from liar_tales import NOT_A_POINT, is_point

from protocol.faults import FAULTS

QUICK = ("bad-shuffle", "bad-share")


def check(path: Path, code: str) -> None:
    plot = PLOTS[code]
    seen = liar_table.play(path, code)
    guilty = [(0, code), (1, plot.also)] if plot.also else [(0, code)]
    assert list(seen.accused) == guilty
    assert any(f"({code})" in line for line in seen.screen)
    if plot.before:
        assert set(seen.exits) == {1}
        assert any("Whose doing: liar" in line for line in seen.screen)
        assert seen.verdicts == ()
        return
    assert set(seen.exits) == {0}
    assert len(seen.verdicts) >= 2
    for verdict in seen.verdicts:
        assert verdict["verdict"] == "ok"
        assert [(f["seat"], f["code"]) for f in verdict["faults"]] == guilty
    assert len({verdict["content"] for verdict in seen.verdicts}) == 1


@pytest.mark.parametrize("code", QUICK)
def test_a_liar_is_named_and_the_others_go_on(tmp_path: Path, code: str) -> None:
    check(tmp_path, code)


@pytest.mark.soak
@pytest.mark.parametrize("code", sorted(set(PLOTS) - set(QUICK)))
def test_every_code_is_named(tmp_path: Path, code: str) -> None:
    check(tmp_path, code)


def test_there_is_a_plot_for_every_code() -> None:
    assert set(PLOTS) == set(FAULTS)
    assert not is_point(NOT_A_POINT)
