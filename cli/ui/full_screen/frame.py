"""The whole screen as exactly so many lines, whatever the size: what gives way first, and last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...words.lingo import _
from ...words.phrases import spoken
from ...words.quoting import MARK
from ..least_size import COLUMNS, ROWS, is_small
from . import moments
from .ink import Line, broken, joined, text
from .marks import name_of, seat_style
from .menu import Menu
from .pieces import pieces
from .question import question, waiting
from .scene import Scene, Spoken
from .seats import seats
from .top import header, track

QUESTION = 4
"""Lines that a question has at least."""
TALK = 3
"""Lines that talk has at least when the game is over."""
ONLOOKERS = -1
FRESH = 12
"""Lines of the log after which what was said is read on the log's page only."""


@dataclass
class Desk:
    """What only this person's screen knows: the menu, papers before the game, who is muted."""

    menu: Menu | None = None
    papers: tuple[str, ...] = ()
    muted: set[int] = field(default_factory=set)
    """Seats, and `ONLOOKERS` for all who look on: their names are proven to nobody."""
    hint: str = ""
    autopilot: bool = False
    has_hints: bool = False
    answers: str = ""
    told: tuple[str, ...] | None = None
    lesson: str | None = None
    """What is explained now; empty: nothing just now; None: this is no lesson."""


def frame(scene: Scene, desk: Desk, width: int, height: int) -> list[Line]:
    """The screen; a window too small for it says so, since what is not seen is not answered."""
    if is_small(width, height):
        return _too_small(width, height)
    head = header(scene, width, desk.autopilot)
    foot = _foot(scene, desk, width)
    room = height - 1 - len(foot)
    if scene.is_over and not (scene.is_dealt and scene.is_revealing):
        body = _ending(scene, desk, width, room)
    elif scene.is_dealt:
        body = _board(scene, desk, width, room)
        head = header(scene, width, desk.autopilot, _is_unseen(scene, desk, body))
    elif scene.table is not None:
        body = [Line(), *moments.deal(scene, width)]
    else:
        body = _cut([Line(), *moments.lobby(scene, width, desk.papers)], room)
    body = body[:room]
    body += [Line()] * (room - len(body))
    return [line.within(width) for line in (head, *body, *foot)]


def _too_small(width: int, height: int) -> list[Line]:
    words = _(
        "This window has {width} × {height}; the table needs {columns} × {rows}. Make it larger:"
        " nothing is answered before that. The game goes on."
    )
    told = words.format(width=width, height=height, columns=COLUMNS, rows=ROWS)
    lines = broken(told, max(1, width), "warn")[:height]
    lines += [Line()] * (height - len(lines))
    return [line.within(width) for line in lines]


def _cut(lines: list[Line], rows: int) -> list[Line]:
    """So many lines; where there are more, the last one says so."""
    if len(lines) <= rows:
        return lines
    return [*lines[: rows - 1], text(" … " + _("# shows the rest"), "title", "page('numbers')")]


def _ending(scene: Scene, desk: Desk, width: int, rows: int) -> list[Line]:
    """The result and the pieces, and below them who plays again, and what is said now; blank lines
    only where there is room."""
    lines = [Line(), *moments.over(scene, width)]
    if scene.is_dealt:
        lines += [Line(), *pieces(scene, None, width)]
    below = moments.again(scene, width, desk.autopilot)
    if len(lines) + len(below) > rows:
        lines = [line for line in lines if line.plain]
    most = max(TALK, rows - len(lines) - len(below))
    below += _talk(scene, _heard(scene, desk)[-most:], width)
    lines = lines[: rows - len(below)]
    return [*lines, *[Line()] * (rows - len(below) - len(lines)), *below]


def _board(scene: Scene, desk: Desk, width: int, height: int) -> list[Line]:
    """Track, seats, grid, then the question or what is told instead; what is left over goes to
    rules between them, the log and the talk."""
    asked = None if scene.is_revealing else desk.menu
    seat_lines, piece_lines = seats(scene, width), pieces(scene, asked, width)
    fixed = len(seat_lines) + len(piece_lines) + 2
    now = _now(scene, desk, width, max(QUESTION, height - fixed - 1))
    spare = height - fixed - max(QUESTION, len(now)) - 1
    track_lines = track(scene, width, 2 if spare < 4 else 4 if spare < 12 else 7)
    rules = max(0, min(3, spare - len(track_lines) + 2))
    ruled = [text("─" * width, "rule")]
    body = track_lines + ruled * (rules > 0) + seat_lines + ruled * (rules > 1)
    body += piece_lines + ruled * (rules > 2) + now
    if height - len(body) > 3:
        title = " " + _("Log") + " "
        body.append(text(title.center(width, "─"), "rule"))
    left = max(0, height - len(body))
    news = _news(scene, desk, width, left)
    return body + [Line()] * (left - len(news)) + news


