"""Each rule of a seat by itself, in the smallest scene that shows it."""

from collections.abc import Iterable

import pytest
from support.inspection import (
    alter,
    chosen_inputs,
    enter,
    forget_end,
    has_proof,
    has_waited_for_promises,
    inspect,
    is_effective,
    request,
    secrets_of,
    sign,
    votes_of,
)
from support.machine_table import MachineTable, toy_table, waiting_table

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Missing
from protocol.chain.transition import body_of_choice
from protocol.consensus.fault_evidence import Proof
from protocol.seat import epoch_change
from protocol.seat.effects import Guilty, StepTimedOut
from protocol.seat.signer import SigningState
from protocol.seat.timeouts import Timers
from protocol.wire import peer_frames, signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    NewEpoch,
    PrepareVote,
    Statement,
    StepInput,
)
from protocol.wire.table_header import Timeouts


def promises(scene: MachineTable) -> list[EpochPromise]:
    """Return the promises that seat 0 has signed."""
    return [
        said for said in inspect(scene.machine()).statements(0) if isinstance(said, EpochPromise)
    ]


def ask(scene: MachineTable, *seats: int, epoch: int = 1) -> None:
    """Let seats request an epoch from seat 0; the three others, if none is named."""
    for seat in seats or (1, 2, 3):
        scene.tell_first(seat, EpochRequest(epoch))


def input_steps(scene: MachineTable, seat: int) -> list[StepInput]:
    """Return the steps in which a seat has given an input, by its own machine."""
    said = inspect(scene.machine(seat)).statements(seat)
    return [one for one in said if isinstance(one, StepInput)]


def test_a_step_is_final_when_every_present_seat_has_spoken_beyond_it() -> None:
    scene = waiting_table()
    assert scene.machine().tip.want.kind is Kind.SEAL
    assert scene.machine().final_step() == scene.machine().tip.step - 2
    scene = waiting_table({3})
    assert scene.machine().awaited() == {3}
    assert scene.machine().final_step() == scene.machine().tip.step - 2
    scene.thinkers.clear()
    scene.machine().tick(scene.now)
    scene.choose_now(3, 0)
    scene.run(until=1)
    assert scene.machine().finished


def test_what_comes_after_the_promise_makes_nothing_final() -> None:
    scene = waiting_table({3})
    before, step = scene.machine().final_step(), scene.machine().tip.step
    scene.machine(3).choose(0, scene.now)
    (step_input,) = [one for one in input_steps(scene, 3) if one.step == step]
    ask(scene)
    assert inspect(scene.machine()).state is SigningState.PROMISED
    scene.tell_first(3, step_input)
    assert scene.machine().tip.step == step + 1
    assert scene.machine().final_step() == before


def test_a_promised_seat_gives_no_input_and_a_crash_does_not_free_it() -> None:
    scene = waiting_table()
    ask(scene)
    assert inspect(scene.machine()).promise == 1
    assert not scene.machine().must_choose
    scene.crash_and_resume(0)
    assert inspect(scene.machine()).promise == 1
    assert inspect(scene.machine()).state is SigningState.SILENT
    scene.settle()
    assert inspect(scene.machine()).state is SigningState.PROMISED
    assert not scene.machine().must_choose
    assert len(promises(scene)) == 1


def test_a_promised_seat_does_not_go_on_after_a_crash() -> None:
    scene = waiting_table({1, 2, 3})
    step = scene.machine().tip.step
    ask(scene)
    for seat in (1, 2, 3):
        scene.machine(seat).choose(0, scene.now)
        for step_input in input_steps(scene, seat):
            if step_input.step == step:
                scene.tell_first(seat, step_input)
    assert scene.machine().tip.want.kind is Kind.BARRIER
    scene.crash_and_resume(0)
    for peer in scene.table.ids[1:]:
        scene.machine().receive(peer_frames.encode_frame(peer_frames.Told()), scene.now, peer)
    assert inspect(scene.machine()).inquiry is None
    assert scene.machine().tip.want.kind is Kind.BARRIER
    assert max(step_input.step for step_input in input_steps(scene, 0)) == step


