"""The hard bot: the learned bot's mixtures, with the cards that bring the game forward likelier.

The network learned with a price on rounds in which nothing happens, and seldom waits. But games
take long, above all at three and six seats. So the probabilities of the cards that bring the game
forward are raised, most of all that of an Exhibit. Each seat draws its choice in secret, so nobody
can predict when it brings the game forward.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from random import Random
from typing import cast

from ..rules import ActionKind, Choice, Expected, View
from ..rules.choices import Kind
from .learned import Learned, Mixture, shipped
from .rule_bots import kind_of

Haste = Mapping[ActionKind, float]
"""By kind of Action what is added to the logarithm of its probability; 0 where none stands."""

EXHIBIT, CASH, DETECTIVE = ActionKind.EXHIBIT, ActionKind.CASH, ActionKind.DETECTIVE
HASTES: Mapping[int, Haste] = {
    # Both still wait with Thieves now and then.
    2: {EXHIBIT: 1.0, CASH: 1.0},
    # Few rounds are idle even without haste, but a game takes long.
    3: {EXHIBIT: 2.75, DETECTIVE: -1.0},
    4: {},
    5: {EXHIBIT: 1.0},
    6: {EXHIBIT: 2.5},
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
    pairs = zip(mixture.chances, kinds, strict=True)
    weights = [chance * exp(haste.get(kind, 0.0)) for chance, kind in pairs]
    total = sum(weights)
    return Mixture(mixture.choices, tuple(weight / total for weight in weights))


def _kinds(view: View, kind: Kind, choices: Sequence[Choice]) -> list[ActionKind]:
    """Return the kind of Action of each choice of a card, or of a Place and a card."""
    if kind == "action":
        return [view.state.kind(card) for card in cast("Sequence[int]", choices)]
    return [view.state.kind(card) for _, card in cast("Sequence[tuple[int, int]]", choices)]
