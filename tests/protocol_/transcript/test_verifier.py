"""The verifier on honest files: they hold, and the report says what is in them."""

from dataclasses import replace
from typing import Any

import pytest
from support.files import code_of, read, refusal
from support.forgeries.transcripts import (
    cut,
    first_reconfiguration,
    parsed,
    with_entries,
    with_entry,
    with_evidence,
    with_message,
)
from support.inspection import store_of, view_of
from support.played import TABLES, files_of, game_of, table_of

from protocol.chain import chain_state
from protocol.chain.chain_state import Missing
from protocol.crypto import sigma_proofs
from protocol.fault_codes import FAULTS
from protocol.transcript.transcript_format import ReconfigurationEntry, StepEntry
from protocol.transcript.transcript_writer import to_the_end
from protocol.transcript.verifier import header_of, reached, steps_to, verify
from protocol.wire.signed_messages import CommitVote, EpochPromise, NewEpoch, StepInput
from protocol.wire.table_header import Terms


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", list(TABLES))
def test_every_honest_file_verifies_and_leads_to_the_seats_own_end(name: str) -> None:
    machine = table_of(name).places[0].machine
    tip = to_the_end(machine.tip)[-1]
    for data in set(files_of(name)):
        report = verify(data, game_of)
        assert (report.verdict, report.problem) == ("ok", None)
        assert report.digest == tip.digest.hex()
        assert report.table == table_of(name).table.id.hex()
    report = verify(files_of(name)[0], game_of)
    assert report.node is not None
    assert report.node.state == tip.state
    assert report.standings == tip.table.game.standings(tip.state)
    assert (report.steps, report.epochs) == (tip.step - 1, view_of(machine).epoch)


def test_the_report_names_the_seats() -> None:
    entries = verify(files_of("three")[0], game_of).seats
    seats = [(f"seat {seat}", one) for seat, one in enumerate(table_of("three").table.ids)]
    assert [(entry.nickname, entry.id) for entry in entries] == seats


FAULTY = {
    "equivocator": "equivocation",
    "wrong share": "bad-share",
    "empty escrow": "bad-escrow",
    "spoilt result": "bad-body",
}


@pytest.mark.parametrize("name", ["four", "escrow opened", "returned", *FAULTY])
def test_the_faults_of_seats_are_listed(name: str) -> None:
    found = verify(files_of(name)[0], game_of).faults
    assert [(fault.seat, fault.code) for fault in found] == (
        [(3, FAULTY[name])] if name in FAULTY else []
    )
    assert all(fault.code in FAULTS for fault in found)


def test_everything_checked_is_counted() -> None:
    """Four seats, two rounds: 4 header signatures, 73 bodies, 4 last inputs."""
    counts = verify(files_of("four")[0], game_of).counts
    said = sum(len(row) for row in read("four").evidence.signatures)
    assert counts.signatures == 4 + said + 4
    assert (counts.keys, counts.shuffles) == (4, 4)
    assert counts.commitments == counts.openings == counts.escrows == 4 * 4
    hands, tops, draws, shown = 4 * 2 * 3, 4, 2 * 4, 4 + 1
    assert counts.shares == hands + tops + draws + shown + (8 - shown)
    assert (counts.escrow_shares, counts.bases) == (0, 0)
    counts = verify(files_of("escrow opened")[0], game_of).counts
    assert (counts.escrow_shares, counts.bases) == (3, 1)
    assert verify(files_of("returned")[0], game_of).counts.bases == 2


