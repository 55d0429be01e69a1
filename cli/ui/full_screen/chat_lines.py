"""The last messages of the chat, on the lines below the log or the result."""

from __future__ import annotations

from collections.abc import Sequence

from p2p_hoity.presentation.screen_updates import Said

from ...table_view.desk import Desk, recent_talk
from ...table_view.seats import author_of, seat_style
from ...table_view.stage import Stage
from ...words.chat_phrases import MARK, spoken
from .styled_lines import Line, text


def chat_lines(stage: Stage, heard: Sequence[Said], width: int) -> list[Line]:
    """Return a line for each chat message."""
    lines = []
    for one in heard:
        style = "dim" if one.seat is None else seat_style(stage, one.seat)
        line = text(f" {MARK}{author_of(stage, one)}: ", style).add(spoken(one.words), "plain")
        lines.append(line.within(width))
    return lines


def is_unseen(stage: Stage, desk: Desk, body: Sequence[Line]) -> bool:
    """Return whether other players have written in the chat and no line shows their messages."""
    others = any(not one.is_own for one in recent_talk(stage, desk))
    return others and not any(line.plain.startswith(f" {MARK}") for line in body)
