"""What every screen of a seat can do, and the one place that knows which one it is.

A further screen is one more file of this folder, and one more line in `seated`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from p2p_hoity.game_port import HoityToity
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.player import Player
from p2p_hoity.session.updates import Update
from protocol import Terms

Leave = Callable[[str], None]


class Screen(Protocol):
    """One seat's screen: it tells what happens, asks what is to be asked, and has the player."""

    player: Player
    """Who decides for the seat."""

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun; empty before."""

    def tell(self, update: Update) -> None:
        """Tell one update."""

    def say(self, words: str) -> None:
        """A remark to a person."""

    def show_ticket(self, ticket: str, terms: Terms, game: HoityToity, nickname: str) -> None:
        """The ticket of the table just opened, and its terms."""

    def show_terms(self, terms: Terms, game: HoityToity, names: tuple[str, ...]) -> None:
        """The terms of a table, before the seat is taken."""

    def agree(self) -> Awaitable[bool]:
        """Whether the terms just shown are accepted."""

    def listens(self, is_asked: bool) -> bool:
        """Whether it needs what is typed; `is_asked`: it may have to be answered."""

    def listen(self) -> Awaitable[None]:
        """Hear what is typed, until the input ends."""

    def end(self, outcome: Outcome) -> None:
        """How the table has ended, after all updates."""


class Watching(Protocol):
    """An onlooker's screen: a person at it may talk."""

    @property
    def player(self) -> Player:
        """What the onlooker says."""

    def tell(self, update: Update) -> None:
        """Tell one update."""

    def say(self, words: str) -> None:
        """A remark to a person."""

    def listen(self) -> Awaitable[None]:
        """Hear what is typed, until the input ends."""

    def end(self, outcome: Outcome) -> None:
        """How the table has ended, after all updates."""


def seated(as_json: bool, auto: bool, leave: Leave, again: bool = False) -> Screen:
    """The screen of a seat; `leave` is called with the reason when its player goes. `again`: a
    program is asked for another game."""
    if as_json:
        from .json_seat import JsonSeat

        return JsonSeat(auto, again)
    from .line_seat import LineSeat

    return LineSeat(auto, leave)


def looking_on(as_json: bool, again: bool) -> Watching:
    """The screen of an onlooker: nothing is ever asked."""
    if as_json:
        from .json_seat import JsonSeat

        return JsonSeat(False, again)
    from .line_seat import LineWatch

    return LineWatch()
