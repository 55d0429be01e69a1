"""What a seat may sign in which state, what it records before, and what its journal restores."""

from support.departing import come_back, depart, departing_table, departure, onlooker_of
from support.epoch_requests import input_steps, own_promises, request_epoch
from support.inspection import (
    bind,
    inspect,
    keep_departure,
    player_choices,
    raise_promise,
    secrets_of,
    sign,
)
from support.machine_table import answer_inquiry, carried, seeded, toy_table, waiting_table
from support.sim.departures import departure_of

from protocol.chain.chain_state import Kind
from protocol.seat.effects import Record, SeatLeft, Send
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import SIGNS, PlayerChoice, SigningState
from protocol.wire import peer_frames, signed_messages
from protocol.wire.signed_messages import EpochPromise, EpochRequest, StepInput


def test_a_promised_seat_gives_no_input_and_a_crash_does_not_free_it() -> None:
    table = waiting_table()
    request_epoch(table)
    assert inspect(table.machine()).promise == 1
    assert not table.machine().must_choose
    table.crash_and_resume(0)
    assert inspect(table.machine()).promise == 1
    assert inspect(table.machine()).state is SigningState.SILENT
    table.settle()
    assert inspect(table.machine()).state is SigningState.PROMISED
    assert not table.machine().must_choose
    assert len(own_promises(table)) == 1


def test_a_promised_seat_does_not_go_on_after_a_crash() -> None:
    table = waiting_table({1, 2, 3})
    step = table.machine().tip.step
    request_epoch(table)
    for seat in (1, 2, 3):
        table.machine(seat).choose(0, table.now)
        for step_input in input_steps(table, seat):
            if step_input.step == step:
                table.tell_first(seat, step_input)
    assert table.machine().tip.want.kind is Kind.BARRIER
    table.crash_and_resume(0)
    for peer in table.table.ids[1:]:
        table.machine().receive(peer_frames.encode_frame(peer_frames.Told()), table.now, peer)
    assert inspect(table.machine()).inquiry is None
    assert table.machine().tip.want.kind is Kind.BARRIER
    assert max(step_input.step for step_input in input_steps(table, 0)) == step


def test_nobody_requests_an_epoch_beyond_the_last_one() -> None:
    machine = waiting_table().machine()
    assert not sign(machine, EpochRequest(signed_messages.MAX_EPOCH + 1))
    assert sign(machine, EpochRequest(signed_messages.MAX_EPOCH))


def test_step_timeout_does_not_run_while_between_epochs() -> None:
    table = waiting_table()
    request_epoch(table)
    table.wait_first(500)
    request_epoch(table, epoch=2)
    assert [promise.timeout for promise in own_promises(table)] == [None, None]


def test_the_claim_of_a_promise_is_that_of_later_ones_also_after_a_crash() -> None:
    """[E-4]"""
    table = waiting_table()
    table.machine().choose(0, table.now)
    table.wait_first(500)
    request_epoch(table)
    table.crash_and_resume(0)
    table.settle()
    request_epoch(table, epoch=2)
    first, second = own_promises(table)
    assert (first.epoch, second.epoch) == (1, 2)
    assert first.timeout is not None
    assert second.timeout == first.timeout


def test_a_crash_after_every_single_record_never_makes_a_seat_contradict_itself() -> None:
    whole = toy_table(3)
    whole.play(until=5)
    journal = whole.places[1].journal
    once = {m.identity: m.hash for m in whole.own_messages(1, whole.places[1].heard)}
    for length in range(len(journal) + 1):
        secret = secrets_of(whole.machine(1)).seed
        machine = SeatMachine(whole.table, seeded(f"again{length}"), 1, whole.who[1], secret)
        machine.restore(journal[:length])
        held = {m.identity: m.hash for m in inspect(machine).store if m.seat == 1}
        assert held.items() <= once.items()
        machine.start(0.0)
        for message in whole.own_messages(1, machine.take()):
            assert held.get(message.identity, message.hash) == message.hash


