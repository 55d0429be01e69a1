"""Files with several new-epoch messages: which base counts, which message is needed, what is void.

The rules are those of 10.5 step 1, of what an epoch promise or a proof looks up (10.2, 2), and of
what a file must and must not hold ([V-7]).
"""

from __future__ import annotations

from support.forgeries.transcripts import with_evidence
from vectors.making.judged import Judged, fails, sound
from vectors.making.scripted import Script, before, dealt, two_prepares

from protocol.chain.chain_state import Node
from protocol.wire.signed_messages import (
    CommitVote,
    NewEpoch,
    QuorumCertificate,
    Rejoin,
    StepInput,
)

ELSEWHERE = b"\x05" * 32


# Two bases of epoch 1.


def two_bases(seats: int, quorum: int = 0) -> tuple[Script, Node, Node]:
    """Return a table in epoch 1 with two bases: one before the next step and one behind it."""
    script = dealt(seats, quorum)
    short, told = script.tip, set(script.heard[0])
    signers = range(script.table.quorum)
    script.base_of(script.propose([script.promise(s, inputs=told) for s in signers]))
    script.step()
    script.base_of(script.propose([script.promise(s) for s in signers]))
    long, script.tip, script.epoch = script.tip, short, 1
    return script, short, long


def _both_certified(sealed: bool) -> bytes:
    script, short, long = two_bases(4)
    certificates = [script.certificate(sealed, range(3), base) for base in (short, long, short)]
    named = [
        script.promise(s, 2, certificate=certificate, inputs=())
        for s, certificate in enumerate(certificates)
    ]
    script.propose(named, 2)
    script.epoch = 0
    return script.file()


def void() -> bytes:
    """The epoch promises of epoch 2 hold commit votes of three seats for each of two bases of
    epoch 1: the table is void."""
    return _both_certified(True)


def prepared_by_the_same() -> bytes:
    """The epoch promises of epoch 2 hold prepare votes of three seats for each of two bases of
    epoch 1: all signers contradict themselves, and the new-epoch message is invalid."""
    return _both_certified(False)


def the_longer_one() -> bytes:
    """Seat 0's certificate has prepare votes for the shorter base of epoch 1, seat 2's for the
    longer one, which counts; seat 1 has voted for both."""
    script, short, long = two_bases(3)
    low = script.promise(0, certificate=script.certificate(False, (0, 1), short), inputs=())
    high = script.promise(2, certificate=script.certificate(False, (1, 2), long), inputs=())
    return script.enter(script.propose([low, high])).file()


def the_lower_digest() -> bytes:
    """Two bases of epoch 1 stand before the same step, one of them without seat 2. Seat 0's
    certificate has prepare votes for the one with the higher digest, seat 2's for the other one,
    which counts; seat 1 has voted for both."""
    script = dealt(3)
    plain, other = script.promise(0), script.promise(1)
    accusing = script.promise(0, proofs=[two_prepares(script, 2)])
    messages = [script.propose([one, other]) for one in (plain, accusing)]
    nodes = [script.base_of(message).node for message in messages]
    low, high = sorted(nodes, key=Node.base_digest)
    script.epoch = 1
    first = script.promise(0, certificate=script.certificate(False, (0, 1), high), inputs=())
    last = script.promise(2, certificate=script.certificate(False, (1, 2), low), inputs=())
    return script.enter(script.propose([first, last])).file()


def one_not_needed() -> bytes:
    """All certificates are of the shorter base of epoch 1, and the new-epoch message of the longer
    one is in the file."""
    script, short, _ = two_bases(3)
    certificate = script.certificate(False, (0, 1), short)
    named = [script.promise(seat, 5, certificate=certificate, inputs=()) for seat in (0, 2)]
    return script.enter(script.propose(named, 5)).file()


def void_alone() -> bytes:
    """A proof names seat 1's new-epoch message of epoch 4 alone, whose promises have commit votes
    for two bases of epoch 1: it makes the table void, which proves nothing (10.4).
    """
    script, short, long = two_bases(3)
    ends = ((0, short, (0, 1)), (2, long, (1, 2)))
    later = [
        script.promise(seat, 4, certificate=script.certificate(True, votes, base), inputs=())
        for seat, base, votes in ends
    ]
    alone = script.sign(1, NewEpoch(4, tuple(m.hash for m in later)))
    certificate = script.certificate(True, (0, 2), short)
    named = [
        script.promise(seat, certificate=certificate, inputs=(), proofs=proofs)
        for seat, proofs in ((0, [[alone]]), (2, []))
    ]
    return script.enter(script.propose(named)).file()


# What is looked up.


def certificate_nowhere() -> bytes:
    """A proof names seat 2's epoch promise alone, whose certificate is of a base that no new-epoch
    message of the file has."""
    script = dealt(3)
    votes = tuple((s, script.sign(s, CommitVote(1, ELSEWHERE)).signature) for s in (0, 1))
    certificate = QuorumCertificate(1, ELSEWHERE, True, votes)
    alone = script.promise(2, 3, certificate=certificate, inputs=())
    script.propose([script.promise(0, proofs=[[alone]]), script.promise(1)])
    script.tip = script.start
    return script.step(_inputs_of_the_deal(script)).file()


def _inputs_of_the_deal(script: Script) -> dict[int, bytes]:
    """Return the bodies that the seats gave in the deal."""
    inputs = [m for m in script.store.values() if isinstance(m.statement, StepInput)]
    return {
        m.seat: m.statement.body
        for m in inputs
        if isinstance(m.statement, StepInput) and m.statement.on == script.start.digest
    }


