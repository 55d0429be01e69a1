"""A seat that leaves for now is not waited for. Nobody else is hurried, framed or lost by it."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from support.cases import fails
from support.inspection import (
    alter,
    has_input,
    has_left,
    inspect,
    keep_departure,
    raise_promise,
    request,
)
from support.machine_table import (
    QUICK,
    MachineTable,
    carried,
    identity,
    sent,
    toy_table,
    waiting_table,
)
from support.sim.departures import departure_of

from protocol.chain.chain_state import Kind
from protocol.errors import Invalid
from protocol.seat.effects import (
    SEAT_LEFT,
    SILENT_SEAT,
    Broken,
    Guilty,
    Record,
    SeatLeft,
    Send,
    StepTimedOut,
)
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import SigningState
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import EpochPromise, EpochRequest
from protocol.wire.signed_notices import Departure


def table_with_departures(table: MachineTable) -> MachineTable:
    """Let no seat of a table be told of its own departure.

    A seat that did not leave would announce its return.
    """
    table.drop = lambda _, to, raw: (word := departure_of(raw)) is not None and word.seat == to
    return table


def sight_of(thinkers: Iterable[int], seats: int = 4) -> MachineTable:
    """Return a table before the first bid; the players of `thinkers` do not bid."""
    return table_with_departures(waiting_table(thinkers, seats))


def departs(scene: MachineTable, seat: int) -> Departure:
    """Let a seat leave: it signs, sends, and its process is gone."""
    assert scene.machine(seat).depart(scene.now)
    scene.collect(seat)
    (word,) = {f for s, _, raw in scene.queue if s == seat and (f := departure_of(raw))}
    scene.settle()
    scene.places[seat].alive = False
    for other in scene.linked(seat):
        scene.down(other, seat)
    return word


def left_by(*seats: int, thinkers: Iterable[int] = (), of: int = 4, at: float = 4) -> MachineTable:
    """Return a table that seats have left, so many seconds after it began to wait."""
    scene = sight_of({*seats, *thinkers}, of)
    scene.now += at
    for seat in seats:
        departs(scene, seat)
    return scene


def comes_back(scene: MachineTable, seat: int) -> None:
    """Let a seat resume from its journal, linked to all."""
    scene.crash_and_resume(seat)
    for other in scene.linked(seat):
        if scene.places[other].alive:
            scene.machine(other).link_up(scene.table.ids[seat], scene.now)
    scene.settle()


def hear(scene: MachineTable, to: int, word: Departure) -> frozenset[int]:
    """Let a node hear a departure, of whomever, from another than its seat; return who is away."""
    scene.hear(to, peer_frames.encode_frame(word), (to + 1) % len(scene.places))
    return scene.machine(to).away()


def check_end(scene: MachineTable, *absences: int) -> None:
    """Check that seat 0 has finished, so many absences of each seat counted."""
    assert scene.machine().finished
    assert scene.machine().tip.absences == absences


def word_of(
    scene: MachineTable, seat: int, number: int = 1, epoch: int = 0, ahead: int = 0
) -> Departure:
    """Return a departure of a seat for where seat 0 stands."""
    tip, table = scene.machine().tip, scene.table.id
    return signed_notices.sign_notice(
        scene.who[seat],
        table,
        signed_notices.Departure(seat, number, epoch, tip.step + ahead, tip.digest),
    )


# What it does.


def test_the_game_goes_on_well_before_the_step_timeout() -> None:
    scene = left_by(3)
    scene.run(until=2)
    for seat in (0, 1, 2):
        machine = scene.machine(seat)
        assert machine.finished
        assert machine.tip.absences == (0, 0, 0, 1)
        assert scene.places[seat].of_kind(SeatLeft) == [SeatLeft(3)]
        assert not scene.places[seat].of_kind(Guilty)


def test_nobody_goes_on_without_the_notice_or_before_one_back_off() -> None:
    scene = sight_of({3})
    scene.now += 4
    scene.places[3].alive = False
    scene.run(until=2)
    assert not scene.machine().finished
    assert scene.machine().tip.absences == (0, 0, 0, 0)
    scene = left_by(3, at=0)
    scene.run(until=2.5)
    assert inspect(scene.machine()).requests == {}
    scene.run(until=1.5)
    assert scene.machine().tip.absences == (0, 0, 0, 1)


def test_a_seat_that_still_thinks_keeps_the_whole_step_timeout() -> None:
    scene = left_by(3, thinkers={2})
    scene.run(until=14)
    for machine in scene.machines((0, 1, 2)):
        assert machine.away() == {3}
        assert (inspect(machine).requests, inspect(machine).has_run_out) == ({}, False)
    scene.thinkers = {3}
    scene.choose_now(2, 0)
    scene.run(until=2)
    check_end(scene, 0, 0, 0, 1)


def test_who_thinks_itself_hurries_nobody() -> None:
    scene = left_by(3, thinkers={0})
    scene.run(until=10)
    assert scene.machine().awaited() == {0, 3}
    assert not inspect(scene.machine()).have_all_left
    assert inspect(scene.machine()).requests == {}


def test_who_has_spoken_leaves_for_the_next_step() -> None:
    scene = sight_of({2})
    scene.now += 4
    step = scene.machine().tip.step
    word = departs(scene, 3)
    assert (word.step, word.on) == (step + 1, scene.machine().tip.digest)
    scene.run(until=8)
    assert scene.machine().away() == {3}
    assert inspect(scene.machine()).requests == {}
    scene.thinkers.clear()
    scene.choose_now(2, 0)
    scene.run(until=2.5)
    assert inspect(scene.machine()).epoch == 0
    assert scene.machine().tip.want.kind is Kind.BARRIER
    scene.run(until=2)
    check_end(scene, 0, 0, 0, 1)


def test_several_may_leave_as_long_as_a_quorum_stays() -> None:
    scene = left_by(4, 5, of=6)
    scene.run(until=3)
    check_end(scene, 0, 0, 0, 0, 1, 1)


def test_a_strict_table_pauses_and_is_told_at_once() -> None:
    scene = left_by(1, of=2)
    scene.run(until=300)
    assert scene.machine().tip.absences == (0, 0)
    assert [told.seats for told in scene.places[0].of_kind(StepTimedOut)] == [frozenset({1})]
    assert scene.places[0].of_kind(SeatLeft) == [SeatLeft(1)]
    scene.thinkers.clear()
    comes_back(scene, 1)
    scene.run(until=20)
    assert scene.machine().finished


def test_who_waits_longer_waits_for_who_has_left_too() -> None:
    scene = sight_of({3})
    scene.now += 4
    scene.places[3].alive = False
    hear(scene, 0, word_of(scene, 3))
    assert inspect(scene.machine()).have_all_left
    assert scene.machine().wait_longer(scene.now)
    assert not inspect(scene.machine()).have_all_left
    assert scene.machine().wait(scene.now).left == 20
    scene.now += 1
    hear(scene, 0, word_of(scene, 3, number=3))
    assert inspect(scene.machine()).have_all_left
    assert scene.machine().wait(scene.now).left == 0


# What ends it.


def test_an_input_of_the_seat_ends_it() -> None:
    scene = sight_of({2, 3})
    word = word_of(scene, 3)
    assert hear(scene, 0, word) == {3}
    scene.choose_now(3, 0)
    scene.settle()
    assert scene.machine().away() == frozenset()
    assert hear(scene, 0, word) == frozenset()
    assert hear(scene, 0, word_of(scene, 3, number=3)) == frozenset(), "its input came before"
    assert hear(scene, 0, word_of(scene, 3, number=5, ahead=1)) == {3}


def test_it_hurries_nobody_in_the_step_before_its_own() -> None:
    """The input that it has signed there may still be on its way."""
    scene = sight_of({3})
    scene.now += 4
    for word, hurries in ((word_of(scene, 3, ahead=1), False), (word_of(scene, 3, number=3), True)):
        assert hear(scene, 0, word) == {3}
        assert inspect(scene.machine()).have_all_left is hurries


def test_a_link_with_the_seat_ends_it() -> None:
    """While a seat leaves, a better link to the same process may come up."""
    scene = left_by(3, at=1)
    scene.machine().link_up(scene.table.ids[3], scene.now, again=True)
    assert scene.machine().away() == {3}
    scene.machine().link_up(scene.table.ids[3], scene.now)
    assert scene.machine().away() == frozenset()
    scene = left_by(3, at=1)
    comes_back(scene, 3)
    scene.run(until=12)
    for machine in scene.machines((0, 1, 2)):
        assert machine.away() == frozenset()
        assert inspect(machine).requests == {}
    scene.thinkers.clear()
    scene.choose_now(3, 0)
    scene.run(until=1)
    check_end(scene, 0, 0, 0, 0)


def test_who_is_back_may_leave_again() -> None:
    scene = sight_of({3})
    scene.now += 1
    first = departs(scene, 3)
    comes_back(scene, 3)
    second = departs(scene, 3)
    assert (first.number, second.number) == (1, 3)
    assert (first.epoch, first.step, first.on) == (second.epoch, second.step, second.on)
    assert scene.machine().away() == {3}
    assert scene.places[0].of_kind(SeatLeft) == [SeatLeft(3)] * 2
    hear(scene, 0, first)
    assert inspect(scene.machine()).departures.get(3, 0) == 3


def changed(scene: MachineTable) -> None:
    """All stand in epoch 1, nobody absent, at the step at which they stood before."""
    for seat, place in enumerate(scene.places):
        if place.alive:
            request(place.machine, dict.fromkeys(range(4), 1))
            place.machine.tick(scene.now)
            scene.collect(seat)
    scene.run(until=5)
    assert inspect(scene.machine()).epoch == 1
    assert not any(scene.machine().tip.absences)


def test_a_change_of_epoch_does_not_end_it() -> None:
    scene = left_by(3, thinkers={2}, of=6, at=0)
    changed(scene)
    assert scene.machine().away() == {3}
    assert scene.places[0].of_kind(SeatLeft) == [SeatLeft(3)]
    scene.run(until=6)
    assert inspect(scene.machine()).requests.get(0, 0) == 1, "seat 2 still thinks"
    scene.choose_now(2, 0)
    scene.run(until=4)
    assert scene.machine().tip.absences == (0, 0, 0, 1, 0, 0)


def test_a_seat_that_left_behind_its_input_is_not_waited_for_to_give_it_again() -> None:
    scene = sight_of({2}, 6)
    word = departs(scene, 3)
    assert word.step == scene.machine().tip.step + 1
    changed(scene)
    assert scene.machine().awaited() == {2, 3}, "its input did not outlive the epoch"
    assert scene.machine().away() == {3}
    scene.choose_now(2, 0)
    scene.run(until=5)
    assert scene.machine().tip.absences == (0, 0, 0, 1, 0, 0)


def test_two_who_leave_in_different_steps_cost_no_step_timeout() -> None:
    scene = sight_of({4}, 6)
    scene.now += 4
    departs(scene, 5)
    departs(scene, 4)
    began = scene.now
    scene.run(until=15)
    check_end(scene, 0, 0, 0, 0, 1, 1)
    assert scene.now - began < QUICK.choice / 1000


def test_an_absence_since_then_ends_it() -> None:
    scene = sight_of({3})
    scene.now += 4
    word = departs(scene, 3)
    hear(scene, 0, word)
    scene.run(until=3)
    assert scene.machine().tip.absences == (0, 0, 0, 1)
    tip = scene.machine().tip
    back = replace(tip, present=tip.present | {3}, parent=tip)
    alter(scene.machine(), tip=back)
    assert scene.machine().away() == frozenset()
    alter(scene.machine(), tip=replace(back, absences=(0,) * 4))
    assert scene.machine().away() == {3}, "but for the absence it would hold"


def test_an_input_of_a_later_epoch_ends_it_and_one_of_an_epoch_to_come_waits_for_it() -> None:
    scene = sight_of({2, 3}, 6)
    hear(scene, 0, word := word_of(scene, 3))
    changed(scene)
    assert scene.machine().away() == {3}
    scene.choose_now(3, 0)
    scene.settle()
    assert hear(scene, 0, word) == frozenset()
    scene = sight_of({2, 3}, 6)
    hear(scene, 0, word_of(scene, 3, epoch=2))
    changed(scene)
    assert scene.machine().away() == frozenset()


# Returns.


def test_who_is_back_says_so_once_it_may_sign() -> None:
    scene = sight_of({3})
    first = departs(scene, 3)
    scene.crash_and_resume(3)
    assert inspect(scene.machine(3)).state is SigningState.SILENT
    found = (departure_of(raw) for sender, _, raw in scene.queue if sender == 3)
    assert not any(word is not None and word.is_return for word in found)
    scene.run(until=1)
    assert inspect(scene.machine(3)).state is SigningState.STANDING
    for seat in range(4):
        assert inspect(scene.machine(seat)).departures.get(3, 0) == first.number + 1
        assert scene.machine(seat).away() == frozenset()
    records = len(scene.places[3].journal)
    scene.run(until=2)
    assert len(scene.places[3].journal) == records, "said once"


def test_a_return_ends_it_for_seats_that_are_linked_through_others() -> None:
    scene = sight_of({2, 3})
    for number, away in ((1, {3}), (2, set()), (1, set()), (3, {3})):
        assert hear(scene, 0, word_of(scene, 3, number=number)) == away


def test_a_journal_that_forgot_a_departure_is_told_and_returns() -> None:
    scene = sight_of({3})
    word = departs(scene, 3)
    scene.places[3].journal.pop()
    scene.crash_and_resume(3)
    assert inspect(scene.machine(3)).departures.get(3, 0) == 0
    hear(scene, 3, word)
    scene.run(until=5)
    assert inspect(scene.machine(3)).departures.get(3, 0) == 2
    assert inspect(scene.machine()).departures.get(3, 0) == 2


def test_a_return_is_on_disk_before_it_is_sent() -> None:
    scene = sight_of({3})
    machine = scene.machine(3)
    keep_departure(machine, word_of(scene, 3), scene.now)
    machine.take()
    machine.tick(scene.now)
    effects = [e for e in machine.take() if isinstance(e, Record | Send)]
    place = next(i for i, e in enumerate(effects) if isinstance(e, Send) and departure_of(e.frame))
    assert isinstance(effects[place - 1], Record)
    assert departure_of(effects[place].frame).is_return  # type: ignore[union-attr]


@pytest.mark.parametrize(("epoch", "ahead"), [(1, 0), (0, 2), (0, -1)])
def test_a_departure_at_another_step_or_chain_does_not_hold(epoch: int, ahead: int) -> None:
    scene = sight_of(range(4))
    word = signed_notices.sign_notice(
        scene.who[3],
        scene.table.id,
        signed_notices.Departure(3, 1, 0, scene.machine().tip.step, b"x" * 32),
    )
    for other in (word_of(scene, 3, epoch=epoch, ahead=ahead), word):
        assert hear(scene, 0, other) == frozenset()
        assert not scene.places[0].of_kind(SeatLeft)


def test_a_departure_of_an_absent_seat_means_nothing() -> None:
    scene = sight_of({3})
    scene.places[3].alive = False
    scene.run(until=40)
    assert scene.machine().tip.absences == (0, 0, 0, 1)
    assert hear(scene, 0, word_of(scene, 3, epoch=inspect(scene.machine()).epoch)) == frozenset()


# Who signs it, and how often.


def test_it_is_on_disk_before_it_leaves_and_nothing_is_signed_behind_it() -> None:
    scene = sight_of({3})
    machine = scene.machine(3)
    machine.take()
    assert machine.depart(scene.now)
    record, send = machine.take()
    assert isinstance(record, Record)
    assert isinstance(send, Send)
    assert inspect(machine).state is SigningState.LEFT
    assert not machine.depart(scene.now)
    assert not machine.must_choose
    for seat in (0, 1, 2):
        machine.receive(
            carried(scene.sign(seat, EpochRequest(1))), scene.now, scene.table.ids[seat]
        )
    assert [effect for effect in machine.take() if isinstance(effect, Record)] != []
    own = [
        m
        for m in inspect(machine).store.by_seat(3)
        if isinstance(m.statement, EpochPromise | EpochRequest)
    ]
    assert own == []


def test_the_journal_knows_how_often_it_has_left_though_nothing_was_sent() -> None:
    scene = sight_of({3})
    scene.machine(3).take()
    assert scene.machine(3).depart(scene.now)
    scene.collect(3)
    scene.queue.clear()
    comes_back(scene, 3)
    assert scene.machine(3).away() == frozenset()
    assert not scene.places[3].of_kind(SeatLeft)
    scene.run(until=1)
    assert departs(scene, 3).number == 3


def watcher_of(scene: MachineTable) -> SeatMachine:
    """Return a machine that watches a table, and has heard nothing yet."""
    watcher = SeatMachine(scene.table, bytes, None, None)
    watcher.start(0.0)
    return watcher


def test_who_says_nothing_when_it_leaves() -> None:
    """A watcher, a silent seat, one at its end, and who has left as often as others pass on."""
    scene = sight_of({3})
    assert not watcher_of(scene).depart(0.0)
    scene.crash_and_resume(3)
    assert inspect(scene.machine(3)).state is SigningState.SILENT
    assert not scene.machine(3).depart(scene.now)
    done = sight_of(())
    done.run(until=1)
    assert done.machine().finished
    assert not done.machine().depart(done.now)
    scene = sight_of({3})
    keep_departure(scene.machine(3), word_of(scene, 3, number=253), 0.0)
    assert not scene.machine(3).depart(scene.now)


def test_a_promised_seat_may_leave_too() -> None:
    scene = sight_of(range(4))
    raise_promise(scene.machine(3), 1)
    assert inspect(scene.machine(3)).state is SigningState.PROMISED
    assert departs(scene, 3).epoch == 0


def test_a_watcher_is_told() -> None:
    scene = sight_of({3})
    watcher = watcher_of(scene)
    for seat in range(4):
        for message in inspect(scene.machine(seat)).store:
            watcher.receive(carried(message), 0.0, scene.table.ids[seat])
    watcher.receive(peer_frames.encode_frame(word_of(scene, 3)), 0.0, scene.table.ids[0])
    assert SeatLeft(3) in watcher.take()
    assert watcher.away() == {3}


# How it goes round.


def test_it_is_passed_on_once_and_only_a_higher_number_after_it() -> None:
    scene = sight_of(range(4))
    word = word_of(scene, 3, number=2)

    def passed_on(leave: Departure) -> bool:
        scene.machine().receive(peer_frames.encode_frame(leave), scene.now, scene.table.ids[1])
        sends = [e for e in scene.machine().take() if isinstance(e, Send)]
        assert all(send.but == {scene.table.ids[1]} for send in sends)
        return bool(sends)

    assert passed_on(word)
    assert not passed_on(word)
    assert not passed_on(word_of(scene, 3, number=1))
    assert passed_on(word_of(scene, 3, number=3))


@pytest.mark.parametrize("number", [1, 2])
def test_whoever_asks_where_one_stands_is_told_who_is_away_or_back(number: int) -> None:
    scene = sight_of(range(4))
    word, ask = (
        word_of(scene, 3, number=number),
        peer_frames.encode_frame(peer_frames.Sync(0, 1, ())),
    )
    hear(scene, 0, word)
    machine, peer = scene.machine(), scene.table.ids[1]
    machine.receive(ask, scene.now, peer)
    told = [e.frame for e in machine.take() if isinstance(e, Send) and e.peer == peer]
    assert peer_frames.encode_frame(word) in told
    machine.link_up(scene.table.ids[3], scene.now)
    machine.take()
    machine.receive(ask, scene.now, peer)
    assert any(isinstance(frame, Departure) for frame in sent(machine)) == word.is_return


def test_a_forged_departure_costs_the_link_and_proves_nothing_of_the_seat() -> None:
    scene = sight_of(range(4))
    tip = scene.machine().tip
    for who, table in ((2, scene.table.id), (3, b"o" * 32)):
        forged = signed_notices.sign_notice(
            identity(who), table, signed_notices.Departure(3, 1, 0, tip.step, tip.digest)
        )
        fails(Invalid, "", hear, scene, 0, forged)
    assert scene.machine().away() == frozenset()
    assert inspect(scene.machine()).proofs == {}
    assert inspect(scene.machine()).departures.get(3, 0) == 0


def test_departures_prove_nothing_of_anyone_and_one_of_each_seat_is_stored() -> None:
    scene = sight_of(range(4))
    tip, sign = scene.machine().tip, signed_notices.sign_notice
    for number, on in enumerate((tip.digest, b"x" * 32, tip.digest), 1):
        word = Departure(3, number, 0, tip.step, on)
        hear(scene, 0, sign(scene.who[3], scene.table.id, word))
    assert inspect(scene.machine()).proofs == {}
    assert not scene.places[0].of_kind(Guilty)
    assert len(inspect(scene.machine()).store) == len(inspect(sight_of(range(4)).machine()).store)
    scene = sight_of(range(4))
    for number in range(1, 255):
        hear(scene, 0, word_of(scene, 3, number=number, epoch=number))
    assert len(inspect(scene.machine()).departures) == 1
    assert len(scene.places[0].journal) == len(sight_of(range(4)).places[0].journal)


# Before the game.


def before(kind: Kind) -> MachineTable:
    """Return a table of three that seat 0 sees standing before this kind of step."""
    scene = table_with_departures(toy_table(3))
    scene.start()
    while scene.machine().tip.want.kind is not kind:
        scene.deliver()
    return scene


@pytest.mark.parametrize(("code", "timeouts"), [(SEAT_LEFT, 1), (SILENT_SEAT, 15)])
def test_before_the_game_it_ends_the_table_and_names_who_left(code: str, timeouts: float) -> None:
    """Silence has a name of its own."""
    scene = before(Kind.SHUFFLE)
    assert not scene.machine(2).is_bound
    if code == SEAT_LEFT:
        departs(scene, 2)
    scene.places[2].alive = False
    assert scene.machine().broken is None
    scene.run(until=timeouts)
    for seat in (0, 1):
        assert scene.machine(seat).broken == Broken(code, 2)
        assert not scene.places[seat].of_kind(Guilty)


def test_who_has_confirmed_the_deck_is_not_missed_before_the_game() -> None:
    scene = before(Kind.KEY_COMMIT)
    while not has_input(scene.machine(2), 7) or scene.machine(2).has_begun:
        assert scene.deliver()
    machine = scene.machine(2)
    assert machine.tip.want.kind is Kind.DECK_OK or machine.tip.step == 7
    assert machine.is_bound
    word = departs(scene, 2)
    assert word.step == 8
    for seat in (0, 1):
        assert scene.machine(seat).broken is None
    scene.run(until=20)
    assert scene.machine().has_begun
    assert scene.machine().tip.absences == (0, 0, 1)


def test_who_has_confirmed_the_deck_waits_no_longer_for_a_seat_that_has_left() -> None:
    """It signs so itself. The table is not ended by the departure of another one alone."""
    scene = before(Kind.DECK_OK)
    scene.places[2].alive = False
    scene.settle()
    machine = scene.machine()
    assert has_input(machine, machine.tip.step)
    assert machine.awaited() == {2}
    hear(scene, 0, word_of(scene, 2))
    scene.run(until=1)
    assert machine.broken is None
    assert has_left(machine)
    assert machine.is_bound


def test_an_onlooker_waits_for_the_deck_as_long_as_any_seat_has_confirmed_it() -> None:
    """The game can begin without it, so it must not end the table before the seats do."""
    scene = before(Kind.DECK_OK)
    scene.places[2].alive = False
    scene.settle()
    step = scene.machine().tip.step
    messages = list(inspect(scene.machine()).store)
    confirmed = {m.seat: m for m in messages if getattr(m.statement, "step", 0) == step}
    assert confirmed.keys() == {0, 1}
    before_them = [m for m in messages if m not in confirmed.values()]
    for known, is_bound in ((before_them, False), ([*before_them, confirmed[1]], True)):
        onlooker = SeatMachine(scene.table, bytes)
        onlooker.start(scene.now)
        for message in known:
            onlooker.receive(carried(message), scene.now, scene.table.ids[1])
        assert onlooker.tip.want.kind is Kind.DECK_OK
        assert onlooker.is_bound is is_bound
