"""Who waits for whom at the end of a table, by the notices that the seats sign ([E-19], [E-29])."""

import pytest
from support.inspection import forget_end, identity_of, inspect
from support.machine_table import MachineTable, sent, toy_table

from protocol.errors import Invalid
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import OVER, EndNotice
from protocol.wire.table_header import Timeouts

HUB = 0
STEP = Timeouts().step / 1000


def played() -> MachineTable:
    """Return a star of four, whose leaves have a link to the hub only, at the end of the game."""
    made = toy_table(timeouts=Timeouts())
    made.cut = lambda seat, other: HUB not in (seat, other)
    made.play(until=60)
    made.settle()
    return made


def may_leave(room: MachineTable) -> list[bool]:
    return [machine.may_leave() for machine in room.machines()]


def hear(room: MachineTable, notice: EndNotice, source: int, seat: int = HUB) -> None:
    """Let a seat receive a notice from a linked one."""
    frame = peer_frames.encode_frame(notice)
    room.machine(seat).receive(frame, room.now, room.table.ids[source])


def test_in_a_star_all_leave_once_the_notices_of_all_have_gone_round() -> None:
    room = played()
    assert room.done()
    assert may_leave(room) == [True] * 4


def test_a_seat_without_a_notice_is_waited_for_one_step_timeout() -> None:
    room = played()
    for seat, machine in enumerate(room.machines()):
        if seat != 2:
            forget_end(machine, 2)
    room.places[2].alive = False
    for seconds, may in ((STEP - 0.2, False), (0.4, True)):
        room.now += seconds
        for machine in room.machines((0, 1, 3)):
            machine.tick(room.now)
            assert machine.may_leave() is may


def test_over_a_new_link_a_seat_tells_anew_and_nobody_else_for_it() -> None:
    """It may be an older copy of itself. The first such link begins the wait anew."""
    room = played()
    hub, two = room.machine(HUB), room.table.ids[2]
    notice = signed_notices.sign_notice(
        room.who[2], room.table.id, signed_notices.EndNotice(2, OVER)
    )
    hub.link_up(two, room.now, again=True)
    assert hub.may_leave()
    room.now += STEP - 1
    hub.link_up(two, room.now)
    assert not hub.may_leave()
    hear(room, notice, 1)
    assert not hub.may_leave()
    room.now += 2
    hub.tick(room.now)
    assert not hub.may_leave()
    hear(room, notice, 2)
    assert hub.may_leave()


def test_only_the_seat_itself_signs_its_notice_at_its_table() -> None:
    room = played()
    hub, table = room.machine(HUB), room.table.id
    forget_end(hub, 3)
    hub.link_down(room.table.ids[3], room.now)
    one, three = identity_of(room.machine(1)), identity_of(room.machine(3))
    for forged in (
        signed_notices.sign_notice(one, table, signed_notices.EndNotice(3, OVER)),
        signed_notices.sign_notice(three, bytes(32), signed_notices.EndNotice(3, OVER)),
        signed_notices.sign_notice(three, table, signed_notices.EndNotice(3, OVER, 1)),
        signed_notices.sign_notice(three, table, signed_notices.EndNotice(9, OVER)),
        EndNotice(
            3,
            OVER,
            None,
            signed_notices.sign_notice(
                three, table, signed_notices.EndNotice(3, "silent-seat")
            ).signature,
        ),
    ):
        with pytest.raises(Invalid):
            hear(room, forged, 1)
    hear(
        room,
        signed_notices.sign_notice(three, table, signed_notices.EndNotice(3, "silent-seat", 1)),
        1,
    )
    assert not hub.may_leave()
    hear(room, signed_notices.sign_notice(three, table, signed_notices.EndNotice(3, OVER)), 1)
    assert hub.may_leave()


def test_a_seat_that_knows_a_fault_waits_for_its_base_while_a_quorum_is_linked() -> None:
    room = played()
    hub = room.machine(HUB)
    room.tell(HUB, room.sign(1, StepInput(0, hub.tip.step, hub.tip.digest, b"other")))
    assert inspect(hub).proofs
    assert not hub.may_leave()
    for seat in (1, 2, 3):
        hub.link_down(room.table.ids[seat], room.now)
    assert hub.may_leave()


ABSENT = 3
OTHERS = (0, 1, 2)


def ended_without() -> MachineTable:
    """Return a table whose game has ended for all but one seat, which is absent and not linked."""
    room = toy_table(timeouts=Timeouts())
    room.begin(*range(4))
    room.places[ABSENT].alive = False
    for seat in OTHERS:
        room.down(seat, ABSENT)
    room.run(until=900, step=1.0)
    assert room.done()
    assert all(ABSENT not in machine.tip.present for machine in room.machines(OTHERS))
    return room


def come_back(room: MachineTable) -> None:
    """Let the absent seat resume, and have its links with all others."""
    room.crash_and_resume(ABSENT)
    for seat in OTHERS:
        room.up(seat, ABSENT)


def test_an_absent_seat_that_is_linked_again_is_waited_for_until_its_end_is_final() -> None:
    room = ended_without()
    others = room.machines(OTHERS)
    assert all(machine.may_leave() for machine in others)
    come_back(room)
    assert not any(machine.may_leave() for machine in others)
    waits = others[0].last_wait()
    assert waits is not None
    assert waits.seats == {ABSENT}
    assert waits.left == STEP
    room.settle()
    assert room.machine(ABSENT).finished
    assert ABSENT not in room.machine(ABSENT).tip.present
    assert may_leave(room) == [True] * 4
    assert others[0].last_wait() is None


def test_an_absent_seat_is_waited_for_no_longer_than_any_other_even_if_its_link_flaps() -> None:
    """It says nothing. Its first new link begins the wait anew, and no later one does."""
    room = ended_without()
    room.hold_back = lambda seat, other, frame: seat == ABSENT
    come_back(room)
    for waited in range(int(STEP)):
        assert not any(machine.may_leave() for machine in room.machines(OTHERS)), waited
        for seat in OTHERS:
            room.down(seat, ABSENT)
            assert room.machine(seat).may_leave()
            room.up(seat, ABSENT)
        room.now += 1
        for machine in room.machines(OTHERS):
            machine.tick(room.now)
    assert all(machine.may_leave() for machine in room.machines(OTHERS))


def test_a_seat_asks_for_what_it_lacks_as_long_as_it_waits_for_an_absent_one() -> None:
    def asks() -> bool:
        room.now += 2
        hub.take()
        hub.tick(room.now)
        return any(isinstance(frame, peer_frames.Sync) for frame in sent(hub))

    room = ended_without()
    hub = room.machine(HUB)
    asks()
    assert not asks()
    hub.link_up(room.table.ids[ABSENT], room.now)
    asks()
    assert asks()
    hub.link_down(room.table.ids[ABSENT], room.now)
    asks()
    assert not asks()


def test_a_banned_seat_is_not_waited_for_though_it_is_linked() -> None:
    room = toy_table(timeouts=Timeouts())
    room.begin(*range(4))
    tip = room.machine(HUB).tip
    for seat in OTHERS:
        room.tell(seat, room.sign(ABSENT, StepInput(0, tip.step, tip.digest, b"other")))
    room.places[ABSENT].alive = False
    room.run(until=900, step=1.0)
    for machine in room.machines(OTHERS):
        assert ABSENT in machine.tip.banned
        assert ABSENT in inspect(machine).links
        assert machine.may_leave()
