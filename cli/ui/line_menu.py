"""What needs a second answer: leaving the table, and giving the seat to a bot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..words.presence_sentences import ROUND_LOST
from ..words.translation import _, yes_or_no

LEAVE: Final = frozenset({"1", "leave", "salir", "gehen", "verlassen"})
BOT: Final = frozenset({"2", "bot"})
STAY: Final = frozenset({"3", "stay", "quedarme", "bleiben"})

Act = Callable[[], None]


@dataclass(frozen=True)
class Menu:
    """A question beside the game; `answers` gives what an answer does, None if it is none."""

    lines: tuple[str, ...]
    answers: Callable[[str], Act | None]


def nothing() -> None:
    """What staying does."""


def leaving(has_begun: bool, leave: Act, bot: Act) -> Menu:
    """Whether to leave for now, to let a bot play on, or to stay; before the game there is no seat
    that a bot could have."""
    if not has_begun:
        return Menu(
            (_("Leave the table? No game has begun: your seat would be gone. y leaves, n stays"),),
            lambda line: _yes(line, leave),
        )
    lines = (
        _("Leave the table?"),
        "  1  " + _("leave for now; take your seat again any time"),
        "     " + _(ROUND_LOST),
        "  2  " + _("let a bot play on in your seat"),
        "  3  " + _("stay"),
    )

    def answers(line: str) -> Act | None:
        word = line.strip().lower()
        if word in BOT:
            return bot
        if word in LEAVE:
            return leave
        return nothing if word in STAY else _yes(word, leave)

    return Menu(lines, answers)


def leaving_lesson(leave: Act) -> Menu:
    """Whether to leave the lesson, which costs nothing."""
    text = _("Leave the lesson? Nothing is lost. y leaves, n stays")
    return Menu((text,), lambda line: _yes(line, leave))


def handing_over(bot: Act) -> Menu:
    """Whether the bot gets the seat."""
    text = _("Give your seat to a bot? It plays for you until you take it back. y or n")
    return Menu((text,), lambda line: _yes(line, bot))


def _yes(line: str, act: Act) -> Act | None:
    """The act for a yes, nothing for a no or an empty line."""
    said = yes_or_no(line, silent=False)
    return None if said is None else act if said else nothing
