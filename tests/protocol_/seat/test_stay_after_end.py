"""Who waits for whom at the end of a table, by the notices that the seats sign ([E-19], [E-29])."""

from collections.abc import Callable

import pytest
from support.ended_star import HUB, STEP, ended_star, may_leave
from support.epoch_requests import request_epoch
from support.inspection import forget_end, inspect
from support.machine_table import MachineTable, sent, toy_table, waiting_table

from protocol.chain.chain_state import Kind
from protocol.wire import peer_frames
from protocol.wire.signed_messages import EpochRequest, StepInput
from protocol.wire.signed_notices import EndNotice
from protocol.wire.table_header import Timeouts


def test_in_a_star_all_leave_once_the_notices_of_all_have_gone_round() -> None:
    table = ended_star()
    assert table.done()
    assert may_leave(table) == [True] * 4


def test_a_seat_without_a_notice_is_waited_for_one_step_timeout() -> None:
    table = ended_star()
    for seat, machine in enumerate(table.machines()):
        if seat != 2:
            forget_end(machine, 2)
    table.places[2].alive = False
    for seconds, may in ((STEP - 0.2, False), (0.4, True)):
        table.now += seconds
        for machine in table.machines((0, 1, 3)):
            machine.tick(table.now)
            assert machine.may_leave() is may


def test_a_seat_that_knows_a_fault_waits_for_its_base_while_a_quorum_is_linked() -> None:
    table = ended_star()
    hub = table.machine(HUB)
    table.tell(HUB, table.sign(1, StepInput(0, hub.tip.step, hub.tip.digest, b"other")))
    assert inspect(hub).proofs
    assert not hub.may_leave()
    for seat in (1, 2, 3):
        hub.link_down(table.table.ids[seat], table.now)
    assert hub.may_leave()


ABSENT = 3
OTHERS = (0, 1, 2)


def ended_without() -> MachineTable:
    """Return a table whose game has ended for all but one seat, which is absent and not linked."""
    table = toy_table(timeouts=Timeouts())
    table.begin(*range(4))
    table.places[ABSENT].alive = False
    for seat in OTHERS:
        table.down(seat, ABSENT)
    table.run(until=900, step=1.0)
    assert table.done()
    assert all(ABSENT not in machine.tip.present for machine in table.machines(OTHERS))
    return table


def come_back(table: MachineTable) -> None:
    """Let the absent seat resume, and have its links with all others."""
    table.crash_and_resume(ABSENT)
    for seat in OTHERS:
        table.up(seat, ABSENT)


def test_an_absent_seat_that_is_linked_again_is_waited_for_until_its_end_is_final() -> None:
    table = ended_without()
    others = table.machines(OTHERS)
    assert all(machine.may_leave() for machine in others)
    come_back(table)
    assert not any(machine.may_leave() for machine in others)
    waits = others[0].last_wait()
    assert waits is not None
    assert waits.seats == {ABSENT}
    assert waits.left == STEP
    table.settle()
    assert table.machine(ABSENT).finished
    assert ABSENT not in table.machine(ABSENT).tip.present
    assert may_leave(table) == [True] * 4
    assert others[0].last_wait() is None


def test_an_absent_seat_is_waited_for_no_longer_than_any_other_even_if_its_link_flaps() -> None:
    """It says nothing. Its first new link begins the wait anew, and no later one does."""
    table = ended_without()
    table.hold_back = lambda seat, other, frame: seat == ABSENT
    come_back(table)
    for waited in range(int(STEP)):
        assert not any(machine.may_leave() for machine in table.machines(OTHERS)), waited
        for seat in OTHERS:
            table.down(seat, ABSENT)
            assert table.machine(seat).may_leave()
            table.up(seat, ABSENT)
        table.now += 1
        for machine in table.machines(OTHERS):
            machine.tick(table.now)
    assert all(machine.may_leave() for machine in table.machines(OTHERS))


def test_a_seat_asks_for_what_it_lacks_as_long_as_it_waits_for_an_absent_one() -> None:
    def asks() -> bool:
        table.now += 2
        hub.take()
        hub.tick(table.now)
        return any(isinstance(frame, peer_frames.Sync) for frame in sent(hub))

    table = ended_without()
    hub = table.machine(HUB)
    asks()
    assert not asks()
    hub.link_up(table.table.ids[ABSENT], table.now)
    asks()
    assert asks()
    hub.link_down(table.table.ids[ABSENT], table.now)
    asks()
    assert not asks()


def test_a_banned_seat_is_not_waited_for_though_it_is_linked() -> None:
    table = toy_table(timeouts=Timeouts())
    table.begin(*range(4))
    tip = table.machine(HUB).tip
    for seat in OTHERS:
        table.tell(seat, table.sign(ABSENT, StepInput(0, tip.step, tip.digest, b"other")))
    table.places[ABSENT].alive = False
    table.run(until=900, step=1.0)
    for machine in table.machines(OTHERS):
        assert ABSENT in machine.tip.banned
        assert ABSENT in inspect(machine).links
        assert machine.may_leave()


