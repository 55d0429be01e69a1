"""Files whose steps, signatures or evidence are not as they must be, whatever the game in them.

Each is a sound file of a played table after one change ([V-4] to [V-10]).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from support.forgeries.transcripts import with_entries, with_entry, with_evidence
from vectors.making.broken import ABSENT, RETURNED, Change, whole_of
from vectors.making.judged import Judged, Make, fails
from vectors.making.judged_bases import absent_last
from vectors.making.judged_bytes import STRICT, changed

from protocol.chain.chain_state import Missing
from protocol.crypto.hashing import Label, digest
from protocol.transcript.transcript_format import (
    Evidence,
    ReconfigurationEntry,
    StepEntry,
    Transcript,
)

# Steps and their signatures ([V-4]).


def _reconfiguration_at(whole: Transcript) -> tuple[int, ReconfigurationEntry]:
    entries = enumerate(whole.content.entries)
    return next((i, e) for i, e in entries if isinstance(e, ReconfigurationEntry))


def _with_reconfiguration(whole: Transcript, **more: Any) -> Transcript:
    at, entry = _reconfiguration_at(whole)
    return with_entry(whole, at, replace(entry, **more))


def _reconfiguration_moved(whole: Transcript, to: int) -> Transcript:
    at, entry = _reconfiguration_at(whole)
    rest = [e for i, e in enumerate(whole.content.entries) if i != at]
    return with_entries(whole, (*rest[:to], entry, *rest[to:]))


def _reconfiguration_added(whole: Transcript) -> Transcript:
    return with_entries(whole, (*whole.content.entries, _reconfiguration_at(whole)[1]))


def _rows(whole: Transcript, at: int, change: Callable[[Any], Any]) -> Transcript:
    """Change the signatures of one step."""
    rows = list(whole.evidence.signatures)
    rows[at - 1] = change(rows[at - 1])
    return with_evidence(whole, signatures=tuple(rows))


def _last_row_dropped(whole: Transcript) -> Transcript:
    return with_evidence(whole, signatures=whole.evidence.signatures[:-1])


def _half_a_step(whole: Transcript, keeps_evidence: bool) -> Transcript:
    """End the chain in the first step behind the deal, without seat 1's body."""
    entries, rows = whole.content.entries[:9], list(whole.evidence.signatures[:9])
    last = entries[8]
    assert isinstance(last, StepEntry)
    slots = (last.slots[0], Missing.NONE, last.slots[2])
    rows[8] = (rows[8][0], rows[8][2])
    short = with_entries(whole, (*entries[:8], StepEntry(slots)))
    if keeps_evidence:
        return with_evidence(short, signatures=tuple(rows), final=())
    return replace(short, evidence=Evidence(tuple(rows)))


def _of_another_table(whole: Transcript) -> Transcript:
    return replace(whole, evidence=whole_of(STRICT).evidence)


STEPS: dict[str, Judged] = {
    "form-reconfiguration-count-65537": fails(
        changed(lambda whole: _with_reconfiguration(whole, absences=(0, 0, 65537))),
        "bad-form",
        what="A reconfiguration has 65,537 absences of a seat ([V-2]).",
    ),
    "reconfiguration-seat-15-present": fails(
        changed(lambda whole: _with_reconfiguration(whole, present=(0, 1, 15))),
        "bad-signature",
        13,
        0,
        what="A reconfiguration names seat 15 at a table of three, which is no fault of "
        "form: the digest after it is another one, and the next step's signatures are "
        "invalid.",
    ),
    "reconfiguration-to-front": fails(
        changed(lambda whole: _reconfiguration_moved(whole, 0)),
        "unjustified-reconfiguration",
        1,
        what="The reconfiguration stands before the first step ([V-4]).",
    ),
    "reconfiguration-at-end": fails(
        changed(_reconfiguration_added),
        "left-over",
        31,
        what="A reconfiguration stands after the end ([V-6]).",
    ),
    "row-cut": fails(
        changed(lambda whole: _rows(whole, 10, lambda row: row[:-1])),
        "missing-signature",
        10,
        2,
        what="The last signature of step 10 is missing.",
    ),
    "row-less": fails(
        changed(_last_row_dropped),
        "missing-signature",
        30,
        what="The last step has no array of signatures.",
    ),
    "row-long": fails(
        changed(lambda whole: _rows(whole, 10, lambda row: (*row, row[-1]))),
        "left-over",
        10,
        what="Step 10 has a signature more than bodies.",
    ),
    "last-step-half": fails(
        changed(lambda whole: _half_a_step(whole, True)),
        "missing-evidence",
        what="The chain ends in step 9, of which a body is missing, and all new-epoch messages "
        "and what they name beyond are there.",
    ),
    "last-step-half-bare": fails(
        changed(lambda whole: _half_a_step(whole, False)),
        "incomplete-step",
        9,
        1,
        what="As `last-step-half`, without new-epoch messages.",
    ),
    "transplanted-evidence": fails(
        changed(_of_another_table),
        "bad-signature",
        1,
        0,
        what="The evidence is that of another game.",
    ),
}

