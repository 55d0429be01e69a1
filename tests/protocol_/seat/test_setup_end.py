"""Tables that end in setup: all honest seats name the same seat, and none of them ([E-30])."""

from dataclasses import replace

import pytest
from support.departing import depart, setup_before
from support.forgeries.bodies import fixed
from support.forgeries.cheater import on_input, sign_too
from support.inspection import identity_of, inspect
from support.machine_table import MachineTable, answer_inquiry, carried, toy_table
from support.sampling import sample

from protocol.chain.chain_state import Kind
from protocol.seat.effects import SEAT_LEFT, SILENT_SEAT, UNCONFIRMED, Broken, Guilty, Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames, signed_notices
from protocol.wire.peer_frames import FrameBody
from protocol.wire.signed_messages import PrepareVote, Statement, StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.table_header import Timeouts

LIAR = 3
HONEST = (0, 1, 2)
STEP = Timeouts().step / 1000


def slow_table(delay: float) -> MachineTable:
    """Return a table of four over slow links, whose seats leave as the program has them."""
    made = toy_table(4, timeouts=Timeouts())
    made.delay = lambda a, b: delay
    made.leaving = set(HONEST)
    return made


def inputs(table: MachineTable, frame: bytes, step: int) -> bool:
    """Return whether a frame carries an input of the faulty seat for this step or a later one."""
    message = table.message(frame)
    said = message is not None and message.seat == LIAR and isinstance(message.statement, StepInput)
    return said and message.statement.step >= step  # type: ignore[union-attr]


def ends(table: MachineTable) -> list[Broken]:
    """Let time pass until the table has ended for every honest seat; return how for each."""
    machines = table.machines(HONEST)
    assert table.go(lambda: all(m.broken for m in machines), 5 * STEP)
    return [machine.broken for machine in machines if machine.broken is not None]


def notice(table: MachineTable, seat: int, reason: str, about: int | None) -> bytes:
    """Return the frame with a seat's end notice."""
    bare = EndNotice(seat, reason, about)
    return peer_frames.encode_frame(
        signed_notices.sign_notice(table.who[seat], table.table.id, bare)
    )


def sent(table: MachineTable, seat: int) -> list[FrameBody]:
    """Return the frames that a seat has sent."""
    return [peer_frames.parse_frame(send.frame) for send in table.places[seat].of_kind(Send)]


@pytest.mark.parametrize("step", [2, 3])
@pytest.mark.parametrize("early", sample([0.05, 0.2, 0.4, 1.0, 3.0], 2, "shown before a timeout"))
def test_an_input_shown_to_one_seat_before_the_timeout_blames_no_honest_seat(
    step: int, early: float
) -> None:
    table, held = slow_table(0.25), list[tuple[int, bytes]]()

    def hold_back(seat: int, other: int, frame: bytes) -> bool:
        if seat == LIAR and inputs(table, frame, step):
            held.append((other, frame))
            return True
        return False

    table.hold_back = hold_back
    table.start()
    assert table.go(lambda: table.machine().awaited() == {LIAR}, STEP)
    shown = [one for one in held if one[0] == 0]
    table.at(table.now + STEP - early - 0.25, lambda: [table.carry(LIAR, *one) for one in shown])
    for broken in ends(table):
        assert (broken.code, broken.seat) == (SILENT_SEAT, LIAR)


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_a_departure_shown_to_one_seat_blames_no_honest_seat(step: int) -> None:
    """The others have the input of that step."""
    table = slow_table(0.25)
    shown = list[bool]()

    def hold_back(seat: int, other: int, frame: bytes) -> bool:
        if seat == LIAR and other == 0 and inputs(table, frame, step):
            if not shown:
                shown.append(True)
                on = table.message(frame).statement.on  # type: ignore[union-attr]
                left = signed_notices.sign_notice(
                    table.who[LIAR], table.table.id, signed_notices.Departure(LIAR, 1, 0, step, on)
                )
                table.carry(LIAR, 0, peer_frames.encode_frame(left))
            return True
        return seat == LIAR and isinstance(peer_frames.parse_frame(frame), signed_notices.Departure)

    table.hold_back = hold_back
    table.drop = lambda seat, other, frame: other == 0 and inputs(table, frame, step)
    table.start()
    first, *others = ends(table)
    assert first == Broken(SEAT_LEFT, LIAR)
    confirmed = step == 7  # The others have given their input to `deck.ok`, and blame nobody.
    assert others == 2 * [Broken(UNCONFIRMED) if confirmed else Broken(SEAT_LEFT, LIAR)]


