"""The score track on the full screen: its fields, the figures on them, and the Dinner Banquet."""

from __future__ import annotations

from p2p_hoity.rules import Edition, View

from ...table_view.seats import seat_style
from ...table_view.stage import Stage
from ...words.choice_notes import leading, octagon_at
from ...words.translation import _
from .seats_and_pieces import marks_of
from .styled_lines import Line, between, text

STEP = 5
"""The number of fields between two numbers above the track."""
SEVERAL = "&"
"""The mark of a field where several figures stand, if there is no room for all of them."""


def track(stage: Stage, width: int, rows: int) -> list[Line]:
    """Return the score track in `rows` lines, none before the game has begun.

    There are at least two lines. A free field shows how far its octagon moves the best exhibit, and
    in a second row, if there is room, the second-best. Several figures on a field are stacked.
    """
    view = stage.scene.view
    if view is None:
        return []
    edition = view.state.edition
    first = len(edition.octagons)
    scale = "".join(
        str(field).ljust(STEP) for field in range(0, first, STEP) if field + STEP <= first
    )
    scale = scale.ljust(first)[:first] + "|" + _("{field} Banquet").format(field=first)
    leader = leading(view)
    best, second = octagon_at(edition, leader)
    said = _("octagon at {field}: +{best} / +{second}")
    if width >= 100:
        said = _("octagon at {field}: best +{best}, second-best +{second}")
    if leader >= first:
        octagon_words = _("the Banquet is reached")
    else:
        octagon_words = said.format(field=leader, best=best, second=second)
    lines = [between(text(" " + scale, "dim"), text(octagon_words + " ", "title"), width)]
    return lines + _figures(stage, view, rows - 1)


def _figures(stage: Stage, view: View, rows: int) -> list[Line]:
    """Return the lines below the scale of the track: figures, and the numbers of free fields."""
    edition = view.state.edition
    marks = marks_of(stage.names.nicknames) if stage.names else ()
    stacks: dict[int, list[int]] = {}
    for seat, place in enumerate(view.state.figures):
        stacks.setdefault(place, []).append(seat)
    # As many rows whatever is stacked, so that nothing below them moves.
    lines = [Line().add(" ") for _row in range(rows)]
    for place in range(edition.last_field + 1):
        if place == len(edition.octagons):
            for line in lines:
                line.add("|", "dim")
        stack = stacks.get(place, [])
        for row, line in enumerate(lines):
            if len(stack) > rows and row == rows - 1:
                line.add(SEVERAL, "bright")
            elif row < len(stack):
                line.add(marks[stack[row]], seat_style(stage, stack[row]))
            else:
                line.add(_ground(edition, place, row), "rule")
    return lines


def _ground(edition: Edition, field: int, row: int) -> str:
    """Return what a row of the track shows at a field without a figure.

    Rows 0 and 1 show the numbers of the octagon, as `+` from 10 on. Row 0 shows the Banquet as `=`.
    """
    if edition.in_banquet(field):
        return "=" if row == 0 else " "
    if row > 1:
        return " "
    brings = edition.octagons[field][row]
    return str(brings) if brings < 10 else "+"
