"""Which seats become absent, and which may rejoin."""

from collections.abc import Iterable

import pytest
from support.absent_seats import come_back, gone_at
from support.epoch_requests import own_promises, request_epoch
from support.machine_table import carried, toy_table, waiting_table
from support.models.epochs import Model
from support.models.promises import base_of, inputs_of, promise_of, signed, slots_before
from support.tiny_table import tiny_steps

from protocol.chain.chain_state import Kind, Missing
from protocol.consensus import absence, new_epoch
from protocol.wire.signed_messages import PrepareVote, Rejoin, StepTimeout

pytestmark = pytest.mark.usefixtures("cheap")


@pytest.mark.parametrize(("timeout", "absent"), [(0, False), (1, False), (2, True), (3, True)])
def test_absence_needs_one_more_than_n_minus_t_timeout_claims(
    model: Model, timeout: int, absent: bool
) -> None:
    inputs = inputs_of(model, 0, 1, 2)
    promises = [promise_of(model, s, inputs, timeout=s < timeout) for s in (0, 1, 2)]
    node = new_epoch.base_of_promises(promises).node
    assert (3 not in node.present) is absent
    assert node.absences[3] == int(absent)
    assert slots_before(node)[3] is Missing.ABSENT if absent else node is model.base


def test_a_timeout_claimed_elsewhere_does_not_count(model: Model) -> None:
    inputs = inputs_of(model, 0, 1, 2)
    promises = [promise_of(model, s, inputs, timeout=True) for s in (0, 1, 2)]
    wrong = StepTimeout(0, model.base.step, b"x" * 32)
    for read in promises[1:]:
        object.__setattr__(read.promise, "timeout", wrong)
    assert new_epoch.base_of_promises(promises).node is model.base


def test_a_rejoin_counts_only_for_an_absent_seat_with_its_count_up_to_the_limit(
    model: Model,
) -> None:
    gone = base_of(model, inputs_of(model, 0, 1, 2), timeout=True).node
    wrong, right = (signed(model, 3, Rejoin(count)) for count in (0, 1))
    assert absence.rejoining(gone, [wrong]) == set()
    assert absence.rejoining(gone, [right]) == {3}
    assert absence.rejoining(model.base, [right, wrong]) == set()
    limit = model.table.header.terms.rejoins
    object.__setattr__(gone, "absences", (0, 0, 0, limit + 1))
    assert absence.rejoining(gone, [signed(model, 3, Rejoin(limit + 1))]) == set()
    object.__setattr__(gone, "present", frozenset({0, 1}))
    assert absence.rejoining(gone, [signed(model, 3, Rejoin(limit + 1))]) == {3}, "[E-31]"
    object.__setattr__(gone, "absences", (0, 0, 0, 256))
    assert not absence.may_rejoin(gone, 3)


@pytest.mark.parametrize(("thinkers", "reports"), [({1, 2, 3}, True), (range(4), False)])
def test_a_step_timeout_is_claimed_but_not_by_a_seat_that_owes_an_input(
    thinkers: Iterable[int], reports: bool
) -> None:
    table = waiting_table(thinkers)
    table.wait_first(1)
    table.wait_first(30)
    request_epoch(table, 1, 2)
    (promise,) = own_promises(table)
    assert (promise.timeout is not None) == reports
    assert promise.timeout is None or promise.timeout.step == table.machine().tip.step


@pytest.mark.sampled(2)
@pytest.mark.parametrize("step", [0, 1, 2, 4, 6, 8, 9])
def test_two_absent_at_once_at_six_seats_and_the_game_ends(step: int) -> None:
    table = toy_table(6)
    gone_at(table, {4, 5}, table.table.first_step + step)
    table.play(until=300)
    for seat in range(4):
        machine = table.machine(seat)
        assert machine.finished
        assert not machine.tip.banned