def test_who_was_only_told_passes_the_notice_on_and_repeats_nothing_under_its_own_key() -> None:
    """It signs a departure, which accuses nobody."""
    table = toy_table(4, timeouts=Timeouts())
    table.start()
    told = notice(table, 1, SILENT_SEAT, 0)
    table.hear(0, told, 1)
    assert table.machine().broken == Broken(SILENT_SEAT, 0, by=1)
    assert told in [send.frame for send in table.places[0].of_kind(Send)]
    assert {one.seat for one in sent(table, 0) if isinstance(one, EndNotice)} == {1}
    assert [one.number for one in sent(table, 0) if isinstance(one, Departure)] == [1]


def test_a_liar_that_tells_each_seat_something_else_is_named_by_all() -> None:
    """No seat signs what it was told, and no honest seat is said to be at fault by another one."""
    table = slow_table(0.25)
    table.start()
    table.go(lambda: False, 0.5)
    table.carry(LIAR, 0, notice(table, LIAR, SILENT_SEAT, 2))
    for seat in (1, 2):
        table.carry(LIAR, seat, notice(table, LIAR, "bad-shuffle", 0))
    assert ends(table) == [
        Broken(SILENT_SEAT, 2, by=LIAR),
        Broken("equivocation", LIAR),
        Broken("equivocation", LIAR),
    ]
    for seat in HONEST:
        own = [one for one in sent(table, seat) if isinstance(one, EndNotice) and one.seat == seat]
        assert all((one.reason, one.about) == ("equivocation", LIAR) for one in own)
    assert EndNotice(LIAR, SILENT_SEAT, 2) in [
        replace(one, signature=b"") for one in sent(table, 1) if isinstance(one, EndNotice)
    ]


def test_of_each_seat_two_notices_are_stored_and_passed_on() -> None:
    table = toy_table(4, timeouts=Timeouts())
    table.start()
    table.queue.clear()
    told = [notice(table, LIAR, code, 1) for code in ("bad-shuffle", "bad-share", "bad-escrow")]
    for frame in (told[0], told[0]):
        table.hear(0, frame, LIAR)
    assert table.machine().broken is None
    table.hear(0, told[1], LIAR)
    table.hear(0, told[2], LIAR)
    assert table.machine().broken == Broken("equivocation", LIAR)
    passed = [raw for _, other, raw in table.queue if other == 1 and raw in told]
    assert passed == told[:2]


def test_a_seat_that_is_awaited_is_not_found_silent_before_its_time_is_over() -> None:
    """A faulty seat announces that an honest one is silent while all wait for it as they should."""
    table = slow_table(0.25)
    table.start()
    assert 1 in table.machine().awaited()
    notice = signed_notices.sign_notice(
        table.who[LIAR], table.table.id, signed_notices.EndNotice(LIAR, SILENT_SEAT, 1)
    )
    table.hear(0, peer_frames.encode_frame(notice), LIAR)
    assert table.machine().broken == Broken(SILENT_SEAT, 1, by=LIAR)


def test_whoever_waits_in_vain_itself_has_found_it() -> None:
    table = slow_table(0.25)
    table.cut = lambda seat, other: 1 in (seat, other)
    table.start()
    table.go(lambda: table.machine(2).broken is not None, 2 * STEP)
    table.go(lambda: table.machine().broken is not None, 2)
    assert table.machine().broken == Broken(SILENT_SEAT, 1)


def test_a_refusal_ends_the_table_in_setup_once_and_no_game() -> None:
    table = toy_table(4, timeouts=Timeouts())
    table.start()
    assert table.machine().refuse(2, table.now)
    assert not table.machine().refuse(1, table.now)
    assert table.machine().broken == Broken(SEAT_LEFT, 2)
    table = toy_table(4, timeouts=Timeouts())
    table.play(until=60)
    assert not table.machine().refuse(2, table.now)


def test_an_announced_fault_is_believed_only_after_its_proof_had_time_to_come() -> None:
    table = toy_table(4, timeouts=Timeouts())
    table.start()
    notice = signed_notices.sign_notice(
        identity_of(table.machine(1)),
        table.table.id,
        signed_notices.EndNotice(1, "equivocation", 2),
    )
    table.hear(0, peer_frames.encode_frame(notice), 1)
    assert table.machine().broken is None
    table.now += 0.5
    step, on = table.machine().tip.step, table.machine().tip.digest
    for body in (b"one", b"two"):
        table.tell(0, table.sign(2, StepInput(0, step, on, body)))
    table.run(until=2)
    assert table.machine().broken == Broken("equivocation", 2)


def begun(step: int) -> MachineTable:
    """Return a table whose seat 1 has come to this step and hears nothing more of it."""
    table = toy_table(4, timeouts=Timeouts())
    table.start()
    while table.machine(1).tip.step < step:
        table.deliver()
    table.queue.clear()
    table.now += STEP - 0.3
    return table


