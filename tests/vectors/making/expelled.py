"""The dock: whole games in which a seat is proven at fault, and the rest play on without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from vectors.making import lying
from vectors.making.lying import inject, opening, owing, patched, twice
from vectors.making.tables import Lie, Plan, VectorRoom, before, come_back, on_say, vanish

from protocol.chain.state import Kind, Node

LAST = 3
Due = Callable[[Node], bool]


@dataclass(frozen=True)
class Expelled:
    """In a sentence what is done, the code and seat of the fault, and how it is played."""

    what: str
    code: str
    seat: int
    plan: Plan
    play: Callable[[Plan], VectorRoom]

    def file(self) -> bytes:
        """The bytes of the transcript."""
        return self.play(self.plan).first.machine.transcript()


def _four(
    code: str,
    what: str,
    play: Callable[[Plan], VectorRoom],
    seat: int = LAST,
    seed: str = "",
) -> Expelled:
    plan = Plan(f"expelled {code}{seed}", "small-4", 4)
    return Expelled(what, code, seat, plan, play)


def _lies(lie: Callable[[], Lie]) -> Callable[[Plan], VectorRoom]:
    return lambda plan: VectorRoom(plan, {LAST: lie()}).play()


def _says(due: Due, forge: lying.Forge) -> Callable[[Plan], VectorRoom]:
    return _lies(lambda: on_say(due, forge))


def _adds(
    due: Due, more: Callable[[VectorRoom], None], seat: int = LAST
) -> Callable[[Plan], VectorRoom]:
    return lambda plan: VectorRoom(plan).at(due, more, seat).play()


def _alone(node: Node) -> bool:
    """Another seat is asked alone."""
    return node.want.kind is Kind.CHOOSE and LAST not in node.want.speakers


def _goes_and_comes(room: VectorRoom, seat: int) -> VectorRoom:
    """The seat goes and comes back, for which the others wait: epochs 1 and 2."""
    room.at(before(Kind.REVEAL, "place"), vanish(seat))
    room.waits = lambda node: seat not in node.present
    return room.at(lambda node: seat not in node.present, come_back(seat))


def _low_lock(plan: Plan) -> VectorRoom:
    """After a return seat 3 halts as if nothing had been sealed since."""
    room = _goes_and_comes(VectorRoom(plan), 2)
    return room.at(_back_again(), inject(LAST, lying.forgetful_halt), LAST).play()


def _malformed(plan: Plan) -> VectorRoom:
    """Seat 5 goes; seat 4's halt of epoch 1 is malformed, which all find as they read it."""
    room = VectorRoom(plan, {4: lying.malform_halts})
    room.at(before(Kind.REVEAL, "place"), vanish(5))
    room.waits = lambda node: 5 not in node.present and 4 in node.present
    return room.at(lambda node: 5 not in node.present, _read_halts).play()


def _read_halts(room: VectorRoom) -> None:
    for place in room.places:
        place.machine.core.votes.halts(1)


def _two_chains(plan: Plan) -> VectorRoom:
    """The others wait until they have found it out: they look when time passes."""
    room, said = VectorRoom(plan), list[bool]()
    room.hasty = {LAST}
    room.waits = lambda node: bool(said) and node.want.kind is Kind.SEAL and not node.banned
    room.at(_alone, lambda _: said.append(True))
    return room.at(_alone, inject(LAST, lying.elsewhere), LAST).play()


def _out_of_turn(plan: Plan) -> VectorRoom:
    room = VectorRoom(plan).at(_alone, inject(LAST, lying.unasked), LAST)

    def only_the_lie(here: VectorRoom) -> None:
        lie = here.queue[-1][2]
        here.drop = lambda source, to, frame: source == LAST and frame != lie

    return room.at(_alone, only_the_lie, LAST).play()


def _back_again() -> Due:
    """Due two steps after seat 2 has returned."""
    at: list[int] = []

    def due(node: Node) -> bool:
        if node.absences[2] == 1 and 2 in node.present and not at:
            at.append(node.step + 2)
        return bool(at) and node.step >= at[0]

    return due


def _escrow_then_gone(forge: lying.Forge) -> Callable[[Plan], VectorRoom]:
    """The liar seals, and is gone before it has to open."""

    def play(plan: Plan) -> VectorRoom:
        due = owing(Kind.SEAL, "action", LAST)
        room = VectorRoom(plan, {LAST: on_say(due, forge)})
        return room.at(opening("action", LAST), vanish(LAST)).play()

    return play


