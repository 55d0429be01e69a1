"""The rules that a choice can break, each with the code that its `IllegalMove` error carries."""

from __future__ import annotations

import re
from enum import StrEnum

from protocol.game_interface import Field, IllegalMove


class Rule(StrEnum):
    """A rule that a choice can break.

    The value is a code for the mistake, such as `not-a-place`.

    Attributes:
        template: What the rule demands, in English, with gaps such as `{slot}` for fields.
        fields: The names of the fields that describe the mistake: `place`, `window`, `card` (the id
            of an Action card), `action` (its kind), `slot` or `slots`.
    """

    template: str
    fields: frozenset[str]

    def __new__(cls, code: str, template: str = "", *fields: str) -> Rule:
        """Make one rule. `fields` are those for which the template has no gap."""
        rule = str.__new__(cls, code)
        rule._value_ = code
        rule.template = template
        rule.fields = frozenset((*re.findall(r"\{(\w+)\}", template), *fields))
        return rule

    # Forms of choices
    NOT_A_PLACE = "not-a-place", "a Place is a number from 0 to 1"
    NOT_AN_ACTION = "not-an-action", "an Action card is a number from 0 to 47"
    NOT_A_TURN = "not-a-turn", "a turn is a Place and an Action card, [place, action]"
    NOT_A_WINDOW = "not-a-window", "a window is a number from 0 to 1"
    TOO_SMALL = "exhibit-too-small", "an exhibit is of three or more Collectibles"
    NAMED_TWICE = (
        "named-twice",
        ("each Collectible may be named once, but slot {slot} is named twice"),
    )
    NOT_RISING = "not-rising", "name the Collectibles of an exhibit by rising slot"
    # Places and Actions
    HALL_CLOSED = "hall-closed", "the Auction Hall is open only while a window holds a Collectible"
    HALL_WITHOUT_ACTION = (
        "hall-without-action",
        "the Auction Hall needs an Action card that may be played there",
    )
    IN_NO_PLACE = "in-no-place", "it is in no Place this round"
    NOT_IN_HAND = "not-in-hand", "the Action card is not in its hand", "card"
    NOT_PLAYED_THERE = "not-played-there", "{action} may not be played in the {place}"
    WITHOUT_EXHIBIT = "without-exhibit", "Exhibit needs a valid exhibit"
    # Exhibits, windows and thefts
    NOT_HELD = "not-held", "it holds no Collectible in one of these slots", "slots"
    NOT_SHOWN = "not-shown", "all Collectibles of an exhibit must be shown", "slots"
    NO_RUN = "no-run", "the letters of an exhibit form an unbroken run", "slots"
    WINDOW_EMPTY = "window-empty", "that window is empty", "window"
    ONE_OF_EACH = (
        "one-of-each-exhibit",
        "a Thief takes one Collectible from every exhibit that still has one",
    )
    NOT_OF_ITS_EXHIBIT = (
        "not-of-its-exhibit",
        "name the Collectibles by rising seat of the exhibitor, each from its exhibit",
        "slots",
    )

    def broken(self, **how: Field) -> IllegalMove:
        """Return the error, for the caller to raise. `how` is what breaks the rule."""
        return IllegalMove(self.value, **how)
