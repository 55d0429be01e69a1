"""Every game whose transcript is kept, and what happens in it."""

from collections.abc import Callable
from dataclasses import dataclass

from support.forgeries.bodies import another_sealed_choice
from support.forgeries.cheater import twice
from vectors.making.tables import (
    FULL,
    Plan,
    VectorTable,
    before,
    come_back,
    go_and_come,
    opening,
    owing,
    vanish,
)

from protocol.chain.chain_state import Kind

HONEST = "A whole game in which nothing goes wrong."


@dataclass(frozen=True)
class Recipe:
    """A file to be made: in a sentence what happens, and how it is played."""

    what: str
    plan: Plan
    play: Callable[[Plan], VectorTable] = lambda plan: VectorTable(plan).play()

    def file(self) -> bytes:
        """The bytes of the transcript, as the lowest seat that finished writes them."""
        played = self.play(self.plan)
        done = [p.machine for p in played.places if p.machine.finished]
        return (done[0] if done else played.places[0].machine).transcript()


def _absent(plan: Plan) -> VectorTable:
    """The last seat vanishes before it commits to an Action card."""
    return VectorTable(plan).at(before(Kind.SEAL, "action"), vanish(plan.seats - 1)).play()


def _escrow(plan: Plan) -> VectorTable:
    """The last seat vanishes between its commitment to an Action card and its reveal."""
    last = plan.seats - 1
    return VectorTable(plan).at(opening("action", last), vanish(last)).play()


def _returned(plan: Plan) -> VectorTable:
    """The last seat vanishes between its commitment to a Place and its reveal, and comes
    back while the others wait for it."""
    return go_and_come(VectorTable(plan), plan.seats - 1).play()


def _returned_beyond(plan: Plan) -> VectorTable:
    """The last seat is absent, and the terms allow no return. Then the seat before it is absent
    too, and the chain cannot grow, so that both come back."""
    second, last = plan.seats - 2, plan.seats - 1
    played = VectorTable(plan).at(before(Kind.REVEAL, "place"), vanish(last))
    played.at(lambda node: last not in node.present, come_back(last))
    played.at(before(Kind.SEAL, "action"), vanish(second))
    played.at(lambda node: second not in node.present, come_back(second))
    return played.play()


def _two_absent(plan: Plan) -> VectorTable:
    """Seat 5 vanishes before a Place is revealed, seat 4 before an Action card is."""
    played = VectorTable(plan).at(before(Kind.REVEAL, "place"), vanish(5))
    return played.at(opening("action", 4), vanish(4)).play()


def _absent_and_expelled(plan: Plan) -> VectorTable:
    """Seat 5 vanishes before a card is drawn; seat 4 seals two choices in a later step."""
    liars = VectorTable(plan, {4: twice(owing(Kind.SEAL, "", 4, 30), another_sealed_choice)})
    return liars.at(before(Kind.OPEN), vanish(5)).play()


def _unfinished(plan: Plan) -> VectorTable:
    """Everybody is gone once the fourth step of the game is complete."""
    played = VectorTable(plan)
    for seat in range(plan.seats):
        played.at(lambda node: node.step >= plan.seats + 9, vanish(seat))
    return played.play(until=1)


def sentence(maker: Callable[..., object]) -> str:
    """What a maker does, as its docstring says it."""
    return " ".join(str(maker.__doc__).split())


def _full(edition: str) -> dict[str, Recipe]:
    found = {
        f"two-{variant}-{edition}": Recipe(
            HONEST, Plan(f"two {variant} {edition}", edition, 2, variant)
        )
        for variant in ("surprise", "confrontation")
    }
    plays = {"three": _absent, "four": _returned, "six": _absent_and_expelled}
    for name, seats in (("three", 3), ("four", 4), ("six", 6)):
        plan = Plan(f"{name} {edition}", edition, seats)
        recipe = Recipe(HONEST, plan)
        if edition == FULL[1]:
            recipe = Recipe(sentence(plays[name]), plan, plays[name])
        found[f"{name}-{edition}"] = recipe
    return found


def _small() -> dict[str, Recipe]:
    plays = {"absent": _absent, "escrow-opened": _escrow, "returned": _returned}
    found = {
        f"small-four-{name}": Recipe(sentence(play), Plan(f"four {name}", "small-4", 4), play)
        for name, play in plays.items()
    }
    found["small-three"] = Recipe(HONEST, Plan("three", "small-4", 3))
    found["small-four"] = Recipe(HONEST, Plan("four", "small-4", 4))
    found["small-five"] = Recipe(HONEST, Plan("five", "small-5", 5))
    found["small-six"] = Recipe(HONEST, Plan("six", "small-5", 6))
    found["small-three-own-colours"] = Recipe(
        "A whole game with an edition of five colours, some of other names ([G-1], [G-20]).",
        Plan("three own colours", "own-colours", 3),
    )
    found["small-three-strict"] = Recipe(
        "A whole game at a strict table: no backup, no escrow.",
        Plan("three strict", "small-4", 3, quorum=3),
    )
    found["small-three-absent"] = Recipe(
        sentence(_absent), Plan("three absent", "small-4", 3), _absent
    )
    found["small-four-returned-beyond-the-terms"] = Recipe(
        sentence(_returned_beyond),
        Plan("four returned beyond", "small-4", 4, rejoins=0),
        _returned_beyond,
    )
    found["small-six-two-absent"] = Recipe(
        sentence(_two_absent), Plan("six two absent", "small-5", 6), _two_absent
    )
    found["small-three-unfinished"] = Recipe(
        sentence(_unfinished), Plan("three unfinished", "small-4", 3), _unfinished
    )
    return found


TRANSCRIPTS: dict[str, Recipe] = {**_small(), **_full(FULL[0]), **_full(FULL[1])}
