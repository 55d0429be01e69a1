"""The score track on the full screen: its fields, the figures on them, and the Dinner Banquet."""

from __future__ import annotations

from p2p_hoity.rules import Edition, View

from ...table_view.stage import Stage
from ...words.choice_notes import leading, octagon_at
from ...words.translation import _
from .colours import Line, between, text
from .seats_and_pieces import marks_of, seat_style

STEP = 5
"""The number of fields between two numbers above the track."""
SEVERAL = "&"
"""The mark of a field where several figures stand, if there is no room for all of them."""


def track(stage: Stage, width: int, rows: int) -> list[Line]:
    """Return the score track: a scale, and below it the figures, stacked if a field has several.

    Each field has an octagon, which says how far the best and the second-best exhibit move. A free
    field shows the first of these two numbers, and in a second row the other if there is room.

    Args:
        width: The width of the screen, in cells.
        rows: The greatest number of lines.

    Returns:
        The lines. They are empty before the game has begun.
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
    tallest = max(len(stack) for stack in stacks.values())
    height = max(tallest, min(2, rows)) if tallest <= rows else 1  # Otherwise `SEVERAL` is shown.
    lines = [Line().add(" ") for _row in range(height)]
    for place in range(edition.last_field + 1):
        if place == len(edition.octagons):
            for line in lines:
                line.add("|", "dim")
        stack = stacks.get(place, [])
        for row, line in enumerate(lines):
            if len(stack) > height:  # There is only one row.
                line.add(SEVERAL, "bright")
            elif row < len(stack):
                line.add(marks[stack[row]], seat_style(stage, stack[row]))
            else:
                line.add(_ground(edition, place, row), "rule")
    return lines


def _ground(edition: Edition, field: int, row: int) -> str:
    """Return the character that a row of the score track shows at a field without a figure.

    Row 0 shows the first number of the field's octagon: how far the best exhibit's figure moves.
    Row 1 shows the second number, for the second-best exhibit. A number from 10 on is shown as `+`.
    Fields of the Banquet show `=` in row 0. All other places are blank.
    """
    if edition.in_banquet(field):
        return "=" if row == 0 else " "
    if row > 1:
        return " "
    brings = edition.octagons[field][row]
    return str(brings) if brings < 10 else "+"
