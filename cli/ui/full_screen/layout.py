"""The layout of the full screen: its parts, and which of them shrink first in a small window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p_hoity.presentation.screen_updates import Attending

from ...printing import COLUMNS, ROWS, is_small
from ...table_view.desk import Desk, recent_talk
from ...table_view.headline import headline
from ...table_view.seats import presence
from ...table_view.stage import Stage
from ...words.chat_phrases import MARK
from ...words.translation import N_, _
from . import lobby_and_deal
from .chat_lines import chat_lines, is_unseen
from .ending import ending
from .question_panel import question, waiting
from .score_track import track
from .seats_and_pieces import POINTER, pieces, seats
from .styled_lines import Line, between, broken, cells, joined, paragraphs, text


def header(stage: Stage, desk: Desk, width: int, has_unseen: bool = False) -> Line:
    """Return the first line: game, round and phase, and at its end the state of links and proofs.

    `has_unseen` says that there are chat messages for which the rest of the screen has no room.
    """
    wide = width >= 100
    left = text(" Hoity Toity", "title").add(" · ", "dim") if wide else text(" ")
    if wide and stage.scene.game:
        left.add(stage.scene.game[:4], "dim").add(" · ", "dim")
    left.join(text(headline(stage, desk.autopilot), "bright"))
    right = health(stage, desk)
    if has_unseen:
        words = MARK + _("talk: l") + "  "
        short = cells(words) + left.width + right.width > width
        right = text(MARK if short else words, "title", "page('log')").join(right)
    return between(left, right, width)


def health(stage: Stage, desk: Desk) -> Line:
    """Return the state of links and proofs, in a replay of proofs alone.

    It is empty before anybody's link is known.
    """
    if desk.verdict is not None:
        return text(desk.verdict.words, desk.verdict.tone, "page('proofs')").add(" ")
    seats = len(stage.scene.attendance)
    if not seats:
        return Line()
    linked = sum(presence(stage.scene, seat) is Attending.LINKED for seat in range(seats))
    good = linked == seats
    words = _("{linked}/{seats} linked").format(linked=linked, seats=seats)
    line = text(words, "dim" if good else "warn", "page('links')").add(" · ", "dim")
    if stage.scene.faults:
        return line.add(_("a proof failed ✗"), "bad", "page('proofs')").add(" ")
    return line.add(_("proofs ✓"), "good", "page('proofs')").add(" ")


QUESTION = 4
"""The least number of lines of a question."""


def frame(stage: Stage, desk: Desk, width: int, height: int) -> list[Line]:
    """Return the screen: exactly `height` lines of `width` cells.

    A window that is too small shows only a message, so that nobody answers an unseen question.
    """
    if is_small(width, height):
        return _too_small(width, height)
    head = header(stage, desk, width)
    foot = [keys(stage, desk, width)]
    if desk.answers and not desk.hint and not stage.is_revealing:
        foot = broken(" " + desk.answers, width - 1, "title", " ")
    room = height - 1 - len(foot)
    if stage.scene.is_over and not (stage.scene.is_dealt and stage.is_revealing):
        body = ending(stage, desk, width, room)
    elif stage.scene.is_dealt:
        body = _board(stage, desk, width, room)
        # Drawn again, now that it is known which messages have room.
        head = header(stage, desk, width, is_unseen(stage, desk, body))
    elif stage.scene.table is not None:
        body = [Line(), *lobby_and_deal.deal(stage, width)]
    else:
        body = _cut([Line(), *lobby_and_deal.lobby(stage, width, desk.papers)], room)
    body = body[:room]
    body += [Line()] * (room - len(body))
    return [line.within(width) for line in (head, *body, *foot)]


def _too_small(width: int, height: int) -> list[Line]:
    """Return the lines that say that the terminal's window is too small for the game."""
    words = _(
        "This window has {width} × {height} cells, and the table needs {columns} × {rows}. Make "
        "it larger: until then you cannot answer. The game goes on."
    )
    told = words.format(width=width, height=height, columns=COLUMNS, rows=ROWS)
    lines = broken(told, max(1, width), "warn")[:height]
    lines += [Line()] * (height - len(lines))
    return [line.within(width) for line in lines]


def _cut(lines: list[Line], rows: int) -> list[Line]:
    """Return at most `rows` lines. If some were left out, the last line returned says so."""
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], text(" … " + _("# shows the rest"), "title", "page('numbers')")]


def _board(stage: Stage, desk: Desk, width: int, height: int) -> list[Line]:
    """Return the lines of a game under way, with rules, the log and the chat if there is room."""
    asked = None if stage.is_revealing else desk.menu
    seat_lines, piece_lines = seats(stage, width), pieces(stage, asked, width)
    fixed = len(seat_lines) + len(piece_lines) + 2
    now: list[Line] = []
    if not (desk.is_replay or stage.is_revealing):
        now = _now(stage, desk, width, max(QUESTION, height - fixed - 1))
    ruled = [text("─" * width, "rule")]
    # At first as if the question were short, so that the table stays where it is.
    for lines in (QUESTION, max(QUESTION, len(now))):
        rows, rules = _share(height - fixed - lines - 1)
        body = track(stage, width, rows) + ruled * (rules > 0) + seat_lines + ruled * (rules > 1)
        body += piece_lines + ruled * (rules > 2)
        if len(body) + len(now) <= height:
            break
    if desk.is_replay or stage.is_revealing:
        return body + _reveal(stage, desk, width, height - len(body))
    body += now
    if height - len(body) > 3:
        title = " " + _("Log") + " "
        body.append(text(title.center(width, "─"), "rule"))
    left = max(0, height - len(body))
    happenings = _news(stage, desk, width, left)
    return body + [Line()] * (left - len(happenings)) + happenings


