"""A fault in the very last step is in the transcript, and changes nothing of what happened."""

from functools import cache

import pytest
from played import game_of, lie, new_room, not_empty
from room import Room

from protocol.node import Kind
from protocol.transcript import write
from protocol.verifier import verify

LIAR, HONEST = 3, (0, 1, 2)


@cache
def played(also: bool, seats: int = 4, quorum: int | None = None) -> Room:
    room = new_room(seats, quorum)
    lie(room, LIAR, Kind.RESULT, not_empty, also)
    room.start()
    room.run(until=400)
    for _ in range(40):  # whoever was done first still answers and votes
        while room.deliver():
            pass
        room.now += 0.5
        for seat in HONEST:
            room.places[seat].machine.tick(room.now)
            room.collect(seat)
    return room


@pytest.mark.parametrize(("also", "code"), [(False, "bad-body"), (True, "two-statements")])
def test_every_seat_writes_the_fault_down_and_the_same_content(also: bool, code: str) -> None:
    room = played(also)
    reports = []
    for seat in HONEST:
        assert room.places[seat].machine.finished
        report = verify(write(room.places[seat].machine), game_of)
        assert report.ok, report.problem
        assert [(fault.seat, fault.code) for fault in report.faults] == [(LIAR, code)]
        reports.append(report)
    undisturbed = new_room(4)
    undisturbed.start()
    undisturbed.run(until=60)
    (same,) = {report.content for report in reports}
    assert same == verify(write(undisturbed.places[0].machine), game_of).content


def test_a_base_at_the_end_is_the_end_itself() -> None:
    room = played(also=True)
    for seat in HONEST:
        view = room.places[seat].machine.view
        assert view.epoch > 0
        assert view.base.want.kind is Kind.RESULT
        assert view.base.slots is not None
        assert LIAR in view.base.present
        assert not view.base.banned


def test_a_strict_table_takes_the_says_for_the_end() -> None:
    room = played(also=True, quorum=4)
    for seat in HONEST:
        assert room.places[seat].machine.finished
        assert room.places[seat].machine.view.epoch == 0
