"""What the rules forbid, in words: a sentence for every code of an IllegalMove."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from p2p_hoity.rules import ActionKind, Place, Rule
from protocol.game_interface import NOT_OF_FORM, NOTHING_ASKED, Field

from .card_names import KIND_WORDS, place
from .translation import N_, _

SENTENCES: Final[Mapping[str, str]] = {
    NOT_OF_FORM: N_("that is no choice of this kind"),
    NOTHING_ASKED: N_("nothing is asked of this seat now"),
    Rule.NOT_A_PLACE: N_("a Place is a number from 0 to 1"),
    Rule.NOT_AN_ACTION: N_("an Action card is a number from 0 to 47"),
    Rule.NOT_A_TURN: N_("a turn is a Place and an Action card, [place, action]"),
    Rule.NOT_A_WINDOW: N_("a window is a number from 0 to 1"),
    Rule.TOO_SMALL: N_("an exhibit is of three or more Collectibles"),
    Rule.NAMED_TWICE: N_("no Collectible is named twice, and slot {slot} is"),
    Rule.NOT_RISING: N_("the Collectibles of an exhibit are named by rising slot"),
    Rule.HALL_CLOSED: N_("the Auction Hall is open only while a window holds a Collectible"),
    Rule.HALL_WITHOUT_ACTION: N_("the Auction Hall needs an Action card that may be played there"),
    Rule.IN_NO_PLACE: N_("it is in no Place this round"),
    Rule.NOT_IN_HAND: N_("the Action card is not in its hand"),
    Rule.NOT_PLAYED_THERE: N_("{action} may not be played in the {place}"),
    Rule.WITHOUT_EXHIBIT: N_("Exhibit needs a valid exhibit"),
    Rule.NOT_HELD: N_("it holds no Collectible in one of these slots"),
    Rule.NOT_SHOWN: N_("every Collectible of an exhibit is shown"),
    Rule.NO_RUN: N_("the letters of an exhibit form an unbroken run"),
    Rule.WINDOW_EMPTY: N_("that window is empty"),
    Rule.ONE_OF_EACH: N_("a Thief takes one Collectible from every exhibit that still has one"),
    Rule.NOT_OF_ITS_EXHIBIT: N_(
        "the Collectibles are named by rising seat of the exhibitor, each from its exhibit"
    ),
}

_NAMED: Final[Mapping[str, Callable[[Any], str]]] = {
    "action": lambda kind: _(KIND_WORDS[ActionKind(kind)]),
    "place": lambda number: place(Place(number)),
}
"""Fields that are said by name."""


def refusal(code: str, fields: Mapping[str, Field]) -> str:
    """Why a choice is refused, in the language spoken."""
    told = {name: _NAMED.get(name, str)(value) for name, value in fields.items()}
    return _(SENTENCES[code]).format(**told)


def choose_again(code: str, fields: Mapping[str, Field]) -> str:
    """The same, and that one has to choose again."""
    reason = refusal(code, fields)
    return _("The rules forbid that: {reason}. Choose again.").format(reason=reason)
