"""Why something failed or is forbidden, in words."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from p2p_hoity.errors import Reason
from p2p_hoity.rules import ActionKind, Place, Rule
from protocol import FAULTS, effects, transcript
from protocol.game import NOT_OF_FORM, NOTHING_ASKED, Field

from .card_names import KIND_WORDS, place
from .sentences import SENTENCES
from .translation import N_, _

BYTES: Final = {
    "bad-card": N_("a card is none of the deck"),
    "bad-commitment": N_("a commitment is not of its form"),
    "bad-frame": N_("a frame is not of a known form"),
    "bad-proof": N_("a proof is not of its form"),
}
"""What is wrong with bytes of a peer that are neither a seat's fault nor a file's."""

PROTOCOL: Final[Mapping[str, str]] = {**BYTES, **transcript.FILE_FAULTS, **effects.ENDS, **FAULTS}
"""The meaning of every code of `protocol`, as its own tables have it."""

QUOTED: Final = frozenset({"text", "letter", "theirs", "ours"})
"""Fields that someone typed or sent: they stand in quotes."""


def sentence(reason: Reason) -> str:
    """What a reason means, in the language spoken; a cause inside it likewise."""
    if reason.code == "system-error":
        return os.strerror(int(reason.fields["number"]))
    template = SENTENCES.get(reason.code) or PROTOCOL[reason.code]
    return _(template).format(**{name: _told(name, it) for name, it in reason.fields.items()})


def meaning(code: str) -> str:
    """What a code of the protocol means, in the language spoken."""
    return _(PROTOCOL[code])


def _told(name: str, value: Any) -> str:
    if isinstance(value, Reason):
        return sentence(value)
    if isinstance(value, tuple):
        between = "; " if value and isinstance(value[0], Reason) else ", "
        return between.join(_told("", part) for part in value)
    if isinstance(value, float):
        return f"{value:g}"
    return repr(value) if name in QUOTED else str(value)


def as_json(reason: Reason) -> dict[str, Any]:
    """The same for a program: the code, its fields, and the sentence beside it for people."""
    return {"code": reason.code, "fields": _plain(reason.fields), "words": sentence(reason)}


def _plain(value: Any) -> Any:
    if isinstance(value, Reason):
        return {"code": value.code, "fields": _plain(value.fields)}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


FORBIDDEN: Final[Mapping[str, str]] = {
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
    return _(FORBIDDEN[code]).format(**told)


def choose_again(code: str, fields: Mapping[str, Field]) -> str:
    """The same, and that one has to choose again."""
    reason = refusal(code, fields)
    return _("The rules forbid that: {reason}. Choose again.").format(reason=reason)
