"""The fault judge of a seat: when it reports a proof, and how it notes the end of the table."""

from dataclasses import replace

import pytest
from support.inspection import chosen_inputs, inspect, judge_of
from support.machine_table import MachineTable, toy_table, waiting_table

from protocol.consensus.fault_evidence import Proof
from protocol.consensus.new_epoch import Base
from protocol.seat.effects import Broken, Guilty
from protocol.seat.fault_judge import SETTLES, FaultJudge
from protocol.wire.signed_messages import EpochPromise, EpochRequest, StepInput
from protocol.wire.signed_notices import EndNotice


def test_a_proof_is_told_once_the_same_fault_can_be_seen_whole() -> None:
    """The order of the two statements differs from seat to seat; the code does not."""
    table = waiting_table()
    node = table.machine().tip
    table.tell_first(1, StepInput(0, node.step, node.digest, b"\xc0"))
    assert 1 not in chosen_inputs(table.machine())
    assert inspect(table.machine()).proofs[1].code == "bad-body"
    table.tell_first(1, StepInput(0, node.step, node.digest, b"\x01"))
    assert inspect(table.machine()).proofs[1].code == "equivocation"
    heard = table.places[0].heard
    assert not [e for e in heard if isinstance(e, Guilty)]
    table.wait_first(2)
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(1, "equivocation")]


def test_an_accused_seat_is_told() -> None:
    table = waiting_table()
    node = table.machine().tip
    for body in (b"\xc0", b"\x01"):
        table.tell(0, table.sign(0, StepInput(0, node.step, node.digest, body)), peer=1)
    heard = table.places[0].heard
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(0, "bad-body")]
    assert 0 not in inspect(table.machine()).proofs


def proof_of(table: MachineTable, seat: int, code: str = "equivocation") -> Proof:
    """Return a proof that two requests of a seat would be."""
    requests = [table.sign(seat, EpochRequest(epoch)) for epoch in (1, 2)]
    return Proof(seat, code, tuple(requests[: 1 + (code == "equivocation")]))


def guilty(judge: FaultJudge) -> list[tuple[int, str]]:
    """Take the effects of a judge; return whom it reports at fault, and of what."""
    return [(one.seat, one.code) for one in judge.outbox.take() if isinstance(one, Guilty)]


@pytest.fixture
def judge(table: MachineTable) -> FaultJudge:
    """Return the judge of seat 0 in a game that has begun, at 100 seconds."""
    found = judge_of(table.machine())
    found.timers.set(100.0)
    found.outbox.take()
    return found


def test_a_proof_is_reported_a_second_after_the_first_one_and_once(
    table: MachineTable, judge: FaultJudge
) -> None:
    judge.convict(proof_of(table, 2, "bad-promise"))
    judge.timers.set(100.9)
    judge.convict(proof_of(table, 2))
    judge.tell_settled()
    assert guilty(judge) == []
    assert judge.settled_proof() is None
    judge.timers.set(100 + SETTLES)
    for _ in range(2):
        judge.tell_settled()
    assert guilty(judge) == [(2, "equivocation")]
    assert judge.settled_proof() is judge.proofs[2]


def test_the_first_proof_of_a_seat_stays_unless_a_second_version_supersedes_it(
    table: MachineTable, judge: FaultJudge
) -> None:
    first = proof_of(table, 2, "bad-promise")
    judge.convict(first)
    judge.convict(proof_of(table, 2, "bad-new-epoch"))
    assert judge.proofs == {2: first}
    twice = Proof(2, "equivocation", (*first.messages, *first.messages))
    judge.convict(twice)
    assert judge.proofs == {2: twice}


def test_a_proof_against_the_own_seat_is_told_at_once_and_accuses_nobody_else(
    table: MachineTable, judge: FaultJudge
) -> None:
    mine = proof_of(table, 0)
    judge.outbox.begin_replay()
    judge.convict(mine)
    assert judge.accusation is None, "what is replayed was told before"
    judge.outbox.end_replay()
    for _ in range(2):
        judge.convict(mine)
    assert guilty(judge) == [(0, "equivocation")]
    judge.convict(other := proof_of(table, 2))
    assert judge.proofs == {2: other}
    assert judge.all_proofs() == [other, mine]


def test_a_new_epoch_reports_whom_it_bans_and_drops_their_proofs(
    table: MachineTable, judge: FaultJudge
) -> None:
    for seat in (1, 2):
        judge.convict(proof_of(table, seat))
    tip = judge.log.tip
    judge.enter(Base(replace(tip, banned=frozenset({2})), ((2, "bad-share"),)))
    assert guilty(judge) == [(2, "bad-share")]
    assert set(judge.proofs) == {1}
    judge.outbox.begin_replay()
    judge.enter(Base(replace(tip, banned=frozenset({1})), ((1, "bad-share"),)))
    assert guilty(judge) == []


