"""The machine of a seat: whole games, crashes, frames, choices, and the work for one input."""

from collections.abc import Callable
from dataclasses import replace
from unittest.mock import Mock

import pytest
from support.cases import fails
from support.departing import departure, onlooker_of, setup_before
from support.inspection import alter, has_input, has_signed, inspect, want
from support.machine_table import (
    TIMEOUTS,
    MachineTable,
    carried,
    seeded,
    sent,
    toy_table,
    waiting_table,
)

from protocol.chain.chain_state import SETUP, Kind
from protocol.errors import Invalid
from protocol.game_interface import IllegalMove
from protocol.seat.effects import Broken, ChoiceAsked, Job, Record, Send
from protocol.seat.seat_machine import RULES, SeatMachine
from protocol.seat.signer import SigningState
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import EpochRequest, Message, StepInput


def test_a_crash_forgets_neither_own_nor_received_inputs() -> None:
    table = waiting_table()
    live = table.machine()
    table.crash_and_resume(0)
    assert table.machine() is not live
    assert table.machine().tip.digest == live.tip.digest
    assert {m.hash for m in inspect(table.machine()).store} == {m.hash for m in inspect(live).store}


def test_there_is_nothing_to_wait_for_when_nobody_else_is_awaited() -> None:
    table = waiting_table({0})
    assert table.machine().awaited() == {0}
    assert not table.machine().wait_longer(table.now)
    assert inspect(table.machine()).clocks.granted == {}
    table.thinkers.clear()
    table.choose_now(0, 0)
    table.run(until=1)
    assert table.machine().finished
    assert not table.machine().wait_longer(table.now)


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_an_undisturbed_game_ends_alike_for_all_with_one_input_per_seat_and_step(
    seats: int,
) -> None:
    """And no seat sends what it has not recorded before."""
    table = toy_table(seats)
    table.play(until=5)
    assert {p.machine.tip.digest for p in table.places} == {table.machine().tip.digest}
    for seat, place in enumerate(table.places):
        assert place.machine.finished
        assert place.machine.may_leave()
        own = table.own_messages(seat, place.heard)
        assert all(isinstance(m.statement, StepInput) for m in own)
        assert len({m.identity for m in own}) == len({m.hash for m in own})
        recorded: set[bytes] = set()
        for effect in place.heard:
            if isinstance(effect, Record):
                recorded.add(effect.data)
            elif isinstance(effect, Send) and (message := table.message(effect.frame)) is not None:
                assert any(message.encode() in data for data in recorded)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("at", range(0, 44, 3))
def test_a_seat_that_crashes_anywhere_comes_back_and_the_game_ends(at: int) -> None:
    table = toy_table(3)
    table.start()
    for _ in range(at * 4):
        table.deliver()
    table.crash_and_resume(1)
    table.run(until=60)
    assert table.done()
    assert len({p.machine.tip.digest for p in table.places}) == 1


def test_the_player_is_asked_and_may_only_choose_what_the_rules_allow() -> None:
    table = toy_table(3)
    asked: list[ChoiceAsked] = []
    table.choose = lambda machine, effect: asked.append(effect)
    table.play(until=1)
    machine = table.machine()
    assert machine.must_choose
    fails(IllegalMove, "not-of-form \\(kind=bid\\)", machine.choose, 9, table.now)
    machine.choose(1, table.now)
    assert not machine.must_choose
    fails(IllegalMove, "nothing-asked", machine.choose, 1, table.now)
    assert {effect.kind for effect in asked} == {"bid"}


@pytest.mark.parametrize("garbage", [b"", b"\x00", b"\x92\x00\xc4\x01a", b"\x91\x09", b"\xff" * 40])
def test_garbage_is_refused_and_blames_nobody(garbage: bytes) -> None:
    table = toy_table(3)
    machine = table.machine()
    fails(Invalid, "", machine.receive, garbage, 0.0, table.table.ids[1])
    assert inspect(machine).proofs == {}


