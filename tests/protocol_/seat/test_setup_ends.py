"""Tables that end in setup: all honest seats name the same seat, and none of them ([E-30])."""

from dataclasses import replace

import pytest
from support.inspection import identity_of
from support.machine_table import MachineTable, toy_table
from support.sampling import sample

from protocol.seat.effects import SEAT_LEFT, SILENT_SEAT, UNCONFIRMED, Broken, Send
from protocol.wire import peer_frames, signed_notices
from protocol.wire.peer_frames import FrameBody
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.table_header import Timeouts

LIAR = 3
HONEST = (0, 1, 2)
STEP = Timeouts().step / 1000


def table(delay: float) -> MachineTable:
    """Return a table of four over slow links, whose seats leave as the program has them."""
    made = toy_table(4, timeouts=Timeouts())
    made.delay = lambda a, b: delay
    made.leaving = set(HONEST)
    return made


def inputs(room: MachineTable, frame: bytes, step: int) -> bool:
    """Return whether a frame carries an input of the faulty seat for this step or a later one."""
    message = room.message(frame)
    said = message is not None and message.seat == LIAR and isinstance(message.statement, StepInput)
    return said and message.statement.step >= step  # type: ignore[union-attr]


def ends(room: MachineTable) -> list[Broken]:
    """Let time pass until the table has ended for every honest seat; return how for each."""
    machines = room.machines(HONEST)
    assert room.go(lambda: all(m.broken for m in machines), 5 * STEP)
    return [machine.broken for machine in machines if machine.broken is not None]


def notice(room: MachineTable, seat: int, reason: str, about: int | None) -> bytes:
    """Return the frame with a seat's end notice."""
    bare = EndNotice(seat, reason, about)
    return peer_frames.encode_frame(signed_notices.sign_notice(room.who[seat], room.table.id, bare))


def sent(room: MachineTable, seat: int) -> list[FrameBody]:
    """Return the frames that a seat has sent."""
    return [peer_frames.parse_frame(send.frame) for send in room.places[seat].of_kind(Send)]


@pytest.mark.parametrize("step", [2, 3])
@pytest.mark.parametrize("early", sample([0.05, 0.2, 0.4, 1.0, 3.0], 2, "shown before a timeout"))
def test_an_input_shown_to_one_seat_before_the_timeout_blames_no_honest_seat(
    step: int, early: float
) -> None:
    room, held = table(0.25), list[tuple[int, bytes]]()

    def hold_back(seat: int, other: int, frame: bytes) -> bool:
        if seat == LIAR and inputs(room, frame, step):
            held.append((other, frame))
            return True
        return False

    room.hold_back = hold_back
    room.start()
    assert room.go(lambda: room.machine().awaited() == {LIAR}, STEP)
    shown = [one for one in held if one[0] == 0]
    room.at(room.now + STEP - early - 0.25, lambda: [room.carry(LIAR, *one) for one in shown])
    for broken in ends(room):
        assert (broken.code, broken.seat) == (SILENT_SEAT, LIAR)


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_departure_shown_to_one_seat_blames_no_honest_seat(step: int) -> None:
    """The others have the input of that step."""
    room = table(0.25)
    shown = list[bool]()

    def hold_back(seat: int, other: int, frame: bytes) -> bool:
        if seat == LIAR and other == 0 and inputs(room, frame, step):
            if not shown:
                shown.append(True)
                on = room.message(frame).statement.on  # type: ignore[union-attr]
                word = signed_notices.sign_notice(
                    room.who[LIAR], room.table.id, signed_notices.Departure(LIAR, 1, 0, step, on)
                )
                room.carry(LIAR, 0, peer_frames.encode_frame(word))
            return True
        return seat == LIAR and isinstance(peer_frames.parse_frame(frame), signed_notices.Departure)

    room.hold_back = hold_back
    room.drop = lambda seat, other, frame: other == 0 and inputs(room, frame, step)
    room.start()
    first, *others = ends(room)
    assert first == Broken(SEAT_LEFT, LIAR)
    confirmed = step == 7  # The others have given their input to `deck.ok`, and blame nobody.
    assert others == 2 * [Broken(UNCONFIRMED) if confirmed else Broken(SEAT_LEFT, LIAR)]


def test_who_was_only_told_passes_the_notice_on_and_repeats_nothing_under_its_own_key() -> None:
    """It signs a departure, which accuses nobody."""
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    told = notice(room, 1, SILENT_SEAT, 0)
    room.hear(0, told, 1)
    assert room.machine().broken == Broken(SILENT_SEAT, 0, by=1)
    assert told in [send.frame for send in room.places[0].of_kind(Send)]
    assert {one.seat for one in sent(room, 0) if isinstance(one, EndNotice)} == {1}
    assert [one.number for one in sent(room, 0) if isinstance(one, Departure)] == [1]


