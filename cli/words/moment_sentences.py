"""The words for the moments that decided a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from p2p_hoity.presentation.deciding_moments import DecidingMoment, deciding_moments
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.rules import Why
from p2p_hoity.rules.happenings import Sale

from .card_names import Names, code, run_letters
from .translation import _, count, signed


@dataclass(frozen=True)
class MomentWords:
    """The words for one moment.

    Attributes:
        title: When it was.
        told: Sentences about what happened, and what had brought it.
        lead: The winner's lead before and after it.
    """

    title: str
    told: str
    lead: str


def moments(scene: Scene, names: Names) -> list[str]:
    """Return a line for each moment that decided the game, none before the result."""
    found = deciding_moments(names.edition, scene.record, scene.standings or ())
    told = (moment_words(names, moment) for moment in found)
    return [f"{one.title}: {one.told} {one.lead}." for one in told]


def moment_words(names: Names, moment: DecidingMoment) -> MomentWords:
    """Return the words for a moment that decided a game."""
    title = _("The last exhibits")
    if not moment.is_last:
        title = _("Round {round}").format(round=moment.round)
    fields = moment.step.fields
    step = STEPS[moment.step.why](fields).format(
        who=names.nicknames[moment.step.seat],
        letters=run_letters(piece.letter for piece in moment.exhibit),
        fields=fields,
    )
    words = _("Lead: {before} → {after}")
    lead = words.format(before=signed(moment.lead), after=signed(moment.lead_after))
    return MomentWords(title, f"{step} {_cause(names, moment)}".rstrip(), lead)


STEPS: Final[Mapping[Why, Callable[[int], str]]] = {
    Why.BEST: lambda fields: count(
        "{who} shows the best exhibit, {letters}: {fields} field.",
        "{who} shows the best exhibit, {letters}: {fields} fields.",
        fields,
    ),
    Why.SECOND_BEST: lambda fields: count(
        "{who} shows the second-best exhibit, {letters}: {fields} field.",
        "{who} shows the second-best exhibit, {letters}: {fields} fields.",
        fields,
    ),
    Why.DETECTIVE: lambda fields: count(
        "The Detective of {who} catches a Thief: {fields} field.",
        "The Detective of {who} catches a Thief: {fields} fields.",
        fields,
    ),
    Why.BEST_FINAL: lambda fields: count(
        "{who} has the best exhibit of all, {letters}: {fields} field.",
        "{who} has the best exhibit of all, {letters}: {fields} fields.",
        fields,
    ),
    Why.SECOND_BEST_FINAL: lambda fields: count(
        "{who} has the second-best exhibit of all, {letters}: {fields} field.",
        "{who} has the second-best exhibit of all, {letters}: {fields} fields.",
        fields,
    ),
}
"""For the reason of a step the function that returns its sentence, by the number of its fields."""


def _cause(names: Names, moment: DecidingMoment) -> str:
    """Return the sentence about the purchase or theft that has brought a step, "" for none."""
    cause = moment.cause
    if cause is None:
        return ""
    if isinstance(cause, Sale):
        text = _("{piece}, bought in round {round}, made the difference.")
        return text.format(piece=code(cause.took), round=moment.cause_round)
    text = _("{piece}, stolen from {owner} in round {round}, made the difference.")
    if cause.seat != moment.step.seat:
        text = _("{thief} had stolen {piece} from {owner} in round {round}.")
    return text.format(
        thief=names.nicknames[cause.seat],
        piece=code(cause.piece),
        owner=names.nicknames[cause.owner],
        round=moment.cause_round,
    )
