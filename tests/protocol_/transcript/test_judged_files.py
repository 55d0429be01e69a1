"""Files that only liars could have signed: two implementations have come to these verdicts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.paths import VECTORS

from p2p_hoity.game_port import read_game
from protocol.transcript.verifier import verify

FOLDER = VECTORS / "judged"
VERDICTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "verdicts.json").read_text("utf-8"))


@pytest.mark.parametrize("name", VERDICTS)
def test_a_file_is_judged_as_it_was(name: str) -> None:
    report = verify((FOLDER / f"{name}.hoity").read_bytes(), read_game)
    problem = report.problem
    assert {
        "verdict": report.verdict,
        "problem": None if problem is None else [problem.code, problem.step, problem.seat],
        "faults": [[fault.seat, fault.step, fault.code] for fault in report.faults],
    } == VERDICTS[name]


def test_each_file_has_its_verdict() -> None:
    assert {path.stem for path in FOLDER.glob("*.hoity")} == set(VERDICTS)
    assert len(VERDICTS) > 80
