"""What can be wrong with an edition file, by code."""

from __future__ import annotations

from typing import Final

from ..translation import N_

EDITIONS: Final = {
    "edition-file": "{file}: {why}",
    "edition-field": "{file}: {field}: {why}",
    "edition-line": N_("{file}, line {line}: {field}: {why}"),
    "no-canonical-form": N_("is not an edition's canonical form"),
    "not-canonical-form": N_("is not in canonical form"),
    "edition-unread": N_("cannot be read ({why}); name a file, or {known}"),
    "edition-too-large": N_("is larger than {most} bytes: no edition"),
    "edition-no-text": N_("is not UTF-8 text; save it as such"),
    "edition-no-toml": N_("is not valid TOML: {detail}"),
    "no-table": N_("must be a table, not {value}"),
    "unknown-key": N_("unknown key; remove it or correct its spelling"),
    "missing-key": N_("is missing; add it"),
    "no-array": N_("must be an array, not {value}"),
    "not-so-many-items": N_("must have {wanted} items, not {number}"),
    "not-between-items": N_("must have {least} to {most} items, not {number}"),
    "no-whole-number": N_("must be a whole number, not {value}"),
    "number-out-of-bounds": N_("must be from {least} to {most}, not {value}"),
    "no-truth-value": N_("must be true or false, not {value}"),
    "no-words": N_("must be a text, not {value}"),
    "bad-words": N_("must be 1 to {most} printable characters"),
    "none-of-the-words": N_("must be one of {words}, not {value}"),
    "collectible-twice": N_("{letter} {year} is {twin} already: the order must be total"),
    "letters-without-collectible": N_(
        "no Collectible has letter {letters}; every letter needs one"
    ),
    "years-that-are-numbers": N_(
        'no year is {least} or later: write age = "number", and number in place of year'
    ),
    "colour-twice": N_("{colour} has its cards already; name each colour once"),
    "cash-of-other-sum": N_("the four must make {wanted} (thousand), not {sum}"),
    "number-twice": N_("{value} is {twin} already; all must differ"),
    "octagon-upside-down": N_("an octagon is [larger, smaller], not [{first}, {second}]"),
}
