"""Files on either side of each bound of a file ([C-4], [V-1], [H-1]) are judged as labelled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from support.cases import each
from support.paths import VECTORS
from support.sampling import LARGE_FILES, sample
from vectors.making.bounded import joined

from p2p_hoity.game_adapter import read_game
from protocol.transcript import transcript_format
from protocol.transcript.verifier import verify
from protocol.wire import codec
from protocol.wire.codec import FieldForm, Rows, Struct

CASES: dict[str, dict[str, Any]] = json.loads((VECTORS / "bounds.json").read_text("utf-8"))


def judged(parts: list[tuple[str, int]]) -> list[Any]:
    """The verdict on a file in parts, and its problem."""
    report = verify(joined([(bytes.fromhex(part), times) for part, times in parts]), read_game)
    problem = report.problem
    return [report.verdict, problem and [problem.code, problem.step, problem.seat]]


@LARGE_FILES
@each(sample(CASES, 12, "bounds of files"))
def test_a_file_at_a_bound_is_judged_as_it_was(name: str) -> None:
    case = CASES[name]
    assert judged(case["parts"]) == [case["verdict"], case["problem"]]


def test_each_bound_has_a_file_at_it_and_a_file_above_it() -> None:
    cases = {name.rpartition("-")[0] for name in CASES}
    for bound, value in (
        (transcript_format.MAX_ITEMS, "final"),
        (transcript_format.MAX_TOTAL, "items"),
        (transcript_format.MAX_STRING, "bytes"),
        (transcript_format.MAX_FILE, "file"),
        (codec.MAX_DEPTH, "depth"),
    ):
        assert value in cases
        at, above = (CASES[f"{value}-{bound + more}"]["problem"][0] for more in (0, 1))
        assert at != above
    lists = [name for name in CASES if name.endswith(f"-{codec.MAX_ITEMS + 1}")]
    assert len(lists) == 8
    for name in lists:
        bound = transcript_format.MAX_ITEMS
        place = name.rpartition("-")[0]
        found = [CASES[f"{place}-{bound + more}"]["problem"][0] for more in (0, 1)]
        assert found == [CASES[name]["problem"][0], "bad-encoding"]


def lists_in(form: FieldForm[Any]) -> Iterator[Rows]:
    """Every form of a list within a form."""
    inner: list[FieldForm[Any]] = []
    match form:
        case Rows():
            yield form
            inner = [form.inner]
        case Struct():
            inner = list(form.forms.values())
        case codec.Kinds():
            inner = list(form.rows.values())
        case codec.Fields() | codec.Either():
            inner = [one for one in vars(form).values() if isinstance(one, FieldForm)]
            inner += list(vars(form).get("_forms", ()))
    for one in inner:
        yield from lists_in(one)


def test_every_list_of_a_file_has_the_bound_of_a_file() -> None:
    """A list that a later version adds, too."""
    parts = (transcript_format.Content, transcript_format.Evidence)
    found = [one for part in parts for one in lists_in(Struct(part))]
    assert len(found) == 11
    assert {one.most for one in found} == {transcript_format.MAX_ITEMS}
    assert Rows(bytes).most != transcript_format.MAX_ITEMS


@pytest.mark.parametrize("bound", [codec.MAX_ITEMS, 2])
def test_a_lower_bound_of_a_list_would_be_seen(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = cast(Any, transcript_format._FILE._forms[3]).forms["signatures"]
    monkeypatch.setattr(rows, "most", bound)
    case = CASES[f"signatures-{codec.MAX_ITEMS + 1}"]
    assert judged(case["parts"]) == ["fault", ["bad-form", None, None]]
