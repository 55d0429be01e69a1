"""Tests of the doorkeeper: known frames are passed over, questions have a pace."""

from __future__ import annotations

from p2p_hoity import pace
from p2p_hoity.pace import Pace
from protocol import frames

A, B = b"a" * 32, b"b" * 32
SAID = frames.encode_frame(frames.Carry(b"a message"))
ASKED = frames.encode_frame(frames.Sync(0, 1, ()))


def test_what_went_out_to_all_is_not_read_again() -> None:
    door = Pace()
    assert door.is_due(A, SAID, 0.0)
    door.held(SAID)
    assert not door.is_due(A, SAID, 0.0)
    assert door.is_due(A, SAID + b"x", 0.0)


def test_a_node_that_lacks_something_reads_everything() -> None:
    door = Pace()
    door.held(SAID)
    assert door.is_due(A, SAID, 0.0, lacks=True)


def test_each_link_has_its_own_questions_and_they_come_back_with_time() -> None:
    door = Pace()
    asked = [door.is_due(A, ASKED, 0.0) for _ in range(100)]
    assert sum(asked) == pace.BURST
    assert door.is_due(B, ASKED, 0.0)
    assert not door.is_due(A, ASKED, 0.01)
    assert door.is_due(A, ASKED, 1.0)


def test_messages_are_not_counted_as_questions() -> None:
    door = Pace()
    assert all(door.is_due(A, SAID, 0.0) for _ in range(1000))


def test_what_is_remembered_is_bounded() -> None:
    door = Pace()
    for number in range(pace.HELD + 10):
        door.held(SAID + number.to_bytes(4, "big"))
    assert len(door._held) == pace.HELD
    door.held(ASKED)
    assert len(door._held) == pace.HELD
