"""Epoch promises and new-epoch messages are judged by all seats, once each and with a bound."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from support.inspection import inspect, votes_of
from support.machine_table import TIMEOUTS, MachineTable, toy_table
from support.models.epochs import Model
from support.models.promises import inputs_of, promise_of

from protocol.consensus import new_epoch
from protocol.consensus.epoch_votes import MAX_TRIED, Votes
from protocol.consensus.message_store import MessageStore
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    StepTimeout,
)

pytestmark = pytest.mark.usefixtures("cheap")


@pytest.fixture
def table() -> MachineTable:
    """Return four seats before the first bid. Seat 0 is the one under test."""
    made = toy_table(4, 1, timeouts=TIMEOUTS, choose=lambda machine, asked: None)
    made.start()
    made.settle()
    return made


def tell(table: MachineTable, *given: Message) -> None:
    """Let seat 0 receive messages of others."""
    for message in given:
        table.tell(0, message)


def promise(table: MachineTable, *more: bytes, timeout: StepTimeout | None = None) -> EpochPromise:
    """Return a promise of epoch 1 that lists all inputs given, and more."""
    store = inspect(table.machine()).store
    given = {m.hash for m in store.epoch_inputs(0, table.table.first_step)}
    return EpochPromise(1, None, tuple(sorted({*given, *more})), timeout, (), ())


WRONG = StepTimeout(9, 1, bytes(32))


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[object, ...]]:
    """Record the arguments with which a function of `new_epoch` is called."""
    real: Callable[..., object] = getattr(new_epoch, name)
    calls: list[tuple[object, ...]] = []

    def counting(*given: object) -> object:
        calls.append(given)
        return real(*given)

    monkeypatch.setattr(new_epoch, name, counting)
    return calls


def test_a_malformed_promise_is_judged_by_a_seat_that_does_not_propose(table: MachineTable) -> None:
    tell(table, table.sign(3, promise(table, timeout=WRONG)))
    assert inspect(table.machine()).proofs[3].code == "bad-promise"
    assert inspect(table.machine()).store.of_epoch(EpochRequest, 1)[0].seat == 0


def test_a_sound_promise_convicts_nobody_and_nothing_is_asked_for_to_judge_a_form(
    table: MachineTable,
) -> None:
    tell(table, table.sign(3, promise(table)))
    assert not inspect(table.machine()).proofs
    tell(table, table.sign(2, promise(table, bytes(32), timeout=WRONG)))
    assert not inspect(table.machine()).proofs
    assert not inspect(table.machine()).store.wants


def test_more_proofs_than_seats_are_malformed(table: MachineTable) -> None:
    proofs = tuple((bytes([i]) * 32,) for i in range(5))
    tell(table, table.sign(3, replace(promise(table), proofs=proofs)))
    assert inspect(table.machine()).proofs[3].code == "bad-promise"


def test_a_promise_that_waits_is_not_read_again_before_all_that_it_names_is_stored(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, calls = table.machine(), counted(monkeypatch, "_read_promise")
    request = table.sign(2, EpochRequest(1))
    waiting = table.sign(3, promise(table, request.hash))

    def reads() -> int:
        return sum(1 for _, message, _, named in calls if message == waiting and not named)

    tell(table, waiting)
    tell(table, *(table.sign(1, EpochRequest(epoch)) for epoch in (1, 2)))
    assert reads() == 1
    tell(table, request)
    assert reads() == 2
    assert inspect(machine).proofs[3].code == "bad-promise"


@pytest.mark.parametrize("variation", range(6))
def test_of_two_bad_promises_the_one_judged_first_is_the_proof(
    table: MachineTable, variation: int
) -> None:
    """The proof is not the one whose hash happens to come first in this process."""
    machine, request = table.machine(), table.sign(2, EpochRequest(1))
    wrong = StepTimeout(9 + variation, 1, bytes(32))
    waiting = promise(table, request.hash, timeout=wrong)
    first, second = (table.sign(3, replace(waiting, epoch=epoch)) for epoch in (1, 2))
    tell(table, second, first)
    assert not inspect(machine).proofs
    tell(table, request)
    assert list(inspect(machine).bad_promises) == [first.hash, second.hash]
    assert inspect(machine).proofs[3].messages == (first,)


def test_a_proposer_asks_for_what_its_promises_name(table: MachineTable) -> None:
    votes = votes_of(table.machine())
    tell(table, table.sign(3, promise(table, bytes(32))))
    assert votes.promises(1) == []
    assert bytes(32) in votes.store.wants


def test_all_that_a_promise_names_is_asked_for_at_once_though_its_form_was_looked_at_before(
    table: MachineTable,
) -> None:
    votes, named = votes_of(table.machine()), {bytes([number]) * 32 for number in range(20)}
    tell(table, table.sign(3, promise(table, *named)))
    assert not votes.store.wants
    assert votes.promises(1) == []
    assert named <= votes.store.wants


def _new_epochs(table: MachineTable, count: int) -> list[Message]:
    """Return so many new-epoch messages of epoch 1, of promises that nobody has."""
    named = (tuple(bytes([i, j]) * 16 for j in range(3)) for i in range(count))
    return [table.sign(1, NewEpoch(1, hashes)) for hashes in named]


def test_a_flood_of_new_epochs_is_judged_no_further_than_the_first_few(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, calls = table.machine(), counted(monkeypatch, "base_of_new_epoch")
    tell(table, *_new_epochs(table, 3 * MAX_TRIED))
    assert 0 < len(calls) <= MAX_TRIED + 2
    assert len(inspect(machine).store.wants) <= MAX_TRIED + 2


def test_a_new_epoch_message_that_a_quorum_has_voted_for_is_judged_all_the_same(
    table: MachineTable,
) -> None:
    votes = votes_of(table.machine())
    tell(table, *_new_epochs(table, 3 * MAX_TRIED))
    promises = [table.sign(seat, promise(table)) for seat in (1, 2, 3)]
    proposal = table.sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    tell(table, *promises, proposal)
    assert not votes.new_epochs.get(1)
    base = new_epoch.base_of_new_epoch(table.table, proposal, votes).node.base_digest()
    tell(table, *(table.sign(seat, PrepareVote(1, base)) for seat in (1, 2, 3)), proposal)
    assert list(votes.new_epochs[1]) == [base]


def test_promises_of_which_no_new_epoch_can_be_made_are_tried_once(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = votes_of(table.machine())
    votes = Votes(table.table, live.store, live.start)
    two = [table.sign(2, CommitVote(1, bytes([i]) * 32)) for i in range(2)]
    proof = tuple(sorted(m.hash for m in two))
    promises = [table.sign(seat, replace(promise(table), proofs=(proof,))) for seat in (1, 2, 3)]
    tell(table, *two, *promises)
    read, calls = votes.promises(1)[-3:], counted(monkeypatch, "base_of_promises")
    assert [one.message for one in read] == promises
    assert votes.best_promises(read) is None
    assert votes.best_promises(read) is None
    assert len(calls) == 1


def test_a_proposer_names_the_first_promises_whose_base_is_farthest(model: Model) -> None:
    votes, inputs = Votes(model.table, MessageStore()), inputs_of(model, 0, 1, 2, 3)
    alike = [promise_of(model, seat, inputs) for seat in range(4)]
    assert votes.best_promises(alike) == tuple(read.message for read in alike[:3])
    own = [promise_of(model, seat, [inputs[seat]]) for seat in range(3)]
    whole = [*own, promise_of(model, 3, inputs)]
    best = votes.best_promises(whole)
    assert best == tuple(whole[seat].message for seat in (0, 1, 3)), "the others lack an input"
    assert votes.best_promises(own[:2]) is None, "they are no quorum"


def test_a_quorum_of_votes_for_a_base_commits_the_highest_epoch(table: MachineTable) -> None:
    votes = votes_of(table.machine())
    promises = [table.sign(seat, promise(table)) for seat in (1, 2, 3)]
    proposal = table.sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    tell(table, *promises, proposal)
    (base,) = votes.new_epochs[1]
    assert votes.highest_certificate(9) is None
    assert votes.base_with_votes(CommitVote, 1) is None
    signed = [table.sign(seat, CommitVote(1, base)) for seat in (3, 1)]
    for message in (*signed, table.sign(2, CommitVote(1, bytes(32)))):
        votes.store.add(message)
    assert votes.highest_committed(1) is None, "one of the votes is for another base"
    votes.store.add(table.sign(0, CommitVote(1, base)))
    found = votes.votes_for(CommitVote, 1, base)
    assert [seat for seat, _ in found] == [0, 1, 3]
    assert (3, signed[0].signature) in found
    committed = votes.highest_committed(1)
    assert committed is not None
    assert (committed[0], committed[1].node.base_digest()) == (1, base)
    assert votes.highest_committed(2) is None
    certificate = votes.highest_certificate(2)
    assert certificate is not None
    assert (certificate.epoch, certificate.base, certificate.committed) == (1, base, True)
    assert certificate.votes == found
    assert votes.highest_certificate(1) is None


def test_the_request_of_a_quorum_is_the_t_th_highest_and_counts_what_is_too_far(
    table: MachineTable,
) -> None:
    votes = votes_of(table.machine())
    assert votes.quorum_request() == 0
    for seat, epoch in ((1, 1), (2, 2)):
        votes.store.add(table.sign(seat, EpochRequest(epoch)))
    assert votes.quorum_request() == 0
    far, lower = (table.sign(3, EpochRequest(epoch)) for epoch in (900, 800))
    votes.note_far(far)
    votes.note_far(lower)
    assert votes.far == {3: far}
    assert votes.requests() == {1: 1, 2: 2, 3: 900}
    assert votes.quorum_request() == 1
