"""Tables that end in setup: all honest seats name the same seat, and none of them ([E-30])."""

import pytest
from support.inspection import has_input, identity_of
from support.machine_table import MachineTable, toy_table
from support.sampling import sample

from protocol.chain.chain_state import Kind
from protocol.seat.effects import SEAT_LEFT, SILENT_SEAT, Broken, Send
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import EndNotice
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
    assert room.go(lambda: all(m.broken or m.is_unsure_of_deck for m in machines), 5 * STEP)
    found = []
    for machine in machines:
        machine.take()
        machine.give_up()
        (told,) = [e for e in machine.take() if isinstance(e, Broken)]
        found.append(machine.broken or told)
    return found


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
    for broken in ends(room):
        assert (broken.code, broken.seat) == (SEAT_LEFT, LIAR)


def test_the_first_announcement_is_followed_and_its_signer_never_named() -> None:
    room = toy_table(4, timeouts=Timeouts())
    room.start()
    notice = signed_notices.sign_notice(
        identity_of(room.machine(1)), room.table.id, signed_notices.EndNotice(1, SILENT_SEAT, 0)
    )
    room.hear(0, peer_frames.encode_frame(notice), 1)
    assert room.machine().broken == Broken(SILENT_SEAT, 0, by=1)
    sent = [peer_frames.parse_frame(send.frame) for send in room.places[0].of_kind(Send)]
    own = next(one for one in sent if isinstance(one, EndNotice) and one.seat == 0)
    assert (own.reason, own.about) == (SILENT_SEAT, 0)


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


@pytest.mark.parametrize("how", ["announced", "proven"])
def test_a_seat_that_has_confirmed_the_deck_may_go_and_can_still_play(how: str) -> None:
    room = toy_table(4, timeouts=Timeouts())
    room.hold_back = lambda seat, other, frame: seat == LIAR and inputs(room, frame, 8)
    room.start()
    room.settle()
    machine = room.machine()
    assert machine.tip.want.kind is Kind.DECK_OK
    assert has_input(machine, 8)
    if how == "announced":
        notice = signed_notices.sign_notice(
            identity_of(room.machine(1)),
            room.table.id,
            signed_notices.EndNotice(1, SILENT_SEAT, LIAR),
        )
        room.hear(0, peer_frames.encode_frame(notice), 1)
    else:
        for body in (b"one", b"two"):
            room.tell(0, room.sign(LIAR, StepInput(0, 8, machine.tip.digest, body)))
    room.run(until=2)
    assert machine.broken is None
    assert machine.is_unsure_of_deck
    machine.give_up()
    (told,) = [e for e in machine.take() if isinstance(e, Broken)]
    assert told.seat == LIAR
    assert told.by == (1 if how == "announced" else None)
