"""The question of a resumed seat: who has answered, what restarts it, and when it is over."""

import pytest

from protocol.seat.resume_inquiry import FIRST, Inquiry
from protocol.wire.peer_frames import Told

LOW, HIGH = b"\x01" * 32, b"\x02" * 32


def test_an_answer_in_parts_is_asked_on_while_its_hashes_rise() -> None:
    inquiry = Inquiry(0.0)
    assert inquiry.hear(2, Told(LOW, more=True))
    for last in (LOW, FIRST):
        assert not inquiry.hear(2, Told(last, more=True)), "it could go on without end"
    assert inquiry.cursors == {2: LOW}
    assert inquiry.hear(2, Told(HIGH, more=True))
    assert not inquiry.hear(1, Told(FIRST, more=True))
    assert inquiry.told == set()
    assert not inquiry.hear(2, Told(HIGH))
    assert inquiry.told == {2}


def test_the_first_doubt_restarts_the_wait_and_a_later_one_only_adds_certainty() -> None:
    inquiry = Inquiry(1.0)
    assert inquiry.doubt(5.0, certain=False)
    assert (inquiry.began, inquiry.cautious, inquiry.certain) == (5.0, True, False)
    assert not inquiry.doubt(9.0, certain=True)
    assert (inquiry.began, inquiry.certain) == (5.0, True)
    assert not inquiry.doubt(9.0, certain=False)
    assert inquiry.certain, "what is certain stays so"


def test_the_end_of_signing_is_told_once() -> None:
    inquiry = Inquiry(0.0)
    assert inquiry.silence()
    assert not inquiry.silence()


@pytest.mark.parametrize(
    ("told", "now", "over"),
    [
        ({0, 2, 3}, 0.0, True),
        ({0, 2}, 9.9, False),
        ({0, 2}, 10.0, True),
        ({0}, 99.0, False),
        ({0, 4}, 10.0, True),
    ],
    ids=["all", "too early", "enough in time", "too few", "enough with an absent one"],
)
def test_it_is_over_with_the_answers_of_all_present_or_of_enough_in_time(
    told: set[int], now: float, over: bool
) -> None:
    inquiry = Inquiry(0.0, told=told)
    assert inquiry.is_over({0, 2, 3}, enough=2, now=now, seconds=10.0) is over
