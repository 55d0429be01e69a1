"""Tests of how fast what others send is read."""

from hypothesis import given
from hypothesis import strategies as st

from p2p_hoity.net.link_limits import MOST_KEPT, Bucket, Buckets


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
