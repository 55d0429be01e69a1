"""Descent: which shipped edition another one says it is, and in what it differs from that one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ..lookalikes import twins
from ..rules.edition import Edition
from .loading import NAMES, load


@dataclass(frozen=True)
class Descent:
    """`original` is a shipped edition's name, or empty if it has a name of its own; `changes` are
    the parts in which it differs, in the order of `PARTS`."""

    original: str = ""
    changes: tuple[str, ...] = ()


PARTS = (
    "name",
    "collectibles",
    "cash",
    "thieves",
    "track",
    "action_choice",
    "detective_in_hall",
    "detective_rank",
)


@lru_cache(maxsize=32)
def descent(edition: Edition) -> Descent:
    """Whose name it bears, or one that looks like it, and what of that edition it changes."""
    for name in NAMES:
        if twins(name, edition.name):
            own, original = _parts(edition), _parts(load(name))
            return Descent(name, tuple(part for part in PARTS if own[part] != original[part]))
    return Descent()


def _parts(edition: Edition) -> dict[str, object]:
    switches = edition.switches
    return {
        "name": edition.name,
        "collectibles": [(item.letter, item.year) for item in edition.collectibles],
        "cash": [(colour.name, colour.cash) for colour in edition.colours],
        "thieves": [(colour.name, colour.thieves) for colour in edition.colours],
        "track": (edition.club_room, edition.castles, edition.banquet_fields),
        "action_choice": switches.action_choice,
        "detective_in_hall": switches.detective_in_hall,
        "detective_rank": switches.detective_rank,
    }
