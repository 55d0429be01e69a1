"""The seat machine: crashes at every record, old journals, rejoins, pauses, bounds."""

from typing import Any

import pytest
from support.cases import fails
from support.inspection import alter, bind, inspect, player_choices, secrets_of, store
from support.machine_table import (
    TIMEOUTS,
    MachineTable,
    carried,
    seeded,
    sent,
    toy_choice,
    toy_table,
)

from protocol.chain.chain_state import Kind
from protocol.errors import Invalid
from protocol.game_interface import IllegalMove
from protocol.seat import memory_quotas
from protocol.seat.effects import (
    Broken,
    ChoiceAsked,
    Guilty,
    JournalDoubted,
    Record,
    Send,
    StepTimedOut,
)
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import SIGNS, PlayerChoice, SigningState
from protocol.wire import peer_frames
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    PrepareVote,
    Rejoin,
    StepInput,
)


def told(machine: SeatMachine, now: float, *peers: bytes) -> None:
    """Let peers have told a machine all that they store of its seat."""
    for peer in peers:
        machine.receive(peer_frames.encode_frame(peer_frames.Told()), now, peer)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_an_undisturbed_game_ends_alike_for_all_with_one_input_per_seat_and_step(
    seats: int,
) -> None:
    """And no seat sends what it has not recorded before."""
    room = toy_table(seats)
    room.play(until=5)
    assert {p.machine.tip.digest for p in room.places} == {room.machine().tip.digest}
    for seat, place in enumerate(room.places):
        assert place.machine.finished
        assert place.machine.may_leave()
        own = room.own_messages(seat, place.heard)
        assert all(isinstance(m.statement, StepInput) for m in own)
        assert len({m.identity for m in own}) == len({m.hash for m in own})
        recorded: set[bytes] = set()
        for effect in place.heard:
            if isinstance(effect, Record):
                recorded.add(effect.data)
            elif isinstance(effect, Send) and (message := room.message(effect.frame)) is not None:
                assert any(message.encode() in data for data in recorded)


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


@pytest.mark.sampled(6)
@pytest.mark.parametrize("at", range(0, 44, 3))
def test_a_seat_that_crashes_anywhere_comes_back_and_the_game_ends(at: int) -> None:
    room = toy_table(3)
    room.start()
    for _ in range(at * 4):
        room.deliver()
    room.crash_and_resume(1)
    room.run(until=60)
    assert room.done()
    assert len({p.machine.tip.digest for p in room.places}) == 1


