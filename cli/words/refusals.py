"""The sentences about choices that the rules refuse, in the chosen language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from p2p_hoity.rules import ActionKind, Place, Rule
from protocol.game_interface import NOT_OF_FORM, NOTHING_ASKED, Field

from .card_names import KIND_WORDS, place
from .translation import N_, _

OLD_QUESTION: Final = "old-question"
"""The code for a program's answer to a question that is not open any more."""
NO_SUCH_QUESTION: Final = "no-such-question"
"""The code for a program's answer to a question that was never asked."""
NOTHING_OPEN: Final = "nothing-open"
"""The code for a line of a program without an id that does not fit what is asked now."""
NOT_MARKED: Final = "not-marked"
"""The code for a check of a choice that is not of pieces."""
NO_PLACE: Final = "no-place"
"""The code for a choice of a program that is not the English name of a Place."""
ILL_FORMED: Final = {
    NOT_OF_FORM: N_("that is not a choice of this kind"),
    NOTHING_ASKED: N_("this seat has no choice to make now"),
    OLD_QUESTION: N_("the question with the id {id} is not open any more"),
    NO_SUCH_QUESTION: N_("no question with this id is open"),
    NO_PLACE: N_('a Place is "Castle" or "Auction Hall"'),
    "no-json": N_("the line is no JSON"),
    NOTHING_OPEN: N_("this is no answer to what is asked now"),
    NOT_MARKED: N_("only the answer to a question for pieces can be checked"),
    "unknown-type": N_("a message has no such type: {type}"),
    "no-type": N_("a message needs a type, such as answer or reply"),
    "bad-field": N_("the field {field} is missing, or has a value of another form"),
}
"""The meaning of the codes for choices that are refused before any rule of the game is checked."""

_NAMED: Final[Mapping[str, Callable[[Any], str]]] = {
    "action": lambda kind: _(KIND_WORDS[ActionKind(kind)]),
    "place": lambda number: place(Place(number)),
}
"""For each field that is shown by a name, not by its value, the function that returns the name."""


def refusal(code: str, fields: Mapping[str, Field]) -> str:
    """Return why a choice is refused, by the code of the broken rule and what it mentions."""
    told = {name: _NAMED.get(name, str)(value) for name, value in fields.items()}
    return _(ILL_FORMED.get(code) or Rule(code).template).format(**told)


def choose_again(code: str, fields: Mapping[str, Field]) -> str:
    """Return why a choice is refused, and the request to choose again."""
    reason = refusal(code, fields)
    return _("The rules forbid that: {reason}. Choose again.").format(reason=reason)