def test_a_finished_seat_that_is_promised_requests_on() -> None:
    table = waiting_table(())
    machine = table.machine()
    assert machine.finished
    assert machine.may_leave()
    forget_end(machine, 1)
    request_epoch(table)
    assert inspect(machine).promise == 1
    longest = machine.table.header.terms.timeouts.cap / 1000
    for turn in range(2, machine.table.seats + 1):
        table.wait_first(longest)
        assert inspect(machine).requests[0] == turn
        assert not machine.may_leave()
        request_epoch(table, epoch=turn)
    table.wait_first(1)
    assert not machine.may_leave()
    table.wait_first(longest)
    assert machine.may_leave()


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
    withheld = Withheld(Timeouts(300_000, 30_000, back_off, 1120))
    step_input = withheld.wait_for_result()
    withheld.wait_for_question()
    assert withheld.ends_after_whisper(step_input, 0.022, far)


@pytest.mark.parametrize("far", [0.0, 3.0])
def test_nor_over_a_link_that_is_slower_than_the_back_off(far: float) -> None:
    withheld = Withheld(Timeouts())
    step_input = withheld.wait_for_result()
    withheld.slow = 6.0
    assert withheld.ends_after_whisper(step_input, 6.05, far)


def test_a_seat_whose_links_break_for_less_than_a_back_off_is_not_left_to_the_faulty_seat() -> None:
    """Seat 2 loses its links with 0 and 1 as it gives its last input.

    The liar forwards that input to them, and nothing of theirs to it.
    """
    table, parted = table_with_links(Timeouts()), [(0, 2), (1, 2), (2, 0), (2, 1)]
    cut: set[tuple[int, int]] = set()
    broken_at: list[float] = []
    table.cut = lambda seat, other: (seat, other) in cut

    def change_links(change: Callable[[int, int], None]) -> None:
        for pair in parted:
            change(*pair)

    def is_held_back(seat: int, other: int, frame: bytes) -> bool:
        is_last = table.machine(seat).tip.want.kind is Kind.RESULT
        if is_last and seat != LIAR and not broken_at:
            broken_at.append(table.now)
            cut.update(parted)
            table.at(table.now, lambda: change_links(table.down))
        passes = table.message(frame) is None or (seat, other) != (LIAR, 2)
        return (seat, other) in cut or not (passes or not broken_at)

    table.hold_back = is_held_back
    table.start(apart=0.3)
    assert table.go(lambda: bool(broken_at), 60)
    table.go(lambda: False, 2)
    assert not table.left_at
    cut.clear()
    change_links(table.up)
    table.go(lambda: is_over(table), LONG)
    assert have_end(table)


def test_nobody_stays_for_ever_who_is_promised_when_all_others_have_left() -> None:
    """The liar shows its last input to seat 0 alone. The others get it from there just after they
    have requested an epoch: they end and leave. Then the liar requests that epoch too, and never
    tells seat 0 that its own end is final."""
    withheld = Withheld(Timeouts())
    held_back = withheld.is_held_back

    def is_held_back(seat: int, other: int, frame: bytes) -> bool:
        if isinstance(parsed := peer_frames.parse_frame(frame), EndNotice):
            return seat == LIAR and other == 0 and parsed.seat == LIAR
        return held_back(seat, other, frame)

    withheld.table.hold_back = is_held_back
    step_input = withheld.wait_for_result()
    left = min(machine.wait(withheld.table.now).left for machine in withheld.table.machines(HONEST))
    withheld.slow = 1.0
    withheld.table.at(
        withheld.table.now + left - 0.4, lambda: withheld.table.show(LIAR, 0, step_input)
    )
    assert withheld.table.go(lambda: have_end(withheld.table), 60)
    assert withheld.table.go(lambda: set(withheld.table.left_at) == {1, 2}, 5)
    withheld.table.show(LIAR, 0, EpochRequest(1))
    withheld.table.go(lambda: False, 1)
    assert inspect(withheld.table.machine()).promise == 1
    assert withheld.table.go(lambda: is_over(withheld.table), 300)


def test_nobody_stays_for_ever_whom_a_request_far_ahead_lets_request_epoch_after_epoch() -> None:
    """At three seats, two of them a quorum, the requests of the liar and of seat 0 make one."""
    table = toy_table(3, timeouts=Timeouts(300_000, 30_000, 1000, 2000))
    table.delay = lambda seat, other: 0.01
    table.hold_back = lambda seat, other, frame: (
        isinstance(notice := peer_frames.parse_frame(frame), EndNotice) and notice.seat == 2
    )
    table.start(apart=0.3)
    assert table.go(table.done, 20)
    table.leaving = {0}
    table.places[1].alive = table.places[2].alive = False
    table.tell(0, table.sign(1, EpochRequest(1)))
    table.tell(0, table.sign(2, EpochRequest(1000)))
    assert table.go(lambda: bool(table.left_at), 200)
    assert 3 < inspect(table.machine()).promise < 100


def test_all_stand_up_soon_where_nobody_lies() -> None:
    table = table_with_links(Timeouts())
    table.start(apart=0.3)
    assert table.go(lambda: is_over(table), 10)
