"""The sentences for errors and refused choices, made from their codes in the chosen language.

Most templates of sentences are defined beside the codes, not in this file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from p2p_hoity.coded_errors import Code, Reason, SystemCode
from p2p_hoity.rules import ActionKind, Place, Rule
from protocol import FAULTS, effects, transcript
from protocol.game_interface import NOT_OF_FORM, NOTHING_ASKED, Field

from .card_names import KIND_WORDS, place
from .translation import N_, _, figures

BYTES: Final = {
    "bad-card": N_("a card is not in the deck"),
    "bad-commitment": N_("a commitment is malformed"),
    "bad-frame": N_("a frame is malformed"),
    "bad-proof": N_("a proof is malformed"),
    "bad-result": N_("no such result is possible there, or too few seats have signed it"),
}
"""The meaning of codes for malformed bytes that prove no fault of a seat or of a transcript."""

PROTOCOL: Final[Mapping[str, str]] = {**BYTES, **transcript.FILE_FAULTS, **effects.ENDS, **FAULTS}
"""The meaning in English of every code of the package `protocol`."""

SYSTEM_WORDS: Final = (
    N_("Permission denied"),
    N_("Disk quota exceeded"),
    N_("File exists"),
    N_("File too large"),
    N_("Input/output error"),
    N_("Is a directory"),
    N_("File name too long"),
    N_("No such file or directory"),
    N_("No space left on device"),
    N_("Not a directory"),
    N_("Operation not permitted"),
    N_("Read-only file system"),
)
"""The operating system's own words for common errors of files, listed to be translated."""

QUOTED: Final = frozenset({"text", "letter", "theirs", "ours"})
"""The names of the fields that somebody has typed or sent. Their values are shown in quotes."""


def sentence(reason: Reason) -> str:
    """Return the sentence for a reason, in the chosen language.

    Args:
        reason: The code and its fields. A field may be another reason.

    Returns:
        The sentence.
    """
    if reason.code is SystemCode.NUMBERED:
        return _(os.strerror(int(reason.fields["number"])))
    code = reason.code
    template = code.template if isinstance(code, Code) else PROTOCOL[code]
    return _(template).format(**{name: _told(name, it) for name, it in reason.fields.items()})


def of_system(error: OSError) -> str:
    """Return what the operating system reports about an error, in the chosen language.

    Args:
        error: The error.

    Returns:
        The words of the error. Words without a translation are returned as they are.
    """
    words = error.strerror or str(error)
    return _(words) if words else words


def meaning(code: str) -> str:
    """Return what a code such as `bad-proof` means, in the chosen language.

    Args:
        code: The code of an error, a fault or the end of a table, from the package `protocol`.

    Returns:
        The meaning.
    """
    return _(PROTOCOL[code])


def _told(name: str, value: Any) -> str:
    """Return the value of a field of an error as text. A `Reason` becomes a sentence."""
    if isinstance(value, Reason):
        return sentence(value)
    if isinstance(value, tuple):
        between = "; " if value and isinstance(value[0], Reason) else ", "
        return between.join(_told("", part) for part in value)
    if isinstance(value, float):
        return figures(value)
    return repr(value) if name in QUOTED else str(value)


def as_json(reason: Reason) -> dict[str, Any]:
    """Return a reason as a JSON object.

    Args:
        reason: The code and its fields.

    Returns:
        The code, the fields, and the sentence for people.
    """
    return {"code": reason.code, "fields": _plain(reason.fields), "words": sentence(reason)}


def _plain(value: Any) -> Any:
    """Convert the value of an error's field into a value that can be written as JSON."""
    if isinstance(value, Reason):
        return {"code": value.code, "fields": _plain(value.fields)}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


ILL_FORMED: Final = {
    NOT_OF_FORM: N_("that is not a choice of this kind"),
    NOTHING_ASKED: N_("this seat has no choice to make now"),
}
"""The meaning of the codes for choices that are refused before any rule of the game is checked."""

_NAMED: Final[Mapping[str, Callable[[Any], str]]] = {
    "action": lambda kind: _(KIND_WORDS[ActionKind(kind)]),
    "place": lambda number: place(Place(number)),
}
"""For each field that is shown by a name, not by its value, the function that returns the name."""


def refusal(code: str, fields: Mapping[str, Field]) -> str:
    """Return why a choice is refused, in the chosen language.

    Args:
        code: The code of the broken rule.
        fields: The values that the reason mentions, by name.

    Returns:
        The reason.
    """
    told = {name: _NAMED.get(name, str)(value) for name, value in fields.items()}
    return _(ILL_FORMED.get(code) or Rule(code).template).format(**told)


def choose_again(code: str, fields: Mapping[str, Field]) -> str:
    """Return why a choice is refused, and the request to choose again.

    Args:
        code: The code of the broken rule.
        fields: The values that the reason mentions, by name.

    Returns:
        The sentence.
    """
    reason = refusal(code, fields)
    return _("The rules forbid that: {reason}. Choose again.").format(reason=reason)