def test_a_crash_forgets_neither_own_nor_received_inputs() -> None:
    scene = waiting_table()
    live = scene.machine()
    scene.crash_and_resume(0)
    assert scene.machine() is not live
    assert scene.machine().tip.digest == live.tip.digest
    assert {m.hash for m in inspect(scene.machine()).store} == {m.hash for m in inspect(live).store}


def test_t_minus_one_requests_promise_nothing_and_t_do() -> None:
    scene = waiting_table()
    ask(scene, 1)
    ask(scene, 2, epoch=2)
    assert inspect(scene.machine()).promise == 0
    scene.tell_first(3, EpochRequest(5))
    assert inspect(scene.machine()).promise == 1
    (promise,) = promises(scene)
    assert promise.epoch == 1
    first, store = scene.table.first_step, inspect(scene.machine()).store
    own = {m.hash for m in store.epoch_inputs(0, first) if m.seat == 0}
    assert own
    assert own <= set(promise.inputs)


@pytest.mark.parametrize(("thinkers", "reports"), [({1, 2, 3}, True), (range(4), False)])
def test_a_step_timeout_is_claimed_but_not_by_a_seat_that_owes_an_input(
    thinkers: Iterable[int], reports: bool
) -> None:
    scene = waiting_table(thinkers)
    scene.wait_first(1)
    scene.wait_first(30)
    ask(scene, 1, 2)
    (promise,) = promises(scene)
    assert (promise.timeout is not None) == reports
    assert promise.timeout is None or promise.timeout.step == scene.machine().tip.step


def test_nobody_requests_an_epoch_beyond_the_last_one() -> None:
    machine = waiting_table().machine()
    assert not sign(machine, EpochRequest(signed_messages.MAX_EPOCH + 1))
    assert sign(machine, EpochRequest(signed_messages.MAX_EPOCH))


def test_step_timeout_does_not_run_while_between_epochs() -> None:
    scene = waiting_table()
    ask(scene)
    scene.wait_first(500)
    ask(scene, epoch=2)
    assert [promise.timeout for promise in promises(scene)] == [None, None]


def test_the_step_timeout_begins_anew_after_a_crash() -> None:
    scene = waiting_table()
    scene.wait_first(19)
    scene.now += 100
    scene.crash_and_resume(0)
    scene.wait_first(5)
    assert inspect(scene.machine()).requests == {}


def test_a_seat_that_waits_longer_requests_no_epoch_and_claims_no_timeout_until_then() -> None:
    """It is not journalled, and nothing is signed for it."""
    scene = waiting_table({3})
    scene.wait_first(15)
    records = list(scene.places[0].journal)
    assert scene.machine().wait_longer(scene.now)
    scene.collect(0)
    assert scene.places[0].journal == records
    assert scene.machine().take() == []
    scene.wait_first(19)
    assert inspect(scene.machine()).requests == {}
    ask(scene)
    (promise,) = promises(scene)
    assert promise.timeout is None
    assert inspect(scene.machine()).promise == 1
    assert inspect(scene.machine()).clocks.granted != {}
    scene.crash_and_resume(0)
    assert inspect(scene.machine()).clocks.granted == {}


def test_a_longer_wait_runs_out_too_and_is_told_again() -> None:
    scene = waiting_table({3})
    scene.wait_first(21)
    assert inspect(scene.machine()).requests == {0: 1}
    assert scene.machine().wait_longer(scene.now)
    scene.wait_first(19)
    assert not inspect(scene.machine()).clocks.is_out(scene.machine().tip)
    scene.wait_first(2)
    told = [effect for effect in scene.places[0].heard if isinstance(effect, StepTimedOut)]
    assert [effect.seats for effect in told] == [frozenset({3}), frozenset({3})]
    ask(scene, 1, 2)
    (promise,) = promises(scene)
    assert promise.timeout is not None


def test_there_is_nothing_to_wait_for_when_nobody_else_is_awaited() -> None:
    scene = waiting_table({0})
    assert scene.machine().awaited() == {0}
    assert not scene.machine().wait_longer(scene.now)
    assert inspect(scene.machine()).clocks.granted == {}
    scene.thinkers.clear()
    scene.choose_now(0, 0)
    scene.run(until=1)
    assert scene.machine().finished
    assert not scene.machine().wait_longer(scene.now)