def _share(spare: int) -> tuple[int, int]:
    """Return how many lines the track gets, and how many rules there are between the parts.

    Args:
        spare: The lines that are left over if the track has two and there is no rule.
    """
    rows = 2 if spare < 4 else 3 if spare < 12 else 4
    return rows, max(0, min(3, spare - rows + 2))


def _now(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return at most `rows` lines of the open question or of what stands in its place."""
    if desk.lesson:
        return broken(" » " + desk.lesson, width - 1, "title", "   ")[:rows]
    if desk.menu is not None:
        return question(stage, desk.menu, width, rows)
    lines = waiting(stage, width)
    if desk.autopilot:
        words = _("A bot plays your seat. a takes it back.")
        lines.insert(0, text(" " + words, "warn", "bot()"))
    return lines[:rows]


def _news(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return at most `rows` lines: the end of the log, and below it the chat of unmuted seats."""
    if rows <= 0:
        return []
    heard = recent_talk(stage, desk)
    # A single line shows a chat message only if nothing was told after it.
    if rows == 1 and not (heard and stage.talk[-1] == (heard[-1], stage.told)):
        heard = []
    talk = chat_lines(stage, heard[-max(1, rows // 3) :], width)
    return _told(stage, width, rows - len(talk)) + talk


def _reveal(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return at most `rows` lines of the log, the newest one marked, and the chat below it."""
    head = text(" " + _("REVEALED") + "  ", "title").add(_("Enter hurries"), "dim")
    if desk.is_replay:  # A replay, in which nothing has to be hurried.
        head = text((" " + _("Log") + " ").center(width, "─"), "rule")
    newest = paragraphs(stage.beat, width - 1, "bright", first=POINTER)
    talk = chat_lines(stage, recent_talk(stage, desk)[-max(1, rows // 3) :], width)
    talk = talk[: max(0, rows - 1 - len(newest))]
    older = _told(stage, width, rows - 1 - len(newest) - len(talk))
    lines = [head, *older, *newest][: rows - len(talk)]
    return [*lines, *[Line()] * (rows - len(lines) - len(talk)), *talk]


def _told(stage: Stage, width: int, room: int) -> list[Line]:
    """Return at most `room` lines of the log, without what is revealed now."""
    told: list[Line] = []
    log = list(stage.log)[: len(stage.log) - len(stage.beat)]
    for words in reversed(log):
        lines = broken(" " + words, width - 1, "dim", "   ")
        if len(told) + len(lines) > room:
            break
        told = lines + told
    if not told and log and room > 0:
        told = [text(" " + log[-1], "dim").within(width)]
    return told


def keys(stage: Stage, desk: Desk, width: int) -> Line:
    """Return the screen's last line: what the keys do now, the most needed key first."""
    if desk.hint:
        return text(" " + desk.hint, "title")
    found: Sequence[tuple[str, str, str]] = ()
    if stage.is_revealing:
        found = [(_("Enter"), _("hurries"), "hurry()")]
    elif desk.lesson:
        found = [("Enter", _("goes on"), "seal()")]
    elif desk.menu is not None and desk.menu.is_builder:
        best = [("1–9", _("best"), "choose('pick', 1)")] if desk.menu.kind == "exhibit" else []
        found = [
            ("← →", _("walk"), "choose('walk', 1)"),
            (_("Space"), _("mark"), "choose('toggle')"),
            *best,
            (_("Enter"), _("seal (no undo)"), "seal()"),
        ]
    elif desk.menu is not None:
        found = [
            ("1–9 ↑↓", _("choose"), "choose('move', 1)"),
            (_("Enter"), _("seal (no undo)"), "seal()"),
        ]
    parts = [_key(*one) for one in found]
    common = [(key, _(word) if word else "", action) for key, word, action in COMMON_KEYS]
    if desk.has_hints and desk.menu is not None:
        common.insert(0, ("h", _("hint"), "page('advice')"))
    gap = " · " if width >= 110 else " "
    last = len(common) - 1
    # Words are dropped until the line fits, except that of the last key.
    for known in range(last, -1, -1):
        shown = [
            _key(key, word if number < known or number == last else "", action)
            for number, (key, word, action) in enumerate(common)
        ]
        line = Line().add(" ").join(joined([*parts, joined(shown, gap)], " · "))
        if line.width <= width:
            break
    return line.within(width)


def _key(key: str, word: str, action: str) -> Line:
    """Return a line with a key's name and the word for its effect. A click on it runs `action`."""
    return text(key, "title", action).add(f" {word}" if word else "", "dim", action)


COMMON_KEYS: Final = (
    ("i", N_("pieces"), "page('pieces')"),
    ("l", N_("log"), "page('log')"),
    ("r", N_("rules"), "page('rules')"),
    ("t", N_("talk"), "talk()"),
    ("?", "", "page('help')"),
    ("Esc", N_("menu"), "menu()"),
)
"""The keys that always work: key, word and action of each."""
