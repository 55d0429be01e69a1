"""Who stands up when, with a liar at the table that would have others left without an end ([E-19]).

Four seats, three of them a quorum: seat 3 lies, 0, 1 and 2 are honest.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.sim.cheap import cheap_blocks
from support.timed_room import TimedRoom, is_asked, is_said

from protocol.chain.state import Kind
from protocol.wire.header import Patience
from protocol.wire.messages import Late, Say

LIAR = 3
LONG = 120
"""Seconds in which all have stood up, or somebody never will: the longest patience is 30."""


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


class Withheld(TimedRoom):
    """The liar's last say is held back, and everything else that its machine would say then."""

    asked = 0
    slow = 0.01
    silent = False

    def __init__(self, patience: Patience) -> None:
        super().__init__(4, patience, LIAR)

    def held_back(self, seat: int, other: int, frame: bytes) -> bool:
        if seat != LIAR or not is_said(frame):
            return False
        return self.silent or self.last_say() is not None

    def seen(self, seat: int, other: int, frame: bytes) -> None:
        self.asked += seat == 0 and is_asked(frame)

    def delay(self, seat: int, other: int) -> float:
        if LIAR in (seat, other):
            return 0.001
        return self.slow if seat == 0 else 0.01

    def wait_for_result(self) -> Say:
        """All have said their last but the liar, whose say is returned."""

        def lacks_one() -> bool:
            machines = [place.machine for place in self.places]
            ends = (m.tip.want.kind is Kind.RESULT for m in machines)
            return all(ends) and all(m.awaited() <= {LIAR} for m in machines)

        self.start()
        assert self.go(lacks_one, 20)
        self.go(lambda: False, 3)
        said = self.last_say()
        assert said is not None
        self.silent = True
        return said

    def wait_for_question(self) -> None:
        """Until seat 0 has just asked, and will not ask again for a second."""
        before = self.asked
        assert self.go(lambda: self.asked > before, 5)

    def whisper(self, say: Say, far: float) -> None:
        """Seats 1 and 2 get what proves a fault, the last say, and `far` seconds later a wish that
        is too far ahead to be passed on."""
        for seat in (1, 2):
            self.lie(seat, Say(0, say.step, say.on, b"other"))
            self.lie(seat, say)
            self.at(self.now + far, lambda seat=seat: self.lie(seat, Late(100)))


@pytest.mark.parametrize("far", [0.0, 0.4, 1.5, 4.0])
@pytest.mark.parametrize("grace", [100, 300, 900, 5000])
def test_nobody_is_left_halted_by_a_wish_that_only_some_were_shown(grace: int, far: float) -> None:
    room = Withheld(Patience(300_000, 30_000, grace, 1120))
    say = room.wait_for_result()
    room.wait_for_question()
    room.lie(0, say)
    room.at(room.now + 0.022, lambda: room.whisper(say, far))
    room.go(room.is_over, LONG)
    assert room.all_honest_have_end()


@pytest.mark.parametrize("far", [0.0, 3.0])
def test_nor_over_a_link_that_is_slower_than_the_grace(far: float) -> None:
    room = Withheld(Patience())
    say = room.wait_for_result()
    room.slow = 6.0
    room.lie(0, say)
    room.at(room.now + 6.05, lambda: room.whisper(say, far))
    room.go(room.is_over, LONG)
    assert room.all_honest_have_end()


class Parted(TimedRoom):
    """Seat 2 loses its links with 0 and 1 as it says its last. The liar passes that on to them, and
    nothing of theirs to it."""

    is_parted = was_parted = False

    def cut(self, seat: int, other: int) -> bool:
        return self.is_parted and {seat, other} in ({0, 2}, {1, 2})

    def held_back(self, seat: int, other: int, frame: bytes) -> bool:
        return self.was_parted and (seat, other) == (LIAR, 2) and is_said(frame)

    def seen(self, seat: int, other: int, frame: bytes) -> None:
        is_last = self.places[seat].machine.tip.want.kind is Kind.RESULT
        if is_last and seat != LIAR and not self.was_parted:
            self.is_parted = self.was_parted = True
            self.at(self.now, self._part)

    def _part(self) -> None:
        for seat, other in ((0, 2), (1, 2), (2, 0), (2, 1)):
            self.down(seat, other)

    def join(self) -> None:
        """The links are there again."""
        self.is_parted = False
        for seat, other in ((0, 2), (1, 2), (2, 0), (2, 1)):
            self.up(seat, other)


def test_a_seat_whose_links_break_for_less_than_a_grace_is_not_left_to_the_liar() -> None:
    room = Parted(4, Patience(), LIAR)
    room.start()
    assert room.go(lambda: room.is_parted, 60)
    room.go(lambda: False, 2)
    assert not room.stood_up
    room.join()
    room.go(room.is_over, LONG)
    assert room.all_honest_have_end()


def test_all_stand_up_soon_where_nobody_lies() -> None:
    room = TimedRoom(4, Patience(), LIAR)
    room.start()
    assert room.go(room.is_over, 10)
