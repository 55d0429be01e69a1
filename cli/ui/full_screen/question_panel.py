"""The open question on the screen: what can be chosen, what it would bring, and what Enter does."""

from __future__ import annotations

from ...table_view.question_menu import Menu
from ...table_view.stage import Stage
from ...table_view.waiting import absence, at_timeout, awaited_others, lost_seats
from ...words.translation import _
from .seats_and_pieces import POINTER
from .styled_lines import Line, broken, cells, cut, fit, text


def question(stage: Stage, menu: Menu, width: int, rows: int) -> list[Line]:
    """Return at most `rows` lines of a question: the answers, or the marked pieces.

    A last line may say that the last key was wrong, or that the question is asked again.
    """
    below = []
    if menu.complaint:
        below = [text(" " + menu.complaint, "bad")]
    elif menu.again:
        words = _("This choice has to be made again, since the step is repeated.")
        below = [text(" " + words, "warn")]
    room = rows - len(below)
    lines = _builder(menu, width, room) if menu.is_builder else _entries(menu, width)
    lines += below
    return _windowed(lines, len(lines) if menu.is_builder else menu.cursor or 0, rows)


WORDS = 17
"""The cells that the words of an answer have at least, for example `Window 1: E 1824…`."""


def _windowed(lines: list[Line], at: int, rows: int) -> list[Line]:
    """Return at most `rows` of the lines: adjacent lines around the line with index `at`."""
    if len(lines) <= rows:
        return lines
    first = min(max(0, at - rows // 2), len(lines) - rows)
    return lines[first : first + rows]


def _entries(menu: Menu, width: int) -> list[Line]:
    """Return a line for each entry of a menu: its number, its words and its note."""
    longest, note = (
        max(map(cells, texts), default=0)
        for texts in ([one.words for one in menu.entries], [one.note for one in menu.entries])
    )
    digits = len(str(len(menu.entries)))
    # The end of the words, such as the name of a piece, gives way to the note.
    room = min(longest, max(WORDS, width - digits - 6 - note))
    lines = []
    for number, entry in enumerate(menu.entries, 1):
        picked = menu.cursor == number - 1
        ground = " on cursor" if picked else ""
        action = f"choose('pick', {number})"
        line = Line().add(f" {POINTER if picked else ' '} ", "title" + ground, action)
        line.add(f"{number:>{digits}} ", "title" + ground, action)
        line.add(fit(entry.words, room), "bright" + ground, action)
        line.add(f"  {entry.note}", "dim" + ground, action)
        lines.append(line.within(width))
    return lines


def _builder(menu: Menu, width: int, rows: int) -> list[Line]:
    """Return the lines about the marked pieces, and if there is room, how to mark pieces."""
    style = "bright" if not menu.why_not() else "dim"
    verdict = broken(" " + menu.verdict, width - 1, style, "   ")
    if menu.kind == "theft":
        words = _("← → walk over the exhibits · Space marks one piece of every exhibit")
        hint = broken(" " + words, width - 1, "dim", "   ")
        promise = broken("   " + menu.promise, width - 1, "title", "   ")
        verdict += promise[: max(0, rows - len(verdict))]
        return [*hint, *verdict] if len(hint) + len(verdict) <= rows else verdict
    words = _("← → walk over your row · Space marks · or one of the best:")
    best = _best(menu, width)
    head = [text(" " + cut(words, width - 1), "dim")] if len(best) == 1 else []
    return [*head, *(line.within(width) for line in best), *verdict]


def _best(menu: Menu, width: int) -> list[Line]:
    """Return lines with the best exhibits, numbered from 1. A line may contain several."""
    lines = [Line()]
    for number, entry in enumerate(menu.entries, 1):
        picked = menu.cursor == number - 1
        ground, action = " on cursor" if picked else "", f"choose('pick', {number})"
        one = text(f" {number} ", "title" + ground, action)
        one.add(entry.words, "bright" + ground, action).add(" ")
        if lines[-1].width + one.width > width:
            lines.append(Line())
        lines[-1].join(one)
    return lines


def waiting(stage: Stage, width: int) -> list[Line]:
    """Return what is shown while nothing is asked: what is sealed, who is awaited, the timeout."""
    scene, lines = stage.scene, []
    if away := absence(scene):
        lines.append(text(" " + away, "warn", "seal()" if scene.may_rejoin else ""))
    if scene.sealed is not None:
        lines.append(text(" " + _("sealed ✓"), "good"))
    if scene.clock is not None and (words := awaited_others(stage)):
        lines.append(text(" " + words, "plain"))
        style = "warn" if scene.clock.left < scene.clock.timeout / 2 else "dim"
        for told, how in ((at_timeout(stage), style), (lost_seats(stage), "warn")):
            lines += broken(" " + told, width, how, " ") if told else []
    return lines
