"""Files of a game in which seat 3 is proven at fault, or is not, by three epoch promises.

Each ends behind the base of epoch 1, so that a sound one is `not-final`, and its faults are those
that the order or the reading of a rule decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from support.forgeries.transcripts import envelopes, with_evidence
from vectors.making.broken import Broken, table_of, told, whole_of
from vectors.making.refused import undisturbed

from protocol.chain.chain_state import Node
from protocol.consensus.new_epoch import base_of_new_epoch
from protocol.transcript.transcript_format import Transcript
from protocol.transcript.transcript_writer import entry_of
from protocol.transcript.verifier_checks import FileReferences
from protocol.wire.signed_messages import CommitVote, EpochPromise, Message, NewEpoch, StepInput

FOUR = "small-four"
LIAR = 3
ELSEWHERE = b"\x01" * 32
Listed = tuple[tuple[Message, ...], tuple[tuple[Message, ...], ...]]
"""The inputs and the proofs of an epoch promise."""
NOTHING: Listed = ((), ())


def _start() -> Node:
    """Return the node with which epoch 0 begins."""
    node = table_of(FOUR).first.machine.tip.before(table_of(FOUR).table.first_step)
    assert node is not None
    return node


def _promise(seat: int, listed: Listed) -> Message:
    inputs, proofs = listed
    names = tuple(sorted(tuple(sorted(m.hash for m in proof)) for proof in proofs))
    hashes = tuple(sorted(step_input.hash for step_input in inputs))
    return table_of(FOUR).sign(seat, EpochPromise(1, None, hashes, None, (), names))


def _ending_with(*listed: Listed) -> bytes:
    """Return the file up to the base of epoch 1 that follows from the promises of seats 0 to 2."""
    played, start = table_of(FOUR), _start()
    promises = [_promise(seat, one) for seat, one in enumerate(listed)]
    said = [
        m for inputs, proofs in listed for m in (*inputs, *(m for proof in proofs for m in proof))
    ]
    messages = list({m.hash: m for m in (*promises, *said)}.values())
    proposal = played.sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    source = FileReferences(start, {m.hash: m for m in (*messages, proposal)})
    base = base_of_new_epoch(played.table, proposal, source).node
    seals = tuple(
        (s, played.sign(s, CommitVote(1, base.base_digest())).signature) for s in range(3)
    )
    whole = undisturbed(played.first.machine, start.step)
    links = () if base is start else (entry_of(base),)
    content = type(whole.content)(whole.content.header, (*whole.content.entries, *links))
    ended = Transcript(content, whole.evidence)
    new_epochs = ((proposal.payload, proposal.signature),)
    return with_evidence(
        ended, messages=envelopes(*messages), new_epochs=new_epochs, commits=seals
    ).encode()


def without_proofs() -> bytes:
    """The file in which the three epoch promises list and prove nothing."""
    return _ending_with(NOTHING, NOTHING, NOTHING)


# The order of contents.


def _without_form() -> Message:
    """Return seat 3's input with a body that is none of its step: `bad-body`."""
    return table_of(FOUR).sign(LIAR, StepInput(0, _start().step, _start().digest, b"\x01"))


def _out_of_step() -> Iterator[Message]:
    """Yield inputs of seat 3 to a step later than its digest is of: `not-expected`."""
    place = (0, _start().step + 1, _start().digest)
    return (table_of(FOUR).sign(LIAR, StepInput(*place, bytes([n]))) for n in count())


def promise_by_promise() -> bytes:
    """Seat 0's epoch promise proves with an input that seat 3 gave a body in a wrong step, and seat
    1's lists an input of seat 3 whose body has no form. The hashes of these inputs, and of the two
    promises, fall.
    """
    bad = _without_form()
    hints = (((), ((wrong,),)) for wrong in _out_of_step() if wrong.hash > bad.hash)
    listing: Listed = ((bad,), ())
    first = next(one for one in hints if _promise(0, one).hash > _promise(1, listing).hash)
    return _ending_with(first, listing, NOTHING)


def inputs_before_proofs() -> bytes:
    """One epoch promise proves with an input that seat 3 gave a body in a wrong step, and lists an
    input of seat 3 whose body has no form and whose hash is the higher one.
    """
    bad = _without_form()
    wrong = next(one for one in _out_of_step() if one.hash < bad.hash)
    return _ending_with(((bad,), ((wrong,),)), NOTHING, NOTHING)


# What is of setup.


def of_setup_by_step() -> bytes:
    """The proofs have an epoch promise of epoch 3 without a certificate, and an input of seat 3 to
    a step of setup, signed in epoch 1. They prove nothing.
    """
    played = table_of(FOUR)
    promise = played.sign(LIAR, EpochPromise(3, None, (), None, (), ()))
    step_input = played.sign(LIAR, StepInput(1, played.table.first_step - 1, ELSEWHERE, b"\xc0"))
    return _ending_with(((), ((promise,), (step_input,))), NOTHING, NOTHING)


def of_epoch_1_behind_setup() -> bytes:
    """The proofs have an epoch promise of epoch 3 without a certificate, and an input of seat 3 to
    the first step after setup, signed in epoch 1.
    """
    played = table_of(FOUR)
    promise = played.sign(LIAR, EpochPromise(3, None, (), None, (), ()))
    step_input = played.sign(LIAR, StepInput(1, played.table.first_step, ELSEWHERE, b"\xc0"))
    return _ending_with(((), ((promise,), (step_input,))), NOTHING, NOTHING)


# Signatures behind the last step.


def without_a_step() -> bytes:
    """There is one list of signatures more than steps; it is empty."""
    whole = whole_of("two")
    return with_evidence(whole, signatures=(*whole.evidence.signatures, ())).encode()


DECIDED: dict[str, Broken] = {
    "contents-promise-by-promise": told(promise_by_promise, "not-expected", without_proofs),
    "contents-inputs-before-proofs": told(inputs_before_proofs, "bad-body", without_proofs),
    "input-of-setup-by-step": told(of_setup_by_step, "not-final", without_proofs),
    "input-behind-setup-by-step": told(
        of_epoch_1_behind_setup, "promise-below-certificate", without_proofs
    ),
    "signatures-of-no-step": told(without_a_step, "left-over", lambda: whole_of("two").encode()),
}
"""Name to file; all seats of the tables of four may lie."""
