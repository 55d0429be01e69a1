"""The verifier on bases: a base that does not follow from its promises is refused."""

from unittest.mock import Mock

import pytest
from support.cases import fails
from support.files import code_of, read, refusal
from support.forgeries.transcripts import envelopes, parsed, with_evidence
from support.inspection import store_of
from support.played import DISTURBED, table_of

from protocol.chain import transition
from protocol.consensus import new_epoch
from protocol.consensus.message_lookup import Unknown, Void
from protocol.transcript import verifier_checks
from protocol.wire.signed_messages import EpochPromise, NewEpoch


def test_fewer_than_a_quorum_of_promises_make_no_base() -> None:
    whole, table = read("vanished"), table_of("vanished")
    every = parsed(table, whole.evidence.messages)
    promises = [message for message in every if isinstance(message.statement, EpochPromise)]
    for some in (promises[:1], [*promises[:1], *promises[:1]], [*promises, *promises[:1]]):
        proposal = table.sign(1, NewEpoch(1, tuple(m.hash for m in some)))
        problem = refusal(with_evidence(whole, new_epochs=envelopes(proposal)).encode())
        assert (problem.code, problem.part, problem.seat) == ("bad-base", "new_epochs", 1)


def test_a_new_epoch_message_that_rests_on_too_much_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is no fault of form: a judgement that was broken off must convict nobody."""
    monkeypatch.setattr(verifier_checks, "MAX_LOOKUPS", 2)
    assert code_of(read("vanished")) == "bad-base"
    monkeypatch.setattr(verifier_checks, "MAX_LOOKUPS", 1)
    table, proof = table_of("vanished"), read("vanished").evidence
    (proposal,) = parsed(table, proof.new_epochs)
    held = {m.hash: m for m in parsed(table, proof.messages)}
    source = verifier_checks.FileReferences(transition.begin(table.table), held)
    fails(verifier_checks.TooMuch, "", new_epoch.bad_form, table.table, proposal, source)


def test_a_promise_is_read_once_and_its_messages_count_each_time() -> None:
    table = table_of("vanished")
    every = parsed(table, read("vanished").evidence.messages)
    machine = table.places[0].machine
    held = {m.hash: m for m in (*every, *store_of(machine))}
    start = machine.tip.before(table.table.first_step)
    assert start is not None
    source = verifier_checks.FileReferences(start, held)
    promise = next(m for m in every if isinstance(m.statement, EpochPromise))
    first = new_epoch.read_promise(table.table, promise, source)
    counted = source.lookups
    assert counted == len(first.inputs) > 0
    assert new_epoch.read_promise(table.table, promise, source) is first
    assert source.lookups == 2 * counted


ERRORS = {"bad-base": RecursionError(), "void": Void(""), "missing-evidence": Unknown("an input")}


@pytest.mark.parametrize("code", ERRORS)
def test_a_base_that_cannot_be_recounted_is_refused(
    monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    whole = read("vanished")
    monkeypatch.setattr(new_epoch, "base_of_new_epoch", Mock(side_effect=ERRORS[code]))
    assert code_of(whole) == code


@pytest.mark.parametrize("name", DISTURBED)
def test_without_its_new_epochs_no_change_stands(name: str) -> None:
    whole = with_evidence(read(name), new_epochs=(), messages=(), commits=())
    changes = ("unjustified-absence", "unjustified-reconfiguration", "unjustified-fault")
    assert code_of(whole) in (*changes, "bad-epoch", "not-final")
