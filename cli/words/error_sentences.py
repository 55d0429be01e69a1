"""The sentences for errors, made from their codes in the chosen language.

Most templates of sentences are defined beside the codes, not in this file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import protocol
from p2p_hoity.coded_errors import Code, Reason, SystemCode

from .translation import N_, _, figures

BYTES: Final = {
    "bad-card": N_("a card is not in the deck"),
    "bad-commitment": N_("a commitment is malformed"),
    "bad-frame": N_("a frame is malformed"),
    "bad-proof": N_("a proof is malformed"),
    "bad-result": N_("no such result is possible there, or too few seats have signed it"),
}
"""The meaning of codes for malformed bytes that prove no fault of a seat or of a transcript."""

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


@cache
def meanings() -> Mapping[str, str]:
    """Return the English meaning of every code of `protocol`, much of which it loads."""
    files, ends = protocol.transcript.FILE_FAULTS, protocol.effects.ENDS
    return {**BYTES, **files, **ends, **protocol.FAULTS}


def sentence(reason: Reason) -> str:
    """Return the sentence for a reason, in the chosen language."""
    if reason.code is SystemCode.NUMBERED:
        return _(os.strerror(int(reason.fields["number"])))
    code = reason.code
    template = code.template if isinstance(code, Code) else meanings()[code]
    return _(template).format(**{name: _told(name, it) for name, it in reason.fields.items()})


def of_system(error: OSError) -> str:
    """Return what the operating system reports about an error, translated if that is possible."""
    words = error.strerror or str(error)
    return _(words) if words else words


def meaning(code: str) -> str:
    """Return what a code of the package `protocol`, such as `bad-proof`, means, translated."""
    return _(meanings()[code])


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
    """Return a reason as a JSON object: its code, its fields, and the sentence for people."""
    return {"code": reason.code, "fields": _plain(reason.fields), "words": sentence(reason)}


def _plain(value: Any) -> Any:
    """Convert the value of an error's field into a value that can be written as JSON."""
    if isinstance(value, Reason):
        return {"code": value.code, "fields": _plain(value.fields)}
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, tuple) else value
