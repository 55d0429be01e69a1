"""Files that only liars could have signed: two implementations have come to these verdicts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from support.paths import VECTORS
from support.proof_pile import judged
from support.sampling import sample
from vectors.making.files import JUDGED

from p2p_hoity.game_adapter import read_game
from protocol.crypto import proof_batches
from protocol.transcript.verifier import verify

FOLDER = VECTORS / "judged"
VERDICTS: dict[str, dict[str, Any]] = json.loads((FOLDER / "verdicts.json").read_text("utf-8"))


@pytest.mark.parametrize("name", sample(VERDICTS, 8, "judged"))
def test_a_file_is_judged_as_it_was(name: str) -> None:
    report = verify((FOLDER / f"{name}.hoity").read_bytes(), read_game)
    problem = report.problem
    assert {
        "what": VERDICTS[name]["what"],
        "verdict": report.verdict,
        "problem": None if problem is None else [problem.code, problem.step, problem.seat],
        "faults": [[fault.seat, fault.step, fault.code] for fault in report.faults],
    } == VERDICTS[name]


@pytest.mark.parametrize("name", sample(VERDICTS, 4, "judged alike"))
def test_a_file_is_judged_alike_whoever_checks_its_proofs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small parts, so that the proofs of a small file fall into several of them."""
    monkeypatch.setattr(proof_batches, "PART", 2048)
    judged((FOLDER / f"{name}.hoity").read_bytes(), read_game)


@pytest.mark.parametrize(
    "wrong", [{"verdict": "ok"}, {"problem": ("torn", None, 1)}, {"faults": ((0, 1, "bad-body"),)}]
)
def test_a_file_with_another_verdict_than_its_maker_states_is_not_made(
    wrong: dict[str, Any],
) -> None:
    one = JUDGED["raw-bad-utf8-torn"]
    one.check(one.file())
    with pytest.raises(ValueError, match="gives"):
        replace(one, **wrong).check(one.file())


def test_each_file_has_its_verdict() -> None:
    assert {path.stem for path in FOLDER.glob("*.hoity")} == set(VERDICTS)
    assert len(VERDICTS) > 80
