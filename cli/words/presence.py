"""How other seats are there, in words: thinking, without a link, left, absent, banned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from p2p_hoity.session.updates import Presence

from .cards import Names, listed
from .lingo import N_, _

WORDS: Final = {
    Presence.LINKED: N_("thinking"),
    Presence.UNLINKED: N_("no link"),
    Presence.LEFT: N_("left for now"),
    Presence.ABSENT: N_("absent"),
    Presence.BANNED: N_("banned"),
}
"""What each means while a seat is awaited."""


def knock(nickname: str, key: str) -> str:
    """A guest wants to sit down: the question to the host."""
    words = _("{name}, key {key}, asks for a seat. Let {name} in? y or n")
    return words.format(name=nickname, key=key)


def awaited(seats: Iterable[int], found: Sequence[Presence], names: Names) -> str:
    """The seats that are awaited, and how each is there as far as it is known."""
    return listed(_seat(seat, found, names) for seat in sorted(seats))


def _seat(seat: int, found: Sequence[Presence], names: Names) -> str:
    if seat >= len(found):
        return names.seat(seat)
    return f"{names.short(seat)} ({_(WORDS[found[seat]])})"
