"""Files in which the epoch promises of epoch 1 accuse seat 3, each by other messages (10.4).

Four seats have been dealt their cards. Seats 0 to 2 promise epoch 1 and list all that was said in
epoch 0. What seat 3 signed besides stands in a proof that one of them names. The file ends with the
base of epoch 1, before step 10, and is `not-final` there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from vectors.making.judged import Fault, Judged, fails, sound
from vectors.making.scripted import Script, before, dealt, two_prepares

from protocol.wire import codec
from protocol.wire.signed_messages import (
    CommitVote,
    EpochRequest,
    Message,
    NewEpoch,
    QuorumCertificate,
    StepInput,
    StepTimeout,
)

LIAR, END = 3, 10
NOWHERE = bytes(32)
ELSEWHERE = b"\x07" * 32
Accuse = Callable[[Script], Iterable[Iterable[Message]]]
"""Make the messages of each proof that seat 0's epoch promise names."""


def proof_of(accuse: Accuse, goes_on: bool = False) -> Callable[[], bytes]:
    """Return what makes the file in which seat 0 names proofs; `goes_on`: to the end of the
    game."""

    def file() -> bytes:
        script = dealt()
        script.change(special={0: {"proofs": accuse(script)}})
        return (script.play(lambda node: False) if goes_on else script).file()

    return file


def proves(what: str, code: str, accuse: Accuse) -> Judged:
    """Return a file that ends with the base, which finds this fault of seat 3."""
    fault: Fault = (LIAR, END, code)
    return fails(proof_of(accuse), "not-final", END, None, fault, what=what)


def proves_and_goes_on(what: str, code: str, accuse: Accuse) -> Judged:
    """Return a file in which the others play on to the end."""
    return sound(proof_of(accuse, True), (LIAR, END, code), what=what)


def gives(script: Script, step: int, on: bytes, body: bytes, epoch: int = 0) -> Message:
    """Return an input of seat 3 that only a proof names."""
    return script.sign(LIAR, StepInput(epoch, step, on, body))


def promises(script: Script, seat: int = LIAR, epoch: int = 5, **more: Any) -> Message:
    """Return an epoch promise of seat 3 without a quorum certificate, which lists all it heard."""
    return script.promise(seat, epoch, **more)


# New-epoch messages (10.4 line 5, 10.5).


def _few(script: Script) -> list[list[Message]]:
    return [[script.sign(LIAR, NewEpoch(7, (ELSEWHERE,)))]]


def _same(script: Script) -> list[list[Message]]:
    one = promises(script, 0, 7)
    return [[script.sign(LIAR, NewEpoch(7, (one.hash,) * 3))]]


def _with_a_bad_promise(script: Script) -> list[list[Message]]:
    """Seat 2's promise claims a timeout of epoch 3, and lists nothing."""
    bad = promises(script, 2, 7, inputs=(), timeout=StepTimeout(3, END, NOWHERE))
    named = [promises(script, 0, 7), promises(script, 1, 7), bad]
    return [[script.sign(LIAR, NewEpoch(7, tuple(m.hash for m in named)))]]


# Epoch promises (10.2).


def _request_as_rejoin(script: Script) -> list[list[Message]]:
    request = script.sign(LIAR, EpochRequest(4))
    return [[promises(script, inputs=(), rejoins=[request])]]


def _certificate_not_below(script: Script) -> list[list[Message]]:
    return [[promises(script, inputs=(), certificate=QuorumCertificate(5, NOWHERE, True, ()))]]


def _certificate_of_no_seat(script: Script) -> list[list[Message]]:
    votes = [(s, script.sign(s, CommitVote(4, NOWHERE)).signature) for s in (0, 1)]
    certificate = QuorumCertificate(4, NOWHERE, True, (*votes, (9, bytes(64))))
    return [[promises(script, inputs=(), certificate=certificate)]]


def _input_of_epoch_1(script: Script) -> list[list[Message]]:
    later = script.give_input(2, epoch=1, heard=False)
    return [[promises(script, inputs={*script.heard[0], later.hash})]]


