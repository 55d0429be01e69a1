"""The phases of a game, and a table of what each waits for and to which phases it may lead."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Phase(StrEnum):
    """The phases of a game. If a phase waits for nothing, the next one follows at once."""

    DEAL = "deal"
    ROUND = "round"
    PLACE_SEAL = "place-seal"
    PLACE_OPEN = "place-open"
    TURN_SEAL = "turn-seal"
    TURN_OPEN = "turn-open"
    ALL_SEAL = "all-seal"
    HALL_SEAL = "hall-seal"
    HALL_OPEN = "hall-open"
    WINDOW = "window"
    DRAW = "draw"
    CASTLE = "castle"
    CASTLE_SEAL = "castle-seal"
    CASTLE_OPEN = "castle-open"
    LONE_SHOW = "lone-show"
    EXHIBIT_SEAL = "exhibit-seal"
    EXHIBIT_OPEN = "exhibit-open"
    THEFT = "theft"
    DETECTIVES = "detectives"
    FINAL = "final"
    OVER = "over"


class Transition(NamedTuple):
    """A step between phases that is allowed.

    Attributes:
        waits_for: What the phase `start` waits for, in words.
        when: The condition of the step, in words.
    """

    start: Phase
    waits_for: str
    end: Phase
    when: str


class IllegalTransition(RuntimeError):
    """An error: `TABLE` does not list a change of phase. It shows a bug of this program."""


_P = Phase
TABLE: tuple[Transition, ...] = (
    Transition(_P.DEAL, "Deal", _P.ROUND, "dealt"),
    Transition(_P.ROUND, "a present seat", _P.PLACE_SEAL, "a window holds a Collectible"),
    Transition(_P.ROUND, "a present seat", _P.TURN_SEAL, "Surprise, windows not empty"),
    Transition(_P.ROUND, "a present seat", _P.ALL_SEAL, "windows empty, together"),
    Transition(_P.ROUND, "a present seat", _P.HALL_SEAL, "Confrontation, odd round"),
    Transition(_P.ROUND, "a present seat", _P.CASTLE, "all are in the Castle"),
    Transition(_P.PLACE_SEAL, "Seal place", _P.PLACE_OPEN, "sealed"),
    Transition(_P.PLACE_OPEN, "Unseal place", _P.ALL_SEAL, "Places shown, together"),
    Transition(_P.PLACE_OPEN, "Unseal place", _P.HALL_SEAL, "Places shown, staged"),
    Transition(_P.TURN_SEAL, "Seal turn", _P.TURN_OPEN, "sealed"),
    Transition(_P.TURN_OPEN, "Unseal turn", _P.WINDOW, "Cash was played"),
    Transition(_P.TURN_OPEN, "Unseal turn", _P.CASTLE, "no sale"),
    Transition(_P.ALL_SEAL, "Seal action", _P.HALL_OPEN, "sealed"),
    Transition(_P.HALL_SEAL, "Seal action", _P.HALL_OPEN, "sealed"),
    Transition(_P.HALL_OPEN, "Unseal action", _P.WINDOW, "Cash was played"),
    Transition(_P.HALL_OPEN, "Unseal action", _P.CASTLE, "no sale"),
    Transition(_P.WINDOW, "Choose window", _P.DRAW, "the window holds another"),
    Transition(_P.WINDOW, "Choose window", _P.CASTLE, "the window is empty"),
    Transition(_P.DRAW, "Draw", _P.CASTLE, "turned up"),
    Transition(_P.CASTLE, "nothing", _P.CASTLE_SEAL, "Actions not yet chosen"),
    Transition(_P.CASTLE, "nothing", _P.CASTLE_OPEN, "together"),
    Transition(_P.CASTLE, "nothing", _P.LONE_SHOW, "Surprise, one Exhibit"),
    Transition(_P.CASTLE, "nothing", _P.EXHIBIT_SEAL, "Surprise, two Exhibits"),
    Transition(_P.CASTLE, "nothing", _P.DETECTIVES, "Surprise, no Exhibit"),
    Transition(_P.CASTLE_SEAL, "Seal action", _P.CASTLE_OPEN, "sealed"),
    Transition(_P.CASTLE_OPEN, "Unseal action", _P.LONE_SHOW, "one Exhibit"),
    Transition(_P.CASTLE_OPEN, "Unseal action", _P.EXHIBIT_SEAL, "two or more Exhibits"),
    Transition(_P.CASTLE_OPEN, "Unseal action", _P.DETECTIVES, "no Exhibit"),
    Transition(_P.LONE_SHOW, "Show", _P.THEFT, "a Thief and a Collectible shown"),
    Transition(_P.LONE_SHOW, "Show", _P.DETECTIVES, "nothing to steal"),
    Transition(_P.EXHIBIT_SEAL, "Seal exhibit", _P.EXHIBIT_OPEN, "sealed"),
    Transition(_P.EXHIBIT_OPEN, "Unseal exhibit", _P.THEFT, "a Thief and a Collectible shown"),
    Transition(_P.EXHIBIT_OPEN, "Unseal exhibit", _P.DETECTIVES, "nothing to steal"),
    Transition(_P.THEFT, "Choose theft", _P.THEFT, "the next Thief"),
    Transition(_P.THEFT, "Choose theft", _P.DETECTIVES, "nothing left to steal"),
    Transition(_P.DETECTIVES, "nothing", _P.ROUND, "no figure in the Banquet"),
    Transition(_P.DETECTIVES, "nothing", _P.FINAL, "a figure in the Banquet"),
    Transition(_P.FINAL, "OpenAll", _P.OVER, "hands opened"),
)

_PERMITTED = frozenset((row.start, row.end) for row in TABLE)


def require(start: Phase, end: Phase) -> None:
    """Check that one phase may follow another.

    Raises:
        IllegalTransition: If `TABLE` lists no such step.
    """
    if (start, end) not in _PERMITTED:
        raise IllegalTransition(f"the rules have no step from {start} to {end}")