def test_a_liar_that_tells_each_seat_something_else_is_named_by_all() -> None:
    """No seat signs what it was told, and no honest seat is said to be at fault by another one."""
    room = table(0.25)
    room.start()
    room.go(lambda: False, 0.5)
    room.carry(LIAR, 0, notice(room, LIAR, SILENT_SEAT, 2))
    for seat in (1, 2):
        room.carry(LIAR, seat, notice(room, LIAR, "bad-shuffle", 0))
    assert ends(room) == [
        Broken(SILENT_SEAT, 2, by=LIAR),
        Broken("equivocation", LIAR),
        Broken("equivocation", LIAR),
    ]
    for seat in HONEST:
        own = [one for one in sent(room, seat) if isinstance(one, EndNotice) and one.seat == seat]
        assert all((one.reason, one.about) == ("equivocation", LIAR) for one in own)
    assert EndNotice(LIAR, SILENT_SEAT, 2) in [
        replace(one, signature=b"") for one in sent(room, 1) if isinstance(one, EndNotice)
    ]


def test_of_each_seat_two_notices_are_stored_and_passed_on() -> None:
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    room.queue.clear()
    told = [notice(room, LIAR, code, 1) for code in ("bad-shuffle", "bad-share", "bad-escrow")]
    for frame in (told[0], told[0]):
        room.hear(0, frame, LIAR)
    assert room.machine().broken is None
    room.hear(0, told[1], LIAR)
    room.hear(0, told[2], LIAR)
    assert room.machine().broken == Broken("equivocation", LIAR)
    passed = [raw for _, other, raw in room.queue if other == 1 and raw in told]
    assert passed == told[:2]


def test_a_seat_that_is_awaited_is_not_found_silent_before_its_time_is_over() -> None:
    """A faulty seat announces that an honest one is silent while all wait for it as they should."""
    room = table(0.25)
    room.start()
    assert 1 in room.machine().awaited()
    notice = signed_notices.sign_notice(
        room.who[LIAR], room.table.id, signed_notices.EndNotice(LIAR, SILENT_SEAT, 1)
    )
    room.hear(0, peer_frames.encode_frame(notice), LIAR)
    assert room.machine().broken == Broken(SILENT_SEAT, 1, by=LIAR)


def test_whoever_waits_in_vain_itself_has_found_it() -> None:
    room = table(0.25)
    room.cut = lambda seat, other: 1 in (seat, other)
    room.start()
    room.go(lambda: room.machine(2).broken is not None, 2 * STEP)
    room.go(lambda: room.machine().broken is not None, 2)
    assert room.machine().broken == Broken(SILENT_SEAT, 1)


def test_a_refusal_ends_the_table_in_setup_once_and_no_game() -> None:
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    assert room.machine().refuse(2, room.now)
    assert not room.machine().refuse(1, room.now)
    assert room.machine().broken == Broken(SEAT_LEFT, 2)
    room = toy_table(4, timeouts=Timeouts())
    room.play(until=60)
    assert not room.machine().refuse(2, room.now)


def test_an_announced_fault_is_believed_only_after_its_proof_had_time_to_come() -> None:
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    notice = signed_notices.sign_notice(
        identity_of(room.machine(1)),
        room.table.id,
        signed_notices.EndNotice(1, "equivocation", 2),
    )
    room.hear(0, peer_frames.encode_frame(notice), 1)
    assert room.machine().broken is None
    room.now += 0.5
    step, on = room.machine().tip.step, room.machine().tip.digest
    for body in (b"one", b"two"):
        room.tell(0, room.sign(2, StepInput(0, step, on, body)))
    room.run(until=2)
    assert room.machine().broken == Broken("equivocation", 2)


def begun(step: int) -> MachineTable:
    """Return a table whose seat 1 has come to this step and hears nothing more of it."""
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    while room.machine(1).tip.step < step:
        room.deliver()
    room.queue.clear()
    room.now += STEP - 0.3
    return room


def test_who_has_announced_an_end_is_not_named_as_silent() -> None:
    """Its notice names a fault, so it counts a second later. Meanwhile the step times out."""
    room = begun(2)
    room.hear(1, notice(room, 0, "bad-body", LIAR), 0)
    room.now += 0.4
    room.machine(1).tick(room.now)
    assert room.machine(1).broken == Broken(SILENT_SEAT, 2)


def test_nobody_signs_that_a_seat_is_silent_that_has_announced_an_end() -> None:
    """The liar says so when the step has timed out."""
    room = begun(2)
    for seat in (0, 2):
        room.hear(1, notice(room, seat, "bad-body", LIAR), seat)
    room.now += 0.4
    room.hear(1, notice(room, LIAR, SILENT_SEAT, 0), LIAR)
    assert room.machine(1).broken == Broken(SILENT_SEAT, 0, LIAR)