def five_proofs() -> bytes:
    """Seat 0's epoch promise names five proofs at a table of four, so that the new-epoch message is
    invalid before any of them is looked up ([E-20])."""
    script = dealt()
    unknown = [EpochRequest(epoch) for epoch in range(1, 6)]
    proofs = [[dealt().sign(LIAR, request)] for request in unknown]
    named = [script.promise(0, proofs=proofs), script.promise(1), script.promise(2)]
    script.propose(named)
    return script.file()


# Omissions (10.4 line 3).


def _vote(script: Script) -> Message:
    return script.sign(LIAR, CommitVote(3, ELSEWHERE))


def by_two() -> bytes:
    """Seat 1 names seat 3's commit vote, and seat 0 its epoch promise without a certificate, which
    lists nothing. In the contents the input that it omits stands before the vote (10.4, line 3)."""
    script = dealt()
    vote, promise = _vote(script), promises(script, inputs=())
    script.change(special={0: {"proofs": [[promise]]}, 1: {"proofs": [[vote]]}})
    return script.file()


def _all_but_its_own(script: Script) -> list[list[Message]]:
    others = [h for h in script.heard[0] if script.store[h].seat != LIAR]
    return [[promises(script, inputs=others)]]


# Inputs (10.4 lines 2 and 4).


def _of_setup(step: int, body: bytes) -> Accuse:
    return lambda script: [[gives(script, step, before(script, step).digest, body)]]


def _bad_shuffle(script: Script) -> list[list[Message]]:
    step = 7
    deck = 64 * script.table.layout.cards
    body = codec.encode((bytes(deck), bytes(32 * 5 + 128)))
    return [[gives(script, step, before(script, step).digest, body, epoch=9)]]


def _promise_and_input_of_setup(script: Script) -> list[list[Message]]:
    said = gives(script, 1, before(script, 1).digest, b"\xc0")
    return [[promises(script), said]]


def _promise_and_input_between(script: Script) -> list[list[Message]]:
    return [[promises(script), gives(script, 40, NOWHERE, b"\xc0", epoch=2)]]