def test_below_the_quorum_nothing_goes_on_until_a_seat_is_back() -> None:
    table = toy_table(4)
    gone_at(table, {2, 3}, table.table.first_step + 3)
    table.play(until=200)
    assert not table.machine().finished
    for seat in (2, 3):
        come_back(table, seat)
    table.run(until=400)
    assert all(p.machine.finished for p in table.places)


def test_a_seat_whose_rejoins_are_used_up_stays_absent_while_the_game_goes_on() -> None:
    """[E-31]"""
    table = toy_table(4, rounds=6, rejoins=0)
    gone_at(table, {3}, table.table.first_step)
    table.play(until=30)
    assert 3 not in table.machine().tip.present
    come_back(table, 3)
    assert not table.machine(3).may_rejoin
    table.run(until=300)
    assert 3 not in table.machine().tip.present
    assert table.machine().finished


def test_with_rejoins_used_up_a_seat_rejoins_where_the_table_would_stand_still() -> None:
    """[E-31]: seat 3 is absent, and then seat 2; both are there again later."""
    table = toy_table(4, rounds=6, rejoins=0)
    first = table.machine()
    gone_at(table, {3}, table.table.first_step)
    collect = table.collect

    def go_next(at: int) -> None:
        collect(at)
        table.places[2].alive &= 3 in first.tip.present

    table.collect = go_next  # type: ignore[method-assign]
    table.play(until=30)
    assert first.tip.present == {0, 1, 2}
    come_back(table, 3)
    table.run(until=200)
    assert first.finished
    assert first.tip.present == {0, 1, 3}
    assert first.tip.absences == (0, 0, 1, 1)


def test_a_seat_that_comes_back_is_present_again_and_its_sealed_choice_was_opened() -> None:
    table = toy_table(4)
    seal = table.table.first_step + 1
    gone_at(table, {3}, seal + 1)
    table.play(until=60)
    machine = table.machine()
    assert 3 not in machine.tip.present
    come_back(table, 3)
    table.run(until=300)
    assert all(p.machine.finished for p in table.places)
    assert machine.tip.absences[3] in (0, 1)


def test_a_banned_seat_cannot_rejoin() -> None:
    table = toy_table(6)
    table.begin()
    bad = table.sign(5, PrepareVote(1, b"x" * 32))
    worse = table.sign(5, PrepareVote(1, b"y" * 32))
    for seat in range(5):
        for message in (bad, worse):
            table.machine(seat).receive(carried(message), table.now, None)
        table.collect(seat)
    table.run(until=100)
    machine = table.machine()
    assert machine.tip.banned == {5}
    table.machine(5).ask_rejoin(table.now)
    table.collect(5)
    table.run(until=100)
    assert 5 not in machine.tip.present
    assert machine.finished
    assert not table.machine(5).may_rejoin


def test_a_timeout_is_claimed_of_the_step_that_ran_out_where_the_chain_may_grow(
    model: Model,
) -> None:
    tip = model.base
    place = StepTimeout(2, tip.step, tip.digest)
    assert absence.claim_of(2, tip, owes=False, ran_out=True) == place
    assert absence.claim_of(2, tip, owes=True, ran_out=True) is None
    assert absence.claim_of(2, tip, owes=False, ran_out=False) is None
    end = model.end()
    assert end.want.kind is Kind.RESULT
    assert absence.claim_of(2, end, owes=False, ran_out=True) is None


def test_at_a_strict_table_no_number_of_claims_makes_a_seat_absent() -> None:
    for quorum, absent in ((3, True), (4, False)):
        with tiny_steps():
            node = Model(4, quorum, set(), "A").base
        place = StepTimeout(0, node.step, node.digest)
        claims = [(seat, place) for seat in range(3)]
        assert absence.is_timed_out(node, {3}, 0, claims) is absent
        assert not absence.is_timed_out(node, {3}, 1, claims), "they are of another epoch"
        assert not absence.is_timed_out(node, {1, 2, 3}, 0, claims), "who is missing claims nothing"
