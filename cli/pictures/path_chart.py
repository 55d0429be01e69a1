"""The chart of a game: the path of each figure over the rounds, and where the game was decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from p2p_hoity.presentation.deciding_moments import DecidingMoment
from p2p_hoity.presentation.figure_paths import FigurePath
from p2p_hoity.rules import Edition

from ..words.translation import _
from .colours import DIM, GOLD, GOLD_INK, INK, PANEL, RULE, SeatLook
from .svg_drawing import Drawing, Point, cut, text_width

HEIGHT: Final = 430.0
"""The height of the chart with the numbers of the rounds below it."""
BELOW: Final = 34.0
"""The part of it below the fields."""
SCALE: Final = 34.0
"""The room for the numbers of the fields at the left."""
BESIDE_NAME: Final = 84.0
"""The room for what stands at the right, without the names of the seats."""
MOST_OF_NAME, NAME_SIZE = 180.0, 16.0
"""The most room for a name, and the size of its letters."""
LAST: Final = 74.0
"""The width of the column of the last exhibits."""
ROW: Final = 27.0
"""The least distance between two names."""
TICKS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""The distances between numbered rounds or fields, of which the first with enough room is taken."""
TICK_ROOM: Final = 34.0
"""The least room between two numbers."""


@dataclass(frozen=True)
class Chart:
    """The place of a chart in a drawing, and what it shows.

    Attributes:
        corner: The upper left corner, where the last field of the track is.
    """

    corner: Point
    width: float
    edition: Edition
    paths: Sequence[FigurePath]
    looks: Sequence[SeatLook]
    names: Sequence[str]

    @property
    def rounds(self) -> int:
        """The number of rounds that the chart shows, at least one."""
        return max(1, *(path.rounds for path in self.paths))

    @property
    def has_last(self) -> bool:
        """True if the chart shows the last exhibits."""
        return any(path.last is not None for path in self.paths)

    @property
    def left(self) -> float:
        """Where the rounds begin."""
        return self.corner[0] + SCALE

    @property
    def right(self) -> float:
        """Where the names of the seats begin."""
        return self.corner[0] + self.width - BESIDE_NAME - self.name_room

    @property
    def name_room(self) -> float:
        """The room for the names of the seats."""
        return min(MOST_OF_NAME, max(text_width(one, NAME_SIZE, bold=True) for one in self.names))

    @property
    def top(self) -> float:
        """The height of the last field."""
        return self.corner[1]

    @property
    def bottom(self) -> float:
        """The height of field 0."""
        return self.corner[1] + HEIGHT - BELOW

    def x(self, number: int, is_last: bool = False) -> float:
        """Return where the end of a round is, or that of the last exhibits."""
        if is_last:
            return self.right
        room = self.right - self.left - (LAST if self.has_last else 0)
        return self.left + room * number / self.rounds

    def y(self, field: float) -> float:
        """Return the height of a field."""
        share = field / self.edition.last_field
        return self.bottom - (self.bottom - self.top) * share

    def point(self, seat: int, number: int, is_last: bool = False) -> Point:
        """Return where a figure is after a round, or after the last exhibits.

        Figures on one field lie beside each other, so that each line is seen.
        """
        path = self.paths[seat]
        field = path.end if is_last else path.fields[number]
        apart = 2.2 * (seat - (len(self.paths) - 1) / 2)
        return self.x(number, is_last), self.y(field) - apart


def draw_chart(drawing: Drawing, chart: Chart, moments: Sequence[DecidingMoment]) -> None:
    """Draw the chart, with the number of each moment that decided the game."""
    _ground(drawing, chart)
    # The leaders come last, so that their lines lie above the others.
    order = sorted(range(len(chart.paths)), key=lambda seat: (chart.paths[seat].end, -seat))
    for seat in order:
        _path(drawing, chart, seat)
    _names(drawing, chart)
    for place, moment in enumerate(moments, 1):
        x, y = chart.point(moment.step.seat, moment.round, moment.is_last)
        at = (x - 15, y - 19)
        drawing.line([(x, y), at], GOLD_INK)
        numbered(drawing, at, place)


def numbered(drawing: Drawing, centre: Point, place: int) -> None:
    """Draw the number of a moment that decided the game."""
    drawing.circle(centre, 11, GOLD, GOLD_INK)
    drawing.text((centre[0], centre[1] + 5), str(place), 14, GOLD_INK, "middle", bold=True)


def badge(drawing: Drawing, centre: Point, look: SeatLook) -> None:
    """Draw the letter of a seat in its colour."""
    drawing.circle(centre, 11, look.ink)
    drawing.text((centre[0], centre[1] + 5), look.letter, 14, PANEL, "middle", bold=True)