FAULTY: dict[str, Judged] = {
    "faulty-bad-new-epoch-few": proves(
        "Seat 3's new-epoch message names one epoch promise where the quorum is three.",
        "bad-new-epoch",
        _few,
    ),
    "faulty-bad-new-epoch-same-promise": proves(
        "Seat 3's new-epoch message names one epoch promise three times.", "bad-new-epoch", _same
    ),
    "faulty-bad-new-epoch-seat": proves(
        "Seat 3 signs a new-epoch message of epoch 5, which is seat 1's to propose.",
        "bad-new-epoch",
        lambda script: [[script.sign(LIAR, NewEpoch(5, ()))]],
    ),
    "faulty-new-epoch-bad-promise-in": proves(
        "Seat 3's new-epoch message names an epoch promise of seat 2 that is malformed.",
        "bad-new-epoch",
        _with_a_bad_promise,
    ),
    "faulty-bad-promise-backs": proves(
        "Seat 3's epoch promise lists an epoch request as a rejoin, and omits its input: line 3 "
        "of 10.4 goes before line 5.",
        "promise-omits-input",
        _request_as_rejoin,
    ),
    "faulty-bad-promise-expired-epoch": proves(
        "Seat 3's epoch promise has no certificate, and claims a timeout of epoch 1.",
        "bad-promise",
        lambda script: [[promises(script, timeout=StepTimeout(1, END, NOWHERE))]],
    ),
    "faulty-bad-promise-certificate-not-below": proves(
        "The quorum certificate in seat 3's epoch promise is of the epoch that it promises.",
        "bad-promise",
        _certificate_not_below,
    ),
    "faulty-bad-promise-certificate-seat-9": proves(
        "The quorum certificate in seat 3's epoch promise has a vote of seat 9 at a table of four.",
        "bad-promise",
        _certificate_of_no_seat,
    ),
    "faulty-bad-promise-input-of-epoch-1": proves(
        "Seat 3's epoch promise has no certificate, and lists an input of epoch 1.",
        "bad-promise",
        _input_of_epoch_1,
    ),
    "faulty-five-proofs-in-a-signer": fails(five_proofs, "bad-base", None, 1),
    "faulty-promise-below-certificate": proves_and_goes_on(
        "A proof names seat 3's commit vote of epoch 3 and its later promise of epoch 5 without a "
        "certificate and inputs; the first statement in the order of contents is its input of "
        "step 9, which the promise omits.",
        "promise-omits-input",
        lambda script: [[_vote(script), promises(script, inputs=())]],
    ),
    "faulty-promise-below-certificate-by-two": fails(
        by_two, "not-final", END, None, (LIAR, END, "promise-omits-input")
    ),
    "faulty-promise-below-certificate-lists-all": proves(
        "As `faulty-promise-below-certificate`, but the promise lists all inputs of epoch 0, so "
        "that only the commit vote contradicts it.",
        "promise-below-certificate",
        lambda script: [[_vote(script), promises(script)]],
    ),
    "faulty-promise-lists-but-one": proves(
        "Seat 3's epoch promise lists all inputs of epoch 0 but its own.",
        "promise-omits-input",
        _all_but_its_own,
    ),
    "faulty-promise-omits-input": proves(
        "Seat 3's epoch promise lists no input.",
        "promise-omits-input",
        lambda script: [[promises(script, inputs=())]],
    ),
    "faulty-promise-input-epoch-between": proves(
        "Seat 3 gave an input in epoch 2, on a chain that nobody knows, and promises "
        "epoch 5 without a certificate.",
        "promise-below-certificate",
        _promise_and_input_between,
    ),
    "faulty-promise-inputs-of-setup-only": proves(
        "Seat 3 gave a second body in step 1, which is setup and counts nothing "
        "against its promise, but lies on two chains by line 2 of 10.4.",
        "two-chains",
        _promise_and_input_of_setup,
    ),
    "faulty-illegal-body-other-epoch": proves(
        "Seat 3 gives the empty body in epoch 9 in a step in which it owes a sealed "
        "choice, on the very chain.",
        "bad-body",
        lambda script: [[gives(script, END, script.tip.digest, b"\xc0", epoch=9)]],
    ),
    "faulty-later-input": proves(
        "Seat 3 gives an input to step 11 that names the digest before step 10.",
        "not-expected",
        lambda script: [[gives(script, 11, script.tip.digest, b"\xc0")]],
    ),
    "faulty-wrong-step": proves(
        "As `faulty-later-input`, in epoch 9.",
        "not-expected",
        lambda script: [[gives(script, 11, script.tip.digest, b"\xc0", epoch=9)]],
    ),
    "faulty-wrong-step-setup": proves(
        "Seat 3 gives an input in epoch 9 to step 3 that names the digest before step 10.",
        "not-expected",
        lambda script: [[gives(script, 3, script.tip.digest, b"\xc0", epoch=9)]],
    ),
    "faulty-pair-prepare-votes": proves_and_goes_on(
        "Seat 3 signs prepare votes for two bases of epoch 5.",
        "equivocation",
        lambda script: [two_prepares(script, LIAR)],
    ),
    "faulty-setup-second": proves(
        "Seat 3 gave a second body in `deck.ok` and went on with its first one.",
        "two-chains",
        _of_setup(8, b"\xff"),
    ),
    "faulty-setup-two-chains": proves(
        "Seat 3 gave an input to seat 0's shuffle, in which the chain has no body of it.",
        "two-chains",
        _of_setup(4, b"\xff"),
    ),
    "faulty-setup-two-chains-elsewhere": proves(
        "Seat 3 gave an input to a step of setup on a chain that nobody knows.",
        "two-chains",
        lambda script: [[gives(script, 5, NOWHERE, b"\xff")]],
    ),
    "faulty-shuffle-bad": proves(
        "Seat 3 signs in epoch 9 a second shuffle on the very chain, which holds no proof.",
        "bad-shuffle",
        _bad_shuffle,
    ),
}
"""Name to file."""
