"""The open question on the screen: what can be chosen, what it would bring, and what Enter does."""

from __future__ import annotations

from typing import Final

from p2p_hoity.presentation.screen_updates import Attending
from protocol.bounds import Seconds

from ...words.presence_sentences import GONE_FOR_GOOD, THINKING
from ...words.translation import FIRST_SECOND, _, clock
from .colours import Line, broken, cells, cut, fit, text
from .menu import Menu
from .seats_and_pieces import POINTER, name_of
from .stage import Stage

PATIENT: Final[Seconds] = 15.0
"""The time after which the program suggests that a seat without a link has moved, in seconds."""
CALM: Final[Seconds] = 20.0
"""The time before the screen says what happens when a step times out, in seconds.

If an awaited seat has no link, the screen says so at once.
"""


def question(stage: Stage, menu: Menu, width: int, rows: int) -> list[Line]:
    """Return the lines of a question.

    Args:
        stage: What is shown.
        menu: The menu of the question.
        width: The width of the screen, in cells.
        rows: The greatest number of lines.

    Returns:
        The answers from which the person picks. For an exhibit or a theft, lines about the marked
        pieces instead. A last line may say that the last key was wrong, or that the question is
        asked again.
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


def _windowed(lines: list[Line], at: int, rows: int) -> list[Line]:
    """Return at most `rows` of the lines: adjacent lines around the line with index `at`."""
    if len(lines) <= rows:
        return lines
    first = min(max(0, at - rows // 2), len(lines) - rows)
    return lines[first : first + rows]


def _entries(menu: Menu, width: int) -> list[Line]:
    """Return a line for each entry of a menu: its number, its words and its note."""
    longest = max((cells(entry.words) for entry in menu.entries), default=0)
    has_notes = any(entry.note for entry in menu.entries)
    room = min(longest, max(12, width // 2) if has_notes else width - 6)
    digits = len(str(len(menu.entries)))
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
        words = _("← → walk over the exhibits · Space marks the piece your Thief takes")
        hint = broken(" " + words, width - 1, "dim", "   ")
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
    """Return the lines shown while nothing is asked.

    They say whether this seat has sealed its choice, who is awaited, and what happens at the
    timeout.

    Args:
        stage: What is shown.
        width: The width of the screen, in cells.

    Returns:
        The lines.
    """
    lines = []
    if stage.scene.sealed is not None:
        lines.append(text(" " + _("sealed ✓"), "good"))
    now = stage.scene.clock
    if now is not None:
        others = sorted(now.awaited - {stage.scene.seat})
        if others:
            who = ", ".join(name_of(stage, seat) for seat in others)
            words = _("waiting for {who} · {waited}")
            if now.waited < FIRST_SECOND:
                words = _("waiting for {who}")
            lines.append(text(" " + words.format(who=who, waited=clock(now.waited)), "plain"))
            style = "warn" if now.left < now.timeout / 2 else "dim"
            end = _end_of(stage)
            lines += broken(" " + end, width, style, " ") if end else []
            lines += _elsewhere(stage, width) if now.waited >= PATIENT else []
    if stage.scene.is_away:
        words = _("The others go on without you. Enter takes your seat again.")
        if not stage.scene.may_rejoin:
            words = _(GONE_FOR_GOOD)
        lines.insert(0, text(" " + words, "warn", "seal()" if stage.scene.may_rejoin else ""))
    return lines


def _elsewhere(stage: Stage, width: int) -> list[Line]:
    """Return the lines about seats that cannot be found and may have another address now."""
    found = stage.scene.lost_seats
    if not found:
        return []
    words = _("p shows a ticket for those who cannot reach you.")
    if stage.scene.moved is None:
        who = ", ".join(name_of(stage, seat) for seat in found)
        words = _("p says what to do if {who} came back at another address.").format(who=who)
        if stage.scene.is_resumed and stage.scene.is_alone:
            words = _(
                "Nobody can be reached: p says what to do if they moved, or finished without you."
            )
    return broken(" " + words, width, "warn", " ")


def _are_linked(stage: Stage, seats: frozenset[int]) -> bool:
    return all(stage.scene.attendance[seat] is Attending.LINKED for seat in seats)


def _end_of(stage: Stage) -> str:
    """Return the sentence about what happens when the step times out.

    Return an empty text if the screen shows no such sentence now.
    """
    now = stage.scene.clock
    if now is None or (now.waited < CALM and _are_linked(stage, now.awaited)):
        return ""
    if not now.muster.begun:
        text_ = _("In {left} the table ends: the game has not begun.")
    elif now.muster.is_short:
        return _("The game waits for them: it cannot go on with fewer seats.")
    elif not now.muster.goes_on:
        who = ", ".join(name_of(stage, seat) for seat in sorted(now.muster.thinking))
        return _(THINKING).format(who=who)
    elif now.left <= 0:
        text_ = _(
            "Their time is over. The game goes on without them as soon as enough seats agree."
        )
    else:
        text_ = _("In {left} the game goes on without them, if enough agree. w waits longer.")
        if stage.scene.seat is None:
            text_ = _("In {left} the game goes on without them, if enough agree.")
    return text_.format(left=clock(now.left))