def test_a_watcher_follows_and_never_signs() -> None:
    table = toy_table(3)
    watcher = SeatMachine(table.table, seeded("watcher"))
    table.play(until=5)
    watcher.start(table.now)
    for message in inspect(table.machine()).store:
        watcher.receive(carried(message), table.now, table.table.ids[0])
    assert watcher.tip.digest == table.machine().tip.digest
    assert inspect(watcher).state is SigningState.WATCHING
    assert watcher.hand() == {}
    assert all(m.seat in range(3) for m in inspect(watcher).store)
    assert TIMEOUTS.choice > 0


def _input(table: MachineTable, seat: int) -> Message:
    """Return an input to the current step of the table."""
    tip = table.machine().tip
    return table.sign(seat, StepInput(0, tip.step, tip.digest, b"\x90"))


def test_a_stored_message_is_verified_once_and_any_other_before_it_counts(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[bytes] = []
    verify = Message.verify

    def noting(message: Message, ids: tuple[bytes, ...]) -> None:
        verified.append(message.signature)
        verify(message, ids)

    monkeypatch.setattr(Message, "verify", noting)
    machine, peer = table.machine(0), table.table.ids[1]
    request = table.sign(1, EpochRequest(1))
    forged = Message(request.seat, request.statement, request.payload, bytes(64))
    fails(Invalid, "bad-signature", machine.receive, carried(forged), table.now, peer)
    machine.receive(carried(request), table.now, peer)
    assert verified == [bytes(64), request.signature]
    machine.take()
    for again in (request, forged):
        machine.receive(carried(again), table.now, peer)
        assert machine.take() == []
    assert verified == [bytes(64), request.signature]


@pytest.mark.parametrize("kind", ["seat", "onlooker", "restored"])
def test_a_known_payload_with_another_signature_changes_nothing(
    table: MachineTable, kind: str
) -> None:
    """It is neither stored nor forwarded. A peer that asks gets the first one, which is valid."""
    peer, message = table.table.ids[1], _input(table, 1)
    machine = table.machine(0)
    if kind == "onlooker":
        machine = SeatMachine(table.table, bytes)
        machine.start(table.now)
    machine.receive(carried(message), table.now, peer)
    if kind == "restored":
        effects = (*table.places[0].heard, *machine.take())
        records = [effect.data for effect in effects if isinstance(effect, Record)]
        machine = SeatMachine(table.table, seeded("again"), 0, table.who[0], bytes(32))
        machine.restore(records)
        machine.start(table.now)
    machine.take()
    proofs = dict(inspect(machine).proofs)
    for signature in (bytes(64), table.sign(1, EpochRequest(1)).signature):
        other = Message(message.seat, message.statement, message.payload, signature)
        machine.receive(carried(other), table.now, peer)
        assert machine.take() == []
    ask = peer_frames.encode_frame(peer_frames.Fetch((message.hash,), ()))
    machine.receive(ask, table.now, peer)
    assert [e.frame for e in machine.take() if isinstance(e, Send)] == [carried(message)]
    assert inspect(machine).proofs == proofs


def test_a_forged_copy_of_what_is_wanted_leaves_it_wanted(table: MachineTable) -> None:
    machine, peer, message = table.machine(0), table.table.ids[2], _input(table, 1)
    want(machine, {message.hash})
    forged = Message(message.seat, message.statement, message.payload, bytes(64))
    fails(Invalid, "bad-signature", machine.receive, carried(forged), table.now, peer)
    assert inspect(machine).store.wants == {message.hash}
    machine.receive(carried(message), table.now, peer)
    assert message.hash in inspect(machine).store
    assert inspect(machine).store.wants == set()


class Watched:
    """Four seats before the first bid; how often seat 0 goes through its rules is counted."""

    def __init__(self) -> None:
        self.table = waiting_table()
        self.machine = self.table.machine()
        self.rounds = Mock(return_value=False)
        self.machine.rules = (self.rounds, *RULES)

    def bid(self, *seats: int) -> None:
        """Let seat 0 hear the bids of other seats."""
        for seat in seats:
            self.table.tell_first(seat, self.bid_of(seat))

    def bid_of(self, seat: int) -> StepInput:
        """Return the bid of another seat."""
        other, step = self.table.machine(seat), self.machine.tip.step
        if other.must_choose:
            other.choose(seat % 4, self.table.now)
        said = inspect(other).statements(seat)
        (bid,) = [one for one in said if isinstance(one, StepInput) and one.step == step]
        return bid


def test_an_input_that_leaves_the_step_open_is_judged_alone_and_the_last_one_ends_the_step() -> (
    None
):
    watched = Watched()
    watched.bid(1, 2)
    inside = inspect(watched.machine)
    inputs = inside.store.inputs(inside.epoch, watched.machine.tip.step)
    assert {message.seat for message in inputs} == {1, 2}
    assert watched.machine.awaited() == {0, 3}
    assert not watched.rounds.called
    assert not inspect(watched.machine).fresh
    watched.machine.choose(0, watched.table.now)
    assert watched.machine.tip.want.kind is Kind.SEAL
    watched.bid(3)
    assert watched.machine.tip.want.kind is Kind.BARRIER
    assert has_input(watched.machine, watched.machine.tip.step)


def test_an_input_that_proves_a_fault_is_acted_upon_at_once() -> None:
    watched = Watched()
    node = watched.machine.tip
    watched.table.tell_first(1, StepInput(0, node.step, node.digest, b"\xc0"))
    assert inspect(watched.machine).proofs[1].code == "bad-body"
    assert watched.rounds.called
    assert has_signed(watched.machine, EpochRequest, 1)


def test_who_has_left_is_waited_for_no_longer_than_for_the_last_other() -> None:
    watched = Watched()
    watched.machine.choose(0, watched.table.now)
    watched.bid(1)
    tip, table = watched.machine.tip, watched.table.table
    leave = signed_notices.sign_notice(
        watched.table.who[3], table.id, signed_notices.Departure(3, 1, 0, tip.step, tip.digest)
    )
    watched.machine.receive(peer_frames.encode_frame(leave), watched.table.now, table.ids[3])
    assert not inspect(watched.machine).have_all_left
    watched.table.wait_first(3)
    assert not has_signed(watched.machine, EpochRequest, 1)
    watched.bid(2)
    assert inspect(watched.machine).have_all_left
    assert has_signed(watched.machine, EpochRequest, 1)


def test_what_was_lacked_is_taken_up_at_once() -> None:
    watched = Watched()
    step_input = watched.bid_of(1)
    of_seat = inspect(watched.table.machine(1)).store.by_seat(1)
    want(watched.machine, [m.hash for m in of_seat if m.statement == step_input])
    watched.table.tell_first(1, step_input)
    assert watched.rounds.called


@pytest.mark.parametrize("epoch", [1, 2])
def test_a_request_goes_through_all_rules(epoch: int) -> None:
    watched = Watched()
    watched.table.tell_first(1, EpochRequest(epoch))
    assert watched.rounds.called


def test_a_seat_that_comes_back_to_a_table_that_has_ended_is_told_why_again() -> None:
    table = toy_table(3, 1, 3, timeouts=TIMEOUTS)
    table.begin(0, 1, 2)
    machine = table.machine()
    for body in (b"one", b"two"):
        second = table.sign(2, StepInput(0, machine.tip.step + 1, bytes(32), body))
        machine.receive(carried(second), 0.0, None)
    records = [e.data for e in (*table.places[0].heard, *machine.take()) if isinstance(e, Record)]
    again = SeatMachine(table.table, seeded("again"), 0, table.who[0], bytes(32))
    again.restore(records)
    assert [e for e in again.take() if isinstance(e, Broken)] == [again.broken]
    assert (again.broken or Broken("")).code == "equivocation"


# What a driver calls


def receive_told(table: MachineTable, machine: SeatMachine, now: float) -> None:
    machine.receive(peer_frames.encode_frame(peer_frames.Told()), now, table.table.ids[1])


EVENTS: dict[str, Callable[[MachineTable, SeatMachine, float], object]] = {
    "link up": lambda table, machine, now: machine.link_up(table.table.ids[1], now),
    "link down": lambda table, machine, now: machine.link_down(table.table.ids[1], now),
    "frame": receive_told,
    "tick": lambda table, machine, now: machine.tick(now),
    "choice": lambda table, machine, now: machine.choose(1, now),
    "longer wait": lambda table, machine, now: machine.wait_longer(now),
    "job": lambda table, machine, now: machine.finish(Job(lambda: 0, print), 0, now),
    "departure": lambda table, machine, now: machine.depart(now),
    "rejoin": lambda table, machine, now: machine.ask_rejoin(now),
    "start": lambda table, machine, now: machine.start(now),
}


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_brings_the_time_of_the_driver(event: str) -> None:
    table = waiting_table()
    machine = table.machine()
    EVENTS[event](table, machine, 7.5)
    assert inspect(machine).clocks.now == 7.5


def test_a_refusal_brings_the_time_too_if_it_counts() -> None:
    machine = toy_table(3).machine()
    assert machine.refuse(2, 3.0)
    assert not machine.refuse(1, 4.0)
    assert inspect(machine).clocks.now == 3.0


def test_a_machine_asks_again_once_a_second(table: MachineTable) -> None:
    machine = table.machine()
    asked = []
    for now in (1.0, 1.5, 1.9, 2.0, 2.5, 3.0):
        machine.tick(now)
        asked += [now for frame in sent(machine) if isinstance(frame, peer_frames.Sync)]
    assert asked == [1.0, 2.0, 3.0]


def test_a_new_link_is_asked_for_what_is_missing_and_its_seat_told_nothing_yet(
    table: MachineTable,
) -> None:
    machine, peer = table.machine(), table.table.ids[2]
    machine.take()
    machine.link_up(peer, 1.0)
    (one,) = [e for e in machine.take() if isinstance(e, Send)]
    assert one.peer == peer
    assert isinstance(peer_frames.parse_frame(one.frame), peer_frames.Sync)


def test_an_onlooker_chooses_nothing_and_has_no_seat_to_leave_or_to_rejoin(
    table: MachineTable,
) -> None:
    onlooker = onlooker_of(table)
    assert not onlooker.must_choose
    fails(IllegalMove, "nothing-asked", onlooker.choose, 1, 0.0)
    assert not onlooker.may_rejoin
    assert onlooker.hand() == {}
    assert onlooker.last_wait() is None
    onlooker.be_cautious()
    assert inspect(onlooker).inquiry is None


def test_a_seat_is_bound_from_its_confirmation_of_the_deck_on() -> None:
    table = setup_before(Kind.SHUFFLE)
    machine = table.machine()
    assert not machine.is_bound
    while not has_input(machine, 7) or machine.tip.want.kind is not Kind.DECK_OK:
        assert table.deliver()
    assert machine.tip.want.kind in SETUP
    assert machine.is_bound
    again = table.build(0)
    again.restore([])
    assert again.is_bound, "it does not know yet what it has signed"
    assert again.is_silent
    assert not again.has_voice


def test_a_file_shows_the_fault_that_ended_the_table() -> None:
    table = toy_table(3, quorum=3)
    table.begin(0, 1, 2)
    machine, tip = table.machine(), table.machine().tip
    assert not machine.shows_fault
    table.tell(0, table.sign(2, StepInput(0, tip.step, tip.digest, b"\x01")))
    table.now += 2
    machine.tick(table.now)
    assert (machine.broken or Broken("")).code == "bad-body"
    assert machine.shows_fault


def test_no_time_is_left_for_seats_that_have_left() -> None:
    table = waiting_table({3})
    machine = table.machine()
    machine.tick(4.0)
    assert machine.wait(4.0).left == 16
    assert machine.away() == frozenset()
    table.hear(0, peer_frames.encode_frame(departure(table, 3)), 1)
    assert machine.away() == {3}
    assert machine.wait(4.0).left == 0
    assert machine.wait(30.0).left <= 0


def test_below_the_quorum_the_chain_stands_still_for_a_machine() -> None:
    table = waiting_table()
    machine = table.machine()
    assert not machine.stands_still
    alter(machine, tip=replace(machine.tip, present=frozenset({0, 1})))
    assert machine.stands_still
    assert not machine.must_choose