def test_an_old_journal_signs_nothing_until_all_others_have_told() -> None:
    room = toy_table(3)
    room.play(until=0.0)
    place = room.places[1]
    machine = room.build(1)
    machine.restore(place.journal[: len(place.journal) // 2])
    machine.be_cautious()
    machine.start(room.now)
    assert inspect(machine).state is SigningState.SILENT
    told(machine, room.now, room.table.ids[0])
    assert inspect(machine).state is SigningState.SILENT
    assert not any(isinstance(frame, peer_frames.Carry) for frame in sent(machine))
    told(machine, room.now, room.table.ids[2])
    assert inspect(machine).inquiry is None
    assert inspect(machine).floor > 0


def test_an_old_journal_does_not_end_a_table_whose_deck_it_may_have_confirmed() -> None:
    room = toy_table(3)

    def kind_at(seat: int) -> Kind:
        return room.machine(seat).tip.want.kind

    room.drop = lambda source, to, _: 1 in (source, to) and kind_at(1) is Kind.DECK_OK
    room.play(until=0.0)
    assert kind_at(0) is Kind.DECK_OK
    machine = room.build(1)
    machine.restore(room.places[1].journal[:-1])
    machine.be_cautious()
    machine.start(room.now)
    for seat in (0, 2):
        for message in inspect(room.machine(seat)).store:
            machine.receive(carried(message), room.now, room.table.ids[seat])
    assert machine.tip.want.kind is Kind.DECK_OK
    machine.tick(1000.0)
    assert machine.broken is None
    told(machine, 1000.0, *room.table.ids[::2])
    machine.tick(2000.0)
    assert machine.broken is not None


def test_a_rolled_back_seat_stays_careful_after_a_second_crash() -> None:
    room = toy_table(3)
    room.start()
    machine = room.build(1)
    machine.restore(room.places[1].journal[:2])
    machine.be_cautious()
    journal = room.places[1].journal[:2]
    journal += [e.data for e in machine.take() if isinstance(e, Record)]
    again = room.build(1)
    again.restore(journal)
    assert inspect(again).state is SigningState.SILENT
    told(machine, 0.0, *room.table.ids[::2])
    journal += [e.data for e in machine.take() if isinstance(e, Record)]
    later = room.build(1)
    later.restore(journal)
    assert inspect(later).inquiry is not None
    assert not inspect(later).inquiry.cautious
    assert inspect(later).floor == inspect(machine).floor > 0


@pytest.mark.parametrize(("seats", "seconds", "at_once"), [(2, 3, True), (3, 500, False)])
def test_a_strict_table_pauses_when_one_is_gone_and_goes_on_when_it_is_back(
    seats: int, seconds: float, at_once: bool
) -> None:
    """It waits without end, from the first step on or within the game."""
    room = toy_table(seats, quorum=seats)
    room.start()
    while not (at_once or room.machine().has_begun):
        room.deliver()
    room.places[seats - 1].alive = False
    if at_once:
        room.queue.clear()
    room.run(until=seconds)
    assert not room.machine().broken
    assert not room.machine().finished
    assert inspect(room.machine()).promise == 0
    told = [effect.seats for effect in room.places[0].of_kind(StepTimedOut)]
    assert at_once or {seats - 1} in told
    room.crash_and_resume(seats - 1)
    room.run(until=60)
    assert room.done()
    assert all(inspect(machine).epoch == 0 for machine in room.machines())


def _gone_at(room: MachineTable, seats: set[int], step: int) -> None:
    collect = room.collect

    def stop(at: int) -> None:
        collect(at)
        if room.machine().tip.step >= step:
            for seat in seats - room.returned:  # type: ignore[attr-defined]
                room.places[seat].alive = False

    room.returned = set()  # type: ignore[attr-defined]
    room.collect = stop  # type: ignore[method-assign]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", [0, 1, 2, 4, 6, 8, 9])
def test_two_absent_at_once_at_six_seats_and_the_game_ends(step: int) -> None:
    room = toy_table(6)
    _gone_at(room, {4, 5}, room.table.first_step + step)
    room.play(until=300)
    for seat in range(4):
        machine = room.machine(seat)
        assert machine.finished
        assert not machine.tip.banned


def _comes_back(room: MachineTable, seat: int, asks: bool = True) -> None:
    """Let a seat resume from its journal, and ask to be present again."""
    room.returned.add(seat)  # type: ignore[attr-defined]
    room.crash_and_resume(seat)
    if asks:
        room.machine(seat).ask_rejoin(room.now)
        room.collect(seat)


def _others_wait_longer(seats: int, waiting: set[int], quorum: int | None = None) -> MachineTable:
    """Return a table whose last seat is gone; the `waiting` extend its time after ten seconds."""
    room = toy_table(seats, quorum=quorum)
    _gone_at(room, {seats - 1}, room.table.first_step)
    room.start()
    room.run(until=8 - room.now)
    for seat in waiting:
        assert room.machine(seat).wait_longer(room.now)
    return room


def test_one_seat_waits_and_the_others_go_on_without_it() -> None:
    room = _others_wait_longer(6, {0})
    room.run(until=200)
    machine = room.machine()
    assert machine.finished
    assert 5 not in machine.tip.present
    promises = [said for said in inspect(machine).statements(0) if isinstance(said, EpochPromise)]
    assert promises[0].timeout is None
    assert not any(isinstance(said, EpochRequest) for said in inspect(machine).statements(0))


def test_with_enough_waiting_nothing_happens_until_later() -> None:
    room = _others_wait_longer(4, {0})
    wait = inspect(room.machine()).clocks.timeout(room.machine().tip)
    room.run(until=8 + wait - 1 - room.now)
    assert [inspect(p.machine).promise for p in room.places[:3]] == [0, 0, 0]
    assert inspect(room.machine(1)).requests == {1: 1, 2: 1}
    room.run(until=200)
    assert all(p.machine.finished for p in room.places[:3])
    assert 3 not in room.machine().tip.present


def test_who_comes_back_in_the_extended_time_is_not_absent() -> None:
    room = _others_wait_longer(4, {0, 1})
    wait = inspect(room.machine()).clocks.timeout(room.machine().tip)
    room.run(until=8 + wait - 2 - room.now)
    _comes_back(room, 3, asks=False)
    room.run(until=60)
    assert all(p.machine.finished for p in room.places)
    assert all(p.machine.tip.absences == (0, 0, 0, 0) for p in room.places)
    assert all(inspect(p.machine).epoch == 0 for p in room.places)


def test_below_the_quorum_nothing_goes_on_until_a_seat_is_back() -> None:
    room = toy_table(4)
    _gone_at(room, {2, 3}, room.table.first_step + 3)
    room.play(until=200)
    assert not room.machine().finished
    for seat in (2, 3):
        _comes_back(room, seat)
    room.run(until=400)
    assert all(p.machine.finished for p in room.places)


def test_a_seat_whose_rejoins_are_used_up_stays_absent_while_the_game_goes_on() -> None:
    """[E-31]"""
    room = toy_table(4, rounds=6, rejoins=0)
    _gone_at(room, {3}, room.table.first_step)
    room.play(until=30)
    assert 3 not in room.machine().tip.present
    _comes_back(room, 3)
    assert not room.machine(3).may_rejoin
    room.run(until=300)
    assert 3 not in room.machine().tip.present
    assert room.machine().finished


def test_with_rejoins_used_up_a_seat_rejoins_where_the_table_would_stand_still() -> None:
    """[E-31]: seat 3 is absent, and then seat 2; both are there again later."""
    room = toy_table(4, rounds=6, rejoins=0)
    first = room.machine()
    _gone_at(room, {3}, room.table.first_step)
    collect = room.collect

    def go_next(at: int) -> None:
        collect(at)
        room.places[2].alive &= 3 in first.tip.present

    room.collect = go_next  # type: ignore[method-assign]
    room.play(until=30)
    assert first.tip.present == {0, 1, 2}
    _comes_back(room, 3)
    room.run(until=200)
    assert first.finished
    assert first.tip.present == {0, 1, 3}
    assert first.tip.absences == (0, 0, 1, 1)


def test_a_seat_that_comes_back_is_present_again_and_its_sealed_choice_was_opened() -> None:
    room = toy_table(4)
    seal = room.table.first_step + 1
    _gone_at(room, {3}, seal + 1)
    room.play(until=60)
    machine = room.machine()
    assert 3 not in machine.tip.present
    _comes_back(room, 3)
    room.run(until=300)
    assert all(p.machine.finished for p in room.places)
    assert machine.tip.absences[3] in (0, 1)


def test_who_came_back_once_is_not_back_from_its_next_absence_before_it_asks() -> None:
    asleep, thinking = [False], list[tuple[float, ChoiceAsked]]()

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        """Seat 3 sleeps; seat 0 takes a while then, so that there is time to come back in."""
        if asleep[0] and machine.seat == 0:
            thinking.append((room.now + 6, asked))
        is_silent = asleep[0] and machine.seat in (0, 3)
        return None if is_silent else toy_choice(machine, asked)

    room = toy_table(4, 12, choose=choose)
    room.begin()
    asleep[0] = True
    first, last = room.machine(), room.machine(3)
    there = [True]
    while not last.finished and room.now < 5000:
        room.run(until=0.5)
        while thinking and thinking[0][0] <= room.now:
            _when, asked = thinking.pop(0)
            if first.must_choose:
                first.choose(toy_choice(first, asked), room.now)
                room.collect(0)
        if (3 in last.tip.present) != there[-1]:
            there.append(not there[-1])
            if len(there) == 2:
                last.ask_rejoin(room.now)
                room.collect(3)
    assert last.finished
    assert there == [True, False, True, False]
    assert last.may_rejoin


def test_a_banned_seat_cannot_rejoin() -> None:
    room = toy_table(6)
    room.begin()
    bad = room.sign(5, PrepareVote(1, b"x" * 32))
    worse = room.sign(5, PrepareVote(1, b"y" * 32))
    for seat in range(5):
        for message in (bad, worse):
            room.machine(seat).receive(carried(message), room.now, None)
        room.collect(seat)
    room.run(until=100)
    machine = room.machine()
    assert machine.tip.banned == {5}
    room.machine(5).ask_rejoin(room.now)
    room.collect(5)
    room.run(until=100)
    assert 5 not in machine.tip.present
    assert machine.finished
    assert not room.machine(5).may_rejoin


def test_the_player_is_asked_and_may_only_choose_what_the_rules_allow() -> None:
    room = toy_table(3)
    asked: list[ChoiceAsked] = []
    room.choose = lambda machine, effect: asked.append(effect)
    room.play(until=1)
    machine = room.machine()
    assert machine.must_choose
    fails(IllegalMove, "not-of-form \\(kind=bid\\)", machine.choose, 9, room.now)
    machine.choose(1, room.now)
    assert not machine.must_choose
    fails(IllegalMove, "nothing-asked", machine.choose, 1, room.now)
    assert {effect.kind for effect in asked} == {"bid"}


def test_a_choice_once_revealed_is_asked_again_when_its_step_begins_afresh() -> None:
    room = toy_table(3)
    room.start()
    machine = room.machine()
    player_choices(machine)[3, "bid"] = PlayerChoice(b"d" * 32, 1)
    for step, exposed in ((3, False), (4, True)):
        bind(machine, StepInput(0, step, b"d" * 32, b""))
        assert player_choices(machine)[3, "bid"].exposed is exposed


def test_a_fault_before_the_game_ends_the_table_but_not_for_who_said_deck_ok() -> None:
    room = toy_table(3)
    machine = room.machine()
    room.drop = lambda a, b, f: machine.tip.want.kind is Kind.DECK_OK and b == 0
    room.play(until=1)
    assert machine.tip.want.kind is Kind.DECK_OK
    for number in (b"x", b"y"):
        machine.receive(carried(room.sign(2, PrepareVote(1, number * 32))), room.now, None)
    room.collect(0)
    assert machine.broken is None
    assert 2 in inspect(machine).proofs
    room.drop = lambda a, b, f: False
    room.run(until=100)
    assert machine.has_begun


def test_a_seat_silent_in_the_setup_is_named_and_what_still_comes_is_judged() -> None:
    """Nothing of it waits. The player is told of a proof against its own seat."""
    room = toy_table(3)
    room.places[2].alive = False
    room.play(until=30)
    (broken,) = room.places[0].of_kind(Broken)
    assert broken.seat == 2
    machine = room.machine()
    assert machine.broken is not None
    for seat in (1, 0):
        for number in (b"x", b"y"):
            machine.receive(carried(room.sign(seat, PrepareVote(1, number * 32))), room.now, None)
    room.collect(0)
    assert Guilty(0, "equivocation") in room.places[0].heard
    assert set(inspect(machine).proofs) == {1}
    assert inspect(machine).fresh == ()


@pytest.mark.parametrize("garbage", [b"", b"\x00", b"\x92\x00\xc4\x01a", b"\x91\x09", b"\xff" * 40])
def test_garbage_is_refused_and_blames_nobody(garbage: bytes) -> None:
    room = toy_table(3)
    machine = room.machine()
    fails(Invalid, "", machine.receive, garbage, 0.0, room.table.ids[1])
    assert inspect(machine).proofs == {}


def test_what_a_faulty_seat_floods_is_not_kept() -> None:
    room = toy_table(4)
    room.begin()
    machine = room.machine()
    before = len(inspect(machine).store)
    for number in range(1, 400):
        digest = number.to_bytes(32, "big")
        for statement in (
            StepInput(0, machine.tip.step + memory_quotas.AHEAD + number, digest, b"x"),
            StepInput(number + 1, 3, digest, b"x"),
            EpochRequest(number),
            PrepareVote(number + 2, digest),
            CommitVote(number + 2, digest),
            EpochPromise(number + 2, None, (), None, (), ()),
            Rejoin(min(255, 8 + number)),
        ):
            machine.receive(carried(room.sign(3, statement)), room.now, None)
    assert len(inspect(machine).store) - before < 20
    assert inspect(machine).requests[3] == 401


def test_only_the_highest_epoch_request_of_a_seat_is_kept() -> None:
    room = toy_table(4)
    machine = room.machine()
    for epoch in (1, 2, 1):
        store(machine, room.sign(3, EpochRequest(epoch)))
    assert inspect(machine).statements(3) == [EpochRequest(2)]
    assert inspect(machine).store.epochs_of(EpochRequest) == [2]
    store(room.machine(3), room.sign(3, EpochRequest(3)))
    room.machine(3).receive(carried(room.sign(3, EpochRequest(2))), 0.0, None)
    assert inspect(room.machine(3)).inquiry is None, "a lower one of its own tells nothing new"


def test_one_seats_requests_alone_promise_nothing() -> None:
    room = toy_table(4)
    room.begin()
    lie = carried(room.sign(3, EpochRequest(2)))
    room.drop = lambda _, to, frame: to == 3 and frame == lie
    for seat in range(3):
        room.machine(seat).receive(lie, room.now, None)
    room.run(until=5)
    assert all(inspect(p.machine).promise == 0 and p.machine.finished for p in room.places)


def test_a_seat_that_hears_of_a_statement_it_does_not_know_signs_nothing_more_unasked() -> None:
    room = toy_table(4)
    room.begin(3)
    unknown = room.sign(3, EpochRequest(2))
    machine = room.machine(3)
    machine.receive(carried(unknown), room.now, room.table.ids[0])
    room.collect(3)
    assert inspect(machine).state is SigningState.SILENT
    assert inspect(machine).inquiry is not None
    assert inspect(machine).inquiry.certain
    assert any(isinstance(effect, JournalDoubted) for effect in room.places[3].heard)
    machine.receive(carried(unknown), room.now, room.table.ids[1])
    room.run(until=200)
    assert inspect(machine).state is not SigningState.SILENT
    assert inspect(machine).floor > 0
    assert all(p.machine.finished and not inspect(p.machine).proofs for p in room.places)


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


def test_a_watcher_follows_and_never_signs() -> None:
    room = toy_table(3)
    watcher = SeatMachine(room.table, seeded("watcher"))
    room.play(until=5)
    watcher.start(room.now)
    for message in inspect(room.machine()).store:
        watcher.receive(carried(message), room.now, room.table.ids[0])
    assert watcher.tip.digest == room.machine().tip.digest
    assert inspect(watcher).state is SigningState.WATCHING
    assert watcher.hand() == {}
    assert all(m.seat in range(3) for m in inspect(watcher).store)
    assert TIMEOUTS.choice > 0


def test_what_nobody_has_does_not_crowd_out_what_is_lacking() -> None:
    machine = toy_table(3).places[0].machine
    fakes = {number.to_bytes(32, "big") for number in range(600)}
    alter(machine, wants=fakes | {b"\xff" * 32})
    alter(machine, wanted_new_epochs=set(range(100)))
    asked: list[peer_frames.Fetch] = []
    for second in range(1, 4):
        machine.tick(second * 2.0)
        asked += [frame for frame in sent(machine) if isinstance(frame, peer_frames.Fetch)]
    assert [len(frame.hashes) for frame in asked] == [512] * 3
    assert b"\xff" * 32 not in asked[0].hashes
    assert {h for frame in asked[:2] for h in frame.hashes} == inspect(machine).store.wants
    assert {epoch for frame in asked[:2] for epoch in frame.new_epochs} == set(range(100))