# Messages, votes and the end ([V-5], [V-7] to [V-10]).


def _evidence(change: Callable[[Evidence], dict[str, Any]]) -> Change:
    return lambda whole: with_evidence(whole, **change(whole.evidence))


def _from_elsewhere(whole: Transcript) -> Transcript:
    new_epoch = whole_of(ABSENT).evidence.new_epochs
    return with_evidence(whole, new_epochs=new_epoch)


def _among_messages(whole: Transcript) -> Transcript:
    """Put the new-epoch message among the messages too, where its hash belongs."""
    found = whole.evidence
    both = sorted((*found.messages, *found.new_epochs), key=lambda e: digest(Label.MESSAGE, e[0]))
    return with_evidence(whole, messages=tuple(both))


@cache
def _four() -> Transcript:
    """Return the file of four seats, the last of which is absent from step 10 on."""
    return absent_last(4).play(lambda node: False).whole()


def of_four(change: Change) -> Make:
    """Return what makes that file after a change."""
    return lambda: change(_four()).encode()


def _final_of_all(whole: Transcript) -> Transcript:
    script = absent_last(4).play(lambda node: False)
    last = (3, script.give_input(3, heard=False).signature)
    return with_evidence(whole, final=(*whole.evidence.final, last))


def _four_votes(whole: Transcript) -> Transcript:
    script = absent_last(4)
    certificate = script.certificate(seats=range(4))
    assert certificate is not None
    return with_evidence(whole, commits=certificate.votes)


def _behind_result(whole: Transcript) -> Transcript:
    script = absent_last(4).play(lambda node: False)
    return script.end_with(dict.fromkeys(range(3), b"\xc0")).whole()


def end_of_four() -> int:
    """Return the step of `result` in that file."""
    return absent_last(4).play(lambda node: False).tip.step


EVIDENCE: dict[str, Judged] = {
    "new-epochs-none": fails(
        changed(_evidence(lambda e: {"new_epochs": ()})),
        "unjustified-absence",
        12,
        2,
        what="The new-epoch message is missing, and the chain has an ABSENT.",
    ),
    "new-epochs-and-messages-none": fails(
        changed(_evidence(lambda e: {"new_epochs": (), "messages": (), "commits": ()})),
        "unjustified-absence",
        12,
        2,
        what="As `new-epochs-none`, without messages and commit votes.",
    ),
    "new-epoch-twice": fails(
        changed(_evidence(lambda e: {"new_epochs": e.new_epochs * 2})),
        "bad-order",
        what="The new-epoch message stands in the file twice.",
    ),
    "new-epoch-into-messages": fails(
        changed(_among_messages),
        "left-over",
        what="The new-epoch message stands among the messages too.",
    ),
    "new-epochs-swapped": fails(
        changed(_evidence(lambda e: {"new_epochs": e.new_epochs[::-1]}), RETURNED),
        "bad-epoch",
        13,
        0,
        what="The new-epoch message of epoch 1 stands after that of epoch 2: the last one "
        "counts, and bodies are of a higher epoch ([V-5]).",
    ),
    "strict-new-epoch-from-elsewhere": fails(
        changed(_from_elsewhere, STRICT),
        "bad-message",
        what="A strict table's file holds a new-epoch message of another table.",
    ),
    "commit-votes-none": fails(
        changed(_evidence(lambda e: {"commits": ()})),
        "missing-votes",
        what="No commit vote is there ([V-9]).",
    ),
    "commit-votes-swapped": fails(
        changed(_evidence(lambda e: {"commits": e.commits[::-1]})),
        "bad-order",
        what="The commit votes are by falling seat.",
    ),
    "commit-vote-seat-15-last": fails(
        changed(_evidence(lambda e: {"commits": (e.commits[0], (15, e.commits[1][1]))})),
        "bad-order",
        what="A commit vote is of seat 15 at a table of three, which is none ([V-9]).",
    ),
    "commit-vote-seat-16": fails(
        changed(_evidence(lambda e: {"commits": (e.commits[0], (16, e.commits[1][1]))})),
        "bad-form",
        what="A commit vote is of seat 16, which no file can name ([V-2]).",
    ),
    "final-twice": fails(
        changed(_evidence(lambda e: {"final": (*e.final, e.final[-1])})),
        "bad-order",
        what="A last input stands in the file twice.",
    ),
    "final-absent-seat-unsigned": fails(
        changed(_evidence(lambda e: {"final": (*e.final, (2, e.final[0][1]))})),
        "bad-signature",
        31,
        2,
        what="A last input of the absent seat has another seat's signature.",
    ),
    "abs4-final-of-absent": fails(
        of_four(_final_of_all), "left-over", what="The absent seat's own last input is there too."
    ),
    "abs4-four-commit-votes": fails(
        of_four(_four_votes), "left-over", what="Four commit votes stand for a quorum of three."
    ),
    "abs4-entry-behind-result": fails(
        of_four(_behind_result),
        "left-over",
        end_of_four,
        what="The last inputs stand as a step of the chain ([N-5]).",
    ),
}
FORMS: dict[str, Judged] = {**STEPS, **EVIDENCE}
"""Name to file."""
