"""The path of each figure on the score track over the rounds of a game, from its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..rules import Happening, happenings
from ..rules.banquet import FINAL_HONOURS


@dataclass(frozen=True)
class FigurePath:
    """The path of one seat's figure.

    Attributes:
        fields: The field before the first round, and then after each round that has begun. The last
            one is the field where the figure stands now if that round is not over.
        last: The field after the last exhibits have moved the figures. None before the game's end.
        missed: The numbers of the rounds in which the seat took no part.
        banned: The number of the round, 0 before the first, in which the seat was banned. None if
            it was not.
    """

    fields: tuple[int, ...] = (0,)
    last: int | None = None
    missed: frozenset[int] = frozenset()
    banned: int | None = None

    @property
    def rounds(self) -> int:
        """The number of rounds that have begun."""
        return len(self.fields) - 1

    @property
    def end(self) -> int:
        """The field on which the figure stands in the end."""
        return self.fields[-1] if self.last is None else self.last


def figure_paths(record: Iterable[Happening]) -> tuple[FigurePath, ...]:
    """Return the path of each seat's figure, in the order of the seats.

    Args:
        record: All events of a game so far. There are no paths before its `Setup`.
    """
    paths: list[FigurePath] = []
    for item in record:
        match item:
            case happenings.Setup(colours=colours):
                paths = [FigurePath()] * len(colours)
            case happenings.PresenceChanged(banned=banned):
                for seat in banned:
                    paths[seat] = replace(paths[seat], banned=paths[seat].rounds)
            case happenings.RoundBegan(round=number, seats=seats):
                paths = [_next(path, number, at in seats) for at, path in enumerate(paths)]
            case happenings.FigureMoved(seat, _start, end, _fields, why):
                if why not in FINAL_HONOURS:
                    fields = (*paths[seat].fields[:-1], end)
                    paths[seat] = replace(paths[seat], fields=fields)
            case happenings.StandingMade(seat=seat, field=field):
                paths[seat] = replace(paths[seat], last=field)
    return tuple(paths)


def _next(path: FigurePath, number: int, takes_part: bool) -> FigurePath:
    """Return a path with a further round, in which the figure has not moved yet."""
    missed = path.missed if takes_part else path.missed | {number}
    return replace(path, fields=(*path.fields, path.fields[-1]), missed=missed)
