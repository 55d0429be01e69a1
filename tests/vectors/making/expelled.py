"""Whole games in which a seat is proven at fault and the others play on without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from support.forgeries import bodies as make
from support.forgeries import statements
from support.forgeries.bodies import Forge
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import Due, Lie, on_input, twice
from support.inspection import votes_of
from vectors.making.playing import sentence
from vectors.making.tables import (
    Act,
    Plan,
    VectorTable,
    before,
    go_and_come,
    inject,
    opening,
    owing,
    vanish,
)

from protocol.chain.chain_state import Kind, Node

LAST = 3
ACTION = owing(Kind.SEAL, "action", LAST)
Play = Callable[[Plan], VectorTable]


@dataclass(frozen=True)
class Expelled:
    """In a sentence what is done, the code and seat of the fault, and how it is played."""

    what: str
    code: str
    seat: int
    plan: Plan
    play: Play

    def file(self) -> bytes:
        """The bytes of the transcript."""
        return self.play(self.plan).first.machine.transcript()


def _four(code: str, what: str, play: Play, seat: int = LAST) -> Expelled:
    return Expelled(what, code, seat, Plan(f"expelled {code}", "small-4", 4), play)


def _lies(lie: Callable[[], Lie]) -> Play:
    return lambda plan: VectorTable(plan, {LAST: lie()}).play()


def _sends(name: str, what: str = "") -> Expelled:
    """Seat 3 sends a forged body of the catalogue, described by `what` if it is given."""
    forgery = FORGERIES[name]
    play = _lies(lambda: on_input(forgery.due(LAST), forgery.forge))
    return _four(forgery.code, f"Seat 3 {what or forgery.what}.", play)


def _sends_and_goes(name: str, what: str, forge: Forge) -> Expelled:
    """Seat 3 seals a forged choice, and is gone before it has to open it."""
    lie = lambda: {LAST: on_input(ACTION, forge)}  # noqa: E731
    play = lambda plan: (  # noqa: E731
        VectorTable(plan, lie()).at(opening("action", LAST), vanish(LAST)).play()
    )
    end = ", and is gone before the reveal; the others open it."
    return _four(FORGERIES[name].code, f"Seat 3 {what}{end}", play)


def _both_go(plan: Plan) -> VectorTable:
    """Seat 4 seals an Action card that does not exist, seat 5 an opening into its escrow that does
    not fit its commitment; both are gone before the reveal, and the others open both escrows.
    """
    forged = {4: make.sealed(99), 5: make.empty_escrow}
    lies = {
        seat: on_input(owing(Kind.SEAL, "action", seat), forge) for seat, forge in forged.items()
    }
    played = VectorTable(plan, lies)
    for seat in forged:
        played.at(_both_sealed, vanish(seat), 0)
    return played.play()


def _both_sealed(node: Node) -> bool:
    """Return whether seats 4 and 5 have sealed an Action card, and it stands to be confirmed."""
    due = before(Kind.BARRIER, "action")
    return due(node) and {("action", 4), ("action", 5)} <= set(node.sealed)


def _adds(due: Due, more: Act, seat: int = LAST) -> Play:
    return lambda plan: VectorTable(plan).at(due, more, seat).play()


def _alone(node: Node) -> bool:
    """Another seat is asked alone."""
    return node.want.kind is Kind.CHOOSE and LAST not in node.want.speakers


def _low_certificate(plan: Plan) -> VectorTable:
    """After a return seat 3 promises an epoch as if no base had been committed since."""
    played = go_and_come(VectorTable(plan), 2)
    return played.at(_back_again(), inject(LAST, statements.forgetful_promise), LAST).play()


def _malformed(plan: Plan) -> VectorTable:
    """Seat 5 goes; seat 4's promise of epoch 1 is malformed, which all find as they read it."""
    played = VectorTable(plan, {4: statements.malform_promises})
    played.at(before(Kind.REVEAL, "place"), vanish(5))
    played.waits = lambda node: 5 not in node.present and 4 in node.present
    return played.at(lambda node: 5 not in node.present, _read_promises).play()


def _read_promises(played: VectorTable) -> None:
    for place in played.places:
        votes_of(place.machine).promises(1)


def _two_chains(plan: Plan) -> VectorTable:
    """The others wait until they have found it out: they look when time passes."""
    played, said = VectorTable(plan), list[bool]()
    played.not_waiting = {LAST}
    played.waits = lambda node: bool(said) and node.want.kind is Kind.SEAL and not node.banned
    played.at(_alone, lambda _: said.append(True))
    return played.at(_alone, inject(LAST, statements.elsewhere), LAST).play()