def test_the_table_ends_once_and_every_proven_seat_is_reported_before(
    table: MachineTable, judge: FaultJudge
) -> None:
    judge.convict(proof_of(table, 2))
    judge.end_by_faults(Broken("equivocation", 2))
    judge.end(Broken("bad-share", 1))
    assert judge.broken == Broken("equivocation", 2)
    effects = judge.outbox.take()
    assert effects == [Guilty(2, "equivocation"), Broken("equivocation", 2)]


@pytest.mark.parametrize(("faulty", "goes_on"), [((), True), ((2,), True), ((1, 2), False)])
def test_a_game_goes_on_while_a_quorum_is_without_a_fault(
    table: MachineTable, judge: FaultJudge, faulty: tuple[int, ...], goes_on: bool
) -> None:
    for seat in faulty:
        judge.convict(proof_of(table, seat))
    assert judge.can_go_on() is goes_on
    judge.finish()
    assert judge.can_go_on(), "it is over already"
    assert judge.timers.over == 100.0


@pytest.mark.parametrize("quorum", [3, 4])
def test_in_setup_or_at_a_strict_table_one_fault_ends_it(quorum: int) -> None:
    table = toy_table(4, quorum=quorum)
    if quorum == 4:
        table.begin()
    judge = judge_of(table.machine())
    assert judge.can_go_on()
    judge.convict(proof_of(table, 2))
    assert not judge.can_go_on()


def test_only_an_input_to_the_current_step_whose_body_is_the_fault_ends_the_file(
    table: MachineTable, judge: FaultJudge
) -> None:
    tip = judge.log.tip
    here = table.sign(2, StepInput(0, tip.step, tip.digest, b"\x01"))
    elsewhere = table.sign(1, StepInput(0, tip.step, b"x" * 32, b"\x01"))
    judge.convict(Proof(1, "bad-body", (elsewhere,)))
    assert judge.illegal_input() is None
    judge.convict(Proof(2, "bad-body", (here,)))
    assert judge.illegal_input() is here
    judge.proofs = {2: Proof(2, "equivocation", (here, elsewhere))}
    assert judge.illegal_input() is None


def test_a_seat_that_can_be_banned_for_a_fault_is_a_reason_for_a_new_epoch(
    table: MachineTable, judge: FaultJudge
) -> None:
    assert not judge.has_proof()
    judge.convict(proof_of(table, 2))
    assert judge.has_proof()
    assert judge.is_unsettled()
    tip = judge.log.tip
    judge.log.followed.tip = replace(tip, present=tip.present - {2})
    assert not judge.has_proof()
    judge.log.followed.tip = replace(tip, banned=frozenset({3}))
    judge.proofs.clear()
    assert judge.has_proof(), "it is banned and still present"
    malformed = table.sign(2, EpochPromise(1, None, (), None, (), ((bytes(32),),) * 5))
    judge.log.followed.tip = tip
    judge.convict(Proof(2, "bad-promise", (malformed,)))
    assert judge.has_proof()
    judge.proofs = {2: Proof(2, "bad-promise", (table.sign(2, EpochRequest(1)),))}
    assert not judge.has_proof(), "nothing shows the fault"


# End notices


def test_of_a_seat_that_ends_setup_two_different_notices_are_stored(judge: FaultJudge) -> None:
    codes = "seat-left", "silent-seat", "bad-share"
    left, silent, third = (EndNotice(3, code, 1) for code in codes)
    assert not judge.is_known_end(left)
    judge.keep_end(left)
    assert judge.is_known_end(replace(left, signature=b"s" * 64))
    assert not judge.is_known_end(silent)
    judge.timers.set(100.5)
    judge.keep_end(silent)
    assert judge.is_known_end(third)
    assert judge.all_setup_ends() == [left, silent]
    assert judge.ends == {}
    judge.timers.set(100.9)
    assert not judge.is_settled_end(3)
    judge.timers.set(100 + SETTLES)
    assert judge.is_settled_end(3), "the first notice counts"


def test_an_announced_end_of_the_game_is_stored_until_a_new_link_with_its_seat(
    judge: FaultJudge,
) -> None:
    over = EndNotice(3, "over", None)
    judge.keep_end(over)
    assert judge.is_known_end(over)
    assert judge.ends == {3: over}
    judge.finish()
    judge.timers.set(105.0)
    judge.forget_end(3)
    assert judge.ends == {}
    assert judge.timers.first_links == {3: 105.0}
    judge.forget_end(3)