def test_a_rolled_back_seat_stays_careful_after_a_second_crash() -> None:
    table = toy_table(3)
    table.start()
    machine = table.build(1)
    machine.restore(table.places[1].journal[:2])
    machine.be_cautious()
    journal = table.places[1].journal[:2]
    journal += [e.data for e in machine.take() if isinstance(e, Record)]
    again = table.build(1)
    again.restore(journal)
    assert inspect(again).state is SigningState.SILENT
    answer_inquiry(machine, 0.0, *table.table.ids[::2])
    journal += [e.data for e in machine.take() if isinstance(e, Record)]
    later = table.build(1)
    later.restore(journal)
    assert inspect(later).inquiry is not None
    assert not inspect(later).inquiry.cautious
    assert inspect(later).floor == inspect(machine).floor > 0


def test_a_choice_once_revealed_is_asked_again_when_its_step_begins_afresh() -> None:
    table = toy_table(3)
    table.start()
    machine = table.machine()
    player_choices(machine)[3, "bid"] = PlayerChoice(b"d" * 32, 1)
    for step, exposed in ((3, False), (4, True)):
        bind(machine, StepInput(0, step, b"d" * 32, b""))
        assert player_choices(machine)[3, "bid"].exposed is exposed


def test_the_state_table_lets_only_the_right_states_speak() -> None:
    speaking = {state for state, kinds in SIGNS.items() if StepInput in kinds}
    assert speaking == {SigningState.STANDING, SigningState.FINISHED}
    assert (
        SIGNS[SigningState.SILENT]
        == SIGNS[SigningState.BROKEN]
        == SIGNS[SigningState.WATCHING]
        == frozenset()
    )
    assert EpochPromise not in SIGNS[SigningState.STANDING]


def test_a_return_is_on_disk_before_it_is_sent() -> None:
    table = departing_table({3})
    machine = table.machine(3)
    keep_departure(machine, departure(table, 3), table.now)
    machine.take()
    machine.tick(table.now)
    effects = [e for e in machine.take() if isinstance(e, Record | Send)]
    place = next(i for i, e in enumerate(effects) if isinstance(e, Send) and departure_of(e.frame))
    assert isinstance(effects[place - 1], Record)
    assert departure_of(effects[place].frame).is_return  # type: ignore[union-attr]


def test_it_is_on_disk_before_it_leaves_and_nothing_is_signed_behind_it() -> None:
    table = departing_table({3})
    machine = table.machine(3)
    machine.take()
    assert machine.depart(table.now)
    record, send = machine.take()
    assert isinstance(record, Record)
    assert isinstance(send, Send)
    assert inspect(machine).state is SigningState.LEFT
    assert not machine.depart(table.now)
    assert not machine.must_choose
    for seat in (0, 1, 2):
        machine.receive(
            carried(table.sign(seat, EpochRequest(1))), table.now, table.table.ids[seat]
        )
    assert [effect for effect in machine.take() if isinstance(effect, Record)] != []
    own = [
        m
        for m in inspect(machine).store.by_seat(3)
        if isinstance(m.statement, EpochPromise | EpochRequest)
    ]
    assert own == []


def test_the_journal_knows_how_often_it_has_left_though_nothing_was_sent() -> None:
    table = departing_table({3})
    table.machine(3).take()
    assert table.machine(3).depart(table.now)
    table.collect(3)
    table.queue.clear()
    come_back(table, 3)
    assert table.machine(3).away() == frozenset()
    assert not table.places[3].of_kind(SeatLeft)
    table.run(until=1)
    assert depart(table, 3).number == 3


def test_who_says_nothing_when_it_leaves() -> None:
    """A watcher, a silent seat, one at its end, and who has left as often as others pass on."""
    table = departing_table({3})
    assert not onlooker_of(table).depart(0.0)
    table.crash_and_resume(3)
    assert inspect(table.machine(3)).state is SigningState.SILENT
    assert not table.machine(3).depart(table.now)
    done = departing_table(())
    done.run(until=1)
    assert done.machine().finished
    assert not done.machine().depart(done.now)
    table = departing_table({3})
    keep_departure(table.machine(3), departure(table, 3, number=253), 0.0)
    assert not table.machine(3).depart(table.now)


def test_a_promised_seat_may_leave_too() -> None:
    table = departing_table(range(4))
    raise_promise(table.machine(3), 1)
    assert inspect(table.machine(3)).state is SigningState.PROMISED
    assert depart(table, 3).epoch == 0