def test_the_longest_times_of_all_are_kept_to_the_second() -> None:
    """Thirty days in milliseconds need more than 31 bits."""
    day, high = 86_400.0, [86_400_000 * days for days in (30, 30, 1, 30)]
    table = toy_table(4, timeouts=Timeouts(*high), thinkers=[3])
    table.start()
    table.settle()

    def absent_after(seconds: float) -> set[int]:
        table.now = seconds
        for seat in range(4):
            table.machine(seat).tick(table.now)
            table.collect(seat)
        table.settle()
        return {0, 1, 2, 3} - set(table.machine().tip.present)

    assert table.machine().wait(0.0).left == 30 * day
    assert absent_after(30 * day - 1) == set()
    assert absent_after(30 * day) == {3}
    back_offs = [Timers(Timeouts(*high)).back_off(j) / day for j in (0, 1, 4, 5, 10**9)]
    assert back_offs == [1, 2, 16, 30, 30]


def test_back_off_doubles_per_failed_epoch_up_to_its_cap() -> None:
    clocks = inspect(waiting_table().machine()).clocks
    assert [clocks.back_off(j) for j in (0, 1, 2, 3)] == [3.0, 6.0, 12.0, 24.0]
    assert clocks.back_off(9) == clocks.back_off(10**9) == 60.0


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
    scene = waiting_table({3})
    scene.drop = lambda a, b, frame: (
        (said := scene.message(frame)) is not None and isinstance(said.statement, kind)
    )
    scene.run(until=40)
    assert inspect(scene.machine()).promise > 0
    assert all(inspect(p.machine).epoch == 0 for p in scene.places)
    scene.drop = lambda a, b, frame: False
    scene.run(until=600)
    assert all(inspect(p.machine).epoch > 0 for p in scene.places)


def test_votes_name_the_base_so_two_new_epochs_with_one_base_are_one() -> None:
    scene = waiting_table({3})
    scene.run(until=60)
    machine = scene.machine()
    epoch = inspect(machine).epoch
    assert epoch > 0
    bases = {m.statement.base for m in inspect(machine).store.of_epoch(CommitVote, epoch)}  # type: ignore[union-attr]
    assert bases == {inspect(machine).base.base_digest()}


def test_the_version_seen_first_is_followed() -> None:
    scene = waiting_table()
    node = scene.machine().tip
    secrets = secrets_of(scene.machine(1))
    bodies = [body_of_choice(node, 1, 1, secrets, lambda n, x=x: x * n) for x in (b"a", b"b")]  # type: ignore[misc]
    one, two = (scene.tell_first(1, StepInput(0, node.step, node.digest, body)) for body in bodies)
    chosen = chosen_inputs(scene.machine())
    assert chosen[1].hash == one.hash != two.hash
    assert inspect(scene.machine()).proofs[1].code == "equivocation"
    assert has_proof(scene.machine())


def test_a_proof_that_the_next_base_will_not_find_turns_no_epoch() -> None:
    machine = waiting_table().machine()
    inputs = inspect(machine).store.epoch_inputs(0, machine.table.first_step)[:2]
    now = Proof(1, "two-chains", tuple(inputs))
    assert is_effective(machine, now)
    alter(machine, epoch=3)
    assert not is_effective(machine, now)
    unknown = signed_messages.sign(
        waiting_table().who[1], machine.table.id, 1, StepInput(3, 40, b"z" * 32, b"")
    )
    assert not is_effective(machine, Proof(1, "bad-body", (unknown,)))


def test_nothing_is_revealed_before_every_seat_has_confirmed_what_is_sealed() -> None:
    scene = waiting_table({0})
    step = scene.machine().tip.step
    for place in scene.places[:3]:
        place.alive = place is scene.places[0]
    scene.thinkers.clear()
    scene.choose_now(0, 1)
    scene.settle()
    assert scene.machine().tip.want.kind is Kind.BARRIER
    assert max(step_input.step for step_input in input_steps(scene, 0)) == step + 1
    for place in scene.places:
        place.alive = True
    scene.run(until=5)
    assert scene.machine().finished


