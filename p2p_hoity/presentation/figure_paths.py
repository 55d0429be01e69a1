"""The path of each figure over the rounds of a game."""

from __future__ import annotations

from collections.abc import Iterable

from ..rules import Happening, happenings


def figure_paths(record: Iterable[Happening]) -> tuple[tuple[int, ...], ...]:
    """Return for each seat the field of its figure before the first round and after each round.

    If the last exhibits have moved figures, that counts as one more round. The result is empty for
    a game without a beginning.
    """
    rows: list[tuple[int, ...]] = []
    now: list[int] = []
    for item in record:
        match item:
            case happenings.Setup():
                now = [0] * len(item.hands)
                rows = [tuple(now)]
            case happenings.FigureMoved():
                now[item.seat] = item.end
            case happenings.RoundEnded():
                rows.append(item.figures)
    if rows and tuple(now) != rows[-1]:
        rows.append(tuple(now))
    return tuple(zip(*rows, strict=True))
