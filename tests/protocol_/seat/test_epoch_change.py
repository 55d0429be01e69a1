"""How a seat takes part in a change of epoch: requests, promises, proposals and votes."""

import pytest
from support.epoch_requests import own_promises, request_epoch
from support.inspection import alter, has_waited_for_promises, inspect, request, votes_of
from support.machine_table import carried, toy_table, waiting_table

from protocol.seat import epoch_change
from protocol.seat.effects import Broken, Guilty, StepTimedOut
from protocol.wire import signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    PrepareVote,
    Statement,
    StepInput,
)


@pytest.mark.parametrize(
    ("seats", "quorum", "liars", "ends"),
    [(5, 4, 2, True), (4, 3, 2, True), (3, 3, 1, True), (5, 4, 1, False), (6, 4, 2, False)],
)
def test_a_table_ends_once_more_seats_are_at_fault_than_it_can_spare(
    seats: int, quorum: int, liars: int, ends: bool
) -> None:
    table = toy_table(seats, quorum=quorum)
    table.begin(*range(seats))
    honest, faulty = range(seats - liars), range(seats - liars, seats)
    step = table.machine().tip.step + 1
    for liar in faulty:
        for body in (b"one", b"two"):
            said = table.sign(liar, StepInput(0, step, bytes([7]) * 32, body))
            for seat in honest:
                table.tell(seat, said)
    for seat in honest:
        broken = Broken("equivocation", faulty[-1]) if ends else None
        assert table.machine(seat).broken == broken
        told = {one.seat for one in table.places[seat].of_kind(Guilty)}
        assert told == set(faulty) or not ends


def test_t_minus_one_requests_promise_nothing_and_t_do() -> None:
    table = waiting_table()
    request_epoch(table, 1)
    request_epoch(table, 2, epoch=2)
    assert inspect(table.machine()).promise == 0
    table.tell_first(3, EpochRequest(5))
    assert inspect(table.machine()).promise == 1
    (promise,) = own_promises(table)
    assert promise.epoch == 1
    first, store = table.table.first_step, inspect(table.machine()).store
    own = {m.hash for m in store.epoch_inputs(0, first) if m.seat == 0}
    assert own
    assert own <= set(promise.inputs)


def test_the_proposers_wait_doubles_too_and_is_for_the_willing_only() -> None:
    machine = waiting_table().machine()
    request(machine, {0: 3, 1: 3, 2: 3, 3: 3})
    alter(machine, promise=2, proposing=0.0)
    alter(machine, now=5.0)
    assert inspect(machine).failed_epochs == 2
    assert not has_waited_for_promises(machine, 3, 3)
    assert has_waited_for_promises(machine, 3, 4)
    alter(machine, now=6.0)
    assert has_waited_for_promises(machine, 3, 3)


@pytest.mark.parametrize("kind", [CommitVote, PrepareVote, NewEpoch])
def test_without_commit_and_prepare_votes_or_a_new_epoch_message_no_epoch_opens(
    kind: type[Statement],
) -> None:
    table = waiting_table({3})
    table.drop = lambda a, b, frame: (
        (said := table.message(frame)) is not None and isinstance(said.statement, kind)
    )
    table.run(until=40)
    assert inspect(table.machine()).promise > 0
    assert all(inspect(p.machine).epoch == 0 for p in table.places)
    table.drop = lambda a, b, frame: False
    table.run(until=600)
    assert all(inspect(p.machine).epoch > 0 for p in table.places)


def test_votes_name_the_base_so_two_new_epochs_with_one_base_are_one() -> None:
    table = waiting_table({3})
    table.run(until=60)
    machine = table.machine()
    epoch = inspect(machine).epoch
    assert epoch > 0
    bases = {m.statement.base for m in inspect(machine).store.of_epoch(CommitVote, epoch)}  # type: ignore[union-attr]
    assert bases == {inspect(machine).base.base_digest()}


def test_a_long_epoch_is_closed_though_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise has room for the longest one and every second version of the liars of a table."""
    for seats, quorum in ((n, t) for n in range(2, 9) for t in range(1, n)):
        in_step = seats + quorum - 1
        longest = -(-epoch_change.LONG_EPOCH // in_step)
        assert in_step * (longest + 6) <= signed_messages.MAX_LIST
    monkeypatch.setattr(epoch_change, "LONG_EPOCH", 24 * 6 // 4)
    table = toy_table(rounds=6)
    table.play(until=200)
    machines = [place.machine for place in table.places]
    assert all(machine.finished for machine in machines)
    assert len({machine.tip.digest for machine in machines}) == 1
    assert min(inspect(machine).epoch for machine in machines) >= 3
    assert machines[0].tip.absences == (0, 0, 0, 0)
    assert not machines[0].tip.banned
    steps = machines[0].tip.step
    every = [m.statement for m in inspect(table.machine()).store]
    assert all(len(one.inputs) <= 2 * 24 for one in every if isinstance(one, EpochPromise)), steps


@pytest.mark.parametrize(
    ("requested", "waits"), [(4, True), (5, True), (6, False), (2**32 - 1, False)]
)
def test_a_proposer_does_not_wait_for_who_will_send_no_promise(requested: int, waits: bool) -> None:
    """Whoever requests an epoch more than one further has promised not to sign for this one."""
    table = waiting_table()
    machine = table.machine()
    for seat, epoch in ((0, 4), (1, 4), (2, 4), (3, requested)):
        message = signed_messages.sign(table.who[seat], table.table.id, seat, EpochRequest(epoch))
        votes_of(machine).note_far(message)
    assert has_waited_for_promises(machine, 4, 3) is not waits


@pytest.mark.parametrize(("seats", "seconds", "at_once"), [(2, 3, True), (3, 500, False)])
def test_a_strict_table_pauses_when_one_is_gone_and_goes_on_when_it_is_back(
    seats: int, seconds: float, at_once: bool
) -> None:
    """It waits without end, from the first step on or within the game."""
    table = toy_table(seats, quorum=seats)
    table.start()
    while not (at_once or table.machine().has_begun):
        table.deliver()
    table.places[seats - 1].alive = False
    if at_once:
        table.queue.clear()
    table.run(until=seconds)
    assert not table.machine().broken
    assert not table.machine().finished
    assert inspect(table.machine()).promise == 0
    told = [effect.seats for effect in table.places[0].of_kind(StepTimedOut)]
    assert at_once or {seats - 1} in told
    table.crash_and_resume(seats - 1)
    table.run(until=60)
    assert table.done()
    assert all(inspect(machine).epoch == 0 for machine in table.machines())


def test_one_seats_requests_alone_promise_nothing() -> None:
    table = toy_table(4)
    table.begin()
    lie = carried(table.sign(3, EpochRequest(2)))
    table.drop = lambda _, to, frame: to == 3 and frame == lie
    for seat in range(3):
        table.machine(seat).receive(lie, table.now, None)
    table.run(until=5)
    assert all(inspect(p.machine).promise == 0 and p.machine.finished for p in table.places)
