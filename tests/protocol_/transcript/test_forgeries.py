"""The verifier on forgeries: evidence left out, added or moved, and chains that did not happen.

The files of `tests/vectors/failures` hold one forgery for each rule (test_vectors.py). Here are
those of which a whole family must be refused.
"""

from dataclasses import replace

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
from support.played import game_of, room_of

from protocol.chain.chain_state import Missing
from protocol.transcript.transcript_format import ReconfigurationEntry, StepEntry
from protocol.transcript.verifier import verify
from protocol.wire.signed_messages import CommitVote, EpochPromise, NewEpoch, StepInput

LISTS = ["signatures", "messages", "new_epochs", "commits", "final"]


# Evidence.


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
    room = room_of("vanished")
    (named,) = [m for m in store_of(room.machine()).inputs(0, 9) if m.seat == 0]
    assert code_of(with_message(room, read("vanished"), named)) == "left-over"


def test_a_new_epoch_message_that_no_certificate_needs_is_left_over() -> None:
    """Return another base of epoch 1, from promises that name nothing. No certificate names it."""
    whole, room = read("returned"), room_of("returned")
    promises = [room.sign(seat, EpochPromise(1, None, (), None, (), ())) for seat in range(3)]
    proposal = room.sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    every = sorted([*parsed(room, whole.evidence.messages), *promises], key=lambda m: m.hash)
    with_promises = with_evidence(whole, messages=tuple((m.payload, m.signature) for m in every))
    own, more = whole.evidence.new_epochs, (proposal.payload, proposal.signature)
    found = [
        refusal(with_evidence(with_promises, new_epochs=new_epochs).encode())
        for new_epochs in ((own[0], more, own[1]), (more, *own))
    ]
    assert sorted(p.code for p in found) == ["bad-order", "left-over"]
    assert {p.part for p in found} == {"new_epochs"}


# The chain.


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


# The end.


def test_a_forged_result_is_found() -> None:
    """A last input of another seat or of another game is refused."""
    whole, other = read("four"), read("equivocator")
    final = whole.evidence.final
    for forged in (final[0][1], other.evidence.final[2][1]):
        spoilt = with_evidence(whole, final=(*final[:3], (3, forged)))
        assert code_of(spoilt) == "bad-signature"


def test_last_inputs_are_of_the_last_epoch_and_where_no_base_ends_the_game() -> None:
    whole, tip = read("vanished"), room_of("vanished").places[0].machine.tip
    final = whole.evidence.final
    early = room_of("vanished").sign(1, StepInput(0, tip.step, tip.digest, tip.result_body()))
    spoilt = with_evidence(whole, final=(final[0], (1, early.signature)))
    assert code_of(spoilt) == "bad-signature"
    whole, tip = read("spoilt result"), room_of("spoilt result").places[0].machine.tip
    end = tip.parent
    assert end is not None
    more = room_of("spoilt result").sign(0, StepInput(1, end.step, end.digest, end.result_body()))
    assert code_of(with_evidence(whole, final=((0, more.signature),))) == "left-over"


def test_the_end_is_not_final_without_the_commit_votes_of_a_quorum_and_no_more() -> None:
    whole = read("spoilt result")
    seals = whole.evidence.commits
    assert code_of(with_evidence(whole, commits=seals[:2])) == "missing-votes"
    base = view_of(room_of("spoilt result").places[0].machine).base.base_digest()
    more = room_of("spoilt result").sign(3, CommitVote(1, base))
    assert code_of(with_evidence(whole, commits=(*seals, (3, more.signature)))) == "left-over"