def _now(scene: Scene, desk: Desk, width: int, rows: int) -> list[Line]:
    """What stands where the question stands."""
    if desk.told is not None:
        lines = [
            line for words in desk.told for line in broken(" " + words, width - 1, "bright", "   ")
        ]
        return lines[:rows]
    if scene.is_revealing:
        return moments.reveal(scene, width)[:rows]
    if desk.lesson:
        return broken(" » " + desk.lesson, width - 1, "title", "   ")[:rows]
    if desk.menu is not None:
        return question(scene, desk.menu, width, rows)
    lines = waiting(scene, width)
    if desk.autopilot:
        words = _("A bot plays your seat. a takes it back.")
        lines.insert(0, text(" " + words, "warn", "bot()"))
    return lines[:rows]


def _news(scene: Scene, desk: Desk, width: int, rows: int) -> list[Line]:
    """The last lines of the log, and of the talk, at least one of each where there is room."""
    if rows <= 0:
        return []
    heard = _heard(scene, desk)
    if rows == 1 and not (heard and heard[-1].at == scene.told):
        heard = []
    talk = _talk(scene, heard[-max(1, rows // 3) :], width)
    room = rows - len(talk)
    told: list[Line] = []
    log = list(scene.log)[: len(scene.log) - len(scene.beat)]
    for words in reversed(log):
        lines = broken(" " + words, width - 1, "dim", "   ")
        if len(told) + len(lines) > room:
            break
        told = lines + told
    if not told and log and room:
        told = [text(" " + log[-1], "dim").within(width)]
    return told + talk


def _talk(scene: Scene, heard: Sequence[Spoken], width: int) -> list[Line]:
    """A line for each thing that was said."""
    return [_spoken(scene, one).within(width) for one in heard]


def _heard(scene: Scene, desk: Desk) -> list[Spoken]:
    """What was said of late by whom this person wants to hear."""
    return [one for one in scene.talk if not is_muted(desk, one) and _is_fresh(scene, one)]


def _is_unseen(scene: Scene, desk: Desk, body: Sequence[Line]) -> bool:
    """Whether there is talk of others, and no row for it."""
    news = [one for one in _heard(scene, desk) if not one.is_own]
    return bool(news) and not any(line.plain.startswith(f" {MARK}") for line in body)


def is_muted(desk: Desk, one: Spoken) -> bool:
    """Whether this person does not want to hear who said that."""
    return (ONLOOKERS if one.seat is None else one.seat) in desk.muted


def _is_fresh(scene: Scene, one: Spoken) -> bool:
    return scene.told - one.at <= FRESH


def _spoken(scene: Scene, one: Spoken) -> Line:
    style = "dim" if one.seat is None else seat_style(scene, one.seat)
    who = one.who if one.seat is None else name_of(scene, one.seat)
    words = spoken(one.words)
    return text(f" {MARK}{who}: ", style).add(words, "plain")


def _foot(scene: Scene, desk: Desk, width: int) -> list[Line]:
    """A plain question as a whole, or the keys."""
    if desk.answers and not desk.hint and not scene.is_revealing:
        return broken(" " + desk.answers, width - 1, "title", " ")
    return [keys(scene, desk, width)]


def keys(scene: Scene, desk: Desk, width: int) -> Line:
    """What the keys do now, the most needed first."""
    if desk.hint:
        return text(" " + desk.hint, "title")
    found: Sequence[tuple[str, str, str]]
    if scene.is_revealing:
        found = [(_("any key"), _("hurries"), "hurry()")]
    elif desk.lesson:
        found = [("Enter", _("goes on"), "seal()")]
    elif desk.menu is not None and desk.menu.is_builder:
        best = [("1–9", _("best"), "pick(1)")] if desk.menu.kind == "exhibit" else []
        found = [
            ("← →", _("walk"), "walk(1)"),
            (_("Space"), _("mark"), "tick()"),
            *best,
            (_("Enter"), _("seal (no undo)"), "seal()"),
        ]
    elif desk.menu is not None:
        found = [("1–9 ↑↓", _("choose"), "move(1)"), (_("Enter"), _("seal (no undo)"), "seal()")]
    else:
        found = []
    parts = [_key(*one) for one in found]
    common = [*_hint_key(desk), *common_keys()]
    gap = " · " if width >= 110 else " "
    for known in range(len(common) - 1, -1, -1):
        line = Line().add(" ").join(joined([*parts, joined(_shorter(common, known), gap)], " · "))
        if line.width <= width:
            break
    return line.within(width)


def _shorter(common: Sequence[tuple[str, str, str]], known: int) -> list[Line]:
    """The keys that are always there, the first few and the last with their words."""
    last = len(common) - 1
    return [
        _key(key, word if number < known or number == last else "", action)
        for number, (key, word, action) in enumerate(common)
    ]


def _key(key: str, word: str, action: str) -> Line:
    return text(key, "title", action).add(f" {word}" if word else "", "dim", action)


def _hint_key(desk: Desk) -> list[tuple[str, str, str]]:
    """The key of a hint, while there is a question and hints are given."""
    asked = desk.has_hints and desk.menu is not None
    return [("h", _("hint"), "page('advice')")] if asked else []


def common_keys() -> list[tuple[str, str, str]]:
    """Keys that are always there."""
    return [
        ("i", _("pieces"), "page('pieces')"),
        ("l", _("log"), "page('log')"),
        ("r", _("rules"), "page('rules')"),
        ("t", _("talk"), "talk()"),
        ("?", "", "page('help')"),
        ("Esc", _("menu"), "menu()"),
    ]
