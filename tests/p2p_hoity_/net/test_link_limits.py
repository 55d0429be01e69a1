"""Tests of how fast what others send is read."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from p2p_hoity.net.link_limits import MOST_KEPT, Bucket, Buckets, Limits, open_files


def test_so_many_at_once_and_then_so_many_a_second_for_each_and_no_debt_is_forgotten() -> None:
    one = Bucket((3, 10.0))
    assert [one.take(0.0) for _ in range(3)] == [0.0] * 3
    assert one.take(0.0) == 0.1
    assert one.take(0.0) == 0.2
    assert one.take(10.0) == 0.0
    assert [one.take(10.0) for _ in range(2)] == [0.0] * 2
    assert one.take(10.0) > 0
    one = Bucket((4096, 1000.0))
    assert sum(one.take(frame / 500) for frame in range(50_000)) == 0
    assert sum(one.take(frame / 5000) for frame in range(50_000)) > 0
    all_of_them = Buckets((2, 1.0))
    assert [all_of_them.take("a", 0.0) for _ in range(3)] == [0.0, 0.0, 1.0]
    assert all_of_them.take("b", 0.0) == 0.0
    assert all_of_them.take("a", 0.0) == 2.0
    all_of_them = Buckets((2, 1.0))
    for _ in range(4):
        all_of_them.take("in debt", 0.0)
    for number in range(3 * MOST_KEPT):
        all_of_them.take(number, number / 100)
    assert len(all_of_them._of) <= MOST_KEPT + 1
    debtors = Buckets((2, 0.001))
    for _ in range(4):
        debtors.take("in debt", 0.0)
    for number in range(2 * MOST_KEPT):
        debtors.take(number, 0.0)
    assert debtors.take("in debt", 0.0) > 0


@given(st.lists(st.floats(0, 0.1), max_size=300))
def test_in_any_time_no_more_pass_than_are_allowed(gaps: list[float]) -> None:
    one, now, passed = Bucket((5, 20.0)), 0.0, 0
    for gap in gaps:
        now += gap + one.take(now)  # whoever waits sends nothing meanwhile
        passed += 1
    assert passed <= 5 + 20.0 * now + 1


def test_only_who_is_not_in_debt_takes_a_token_and_nobody_falls_deeper_than_that() -> None:
    one = Bucket((2, 1.0))
    assert [one.take_if_any(0.0) for _ in range(3)] == [True, True, False]
    assert one.take_if_any(1.0)
    many = Buckets((2, 1.0), most=2)
    assert [many.take_if_any("a", 0.0) for _ in range(3)] == [True, True, False]
    many.forget("a")
    assert [many.take_if_any("a", 0.0) for _ in range(3)] == [True, True, False]
    many.take("b", 0.0)
    assert not many.take_if_any("a", 0.0)
    for who in "bc":
        many.take(who, 0.0)
    assert many.take_if_any("a", 0.0), "the one that was not used for longest is forgotten"


@pytest.mark.parametrize(
    "wrong",
    [
        {"frame": 0},
        {"frame": 1 << 31, "queue_bytes": 1 << 32},
        {"frame": 100, "queue_bytes": 99},
        {"handshake": 0.0},
        {"heartbeat": 0.0},
        {"first_pause": 0.0},
        {"silence": 2.0},
    ],
    ids=str,
)
def test_limits_that_cannot_be_kept_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        Limits(**wrong)
    assert Limits(frame=100, queue_bytes=100, silence=2.1)


@pytest.mark.parametrize(
    ("soft", "hard", "allowed", "set_to"),
    [
        (1024, 4096, None, (3000, 4096)),
        (1024, 2048, 2048, (2048, 2048)),
        (3000, 4096, None, None),
        (-1, -1, None, None),
        (1024, -1, None, (3000, -1)),
    ],
)
def test_as_many_files_may_be_open_as_the_system_allows(
    soft: int, hard: int, allowed: int | None, set_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []
    fake = SimpleNamespace(
        RLIM_INFINITY=-1,
        RLIMIT_NOFILE=7,
        getrlimit=lambda what: (soft, hard),
        setrlimit=lambda what, limits: done.append(limits),
    )
    monkeypatch.setitem(sys.modules, "resource", fake)
    assert open_files(3000) == allowed
    assert done == ([] if set_to is None else [set_to])

    def refuse(what: int, limits: Any) -> None:
        raise ValueError

    fake.setrlimit = refuse
    assert open_files(3000) == (None if set_to is None else soft)
    monkeypatch.setitem(sys.modules, "resource", None)
    assert open_files(3000) is None
