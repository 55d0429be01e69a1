"""The screen after the end: who has won, the standings, what decided the game, and its path."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

from p2p_hoity.presentation.figure_paths import FigurePath, figure_paths
from p2p_hoity.rules import happenings

from ...table_view.desk import Desk, recent_talk
from ...table_view.result import again, result_rows, stays
from ...table_view.seats import name_of, seat_style
from ...table_view.stage import Stage
from ...words import end_sentences, moment_sentences
from ...words.card_names import run_letters
from ...words.happening_sentences import story
from ...words.translation import _
from .chat_lines import chat_lines
from .seats_and_pieces import pieces
from .styled_lines import Line, broken, cells, fit, paragraphs

BARS: Final = "▁▂▃▄▅▆▇█"
"""The bars of a path, from the lowest field to the highest."""
TALK: Final = 3
"""The least number of lines for chat, if there is any."""


class Part(Enum):
    """The parts of the screen, the most important one first."""

    RESULT = auto()
    PAPERS = auto()
    MOMENTS = auto()
    PIECES = auto()


def ending(stage: Stage, desk: Desk, width: int, rows: int) -> list[Line]:
    """Return exactly `rows` lines: the result, and at the end who plays again and the last chat.

    A part is shown whole or not at all. What there is no room for stands on the pages `i` and `b`.
    """
    below, heard = _below(stage, desk, width), recent_talk(stage, desk)
    room = rows - len(below) - min(TALK, len(heard))
    parts = {
        Part.RESULT: _result(stage, width),
        Part.MOMENTS: _moments(stage, width),
        Part.PAPERS: _papers(stage, width),
        Part.PIECES: pieces(stage, None, width) if stage.scene.is_dealt else [],
    }
    shown: set[Part] = set()
    for part in Part:
        if sum(len(parts[one]) for one in (*shown, part)) <= room or part is Part.RESULT:
            shown.add(part)
    blank = sum(len(parts[one]) for one in shown) + len(shown) <= room
    lines = [line for one in parts if one in shown for line in [*[Line()] * blank, *parts[one]]]
    spare = rows - len(lines) - len(below)
    talk = chat_lines(stage, heard[-spare:] if spare > 0 else [], width)
    gap = [Line()] * (spare - len(talk))
    return [*lines, *gap, *below, *talk]


def _below(stage: Stage, desk: Desk, width: int) -> list[Line]:
    """Return the lines about the games of these people: the tally, and who plays another one."""
    told = [end_sentences.tally(stage.scene), again(stage, desk.autopilot and not desk.has_replied)]
    if not desk.hint:  # With the hint the program stays no more.
        told.append(stays(stage))
    return paragraphs(filter(None, told), width - 1)


def _result(stage: Stage, width: int) -> list[Line]:
    """Return who has won and the standings, or why there is no result and how far it came."""
    scene, names = stage.scene, stage.names
    if scene.ended is not None:
        told = broken(
            " " + end_sentences.ended(scene.ended, names, scene.game), width - 1, "warn", " "
        )
        return [*told, *_standings(stage, width)]
    if not scene.standings or names is None:
        return []
    head = broken(" " + end_sentences.won(scene.standings, names), width - 1, "title", "   ")
    stops = [one for one in scene.record if isinstance(one, happenings.GameStopped)]
    return [*head, *paragraphs(story(names, stops), width - 1, "warn"), *_standings(stage, width)]


def _standings(stage: Stage, width: int) -> list[Line]:
    """Return a line for each seat: rank, field, last exhibit with its fields, and path.

    Without a result they have neither rank nor exhibit. There are none before the deal.
    """
    paths = figure_paths(stage.scene.record)
    if stage.names is None or not stage.scene.is_dealt or not paths:
        return []
    rows = {row.standing.seat: row for row in result_rows(stage)}
    order = list(rows) or sorted(range(len(paths)), key=lambda seat: -paths[seat].end)
    who = min(18, 2 + max(map(cells, (_("SEAT"), *(name_of(stage, seat) for seat in order)))))
    longest = min(24, max(14, *(len(row.pieces) for row in rows.values()), 0)) if rows else 0
    head = Line().add(" ").add(fit(_("RANK") if rows else "", 6) + fit(_("SEAT"), who), "dim")
    head.add(fit(_("FIELD"), 8) + (fit(_("LAST EXHIBIT"), 4 + longest) if rows else ""), "dim")
    lines = [head.add(_("PATH"), "dim")]
    top = max(path.end for path in paths)
    for seat in order:
        row, style = rows.get(seat), seat_style(stage, seat)
        line = Line().add(" ").add(fit("" if row is None else f"  {row.standing.rank}", 6), "title")
        line.add(fit(name_of(stage, seat), who), style).add(fit(str(paths[seat].end), 8), "bright")
        if row is not None:
            line.add(fit(f"+{row.gained} " if row.pieces else "", 3), "title")
            letters = run_letters(piece.letter for piece in row.pieces) or "–"
            line.add(fit(letters, longest) + " ", "bright")
        lines.append(line.add(_path(paths[seat], top, width - line.width - 1), style))
    return lines


def _path(path: FigurePath, top: int, width: int) -> str:
    """Return the path of a figure as bars, at most `width` of them. `top` is the highest field."""
    fields = (*path.fields, path.end)
    number = min(len(fields), width)
    shown = (fields[(at + 1) * len(fields) // number - 1] for at in range(number))
    return "".join(BARS[field * (len(BARS) - 1) // max(1, top)] for field in shown)


def _moments(stage: Stage, width: int) -> list[Line]:
    """Return what decided the game, and who is proven to have cheated."""
    if stage.names is None:
        return []
    told = moment_sentences.moments(stage.scene, stage.names)
    cheats = end_sentences.cheats(stage.scene.faults, stage.names)
    return [
        *paragraphs(told, width - 1, hanging="    "),
        *paragraphs([cheats] if cheats else [], width - 1, "bad"),
    ]


def _papers(stage: Stage, width: int) -> list[Line]:
    """Return where the transcript is, and the commands for it."""
    if stage.scene.transcript is None:
        return []
    is_result = stage.scene.standings is not None
    told = end_sentences.kept_as(stage.scene.transcript, is_result, picture="s")
    return paragraphs(told, width - 1, "dim")
