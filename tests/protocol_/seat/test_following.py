"""The work for one input: its own check alone, unless it completes the step."""

from unittest.mock import Mock

import pytest
from support.inspection import has_input, has_signed, inspect, want
from support.machine_table import waiting_table

from protocol.chain.chain_state import Kind
from protocol.seat.seat_machine import RULES
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import EpochRequest, StepInput


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
    scene = Watched()
    scene.bid(1, 2)
    inside = inspect(scene.machine)
    inputs = inside.store.inputs(inside.epoch, scene.machine.tip.step)
    assert {message.seat for message in inputs} == {1, 2}
    assert scene.machine.awaited() == {0, 3}
    assert not scene.rounds.called
    assert not inspect(scene.machine).fresh
    scene.machine.choose(0, scene.table.now)
    assert scene.machine.tip.want.kind is Kind.SEAL
    scene.bid(3)
    assert scene.machine.tip.want.kind is Kind.BARRIER
    assert has_input(scene.machine, scene.machine.tip.step)


def test_an_input_that_proves_a_fault_is_acted_upon_at_once() -> None:
    scene = Watched()
    node = scene.machine.tip
    scene.table.tell_first(1, StepInput(0, node.step, node.digest, b"\xc0"))
    assert inspect(scene.machine).proofs[1].code == "bad-body"
    assert scene.rounds.called
    assert has_signed(scene.machine, EpochRequest, 1)


def test_who_has_left_is_waited_for_no_longer_than_for_the_last_other() -> None:
    scene = Watched()
    scene.machine.choose(0, scene.table.now)
    scene.bid(1)
    tip, table = scene.machine.tip, scene.table.table
    leave = signed_notices.sign_notice(
        scene.table.who[3], table.id, signed_notices.Departure(3, 1, 0, tip.step, tip.digest)
    )
    scene.machine.receive(peer_frames.encode_frame(leave), scene.table.now, table.ids[3])
    assert not inspect(scene.machine).have_all_left
    scene.table.wait_first(3)
    assert not has_signed(scene.machine, EpochRequest, 1)
    scene.bid(2)
    assert inspect(scene.machine).have_all_left
    assert has_signed(scene.machine, EpochRequest, 1)


def test_what_was_lacked_is_taken_up_at_once() -> None:
    scene = Watched()
    step_input = scene.bid_of(1)
    of_seat = inspect(scene.table.machine(1)).store.by_seat(1)
    want(scene.machine, [m.hash for m in of_seat if m.statement == step_input])
    scene.table.tell_first(1, step_input)
    assert scene.rounds.called


@pytest.mark.parametrize("epoch", [1, 2])
def test_a_request_goes_through_all_rules(epoch: int) -> None:
    scene = Watched()
    scene.table.tell_first(1, EpochRequest(epoch))
    assert scene.rounds.called
