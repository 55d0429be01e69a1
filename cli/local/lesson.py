"""The lesson at a screen: what the script tells and explains, and what the player is asked."""

from __future__ import annotations

from typing import Protocol

from p2p_hoity.lesson_script import MINE, OPPONENTS, Lesson
from p2p_hoity.presentation.screen_updates import Choosing, Chosen, Happened, Refused, Said, Update
from p2p_hoity.rules import Choice, IllegalMove, Kind
from p2p_hoity.table.player_interface import Player, Talk

from ..words.card_names import Names
from ..words.lesson import FAREWELL, explained
from ..words.translation import _


class Room(Protocol):
    """A screen on which a lesson is told."""

    player: Player

    def begin_lesson(self, names: Names) -> None:
        """Who sits there; no table is told of."""

    def tell(self, update: Update) -> None:
        """Tell one update."""

    async def explain(self, words: str) -> None:
        """Show an explanation, until it may give way to what comes next."""


async def teach(room: Room, nickname: str) -> None:
    """The whole lesson."""
    lesson = Lesson()
    room.begin_lesson(Names(lesson.edition, (nickname, *OPPONENTS), MINE))
    while not lesson.is_over:
        await _step(room, lesson)
    await room.explain(_(FAREWELL))


async def _step(room: Room, lesson: Lesson) -> None:
    kind = lesson.question
    choice = None if kind is None else await _ask(room, lesson, kind)
    for part in lesson.step(choice):
        room.tell(Happened(part.items, lesson.view))
        if part.topic is not None:
            await room.explain(explained(part.topic))


async def _ask(room: Room, lesson: Lesson, kind: Kind) -> Choice:
    """A legal choice; an illegal one is asked again."""
    topic = lesson.before(kind)
    if topic is not None:
        await room.explain(explained(topic))
    while True:
        view = lesson.view
        room.tell(Choosing(view, kind, False))
        choice = await room.player.choose(view, kind, False)
        try:
            view.check(kind, choice)
        except IllegalMove as error:
            room.tell(Refused(kind, error.code, error.fields))
            continue
        room.tell(Chosen(kind, choice))
        return choice


async def hear_talk(room: Room, nickname: str) -> None:
    """What the player says stands there, though nobody answers; there is nothing to wait for."""
    while True:
        wish = await room.player.wish()
        if isinstance(wish, Talk):
            room.tell(Said(MINE, nickname, wish.words, is_own=True))