def _ground(drawing: Drawing, chart: Chart) -> None:
    """Draw the ground of the chart: fields, rounds, the Banquet and the last exhibits."""
    left, right, top, bottom = chart.left, chart.right, chart.top, chart.bottom
    banquet = len(chart.edition.octagons)
    drawing.rectangle((left, top), (right - left, bottom - top), PANEL, RULE)
    height = chart.y(banquet - 0.5) - top
    drawing.rectangle((left, top), (right - left, height), GOLD, opacity=0.35)
    last = chart.edition.last_field
    for field in range(0, last + 1, _ticks((bottom - top) / last)):
        y = chart.y(field)
        drawing.line([(left, y), (right, y)], RULE)
        drawing.text((left - 8, y + 5), str(field), 14, DIM, "end")
    words = cut(_("Dinner Banquet"), chart.x(chart.rounds) - left - 20, 14)
    drawing.text((left + 10, top + 20), words, 14, GOLD_INK)
    for at in range(0, chart.rounds + 1, _ticks((chart.x(chart.rounds) - left) / chart.rounds)):
        x = chart.x(at)
        drawing.line([(x, bottom), (x, bottom + 5)], RULE)
        drawing.text((x, bottom + 20), str(at), 14, DIM, "middle")
    if chart.has_last:
        x = chart.x(chart.rounds)
        drawing.rectangle((x, top), (right - x, bottom - top), GOLD, opacity=0.18)
        drawing.line([(x, top), (x, bottom)], RULE)


def _ticks(room: float) -> int:
    """Return how many rounds or fields lie between two numbers, if each has so much room."""
    return next((each for each in TICKS if each * room >= TICK_ROOM), TICKS[-1])


def _path(drawing: Drawing, chart: Chart, seat: int) -> None:
    """Draw the path of a seat's figure. It is faint in rounds in which the seat took no part."""
    path, look = chart.paths[seat], chart.looks[seat]
    for is_missed, points in _parts(chart, seat):
        width, opacity = (1.6, 0.4) if is_missed else (2.8, 1.0)
        drawing.line(points, look.ink, width, look.dashes, opacity)
    for number, (before, after) in enumerate(zip(path.fields, path.fields[1:], strict=False), 1):
        if before != after:
            drawing.circle(chart.point(seat, number), 3.6, look.ink, PANEL)
    if path.banned is not None:
        x, y = chart.point(seat, path.banned)
        for up in (-6, 6):
            drawing.line([(x - 6, y - up), (x + 6, y + up)], look.ink, 3)


def _parts(chart: Chart, seat: int) -> Iterator[tuple[bool, list[Point]]]:
    """Yield the parts of a path with its points, and whether the seat took no part in them."""
    path = chart.paths[seat]
    numbers = range(1, path.rounds + 1)
    for is_missed, part in groupby(numbers, lambda number: number in path.missed):
        rounds = list(part)
        yield is_missed, [chart.point(seat, number) for number in (rounds[0] - 1, *rounds)]
    if path.last is not None:
        yield False, [chart.point(seat, path.rounds), chart.point(seat, path.rounds, is_last=True)]


def _names(drawing: Drawing, chart: Chart) -> None:
    """Draw the name of each seat at the end of its path, and its field."""
    ends = {
        seat: chart.point(seat, path.rounds, path.last is not None)
        for seat, path in enumerate(chart.paths)
    }
    for seat, y in _apart({seat: y for seat, (_x, y) in ends.items()}, chart).items():
        look, x = chart.looks[seat], chart.right + 26
        drawing.line([ends[seat], (chart.right + 4, ends[seat][1]), (x - 10, y)], look.ink)
        badge(drawing, (x, y), look)
        whole = chart.names[seat]
        words = cut(whole, chart.name_room, NAME_SIZE, bold=True)
        drawing.text((x + 20, y + 6), words, NAME_SIZE, INK, bold=True, whole=whole)
        field = str(chart.paths[seat].end)
        drawing.text((chart.corner[0] + chart.width, y + 6), field, NAME_SIZE, INK, "end")


def _apart(wished: dict[int, float], chart: Chart) -> dict[int, float]:
    """Return the heights of the names near the wished ones, with room between them."""
    order = sorted(wished, key=lambda seat: wished[seat])
    found: dict[int, float] = {}
    low = chart.top + 11
    for seat in order:
        found[seat] = low = max(low, wished[seat])
        low += ROW
    high = chart.bottom
    for seat in reversed(order):
        found[seat] = high = min(high, found[seat])
        high -= ROW
    return found
