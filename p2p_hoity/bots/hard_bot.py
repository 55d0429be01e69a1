"""The hard bot: the learned bot's mixtures, changed so that its seats do not wait for each other.

A round in which nothing happens cost nothing in the training. So the learned seats often play
Thieves or Detectives until one of them gives in, for up to dozens of rounds. The hard bot therefore
puts a price on waiting: it raises the probabilities of the cards that bring the game forward, which
are Cash and Exhibit. Each seat draws its choice in secret, so nobody can predict when it gives in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from random import Random
from typing import cast

from ..rules import ActionKind, Choice, Expected, View
from ..rules.choices import Kind
from .learned import Learned, Mixture, shipped
from .rule_bots import kind_of

SHARPNESS = 1.5
"""The power of each probability, so that what is raised are choices that are good as well."""


@dataclass(frozen=True, slots=True)
class Haste:
    """How much likelier the cards become that bring the game forward.

    Attributes:
        raised: By kind of Action what is added to the logarithm of its probability.
        forward: The probability with which only Cash and Exhibit are considered, so that they are
            not left out where the network gives them next to nothing.
    """

    raised: Mapping[ActionKind, float]
    forward: float


E, C, T, D = ActionKind.EXHIBIT, ActionKind.CASH, ActionKind.THIEF, ActionKind.DETECTIVE
FORWARD = {E, C}
HASTES: Mapping[int, Haste] = {
    # Both wait with Thieves, and somewhat less often with Detectives.
    2: Haste({E: 3.0, C: 4.5, T: 0.0, D: -2.25}, 0.2),
    # All wait with Detectives, which a Thief would end as well.
    3: Haste({E: 4.5, C: 2.0, T: 1.0, D: 0.0}, 0.1),
    4: Haste({E: 2.25, C: 1.0, T: 0.5, D: 0.0}, 0.05),
    5: Haste({E: 2.25, C: 1.0, T: 0.5, D: 0.0}, 0.05),
    # Few rounds are idle even without haste, but a game takes long.
    6: Haste({E: 3.25, C: 1.0, T: 0.5, D: 0.0}, 0.05),
}
"""The haste by the number of seats, as small as makes idle rounds few and games short enough."""


def hard_choice(view: View, decision: Expected, rng: Random) -> Choice:
    """Return the choice of the hard bot with the network that comes with the game.

    Raises:
        NothingToChoose: If there is no legal choice.
    """
    return choice_of(shipped(), view, decision, rng)


def choice_of(bot: Learned, view: View, decision: Expected, rng: Random) -> Choice:
    """Return a choice that is drawn from `mixtures_of`."""
    drawn = [mixture.draw(rng) for mixture in mixtures_of(bot, view, decision)]
    return cast("tuple[int, ...]", tuple(drawn)) if kind_of(decision) == "theft" else drawn[0]


def mixtures_of(bot: Learned, view: View, decision: Expected) -> tuple[Mixture, ...]:
    """Return the mixtures of a learned bot (`Learned.mixtures`), with those of Actions in haste.

    Raises:
        NothingToChoose: If the view's seat has no legal choice.
    """
    found, kind = bot.mixtures(view, decision), kind_of(decision)
    if kind not in ("action", "turn"):
        return found
    haste = HASTES[view.state.seats]
    return tuple(hastened(one, _kinds(view, kind, one.choices), haste) for one in found)


def hastened(mixture: Mixture, kinds: Sequence[ActionKind], haste: Haste) -> Mixture:
    """Return a mixture of Actions with the probabilities changed.

    Args:
        kinds: The kind of Action of each candidate.
    """
    pairs = [*zip(mixture.chances, kinds, strict=True)]
    raised = _shares([chance**SHARPNESS * exp(haste.raised[kind]) for chance, kind in pairs])
    # By the root, so that the one card that the network hardly ever plays has its part.
    forward = [chance**0.5 if kind in FORWARD else 0.0 for chance, kind in pairs]
    if not sum(forward):
        return Mixture(mixture.choices, raised)
    both = zip(raised, _shares(forward), strict=True)
    part = haste.forward
    return Mixture(mixture.choices, tuple((1 - part) * one + part * two for one, two in both))


def _shares(weights: Sequence[float]) -> tuple[float, ...]:
    total = sum(weights)
    return tuple(weight / total for weight in weights)


def _kinds(view: View, kind: Kind, choices: Sequence[Choice]) -> list[ActionKind]:
    """Return the kind of Action of each choice of a card, or of a Place and a card."""
    if kind == "action":
        return [view.state.kind(card) for card in cast("Sequence[int]", choices)]
    return [view.state.kind(card) for _, card in cast("Sequence[tuple[int, int]]", choices)]