def _needed_by_a_proof() -> Script:
    script = dealt()
    for seat in (0, 1, 2):
        script.give_input(seat, script.body(seat))
    first = script.propose([script.promise(seat, timeout=True) for seat in (0, 1, 2)])
    base, told = script.base_of(first).node, set(script.heard[0])
    script.epoch = 1
    alone = script.promise(3, 9, certificate=script.certificate(base=base), inputs=())
    script.epoch = 0
    accusing = script.promise(0, 5, inputs=told, proofs=[[alone]])
    named = [accusing, *(script.promise(seat, 5, inputs=told) for seat in (1, 2))]
    return script.enter(script.propose(named, 5))


def needed_by_a_proof() -> bytes:
    """Epoch 5 follows from epoch 0; a proof names seat 3's epoch promise alone, whose certificate
    is of the base of epoch 1, so that its new-epoch message is needed."""
    return _needed_by_a_proof().file()


def needed_by_a_proof_dropped() -> bytes:
    """As `more-needed-by-a-proof`, without the new-epoch message of epoch 1."""
    whole = _needed_by_a_proof().whole()
    return with_evidence(whole, new_epochs=whole.evidence.new_epochs[1:]).encode()


def absent_last(seats: int = 3) -> Script:
    """Return a table whose last seat is made absent in the step behind the deal."""
    script = dealt(seats)
    for seat in range(seats - 1):
        script.give_input(seat, script.body(seat))
    return script.change(timeout=True)


def first_new_epoch_dropped() -> bytes:
    """Seat 2 is made absent and comes back. The file lacks the first new-epoch message."""
    script = absent_last().step()
    script.change(rejoins=[script.sign(2, Rejoin(1))]).step()
    whole = script.whole()
    return with_evidence(whole, new_epochs=whole.evidence.new_epochs[1:]).encode()


def new_epoch_between() -> bytes:
    """Epoch 3 follows from epoch 1, and the file holds a new-epoch message of epoch 2 too."""
    script = absent_last().step()
    rejoin = script.sign(2, Rejoin(1))
    named = [script.promise(0, rejoins=[rejoin]), script.promise(1)]
    script.base_of(script.propose(named))
    return script.change(epoch=3).file()


# What a new epoch finds.


def two_chains_before_a_reconfiguration() -> bytes:
    """Seat 2 gives another body to step 10, in epoch 1, on the chain before the reconfiguration
    that stands after step 10: line 2 of 10.4 does not count it, and line 4 finds its fault.
    """
    script = absent_last(4).step().step()
    said = script.sign(2, StepInput(1, 10, before(script, 10).digest, b"\xc0"))
    return script.change((0, 1, 3), {0: {"proofs": [[said]]}}).file()


def _over() -> Script:
    """Return a table whose game is over in epoch 0."""
    return dealt(3).play(lambda node: False)


def result_base_with_fault() -> bytes:
    """The game is over in epoch 0. Epoch 1 finds two prepare votes of seat 2; its base stands
    before `result`, bans nobody and makes the end final."""
    script = _over()
    return script.change(special={0: {"proofs": [two_prepares(script, 2)]}}).file()


def result_base_with_fault_and_final() -> bytes:
    """As `more-result-base-with-fault`, with last inputs, which nothing needs."""
    script = _over()
    last = tuple((seat, script.give_input(seat, heard=False).signature) for seat in range(3))
    script.change(special={0: {"proofs": [two_prepares(script, 2)]}})
    return with_evidence(script.whole(), final=last).encode()


def bad_result_input() -> bytes:
    """The game is over, and seat 2 has given a body that does not decode in `result`."""
    script = _over()
    said = script.give_input(2, b"\xc1", heard=False)
    return script.change(special={0: {"proofs": [[said]]}}).file()


def over_at() -> int:
    """Return the step of `result` in the game of `_over`."""
    return _over().tip.step


BASES: dict[str, Judged] = {
    "certificate-void": fails(void, "void"),
    "certificate-prepare-votes": fails(prepared_by_the_same, "bad-base", None, 2),
    "certificates3-prepare-votes": fails(
        the_longer_one, "not-final", 10, None, (1, 10, "equivocation")
    ),
    "certificates3-prepare-votes-equal-step": fails(
        the_lower_digest, "not-final", 9, None, (2, 9, "equivocation"), (1, 9, "equivocation")
    ),
    "certificates3-one-unneeded-prepare-votes": fails(one_not_needed, "left-over"),
    "void-new-epoch-alone": fails(void_alone, "not-final", 9, None),
    "alone-promise-certificate-nowhere": fails(certificate_nowhere, "missing-evidence"),
    "more-needed-by-a-proof": fails(needed_by_a_proof, "not-final", 10, None),
    "more-needed-by-a-proof-dropped": fails(needed_by_a_proof_dropped, "missing-evidence"),
    "abs3-rejoin-first-new-epoch-dropped": fails(first_new_epoch_dropped, "missing-evidence"),
    "abs3-new-epoch-2-not-needed": fails(new_epoch_between, "left-over"),
    "more-two-chains-before-a-reconfiguration": fails(
        two_chains_before_a_reconfiguration, "not-final", 13, None, (2, 13, "bad-body")
    ),
    "more-result-base-with-fault": sound(result_base_with_fault, (2, over_at, "equivocation")),
    "more-result-base-with-fault-and-final": fails(
        result_base_with_fault_and_final, "left-over", None, None, (2, over_at, "equivocation")
    ),
    "more-result-said-badly": sound(bad_result_input, (2, over_at, "bad-body")),
}
"""Name to file."""
