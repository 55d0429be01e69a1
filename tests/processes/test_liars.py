"""A lying process at a table of honest `hoity` processes: named by its code, and out.

One code here, every code at night. `support.liars.plots` says what each lie is.
"""

import re
from pathlib import Path

import pytest
from support.liars import table as liar_table
from support.liars.plots import ENDINGS, PLOTS
from support.sampling import AT_WORK

from protocol.fault_codes import FAULTS

pytestmark = AT_WORK

QUICK = "bad-opening"
MAY_FOLLOW = ("bad-promise",)
"""A promise that leaves out an input is malformed as well, once it lists what builds on it."""


@pytest.mark.parametrize(
    "code",
    [
        QUICK,
        *(pytest.param(one, marks=pytest.mark.nightly) for one in sorted(set(PLOTS) - {QUICK})),
    ],
)
def test_a_faulty_seat_is_named_and_the_others_go_on(tmp_path: Path, code: str) -> None:
    plot = PLOTS[code]
    seen = liar_table.play(tmp_path, code)
    guilty = [(0, code), (1, plot.also)] if plot.also else [(0, code)]
    assert set(guilty) <= set(seen.accused) <= {*guilty, *((0, one) for one in MAY_FOLLOW)}
    assert any(f"({code})" in line for line in seen.screen)
    if plot.before:
        assert set(seen.exits) == {1}
        assert any("without a result because cheater cheated" in line for line in seen.screen)
        assert len(seen.verdicts) == 2
        for verdict in seen.verdicts:
            shown = [*verdict["faults"], verdict["problem"]]
            assert (0, code) in [(fault["seat"], fault["code"]) for fault in shown]
        return
    assert set(seen.exits) == {0}
    assert len(seen.verdicts) >= 2
    for verdict in seen.verdicts:
        assert verdict["verdict"] == "ok"
        assert [(f["seat"], f["code"]) for f in verdict["faults"]] == guilty
    assert len({verdict["digest"] for verdict in seen.verdicts}) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("table", sorted(ENDINGS))
def test_without_a_quorum_the_table_ends_and_names_the_faulty_seat(
    tmp_path: Path, table: str
) -> None:
    code, plot = ENDINGS[table]
    seen = liar_table.play(tmp_path, code, plot)
    assert set(seen.exits) == {1}
    codes = [code, plot.also] if plot.also else [code]
    for one in codes:
        assert any(f"({one})" in line for line in seen.screen)
    assert any(re.search(r"without a result.*cheat", line) for line in seen.screen)
    assert any("resume --claim" in line for line in seen.screen)
    assert seen.verdicts == ()
    claimed = liar_table.claim(tmp_path / str(plot.seats - 1))
    assert claimed["verdict"] == "fault"
    assert claimed["problem"]["code"] in (*codes, "not-final")


def test_there_is_a_plot_for_every_code() -> None:
    assert set(PLOTS) == set(FAULTS)
