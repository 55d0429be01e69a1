"""Who stands up when, with a liar at the table that would have others left without an end ([E-19]).

Four seats, three of them a quorum: seat 3 lies, 0, 1 and 2 are honest.
"""

from collections.abc import Callable

import pytest
from support.inspection import inspect
from support.machine_table import MachineTable, toy_table

from protocol.chain.chain_state import Kind
from protocol.wire import peer_frames
from protocol.wire.signed_messages import EpochRequest, StepInput
from protocol.wire.signed_notices import EndNotice
from protocol.wire.table_header import Timeouts

LIAR, HONEST = 3, (0, 1, 2)
LONG = 120
"""Seconds after which all have left, or somebody never will: the longest timeout is 30."""


def table_with_links(timeouts: Timeouts) -> MachineTable:
    """Return four seats that start one after the other, and leave when they may but for the liar.

    They would else all ask in the same moment.
    """
    table = toy_table(timeouts=timeouts)
    table.delay = lambda seat, other: 0.01
    table.leaving = set(HONEST)
    return table


def have_end(table: MachineTable) -> bool:
    """Return whether every honest seat has a final end."""
    return all(machine.finished for machine in table.machines(HONEST))


def is_over(table: MachineTable) -> bool:
    """Return whether every honest seat does, and has left."""
    return have_end(table) and len(table.left_at) == len(HONEST)


class Withheld:
    """A table that lacks the liar's last input, and all that its machine would send then.

    `slow` is the delay of the links of seat 0, `asked` how often seat 0 has asked for messages.
    """

    def __init__(self, timeouts: Timeouts) -> None:
        self.asked, self.slow, self.silent = 0, 0.01, False
        self.table = table_with_links(timeouts)
        self.table.hold_back, self.table.delay = self.is_held_back, self.delay

    def is_held_back(self, seat: int, other: int, frame: bytes) -> bool:
        """Count questions of seat 0, and hold the liar's messages back."""
        self.asked += seat == 0 and isinstance(peer_frames.parse_frame(frame), peer_frames.Sync)
        if seat != LIAR or self.table.message(frame) is None:
            return False
        return self.silent or self.last_input() is not None

    def delay(self, seat: int, other: int) -> float:
        """Return how long a link takes."""
        if LIAR in (seat, other):
            return 0.001
        return self.slow if seat == 0 else 0.01

    def last_input(self) -> StepInput | None:
        """Return the input of the liar's machine to `result`."""
        machine = self.table.machine(LIAR)
        if machine.tip.want.kind is not Kind.RESULT:
            return None
        said = inspect(machine).statements(LIAR)
        return next(
            (s for s in said if isinstance(s, StepInput) and s.step == machine.tip.step), None
        )

    def wait_for_result(self) -> StepInput:
        """Let all but the liar give their last input, and return the liar's."""

        def lacks_one() -> bool:
            machines = self.table.machines()
            ends = (m.tip.want.kind is Kind.RESULT for m in machines)
            return all(ends) and all(m.awaited() <= {LIAR} for m in machines)

        self.table.start(apart=0.3)
        assert self.table.go(lacks_one, 20)
        self.table.go(lambda: False, 3)
        said = self.last_input()
        assert said is not None
        self.silent = True
        return said

    def wait_for_question(self) -> None:
        """Wait until seat 0 has just asked, and will not ask again for a second."""
        before = self.asked
        assert self.table.go(lambda: self.asked > before, 5)

    def whisper(self, step_input: StepInput, far: float) -> None:
        """Show seats 1 and 2 a proof and the last input, and `far` seconds later a request.

        That request is too far ahead to be forwarded.
        """
        show, later = self.table.show, self.table.now + far
        for seat in (1, 2):
            show(LIAR, seat, StepInput(0, step_input.step, step_input.on, b"other"))
            show(LIAR, seat, step_input)
            self.table.at(later, lambda seat=seat: show(LIAR, seat, EpochRequest(100)))

    def ends_after_whisper(self, step_input: StepInput, wait: float, far: float) -> bool:
        """Show seat 0 the last input, the others more `wait` seconds later; return if all end."""
        self.table.show(LIAR, 0, step_input)
        self.table.at(self.table.now + wait, lambda: self.whisper(step_input, far))
        self.table.go(lambda: is_over(self.table), LONG)
        return have_end(self.table)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("far", [0.0, 0.4, 1.5, 4.0])
