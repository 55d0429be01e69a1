"""The queue of effects and jobs that a seat's machine has for its driver."""

import pytest
from support.machine_table import toy_table

from protocol.fault_codes import FAULTS
from protocol.seat.effects import ENDS, Job, Outbox, SeatLeft, Send
from protocol.wire import peer_frames
from protocol.wire.signed_messages import EpochRequest
from protocol.wire.signed_notices import Departure, EndNotice


@pytest.mark.parametrize(
    ("frame", "asks", "once"),
    [
        (peer_frames.Carry(b"a message"), False, True),
        (peer_frames.Fetch((), ()), True, False),
        (peer_frames.Sync(0, 1, ()), True, False),
        (peer_frames.Own(), True, False),
        (peer_frames.Told(bytes(32)), False, False),
        (Departure(1, 1, 0, 9, bytes(32), bytes(64)), False, True),
        (EndNotice(1, "over", None, bytes(64)), False, False),
    ],
    ids=["carry", "fetch", "sync", "own", "told", "departure", "end"],
)
def test_only_requests_ask_and_only_what_is_told_to_all_goes_once_over_a_link(
    frame: peer_frames.FrameBody, asks: bool, once: bool
) -> None:
    outbox = Outbox()
    outbox.send(frame, but=(b"p" * 32,))
    assert outbox.take() == [
        Send(peer_frames.encode_frame(frame), None, frozenset((b"p" * 32,)), asks, once)
    ]


def test_a_message_goes_in_a_carry_frame_to_all_or_to_one_peer() -> None:
    message, outbox = toy_table(3).sign(1, EpochRequest(1)), Outbox()
    frame = peer_frames.encode_frame(peer_frames.Carry(message.encode()))
    outbox.send(message)
    outbox.send(message, b"p" * 32)
    assert outbox.take() == [
        Send(frame, None, frozenset(), once=True),
        Send(frame, b"p" * 32, frozenset(), once=True),
    ]


def test_effects_are_taken_once_and_in_order() -> None:
    outbox = Outbox()
    for seat in (2, 0, 1):
        outbox.emit(SeatLeft(seat))
    assert outbox.take() == [SeatLeft(2), SeatLeft(0), SeatLeft(1)]
    assert outbox.take() == []


def test_what_a_replay_queues_is_dropped_at_its_end() -> None:
    outbox = Outbox()
    outbox.begin_replay()
    assert outbox.is_replaying
    outbox.emit(SeatLeft(2))
    outbox.end_replay()
    assert not outbox.is_replaying
    assert outbox.take() == []


def test_the_result_of_a_job_is_taken_once_and_that_of_another_job_is_ignored() -> None:
    outbox, taken = Outbox(), list[object]()
    first, second = (Job(lambda: 0, taken.append) for _ in range(2))
    outbox.put(first)
    outbox.put(second)
    outbox.finish(first, "late")
    assert (taken, outbox.job) == ([], second)
    outbox.finish(second, "result")
    outbox.finish(second, "again")
    assert (taken, outbox.job) == (["result"], None)


def test_a_job_is_no_longer_under_way_when_its_result_is_taken() -> None:
    outbox, seen = Outbox(), list[object]()
    job = Job(lambda: 0, lambda given: seen.append(outbox.job))
    outbox.put(job)
    outbox.finish(job, None)
    assert seen == [None]


def test_the_ends_of_a_table_have_other_codes_than_faults() -> None:
    assert not ENDS.keys() & FAULTS.keys()
    assert all(text and text[0].islower() for text in ENDS.values())
