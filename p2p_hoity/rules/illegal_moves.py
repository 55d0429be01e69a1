"""Every rule that a choice can break: the codes of the IllegalMoves that the rules raise."""

from __future__ import annotations

from enum import StrEnum

from protocol.game_interface import Field, IllegalMove


class Rule(StrEnum):
    """A rule, its code, and the names of the fields that say how it was broken.

    Fields are numbers: of a `place` and a `window`, of an Action `card`, of a `slot` or `slots`;
    an `action` is what such a card does.
    """

    fields: tuple[str, ...]

    def __new__(cls, code: str, *fields: str) -> Rule:
        rule = str.__new__(cls, code)
        rule._value_ = code
        rule.fields = fields
        return rule

    # The form of a choice.
    NOT_A_PLACE = "not-a-place"
    NOT_AN_ACTION = "not-an-action"
    NOT_A_TURN = "not-a-turn"
    NOT_A_WINDOW = "not-a-window"
    TOO_SMALL = "exhibit-too-small"
    NAMED_TWICE = "named-twice", "slot"
    NOT_RISING = "not-rising"
    # Places and Actions.
    HALL_CLOSED = "hall-closed"
    HALL_WITHOUT_ACTION = "hall-without-action"
    IN_NO_PLACE = "in-no-place"
    NOT_IN_HAND = "not-in-hand", "card"
    NOT_PLAYED_THERE = "not-played-there", "action", "place"
    WITHOUT_EXHIBIT = "without-exhibit"
    # Exhibits, windows and thefts.
    NOT_HELD = "not-held", "slots"
    NOT_SHOWN = "not-shown", "slots"
    NO_RUN = "no-run", "slots"
    WINDOW_EMPTY = "window-empty", "window"
    ONE_OF_EACH = "one-of-each-exhibit"
    NOT_OF_ITS_EXHIBIT = "not-of-its-exhibit", "slots"

    def broken(self, **how: Field) -> IllegalMove:
        """That a choice breaks this rule."""
        return IllegalMove(self.value, **how)