@pytest.mark.parametrize("back_off", [100, 300, 900, 5000])
def test_nobody_is_left_promised_by_a_request_that_only_some_were_shown(
    back_off: int, far: float
) -> None:
    room = Withheld(Timeouts(300_000, 30_000, back_off, 1120))
    step_input = room.wait_for_result()
    room.wait_for_question()
    assert room.ends_after_whisper(step_input, 0.022, far)


@pytest.mark.parametrize("far", [0.0, 3.0])
def test_nor_over_a_link_that_is_slower_than_the_back_off(far: float) -> None:
    room = Withheld(Timeouts())
    step_input = room.wait_for_result()
    room.slow = 6.0
    assert room.ends_after_whisper(step_input, 6.05, far)


def test_a_seat_whose_links_break_for_less_than_a_back_off_is_not_left_to_the_faulty_seat() -> None:
    """Seat 2 loses its links with 0 and 1 as it gives its last input.

    The liar forwards that input to them, and nothing of theirs to it.
    """
    room, parted = table_with_links(Timeouts()), [(0, 2), (1, 2), (2, 0), (2, 1)]
    cut: set[tuple[int, int]] = set()
    broken_at: list[float] = []
    room.cut = lambda seat, other: (seat, other) in cut

    def change_links(change: Callable[[int, int], None]) -> None:
        for pair in parted:
            change(*pair)

    def is_held_back(seat: int, other: int, frame: bytes) -> bool:
        is_last = room.machine(seat).tip.want.kind is Kind.RESULT
        if is_last and seat != LIAR and not broken_at:
            broken_at.append(room.now)
            cut.update(parted)
            room.at(room.now, lambda: change_links(room.down))
        passes = room.message(frame) is None or (seat, other) != (LIAR, 2)
        return (seat, other) in cut or not (passes or not broken_at)

    room.hold_back = is_held_back
    room.start(apart=0.3)
    assert room.go(lambda: bool(broken_at), 60)
    room.go(lambda: False, 2)
    assert not room.left_at
    cut.clear()
    change_links(room.up)
    room.go(lambda: is_over(room), LONG)
    assert have_end(room)


def test_nobody_stays_for_ever_who_is_promised_when_all_others_have_left() -> None:
    """The liar shows its last input to seat 0 alone. The others get it from there just after they
    have requested an epoch: they end and leave. Then the liar requests that epoch too, and never
    tells seat 0 that its own end is final."""
    room = Withheld(Timeouts())
    held_back = room.is_held_back

    def is_held_back(seat: int, other: int, frame: bytes) -> bool:
        if isinstance(parsed := peer_frames.parse_frame(frame), EndNotice):
            return seat == LIAR and other == 0 and parsed.seat == LIAR
        return held_back(seat, other, frame)

    room.table.hold_back = is_held_back
    step_input = room.wait_for_result()
    left = min(machine.wait(room.table.now).left for machine in room.table.machines(HONEST))
    room.slow = 1.0
    room.table.at(room.table.now + left - 0.4, lambda: room.table.show(LIAR, 0, step_input))
    assert room.table.go(lambda: have_end(room.table), 60)
    assert room.table.go(lambda: set(room.table.left_at) == {1, 2}, 5)
    room.table.show(LIAR, 0, EpochRequest(1))
    room.table.go(lambda: False, 1)
    assert inspect(room.table.machine()).promise == 1
    assert room.table.go(lambda: is_over(room.table), 300)


def test_nobody_stays_for_ever_whom_a_request_far_ahead_lets_request_epoch_after_epoch() -> None:
    """At three seats, two of them a quorum, the requests of the liar and of seat 0 make one."""
    room = toy_table(3, timeouts=Timeouts(300_000, 30_000, 1000, 2000))
    room.delay = lambda seat, other: 0.01
    room.hold_back = lambda seat, other, frame: (
        isinstance(notice := peer_frames.parse_frame(frame), EndNotice) and notice.seat == 2
    )
    room.start(apart=0.3)
    assert room.go(room.done, 20)
    room.leaving = {0}
    room.places[1].alive = room.places[2].alive = False
    room.tell(0, room.sign(1, EpochRequest(1)))
    room.tell(0, room.sign(2, EpochRequest(1000)))
    assert room.go(lambda: bool(room.left_at), 200)
    assert 3 < inspect(room.machine()).promise < 100


def test_all_stand_up_soon_where_nobody_lies() -> None:
    room = table_with_links(Timeouts())
    room.start(apart=0.3)
    assert room.go(lambda: is_over(room), 10)