def test_a_finished_seat_that_is_promised_requests_on() -> None:
    scene = waiting_table(())
    machine = scene.machine()
    assert machine.finished
    assert machine.may_leave()
    forget_end(machine, 1)
    ask(scene)
    assert inspect(machine).promise == 1
    longest = machine.table.header.terms.timeouts.cap / 1000
    for turn in range(2, machine.table.seats + 1):
        scene.wait_first(longest)
        assert inspect(machine).requests[0] == turn
        assert not machine.may_leave()
        ask(scene, epoch=turn)
    scene.wait_first(1)
    assert not machine.may_leave()
    scene.wait_first(longest)
    assert machine.may_leave()


def test_a_long_epoch_is_closed_though_nothing_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise has room for the longest one and every second version of the liars of a table."""
    for seats, quorum in ((n, t) for n in range(2, 9) for t in range(1, n)):
        in_step = seats + quorum - 1
        longest = -(-epoch_change.LONG_EPOCH // in_step)
        assert in_step * (longest + 6) <= signed_messages.MAX_LIST
    monkeypatch.setattr(epoch_change, "LONG_EPOCH", 24 * 6 // 4)
    room = toy_table(rounds=6)
    room.play(until=200)
    machines = [place.machine for place in room.places]
    assert all(machine.finished for machine in machines)
    assert len({machine.tip.digest for machine in machines}) == 1
    assert min(inspect(machine).epoch for machine in machines) >= 3
    assert machines[0].tip.absences == (0, 0, 0, 0)
    assert not machines[0].tip.banned
    steps = machines[0].tip.step
    every = [m.statement for m in inspect(room.machine()).store]
    assert all(len(one.inputs) <= 2 * 24 for one in every if isinstance(one, EpochPromise)), steps


@pytest.mark.parametrize(
    ("requested", "waits"), [(4, True), (5, True), (6, False), (2**32 - 1, False)]
)
def test_a_proposer_does_not_wait_for_who_will_send_no_promise(requested: int, waits: bool) -> None:
    """Whoever requests an epoch more than one further has promised not to sign for this one."""
    scene = waiting_table()
    machine = scene.machine()
    for seat, epoch in ((0, 4), (1, 4), (2, 4), (3, requested)):
        message = signed_messages.sign(scene.who[seat], scene.table.id, seat, EpochRequest(epoch))
        votes_of(machine).note_far(message)
    assert has_waited_for_promises(machine, 4, 3) is not waits


@pytest.mark.parametrize(("was_complete", "left"), [(True, 20), (False, 5)])
def test_a_choice_that_is_asked_anew_alone_has_its_whole_time(
    was_complete: bool, left: int
) -> None:
    """The step is open again: a seat that chose in time must not time out at once."""
    scene = waiting_table()
    machine = scene.machine()
    bid = machine.tip
    scene.wait_first(15)
    assert inspect(machine).clocks.left(bid) == 5
    if was_complete:
        alter(machine, tip=transition.append(bid, transition.slots_of(bid, {}, Missing.ABSENT)))
    assert enter(machine, 1, bid)
    assert machine.tip is bid
    assert inspect(machine).clocks.left(bid) == left


def test_a_proof_is_told_once_the_same_fault_can_be_seen_whole() -> None:
    """The order of the two statements differs from seat to seat; the code does not."""
    scene = waiting_table()
    node = scene.machine().tip
    scene.tell_first(1, StepInput(0, node.step, node.digest, b"\xc0"))
    assert 1 not in chosen_inputs(scene.machine())
    assert inspect(scene.machine()).proofs[1].code == "bad-body"
    scene.tell_first(1, StepInput(0, node.step, node.digest, b"\x01"))
    assert inspect(scene.machine()).proofs[1].code == "equivocation"
    heard = scene.places[0].heard
    assert not [e for e in heard if isinstance(e, Guilty)]
    scene.wait_first(2)
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(1, "equivocation")]


def test_an_accused_seat_is_told() -> None:
    scene = waiting_table()
    node = scene.machine().tip
    for body in (b"\xc0", b"\x01"):
        scene.tell(0, scene.sign(0, StepInput(0, node.step, node.digest, body)), peer=1)
    heard = scene.places[0].heard
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(0, "bad-body")]
    assert 0 not in inspect(scene.machine()).proofs
