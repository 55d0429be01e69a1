"""The turning points of a game: the largest steps, the most thefts and arrests, and who cheated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from p2p_hoity.rules import Happening, happenings

from ..words.translation import _
from .seats import name_of, names_of
from .stage import Stage

MOST_STEPS: Final = 3
"""The number of the largest steps that are turning points."""


@dataclass(frozen=True)
class LargeStep:
    """A move of a figure by many fields."""

    seat: int
    fields: int
    round: int


@dataclass(frozen=True)
class Most:
    """The seats to which something happened most often, in their order, and how often to each.

    There are no seats if it happened to none.
    """

    seats: tuple[int, ...]
    number: int


@dataclass(frozen=True)
class TurningPoints:
    """The turning points of a game.

    Attributes:
        steps: The largest steps, the largest one first, and of equal ones the earlier one.
        thefts: The seats with the most thefts from exhibits.
        arrests: The seats whose Thieves went to prison most often.
        cheaters: The seats that are proven to have cheated, in their order.
    """

    steps: tuple[LargeStep, ...]
    thefts: Most
    arrests: Most
    cheaters: tuple[int, ...]


def turning_points(record: Iterable[Happening], faults: Collection[int]) -> TurningPoints:
    """Find the turning points in all events of a game. `faults` are the proven cheaters."""
    number = 0
    steps: list[LargeStep] = []
    thefts: Counter[int] = Counter()
    arrests: Counter[int] = Counter()
    for item in record:
        match item:
            case happenings.RoundBegan(round_number):
                number = round_number
            case happenings.FigureMoved(seat, _start, _end, fields, _why):
                steps.append(LargeStep(seat, fields, number))
            case happenings.Stolen(seat):
                thefts[seat] += 1
            case happenings.Imprisoned(seat):
                arrests[seat] += 1
    steps.sort(key=lambda step: (-step.fields, step.round, -step.seat))
    largest = tuple(steps[:MOST_STEPS])
    return TurningPoints(largest, _most(thefts), _most(arrests), tuple(sorted(faults)))


def _most(counts: Counter[int]) -> Most:
    """Return the seats with the highest of these counts."""
    most = max(counts.values(), default=0)
    return Most(tuple(seat for seat, count in sorted(counts.items()) if count == most), most)


def sentences(stage: Stage) -> list[str]:
    """Return sentences about the turning points of the game that is shown."""
    points = turning_points(stage.scene.record, stage.scene.faults)
    one = _("{who} {fields} (round {round})")
    steps = ", ".join(
        one.format(who=name_of(stage, step.seat), fields=step.fields, round=step.round)
        for step in points.steps
    )
    found = [_("Largest steps: {steps}.").format(steps=steps)] if steps else []
    for most, words in (
        (points.thefts, _("Most thefts: {who}, {number}.")),
        (points.arrests, _("Most often in prison: {who}, {number}.")),
    ):
        if most.seats:
            found.append(words.format(who=names_of(stage, most.seats), number=most.number))
    words = _("Proven to have cheated: {who}.")
    return found + [words.format(who=name_of(stage, seat)) for seat in points.cheaters]