def _helper(plan: Plan) -> VectorRoom:
    """Seat 5 is gone before it opens; seat 4 gives a wrong share of its escrow."""

    def due(node: Node) -> bool:
        return node.want.kind is Kind.REVEAL and 5 not in node.present and 5 in node.want.dues

    room = VectorRoom(plan, {4: on_say(due, lying.escrow_share)})
    return room.at(opening("action", 5), vanish(5)).play()


ACTION = owing(Kind.SEAL, "action", LAST)

EXPELLED: dict[str, Expelled] = {
    "two-commitments-in-one-step": _four(
        "two-statements",
        "Seat 3 signs two commitments to an Action card in one step.",
        _lies(lambda: twice(ACTION, lying.another_seal)),
    ),
    "says-on-two-chains": _four(
        "two-chains",
        "Seat 3 says something on an unknown chain in a step in which another seat is asked "
        "alone, and goes on on the true one.",
        _two_chains,
    ),
    "halt-with-too-low-a-lock": _four(
        "halt-below-lock",
        "Seat 3 speaks in epoch 2 and halts for epoch 3 with no lock.",
        _low_lock,
    ),
    "halt-without-its-own-says": _four(
        "halt-omits-say",
        "Seat 3 signs a halt of epoch 1 that leaves out what it has said in epoch 0.",
        _adds(before(Kind.SEAL, "action"), inject(LAST, lying.forgetful_halt)),
    ),
    "halt-with-patience-of-another-epoch": Expelled(
        "Seat 4 signs a halt of epoch 1 whose patience ran out in another epoch than that of its "
        "lock.",
        "bad-halt",
        4,
        Plan("expelled bad-halt", "small-5", 6),
        _malformed,
    ),
    "close-without-halts": _four(
        "bad-close",
        "Seat 1 signs a close of epoch 1 that names no halt.",
        _adds(before(Kind.SEAL, "action"), inject(1, lying.empty_close), 1),
        seat=1,
    ),
    "say-out-of-turn": _four(
        "not-expected",
        "Seat 3 speaks in a step in which another seat is asked alone, and nothing after it.",
        _out_of_turn,
    ),
    "body-where-none-is-due": _four(
        "bad-body",
        "Seat 3 says another body than the empty pass in `over`.",
        _says(before(Kind.OVER), lying.fixed(b"\x01")),
    ),
    "hold-with-a-body": _four(
        "bad-body",
        "Seat 3 says another body than the empty pass in a `hold`.",
        _says(before(Kind.HOLD), lying.fixed(b"\x01")),
    ),
    "share-outside-the-group": _four(
        "bad-point",
        "Seat 3 adds a point of order eight to a share of a card.",
        _says(before(Kind.OPEN), patched(1, lying.off_group)),
    ),
    "share-not-proven": _four(
        "bad-share",
        "Seat 3 changes the response in the proof of its shares.",
        _says(before(Kind.OPEN), patched(1, lying.plus_one)),
    ),
    "escrow-of-a-card": _four(
        "bad-escrow",
        "Seat 3 puts the first point of a card into the escrow of its choice, to have it opened.",
        _says(ACTION, lying.card_escrow),
    ),
    "escrow-of-another-opening": _four(
        "bad-escrow",
        "Seat 3 seals an opening into its escrow that does not fit its commitment, and is gone "
        "before the reveal; the others open it.",
        _escrow_then_gone(lying.empty_escrow),
    ),
    "escrow-share-not-proven": Expelled(
        "Seat 5 is gone between commitment and reveal; seat 4 changes the response in the proof "
        "of its share of seat 5's escrow.",
        "bad-escrow-share",
        4,
        Plan("expelled escrow share", "small-5", 6),
        _helper,
    ),
    "opening-with-another-nonce": _four(
        "bad-opening",
        "Seat 3 opens its commitment with another nonce.",
        _says(owing(Kind.REVEAL, "action", LAST), lying.other_nonce),
    ),
    "choice-against-the-rules": _four(
        "illegal-choice",
        "Seat 3 seals an Action card that it does not hold, and opens it.",
        _says(ACTION, lying.sealed(47)),
    ),
    "choice-against-the-rules-in-escrow": _four(
        "illegal-choice",
        "Seat 3 seals an Action card that does not exist, and is gone before the reveal; the "
        "others open it.",
        _escrow_then_gone(lying.sealed(99)),
    ),
}
"""Name to game; each ends with verdict `ok`, the fault listed and the seat banned."""
