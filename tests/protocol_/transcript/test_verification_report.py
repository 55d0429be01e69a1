"""The report on a file: verdict, problem and the part in which it is, counts and times."""

import pytest
from support.cases import fails

from protocol.errors import FieldPlace
from protocol.fault_codes import FAULTS
from protocol.transcript.verification_report import (
    FILE_FAULTS,
    PARTS,
    UNREADABLE,
    Problem,
    Report,
    Statistics,
    Unsound,
)


def test_a_failed_check_has_the_meaning_of_its_code_unless_it_has_words_of_its_own() -> None:
    error = Unsound("bad-order", path=(3, 1, 4), step=7, seat=2, place=FieldPlace("proof"))
    assert str(error) == f"bad-order: {FILE_FAULTS['bad-order']}"
    assert (error.step, error.seat, error.offset) == (7, 2, None)
    assert error.place == FieldPlace("proof")
    assert Unsound("bad-share", "no", offset=9).words == "no"
    fails(KeyError, "bad-share", Unsound, "bad-share")


@pytest.mark.parametrize(
    ("path", "part"),
    [
        *((path, name) for path, name in PARTS.items()),
        ((3, 1, 4, 0), "messages"),
        ((), "file"),
        ((2,), "file"),
        ((3, 5), "file"),
    ],
)
def test_a_failed_check_names_the_part_of_the_file(path: tuple[int, ...], part: str) -> None:
    assert Unsound("bad-form", path=path).part == part


def test_a_file_that_cannot_be_read_has_a_code_among_those_of_files_and_none_of_seats() -> None:
    assert UNREADABLE.items() <= FILE_FAULTS.items()
    assert not FILE_FAULTS.keys() & FAULTS.keys()


def test_a_report_is_ok_or_lacks_only_the_end() -> None:
    def problem(code: str) -> Problem:
        return Problem(code, "", None, None, "file", 0)

    found = [
        Report("ok", None),
        Report("fault", problem("not-final")),
        Report("fault", problem("bad-order")),
        Report("unreadable", problem("torn")),
    ]
    assert [(report.ok, report.unfinished) for report in found] == [
        (True, False),
        (False, True),
        (False, False),
        (False, False),
    ]


def test_each_part_is_charged_with_the_time_since_the_last_one() -> None:
    readings = iter([10.0, 13.0, 14.0, 19.0])
    statistics = Statistics(lambda: next(readings))
    for part in ("keys", "shuffles", "keys"):
        statistics.lap(part)
    assert statistics.timings == {"keys": 8.0, "shuffles": 1.0}
    untimed = Statistics()
    untimed.lap("keys")
    assert untimed.timings == {}
