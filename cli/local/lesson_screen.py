"""The lesson on a screen: it shows and explains a scripted game, and asks the player to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from p2p_hoity.lesson_script import MINE, OPPONENTS, Lesson, Topic
from p2p_hoity.presentation.screen_updates import (
    ChoiceRefused,
    ChoiceTaken,
    Choosing,
    Happened,
    Said,
    Update,
)
from p2p_hoity.presentation.window_messages import Part
from p2p_hoity.rules import Choice, IllegalMove, Kind
from p2p_hoity.table.playing.player_interface import Player
from p2p_hoity.table.playing.player_requests import Talk

from ..words.card_names import Names
from ..words.translation import N_, _

FAREWELL: Final = N_(
    "That is all there is in a round. A game goes on until a figure reaches the Banquet: then all"
    " hands are opened, the best exhibit moves 8 fields, the second-best 4, and the furthest figure"
    " wins."
)
EXPLANATIONS: Final = {
    Topic.WELCOME: N_(
        "Welcome! Ada, Bruno and Clara play by a script, you play as you like. No clock runs, and"
        " you may leave at any time."
    ),
    Topic.SECRETS: N_(
        "You were dealt four Collectibles (pieces, for short), curiosities to exhibit. What is"
        " marked * only you see; of the others' you see how many there are, until they are shown."
    ),
    Topic.PLACES: N_(
        "Everyone picks a Place in secret: the Auction Hall to buy, or the Castle to exhibit and to"
        " steal. Then all Place cards are shown together. When nothing is left to buy, all are in"
        " the Castle."
    ),
    Topic.HALL: N_(
        "In the Auction Hall you play Cash to buy, or a Thief. The largest Cash buys; a Thief who"
        " is the only one there takes what was paid."
    ),
    Topic.CASTLE: N_(
        "In the Castle you play Exhibit, a Thief or your Detective, and they act in this order."
        " Thieves steal from exhibits, Detectives jail Thieves."
    ),
    Topic.WINDOWS: N_(
        "Your Cash was the largest: take the open Collectible of either window. One that joins your"
        " letters to a longer run is worth the most to you."
    ),
    Topic.SALE: N_(
        "The largest Cash has bought, and all other Cash goes home to its hand. Behind the"
        " Collectible that was sold the next one of that window is turned up."
    ),
    Topic.ROBBERY: N_(
        "There was exactly one Thief in the Auction Hall, so the Cash just paid is his for good."
        " With two Thieves, or none, nobody gets it."
    ),
    Topic.REGISTER: N_(
        "The Cash just paid lies in the register now. Nobody ever gets it back, so what you pay is"
        " missing at every later sale."
    ),
    Topic.EXHIBITS: N_(
        "An exhibit is three Collectibles or more whose letters form an unbroken run, as in AABC."
        " More Collectibles win; if they are as many, the older oldest one does."
    ),
    Topic.OCTAGON: N_(
        "The octagon where the leading figure stood has paid: its larger number for the best"
        " exhibit, its smaller one for the second-best. A third gets nothing."
    ),
    Topic.THIEVES: N_(
        "Every Thief in the Castle must take one Collectible out of every exhibit, the highest"
        " number first. It is his for good, whatever becomes of him."
    ),
    Topic.DETECTIVE: N_(
        "A Detective who meets a Thief in the Castle moves as many fields as its rank on the track:"
        " the last gains the most, and figures on one field share a rank. Without a Thief it gains"
        " nothing."
    ),
    Topic.PRISON: N_(
        "The Thief goes to prison: into cell 1, and who is there moves up. His owner plays"
        " without him until he is pushed out of the last cell."
    ),
}


POINTS: Final[Mapping[Topic, tuple[Part, ...]]] = {
    Topic.SECRETS: ("own",),
    Topic.PLACES: ("hall", "castle"),
    Topic.HALL: ("hall",),
    Topic.CASTLE: ("castle",),
    Topic.WINDOWS: ("windows", "own"),
    Topic.SALE: ("windows",),
    Topic.ROBBERY: ("register",),
    Topic.REGISTER: ("register",),
    Topic.EXHIBITS: ("own",),
    Topic.OCTAGON: ("track",),
    Topic.THIEVES: ("collections",),
    Topic.DETECTIVE: ("track", "castle"),
    Topic.PRISON: ("prison",),
}
"""The parts of the table that each explanation is about."""


class Room(Player, Protocol):
    """A screen that shows a lesson, and that also is the `Player` who answers its questions."""

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""

    def tell(self, update: Update) -> None:
        """Show one update."""

    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Show an explanation until the player has read it.

        Args:
            points: The parts of the table that it explains, for a screen that can point at them.
        """


async def teach(room: Room, nickname: str) -> None:
    """Play the whole lesson."""
    lesson = Lesson()
    room.begin_lesson(Names(lesson.edition, (nickname, *OPPONENTS), MINE))
    while not lesson.is_over:
        kind = lesson.question
        choice = None if kind is None else await _ask(room, lesson, kind)
        for part in lesson.step(choice):
            room.tell(Happened(part.items, lesson.view))
            if part.topic is not None:
                await _explain(room, part.topic)
    await room.explain(_(FAREWELL))


async def _explain(room: Room, topic: Topic) -> None:
    await room.explain(_(EXPLANATIONS[topic]), POINTS.get(topic, ()))


async def _ask(room: Room, lesson: Lesson, kind: Kind) -> Choice:
    """Ask the player for a choice until the choice is legal, and return it."""
    topic = lesson.before(kind)
    if topic is not None:
        await _explain(room, topic)
    while True:
        view = lesson.view
        room.tell(Choosing(view, kind, False))
        choice = await room.choose(view, kind, False)
        try:
            view.check(kind, choice)
        except IllegalMove as error:
            room.tell(ChoiceRefused(kind, error.code, error.fields))
            continue
        room.tell(ChoiceTaken(kind, choice))
        return choice


async def hear_talk(room: Room, nickname: str) -> None:
    """Show what the player says during a lesson, and ignore other requests. This never returns."""
    while True:
        request = await room.next_request()
        if isinstance(request, Talk):
            room.tell(Said(MINE, nickname, request.words, is_own=True))
