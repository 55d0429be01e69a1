"""The state that only one person's screen has, such as whom this person has muted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from p2p_hoity.presentation.screen_updates import Said

from .question_menu import Menu
from .seats import Notice
from .stage import Stage

ONLOOKERS: Final = -1
"""The number that stands for all onlookers among the seats that are muted."""
FRESH: Final = 12
"""The number of log lines after which a chat message is shown on the log's page only."""


@dataclass
class Desk:
    """The state that only this person's screen has.

    Attributes:
        papers: The lines that are shown while the table fills.
        numbers: The lines that state the guarantees of the table, such as its quorum.
        muted: The muted seats, and `ONLOOKERS` for all onlookers, whose names are unproven.
        hint: The words that replace the list of keys in the last line. "" to show the keys.
        autopilot: Whether a bot plays the seat.
        answers: The words of the open yes-or-no question. "" if there is none.
        has_replied: Whether a yes-or-no question was answered since the game began.
        is_replay: Whether a recorded game is shown, in which nothing is asked.
        verdict: The verdict on the file of a replay, in few words. None at a table.
        checked: The whole verdict on the file of a replay.
        lesson: The explanation that is shown. "" if there is none just now, None outside a lesson.
    """

    menu: Menu | None = None
    papers: tuple[str, ...] = ()
    numbers: Sequence[str] = ()
    muted: set[int] = field(default_factory=set)
    hint: str = ""
    autopilot: bool = False
    has_hints: bool = False
    answers: str = ""
    has_replied: bool = False
    is_replay: bool = False
    verdict: Notice | None = None
    checked: tuple[str, ...] = ()
    lesson: str | None = None


def recent_talk(stage: Stage, desk: Desk) -> list[Said]:
    """Return the recent chat messages of those who are not muted, oldest first."""
    fresh = [one for one, told in stage.talk if stage.told - told <= FRESH]
    return [one for one in fresh if not is_muted(desk, one)]


def is_muted(desk: Desk, one: Said) -> bool:
    """Return whether this person has muted the author of a chat message."""
    return (ONLOOKERS if one.seat is None else one.seat) in desk.muted