def _out_of_turn(plan: Plan) -> VectorTable:
    played = VectorTable(plan).at(_alone, inject(LAST, statements.unasked), LAST)

    def only_the_lie(here: VectorTable) -> None:
        lie = here.queue[-1][2]
        here.drop = lambda source, to, frame: source == LAST and frame != lie

    return played.at(_alone, only_the_lie, LAST).play()


def _back_again() -> Due:
    """Due two steps after seat 2 has returned."""
    at: list[int] = []

    def due(node: Node) -> bool:
        if node.absences[2] == 1 and 2 in node.present and not at:
            at.append(node.step + 2)
        return bool(at) and node.step >= at[0]

    return due


def _helper(plan: Plan) -> VectorTable:
    """Seat 5 is gone before it opens; seat 4 gives a wrong share of its escrow."""

    def due(node: Node) -> bool:
        return node.want.kind is Kind.REVEAL and 5 not in node.present and 5 in node.want.dues

    played = VectorTable(plan, {4: on_input(due, make.escrow_share)})
    return played.at(opening("action", 5), vanish(5)).play()


EXPELLED: dict[str, Expelled] = {
    "two-commitments-in-one-step": _four(
        "equivocation",
        "Seat 3 signs two commitments to an Action card in one step.",
        _lies(lambda: twice(ACTION, make.another_sealed_choice)),
    ),
    "inputs-on-two-chains": _four(
        "two-chains",
        "Seat 3 gives an input on an unknown chain to a step whose only speaker is "
        "another seat, and goes on on the true chain.",
        _two_chains,
    ),
    "promise-with-too-low-a-certificate": _four(
        "promise-below-certificate",
        "Seat 3 gives an input in epoch 2 and promises epoch 3 without a certificate.",
        _low_certificate,
    ),
    "promise-without-its-own-inputs": _four(
        "promise-omits-input",
        "Seat 3 signs an epoch promise of epoch 1 that leaves out its own inputs of epoch 0.",
        _adds(before(Kind.SEAL, "action"), inject(LAST, statements.forgetful_promise)),
    ),
    "promise-with-step-timeout-of-another-epoch": Expelled(
        "Seat 4 signs an epoch promise of epoch 1 that claims a step timeout of "
        "another epoch than that of its certificate.",
        "bad-promise",
        4,
        Plan("expelled bad-promise", "small-5", 6),
        _malformed,
    ),
    "new-epoch-without-promises": _four(
        "bad-new-epoch",
        "Seat 1 signs a new-epoch message of epoch 1 that names no epoch promise.",
        _adds(before(Kind.SEAL, "action"), inject(1, statements.empty_new_epoch), 1),
        seat=1,
    ),
    "input-out-of-turn": _four(
        "not-expected",
        "Seat 3 gives an input to a step whose only speaker is another seat, and nothing after it.",
        _out_of_turn,
    ),
    "body-where-none-is-due": _sends("body-where-none-is-due"),
    "barrier-with-a-body": _sends("barrier-with-a-body"),
    "share-outside-the-group": _sends("share-outside-the-group"),
    "share-not-proven": _sends("share-not-proven"),
    "escrow-of-a-card": _sends("escrow-of-a-card"),
    "escrow-of-another-opening": _sends_and_goes(
        "escrow-of-another-opening",
        "seals an opening into its escrow that does not fit its commitment",
        make.empty_escrow,
    ),
    "escrow-share-not-proven": Expelled(
        "Seat 5 is gone between commitment and reveal; seat 4 changes the response in the proof "
        "of its share of seat 5's escrow.",
        "bad-escrow-share",
        4,
        Plan("expelled escrow share", "small-5", 6),
        _helper,
    ),
    "escrows-of-two-opened-at-once": Expelled(
        sentence(_both_go),
        "bad-escrow",
        5,
        Plan("expelled both go", "small-5", 6),
        _both_go,
    ),
    "opening-with-another-nonce": _sends(
        "choice-opened-with-another-nonce", "opens its commitment with another nonce"
    ),
    "choice-against-the-rules": _sends("choice-against-the-rules"),
    "choice-against-the-rules-in-escrow": _sends_and_goes(
        "action-card-not-in-hand", "seals an Action card that does not exist", make.sealed(99)
    ),
}
"""Name to game; each ends with verdict `ok`, the fault listed and the seat banned."""