def test_every_proof_is_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a base is computed again: the chain and the bases share their verdicts."""
    files = [files_of(name)[0] for name in ("four", "returned")]  # played before the count
    seen: list[tuple[Any, ...]] = []
    original = sigma_proofs.verify_shares

    def noted(about: Any, *rest: Any) -> None:
        seen.append((about.context.step, about.context.seat, about.context.kind, rest[-1]))
        original(about, *rest)

    monkeypatch.setattr(sigma_proofs, "verify_shares", noted)
    for data in files:
        seen.clear()
        assert verify(data, game_of).ok
        assert seen
        assert len(seen) == len(set(seen))


def test_a_report_leads_to_every_step_and_reconfiguration() -> None:
    report = verify(files_of("returned")[0], game_of)
    assert report.node is not None
    passages = list(steps_to(report.node))
    tip = table_of("returned").places[0].machine.tip
    assert passages[-1][2].digest == tip.digest
    assert [before.digest for before, _, _ in passages[1:]] == [
        after.digest for _, _, after in passages[:-1]
    ]
    links = [(b.present, a.present) for b, slots, a in passages if slots is None]
    without, everyone = frozenset({0, 1, 2}), frozenset(range(4))
    assert links == [(everyone, without), (without, everyone)]


def test_a_header_is_read_without_a_judgement_and_rubbish_has_none() -> None:
    data = files_of(next(iter(TABLES)))[0]
    header = header_of(data)
    assert header is not None
    assert tuple(e.nickname for e in header.roster) == tuple(
        line.nickname for line in verify(data, game_of).seats
    )
    damaged = data[:-9] + bytes(9)
    assert header_of(damaged) in (None, header)
    for rubbish in (b"", b"nonsense", data[: len(data) // 2], data[1:]):
        assert header_of(rubbish) is None
    assert reached(b"rubbish", game_of, verify(b"rubbish", game_of)) is None


def test_a_game_nobody_knows_is_a_fault() -> None:
    def unknown(terms: Terms) -> Any:
        raise ValueError("no such edition")

    report = verify(files_of("two")[0], unknown)
    assert report.problem is not None
    assert (report.problem.code, report.problem.part) == ("bad-game", "header")
    assert report.problem.words == "no such edition"


def test_kept_verdicts_do_not_leak_between_tables() -> None:
    """The same bytes verify again after all kept sums are forgotten."""
    chain_state.public_key_share_of.cache_clear()
    chain_state.total_key_share.cache_clear()
    assert verify(files_of("escrow opened")[0], game_of).ok


LISTS = ["signatures", "messages", "new_epochs", "commits", "final"]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", ["four", "returned", "equivocator", "wrong share"])
@pytest.mark.parametrize("part", LISTS)
def test_every_part_of_the_evidence_is_needed_once_and_in_its_place(name: str, part: str) -> None:
    whole = read(name)
    items = getattr(whole.evidence, part)
    for index in range(0, len(items), 1 + len(items) // 6):
        without = (*items[:index], *items[index + 1 :])
        refusal(with_evidence(whole, **{part: without}).encode())
        twice = (*items[:index], items[index], *items[index:])
        refusal(with_evidence(whole, **{part: twice}).encode())
    if len(items) > 1:
        refusal(with_evidence(whole, **{part: items[::-1]}).encode())


def test_evidence_of_another_game_does_not_fit() -> None:
    three, gone = read("three"), read("vanished")
    assert code_of(replace(three, evidence=gone.evidence)) == "missing-signature"
    assert code_of(replace(gone, evidence=three.evidence)) == "unjustified-absence"
    assert code_of(replace(read("four"), evidence=three.evidence)) == "missing-signature"
    assert code_of(replace(three, evidence=read("four").evidence)) == "left-over"
    assert code_of(cut(gone, 2, 2)) == "left-over", "the game has not begun"


@pytest.mark.parametrize("part", ["messages", "commits"])
def test_evidence_that_nothing_needs_is_left_over(part: str) -> None:
    extra = getattr(read("returned").evidence, part)
    assert extra
    assert code_of(with_evidence(read("four"), **{part: extra})) == "left-over"


def test_an_input_of_the_content_is_not_listed_again() -> None:
    table = table_of("vanished")
    (named,) = [m for m in store_of(table.machine()).inputs(0, 9) if m.seat == 0]
    assert code_of(with_message(table, read("vanished"), named)) == "left-over"


def test_a_new_epoch_message_that_no_certificate_needs_is_left_over() -> None:
    """Return another base of epoch 1, from promises that name nothing. No certificate names it."""
    whole, table = read("returned"), table_of("returned")
    promises = [table.sign(seat, EpochPromise(1, None, (), None, (), ())) for seat in range(3)]
    proposal = table.sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    every = sorted([*parsed(table, whole.evidence.messages), *promises], key=lambda m: m.hash)
    with_promises = with_evidence(whole, messages=tuple((m.payload, m.signature) for m in every))
    own, more = whole.evidence.new_epochs, (proposal.payload, proposal.signature)
    found = [
        refusal(with_evidence(with_promises, new_epochs=new_epochs).encode())
        for new_epochs in ((own[0], more, own[1]), (more, *own))
    ]
    assert sorted(p.code for p in found) == ["bad-order", "left-over"]
    assert {p.part for p in found} == {"new_epochs"}


NOT_SO = {
    Missing.ABSENT: "unjustified-absence",
    Missing.FAULT: "unjustified-fault",
    Missing.NONE: "incomplete-step",
}


@pytest.mark.parametrize("missing", NOT_SO)
def test_a_forged_absence_after_a_true_one_is_found(missing: Missing) -> None:
    """The last body of a file that does hold a change of epoch."""
    whole = read("vanished")
    index, rows = len(whole.content.entries) - 1, whole.evidence.signatures
    step = whole.content.entries[index]
    assert isinstance(step, StepEntry)
    forged = with_entry(whole, index, StepEntry((step.slots[0], missing, step.slots[2])))
    forged = with_evidence(forged, signatures=(*rows[:-1], rows[-1][:1]), final=())
    problem = refusal(forged.encode())
    assert (problem.code, problem.seat, problem.part) == (NOT_SO[missing], 1, "chain")


def test_another_slot_than_that_of_the_base_is_found() -> None:
    """The absence that the base made, called a fault or nothing."""
    whole = read("escrow opened")
    at = first_reconfiguration(whole) - 1
    step = whole.content.entries[at]
    assert isinstance(step, StepEntry)
    assert step.slots[3] is Missing.ABSENT
    short = cut(whole, at + 1, at + 1)
    for missing in (Missing.FAULT, Missing.NONE):
        forged = with_entry(short, at, StepEntry((*step.slots[:3], missing)))
        assert code_of(forged) == NOT_SO[missing]


def test_a_forged_or_changed_reconfiguration_is_found() -> None:
    whole, later = read("three"), read("returned")
    forged = with_entries(
        whole, (*whole.content.entries, ReconfigurationEntry((0, 1), (2,), (0, 0, 0)))
    )
    assert code_of(forged) == "unjustified-reconfiguration"
    after = (*later.content.entries, ReconfigurationEntry((0, 1, 2), (3,), (0, 0, 0, 1)))
    assert code_of(with_entries(later, after)) == "left-over"
    short = cut(later, len(later.content.entries) - 1, len(later.evidence.signatures) - 1)
    assert verify(short.encode(), game_of).unfinished
    forged = with_entries(
        short, (*short.content.entries, ReconfigurationEntry((0, 1, 2), (3,), (0, 0, 0, 1)))
    )
    assert code_of(forged) == "unjustified-reconfiguration"
    whole = read("vanished")
    at = first_reconfiguration(whole)
    short = cut(whole, at + 1, at)
    assert verify(short.encode(), game_of).unfinished
    for reconfiguration in (
        ReconfigurationEntry((0, 1), (2,), (0, 0, 1)),
        ReconfigurationEntry((0, 1, 2), (), (0, 0, 1)),
    ):
        assert code_of(with_entry(short, at, reconfiguration)) == "unjustified-reconfiguration"


def test_a_forged_result_is_found() -> None:
    """A last input of another seat or of another game is refused."""
    whole, other = read("four"), read("equivocator")
    final = whole.evidence.final
    for forged in (final[0][1], other.evidence.final[2][1]):
        spoilt = with_evidence(whole, final=(*final[:3], (3, forged)))
        assert code_of(spoilt) == "bad-signature"


def test_last_inputs_are_of_the_last_epoch_and_where_no_base_ends_the_game() -> None:
    whole, tip = read("vanished"), table_of("vanished").places[0].machine.tip
    final = whole.evidence.final
    early = table_of("vanished").sign(1, StepInput(0, tip.step, tip.digest, tip.result_body()))
    spoilt = with_evidence(whole, final=(final[0], (1, early.signature)))
    assert code_of(spoilt) == "bad-signature"
    whole, tip = read("spoilt result"), table_of("spoilt result").places[0].machine.tip
    end = tip.parent
    assert end is not None
    more = table_of("spoilt result").sign(0, StepInput(1, end.step, end.digest, end.result_body()))
    assert code_of(with_evidence(whole, final=((0, more.signature),))) == "left-over"


def test_the_end_is_not_final_without_the_commit_votes_of_a_quorum_and_no_more() -> None:
    whole = read("spoilt result")
    seals = whole.evidence.commits
    assert code_of(with_evidence(whole, commits=seals[:2])) == "missing-votes"
    base = view_of(table_of("spoilt result").places[0].machine).base.base_digest()
    more = table_of("spoilt result").sign(3, CommitVote(1, base))
    assert code_of(with_evidence(whole, commits=(*seals, (3, more.signature)))) == "left-over"


def test_the_callers_clock_times_the_parts() -> None:
    ticks = iter(range(10_000))
    report = verify(files_of("vanished")[0], game_of, lambda: float(next(ticks)))
    parts = {"reading", "signatures", "keys", "shuffles", "choices", "openings", "bases"}
    assert set(report.timings) == parts
    between = 1  # the file is read; the checks begin
    assert sum(report.timings.values()) == next(ticks) - 1 - between
    assert verify(files_of("vanished")[0], game_of).timings == {}
