"""The recap: the last round in five lines, what happened while one was away, and octagons ahead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from p2p_hoity.rules import Happening, happenings

from ..words.card_names import Names
from ..words.happening_sentences import BETWEEN, brief_story
from ..words.translation import _
from .stage import Stage

LINES: Final = (
    (happenings.PlaceShown, happenings.SatOut),
    (happenings.ActionShown, happenings.Passed, happenings.Voided),
    (happenings.Sale, happenings.NoSale, happenings.CashStolen, happenings.TurnedUp),
    (happenings.ExhibitShown, happenings.NothingShown, happenings.Stolen, happenings.Imprisoned),
    (happenings.FigureMoved,),
)
"""The kinds of events that share a line of the recap of a round."""
MOST_AHEAD: Final = 4
"""The most octagons ahead that are named."""


def recap(stage: Stage) -> list[str]:
    """Return the lines of the recap, none before the first round."""
    scene, names = stage.scene, stage.names
    if names is None or scene.view is None:
        return []
    rounds = _rounds(scene.record)
    # The round that is played now has not much to tell yet.
    over = [one for one in rounds if any(isinstance(x, happenings.RoundEnded) for x in one)]
    lines: list[str] = []
    if scene.away_since is not None:
        lines += _missed(names, rounds, len(scene.record) - scene.away_since)
    if over:
        lines += _round(names, over[-1])
    return [*lines, *_ahead(stage)]


def _rounds(record: Iterable[Happening]) -> list[list[Happening]]:
    """Return the events of each round, from its beginning on."""
    found: list[list[Happening]] = []
    for item in record:
        if isinstance(item, happenings.RoundBegan):
            found.append([])
        if found:
            found[-1].append(item)
    return found


def _round(names: Names, items: Sequence[Happening]) -> list[str]:
    """Return a heading and at most five lines about one round."""
    began = next(item for item in items if isinstance(item, happenings.RoundBegan))
    lines = [_("Round {round}").format(round=began.round)]
    for kinds in LINES:
        told = brief_story(names, [item for item in items if isinstance(item, kinds)])
        if told:
            lines.append("  " + BETWEEN.join(told))
    return lines


def _missed(names: Names, rounds: Sequence[Sequence[Happening]], number: int) -> Iterator[str]:
    """Yield a line for each round of which one missed something: the last `number` events."""
    yield _("While you were away:")
    missed: list[Sequence[Happening]] = []
    for items in reversed(rounds):
        if number > 0:
            missed.insert(0, items)
        number -= len(items)
    for items in missed:
        began = next(item for item in items if isinstance(item, happenings.RoundBegan))
        moves = brief_story(names, [x for x in items if isinstance(x, happenings.FigureMoved)])
        told = BETWEEN.join(moves) or _("no figure moved")
        yield "  " + _("Round {round}: {what}").format(round=began.round, what=told)


def _ahead(stage: Stage) -> list[str]:
    """Return the line about the next octagons before the figure that leads."""
    view = stage.scene.view
    if view is None:
        return []
    edition, leader = view.state.edition, max(view.state.figures)
    ahead, last = [], edition.octagons[min(leader, len(edition.octagons) - 1)]
    for field in range(leader + 1, len(edition.octagons)):
        if edition.octagons[field] != last:
            last = edition.octagons[field]
            ahead.append(
                _("from field {field} {best}/{second}").format(
                    field=field, best=last[0], second=last[1]
                )
            )
    banquet = _("Banquet from field {field}").format(field=len(edition.octagons))
    told = BETWEEN.join([*ahead[:MOST_AHEAD], banquet])
    return [_("Octagons ahead of the leader: {octagons}").format(octagons=told)]
