"""The recap: what happened while one was away, the last round in five lines, the octagons ahead.

After the game it has what decided it and the path of each figure instead of the octagons.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from p2p_hoity.presentation.figure_paths import figure_paths
from p2p_hoity.presentation.scene import Scene
from p2p_hoity.rules import Edition, Happening, happenings

from .card_names import Names
from .happening_sentences import BETWEEN, brief_story, story
from .moment_sentences import moments
from .translation import _

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


def recap(scene: Scene, names: Names, in_full: bool = False) -> list[str]:
    """Return the lines of the recap, none before the first round.

    `in_full` tells the last round in whole sentences, a line for each.
    """
    rounds = _rounds(scene.record)
    if scene.view is None or not rounds:
        return []
    lines: list[str] = []
    # A change of epoch may have taken back all that had happened in the absence.
    if scene.away_since is not None and (missed := len(scene.record) - scene.away_since) > 0:
        lines += _missed(names, rounds, missed)
    # The round that is played now has not much to tell yet.
    over = [one for one in rounds if any(isinstance(x, happenings.RoundEnded) for x in one)]
    if over:
        lines += _round(names, over[-1], in_full)
    if scene.is_over:
        return [*lines, *moments(scene, names), *_paths(names, scene.record)]
    return [*lines, _ahead(names.edition, max(scene.view.state.figures))]


def _rounds(record: Iterable[Happening]) -> list[list[Happening]]:
    """Return the events of each round, from its beginning on."""
    found: list[list[Happening]] = []
    for item in record:
        if isinstance(item, happenings.RoundBegan):
            found.append([])
        if found:
            found[-1].append(item)
    return found


def _round(names: Names, items: Sequence[Happening], in_full: bool) -> list[str]:
    """Return a heading and the lines about one round, at most five in brief."""
    lines = [_("Round {round}").format(round=_began(items).round)]
    with _fields_then(names, items):
        for kinds in LINES:
            some = [item for item in items if isinstance(item, kinds)]
            if in_full:
                lines += [f"  {line}" for line in story(names, some)]
            elif told := brief_story(names, some):
                lines.append("  " + BETWEEN.join(told))
    return lines


def _began(items: Iterable[Happening]) -> happenings.RoundBegan:
    return next(item for item in items if isinstance(item, happenings.RoundBegan))


@contextmanager
def _fields_then(names: Names, items: Iterable[Happening]) -> Iterator[None]:
    """Put the fields of the figures when a round began into `names`, for the octagon that paid."""
    now, fields = names.before, dict[int, int]()
    ended = next((item for item in items if isinstance(item, happenings.RoundEnded)), None)
    for item in items:
        if isinstance(item, happenings.FigureMoved):
            fields.setdefault(item.seat, item.start)
    if ended is not None:
        names.before = tuple(fields.get(seat, at) for seat, at in enumerate(ended.figures))
    try:
        yield
    finally:
        names.before = now


def _missed(names: Names, rounds: Sequence[Sequence[Happening]], number: int) -> Iterator[str]:
    """Yield a line for each round of which one missed something: the last `number` events."""
    yield _("While you were away:")
    missed: list[Sequence[Happening]] = []
    for items in reversed(rounds):
        if number > 0:
            missed.insert(0, items)
        number -= len(items)
    for items in missed:
        with _fields_then(names, items):
            moves = brief_story(names, [x for x in items if isinstance(x, happenings.FigureMoved)])
        told = BETWEEN.join(moves) or _("no figure moved")
        yield "  " + _("Round {round}: {what}").format(round=_began(items).round, what=told)


def _paths(names: Names, record: Iterable[Happening]) -> Iterator[str]:
    """Yield a line for each seat with the field of its figure after each round and at the end."""
    text = _("{who}, field after each round and at the end: {fields}")
    for seat, path in enumerate(figure_paths(record)):
        fields = (*path.fields[1:], *(() if path.last is None else (path.last,)))
        yield text.format(who=names.seat(seat), fields=" ".join(map(str, fields)))


def _ahead(edition: Edition, leader: int) -> str:
    """Return the line about the next octagons before the field of the figure that leads."""
    ahead, last = [], edition.octagons[min(leader, len(edition.octagons) - 1)]
    text = _("from field {field} {best}/{second}")
    for field in range(leader + 1, len(edition.octagons)):
        if edition.octagons[field] != last:
            last = edition.octagons[field]
            ahead.append(text.format(field=field, best=last[0], second=last[1]))
    banquet = _("Banquet from field {field}").format(field=len(edition.octagons))
    told = BETWEEN.join([*ahead[:MOST_AHEAD], banquet])
    return _("Octagons ahead of the leader: {octagons}").format(octagons=told)