def test_who_has_announced_an_end_is_not_named_as_silent() -> None:
    """Its notice names a fault, so it counts a second later. Meanwhile the step times out."""
    table = begun(2)
    table.hear(1, notice(table, 0, "bad-body", LIAR), 0)
    table.now += 0.4
    table.machine(1).tick(table.now)
    assert table.machine(1).broken == Broken(SILENT_SEAT, 2)


def test_nobody_signs_that_a_seat_is_silent_that_has_announced_an_end() -> None:
    """The liar says so when the step has timed out."""
    table = begun(2)
    for seat in (0, 2):
        table.hear(1, notice(table, seat, "bad-body", LIAR), seat)
    table.now += 0.4
    table.hear(1, notice(table, LIAR, SILENT_SEAT, 0), LIAR)
    assert table.machine(1).broken == Broken(SILENT_SEAT, 0, LIAR)


def test_who_is_accused_before_the_game_names_nobody_else_for_its_end() -> None:
    first, second = (on_input(lambda node: node.step == 3, fixed(body)) for body in (b"1", b"2"))

    def lie(machine: SeatMachine, statement: Statement) -> Statement:
        made = first(machine, statement)
        if made != statement:
            sign_too(machine, second(machine, statement))
        return made

    table = toy_table(3, cheaters={1: lie})
    table.play(until=60)
    for seat in (0, 2):
        assert table.machine(seat).broken == Broken("equivocation", 1)


def test_an_old_journal_does_not_end_a_table_whose_deck_it_may_have_confirmed() -> None:
    table = toy_table(3)

    def kind_at(seat: int) -> Kind:
        return table.machine(seat).tip.want.kind

    table.drop = lambda source, to, _: 1 in (source, to) and kind_at(1) is Kind.DECK_OK
    table.play(until=0.0)
    assert kind_at(0) is Kind.DECK_OK
    machine = table.build(1)
    machine.restore(table.places[1].journal[:-1])
    machine.be_cautious()
    machine.start(table.now)
    for seat in (0, 2):
        for message in inspect(table.machine(seat)).store:
            machine.receive(carried(message), table.now, table.table.ids[seat])
    assert machine.tip.want.kind is Kind.DECK_OK
    machine.tick(1000.0)
    assert machine.broken is None
    answer_inquiry(machine, 1000.0, *table.table.ids[::2])
    machine.tick(2000.0)
    assert machine.broken is not None


def test_a_fault_before_the_game_ends_the_table_but_not_for_who_said_deck_ok() -> None:
    table = toy_table(3)
    machine = table.machine()
    table.drop = lambda a, b, f: machine.tip.want.kind is Kind.DECK_OK and b == 0
    table.play(until=1)
    assert machine.tip.want.kind is Kind.DECK_OK
    for number in (b"x", b"y"):
        machine.receive(carried(table.sign(2, PrepareVote(1, number * 32))), table.now, None)
    table.collect(0)
    assert machine.broken is None
    assert 2 in inspect(machine).proofs
    table.drop = lambda a, b, f: False
    table.run(until=100)
    assert machine.has_begun


def test_a_seat_silent_in_the_setup_is_named_and_what_still_comes_is_judged() -> None:
    """Nothing of it waits. The player is told of a proof against its own seat."""
    table = toy_table(3)
    table.places[2].alive = False
    table.play(until=30)
    (broken,) = table.places[0].of_kind(Broken)
    assert broken.seat == 2
    machine = table.machine()
    assert machine.broken is not None
    for seat in (1, 0):
        for number in (b"x", b"y"):
            machine.receive(carried(table.sign(seat, PrepareVote(1, number * 32))), table.now, None)
    table.collect(0)
    assert Guilty(0, "equivocation") in table.places[0].heard
    assert set(inspect(machine).proofs) == {1}
    assert inspect(machine).fresh == ()


@pytest.mark.parametrize(("code", "timeouts"), [(SEAT_LEFT, 1), (SILENT_SEAT, 15)])
def test_before_the_game_it_ends_the_table_and_names_who_left(code: str, timeouts: float) -> None:
    """Silence has a name of its own."""
    table = setup_before(Kind.SHUFFLE)
    assert not table.machine(2).is_bound
    if code == SEAT_LEFT:
        depart(table, 2)
    table.places[2].alive = False
    assert table.machine().broken is None
    table.run(until=timeouts)
    for seat in (0, 1):
        assert table.machine(seat).broken == Broken(code, 2)
        assert not table.places[seat].of_kind(Guilty)
