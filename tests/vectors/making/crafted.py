"""Files with new epochs from promises that faulty seats forge together, each against one rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from support.forgeries.transcripts import envelopes, parsed, with_evidence
from support.inspection import secrets_of, store_of, votes_of
from support.stream import stream
from vectors.making.broken import (
    ABSENT,
    RETURNED,
    Broken,
    table_of,
    told,
    with_promises,
)
from vectors.making.refused import undisturbed

from protocol.chain import transition
from protocol.chain.chain_state import Missing, Node
from protocol.transcript.transcript_format import (
    Content,
    Evidence,
    ReconfigurationEntry,
    StepEntry,
    Transcript,
)
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    QuorumCertificate,
    StepInput,
    StepTimeout,
)

FIVE = "small-five"
ELSEWHERE = b"\x01" * 32


# Two committed bases.


def two_committed_bases() -> bytes:
    """Two bases of epoch 1 have commit votes, and epoch promises of epoch 2 have certificates of
    both.
    """
    played = table_of("small-three")
    machine, sign = played.first.machine, played.sign
    start = machine.tip.before(played.table.first_step)
    after = machine.tip.before(played.table.first_step + 1)
    assert start is not None
    assert after is not None
    kept = store_of(machine).inputs(0, start.step)
    listed, bases = tuple(sorted(m.hash for m in kept)), (start.base_digest(), after.base_digest())
    told, new_epochs, certificates = list[Message](), list[Message](), list[QuorumCertificate]()
    for base, inputs, seats in zip(bases, ((), listed), ((1, 2), (0, 1)), strict=True):
        promises = [sign(seat, EpochPromise(1, None, inputs, None, (), ())) for seat in seats]
        told += promises
        new_epochs.append(sign(1, NewEpoch(1, tuple(m.hash for m in promises))))
        votes = tuple((seat, sign(seat, CommitVote(1, base)).signature) for seat in (0, 1))
        certificates.append(QuorumCertificate(1, base, True, votes))
    last = [sign(seat, EpochPromise(2, certificates[seat], (), None, (), ())) for seat in (0, 1)]
    end = sign(2, NewEpoch(2, tuple(m.hash for m in last)))
    rising = [
        proposal for _, proposal in sorted(zip(bases, new_epochs, strict=True), key=lambda p: p[0])
    ]
    proof = {"new_epochs": tuple((m.payload, m.signature) for m in (*rising, end))}
    whole = undisturbed(machine, played.table.first_step)
    return with_evidence(whole, messages=envelopes(*told, *last, *kept), **proof).encode()


def one_base_less() -> bytes:
    """The chain of `two_committed_bases` before there is a base."""
    played = table_of("small-three")
    return undisturbed(played.first.machine, played.table.first_step).encode()


# The lists of an epoch promise.


def _listing(*inputs: Message) -> Callable[[int, EpochPromise], EpochPromise]:
    """Return the change of a promise by which it lists these inputs too."""
    more = {step_input.hash for step_input in inputs}
    return lambda _, promise: replace(promise, inputs=tuple(sorted({*promise.inputs, *more})))


def _proving(*proofs: tuple[bytes, ...]) -> Callable[[int, EpochPromise], EpochPromise]:
    """Return the change of a promise by which it has these proofs."""
    return lambda _, promise: replace(promise, proofs=proofs)


def inputs_thrice() -> bytes:
    """Each epoch promise lists three inputs of the absent seat to one step."""
    inputs = [table_of(ABSENT).sign(2, StepInput(0, 9999, ELSEWHERE, bytes([i]))) for i in range(3)]
    return with_promises(ABSENT, 1, _listing(*inputs), *inputs)()


def many_proofs() -> bytes:
    """Each epoch promise has four proofs at a table of three."""
    requests = [table_of(ABSENT).sign(2, EpochRequest(epoch)) for epoch in range(1, 5)]
    proofs = tuple(sorted((m.hash,) for m in requests))
    return with_promises(ABSENT, 1, _proving(*proofs), *requests)()


def builds_on_nothing() -> bytes:
    """Each epoch promise lists an input of the absent seat on an unknown chain."""
    step_input = table_of(ABSENT).sign(2, StepInput(0, 9999, ELSEWHERE, b"\x00"))
    return with_promises(ABSENT, 1, _listing(step_input), step_input)()


def voted_by_the_absent() -> bytes:
    """Of the two epoch promises that claim the step timeout one is of the very seat that gave no
    input.
    """
    return with_promises(ABSENT, 1, lambda _, promise: promise, instead={1: 2})()


# Two chains by digest alone.


def same_body_elsewhere() -> bytes:
    """The epoch promises of epoch 2 prove that seat 2 gave, in epoch 1 and on an unknown chain, the
    very body of it that stands in an earlier step. The file goes on with it.
    """
    seat, machine = 2, table_of(RETURNED).first.machine
    ((_, found),) = votes_of(machine).new_epochs[1].values()
    base: Node = found.node
    body, step = _body_before(base, seat)
    wrong = table_of(RETURNED).sign(seat, StepInput(1, step, ELSEWHERE, body))
    later = next(m for m in store_of(machine).epoch_inputs(1) if m.seat == seat)
    proof = tuple(sorted((wrong.hash, later.hash)))
    (back,) = {0, 1, 2, 3} - base.present

    return with_promises(RETURNED, 2, _proving(proof), wrong, instead={seat: back})()


def _body_before(base: Node, seat: int) -> tuple[bytes, int]:
    """Return the last body of a seat on the chain to a base, and its step."""
    at = base.before(base.step - 1)
    while at is not None:
        slot = at.slots[seat] if at.slots is not None else Missing.NONE
        if isinstance(slot, bytes):
            return slot, at.step - 1
        at = at.parent
    raise ValueError("the seat has said nothing")


# Fewer than a quorum.


def _two_absent() -> tuple[Transcript, Node]:
    """All lie: two of five are made absent in the deal, three are left of a quorum of four."""
    machine = table_of(FIVE).first.machine
    table = table_of(FIVE).table
    start = machine.tip.before(table.first_step)
    assert start is not None
    said = {m.seat: m for m in store_of(machine).inputs(0, start.step) if m.seat < 3}
    bodies = {seat: m.statement.body for seat, m in said.items()}  # type: ignore[union-attr]
    timeout = StepTimeout(0, start.step, start.digest)
    inputs = tuple(sorted(m.hash for m in said.values()))
    promises = [
        table_of(FIVE).sign(seat, EpochPromise(1, None, inputs, timeout, (), ()))
        for seat in range(4)
    ]
    proposal = table_of(FIVE).sign(1, NewEpoch(1, tuple(m.hash for m in promises)))
    slots = transition.slots_of(start, bodies, Missing.ABSENT)
    counts = (0, 0, 0, 1, 1)
    base = transition.reconfigure(
        transition.append(start, slots), frozenset({0, 1, 2}), frozenset(), counts
    )
    votes = (
        (s, table_of(FIVE).sign(s, CommitVote(1, base.base_digest())).signature) for s in range(4)
    )
    whole = undisturbed(machine, start.step)
    entries = (
        *whole.content.entries,
        StepEntry(slots),
        ReconfigurationEntry((0, 1, 2), (), counts),
    )
    proof = Evidence(
        (*whole.evidence.signatures, tuple((0, said[seat].signature) for seat in range(3))),
        envelopes(*promises),
        ((proposal.payload, proposal.signature),),
        tuple(votes),
    )
    return Transcript(Content(whole.content.header, entries), proof), base


def three_of_five() -> bytes:
    """Two of five seats are absent, as four have signed; the chain stands still."""
    return _two_absent()[0].encode()


def nobody_absent() -> bytes:
    """The same chain before the deal."""
    machine = table_of(FIVE).first.machine
    return undisturbed(machine, table_of(FIVE).table.first_step).encode()


def three_of_five_go_on() -> bytes:
    """Two of five seats are absent, and the others play on."""
    whole, base = _two_absent()
    played = table_of(FIVE)
    said = {}
    for seat in range(3):
        secrets = secrets_of(played.places[seat].machine)
        said[seat] = transition.body_of(base, seat, secrets, stream("three", f"nonce {seat}"))
    inputs = [
        table_of(FIVE).sign(s, StepInput(1, base.step, base.digest, body))
        for s, body in said.items()
    ]
    entries = (*whole.content.entries, StepEntry(transition.slots_of(base, said)))
    rows = (*whole.evidence.signatures, tuple((1, step_input.signature) for step_input in inputs))
    more = Transcript(Content(whole.content.header, entries), whole.evidence)
    return with_evidence(more, signatures=rows).encode()


def input_where_nothing_grows() -> bytes:
    """A proof names an input on a base at which fewer than a quorum are present. It is no fault."""
    whole, base = _two_absent()
    (first,) = parsed(table_of(FIVE), whole.evidence.new_epochs)
    digest = base.base_digest()
    votes = tuple(whole.evidence.commits)
    step_input = table_of(FIVE).sign(4, StepInput(1, base.step, base.digest, b"\x01"))
    certificate = QuorumCertificate(1, digest, True, votes)
    promises = [
        table_of(FIVE).sign(s, EpochPromise(2, certificate, (), None, (), ((step_input.hash,),)))
        for s in range(4)
    ]
    second = table_of(FIVE).sign(2, NewEpoch(2, tuple(m.hash for m in promises)))
    seals = tuple((s, table_of(FIVE).sign(s, CommitVote(2, digest)).signature) for s in range(4))
    old = parsed(table_of(FIVE), whole.evidence.messages)
    return with_evidence(
        whole,
        messages=envelopes(*old, *promises, step_input),
        new_epochs=tuple((m.payload, m.signature) for m in (first, second)),
        commits=seals,
    ).encode()


def proofs_for_all() -> bytes:
    """Each epoch promise has three proofs at a table of three, one of which bans the absent seat.
    The file goes on as if it did not.
    """
    inputs = [table_of(ABSENT).sign(2, StepInput(0, 9999, ELSEWHERE, bytes([i]))) for i in range(2)]
    requests = [table_of(ABSENT).sign(2, EpochRequest(epoch)) for epoch in range(1, 3)]
    proofs = tuple(sorted([(m.hash,) for m in requests] + [tuple(sorted(m.hash for m in inputs))]))
    return with_promises(ABSENT, 1, _proving(*proofs), *requests, *inputs)()


CRAFTED: dict[str, Broken] = {
    "two-sealed-bases": told(two_committed_bases, "void", one_base_less),
    "three-inputs-of-one-step-in-a-promise": told(
        inputs_thrice, "bad-base", with_promises(ABSENT, 1)
    ),
    "input-that-builds-on-nothing-in-a-promise": told(
        builds_on_nothing, "bad-base", with_promises(ABSENT, 1)
    ),
    "absence-voted-by-the-absent": told(
        voted_by_the_absent, "unjustified-absence", with_promises(ABSENT, 1)
    ),
    "more-proofs-than-seats-in-a-promise": told(many_proofs, "bad-base", with_promises(ABSENT, 1)),
    "inputs-on-two-chains-by-digest": told(
        same_body_elsewhere, "unjustified-reconfiguration", with_promises(RETURNED, 2)
    ),
    "as-many-proofs-as-seats-in-a-promise": told(
        proofs_for_all, "unjustified-reconfiguration", with_promises(ABSENT, 1)
    ),
    "input-where-nothing-may-be-said": told(input_where_nothing_grows, "not-final", three_of_five),
    "three-present-of-a-quorum-of-four": told(three_of_five, "not-final", nobody_absent),
    "three-present-go-on-alone": told(three_of_five_go_on, "left-over", three_of_five),
}
"""Name to file; all seats of these tables may lie."""
