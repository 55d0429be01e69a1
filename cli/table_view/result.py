"""The result of a game: the standings, and in words how it ended and who plays another one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from p2p_hoity.rules import Piece, Standing, banquet, happenings

from ..words import end_sentences, presence_sentences
from ..words.translation import _
from .seats import name_of, names_of
from .stage import Stage


@dataclass(frozen=True)
class ResultRow:
    """What is shown of a seat after the game.

    Attributes:
        pieces: Its last exhibit, in the order of letters and years. Empty if it has shown none.
        gained: The fields gained by the last exhibit.
    """

    standing: Standing
    name: str
    pieces: tuple[Piece, ...]
    gained: int


def result_rows(stage: Stage) -> list[ResultRow]:
    """Return a row for each seat, in the order of the standings, none before the end."""
    gains, exhibits = {}, {}
    for item in stage.scene.record:
        match item:
            case happenings.FigureMoved(seat, _start, _end, fields, why):
                if why in banquet.FINAL_HONOURS:
                    gains[seat] = fields
            case happenings.FinalExhibit(seat=seat, pieces=pieces):
                ordered = sorted(pieces, key=lambda p: (p.letter or "?", p.year or 0))
                exhibits[seat] = tuple(ordered)
    return [
        ResultRow(one, name_of(stage, one.seat), exhibits.get(one.seat, ()), gains.get(one.seat, 0))
        for one in stage.scene.standings or ()
    ]


def stays(stage: Stage) -> str:
    """Return for whom this seat stays although the result is final, "" if it does not stay."""
    wait, names = stage.scene.unconfirmed, stage.names
    if wait is None or names is None:
        return ""
    return presence_sentences.stays(wait, names, stage.scene.transcript is not None)


def again(stage: Stage, by_bot: bool = False) -> str:
    """Return who plays another game, who does not, who is awaited, "" if nobody was asked yet."""
    answers, table, named = stage.scene.again, stage.scene.table, partial(names_of, stage)
    if answers is None or table is None:
        return ""
    if answers.unwilling:
        return end_sentences.no_other_game(
            answers.unwilling, stage.scene.seat, by_bot, stage.scene.attendance, named
        )
    rest = frozenset(range(table.seats)) - answers.willing
    words = _("Another game with the same people: {who} ✓ · awaited: {rest}")
    return words.format(who=named(answers.willing) or "–", rest=named(rest) or "–")
