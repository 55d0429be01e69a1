"""How other seats are there, in words: thinking, without a link, left, absent, banned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from p2p_hoity.presentation.screen_updates import Presence

from .card_names import Names, listed
from .translation import N_, _

FOR_GOOD: Final = N_(
    "The terms let you come back no more, unless the others become too few to go on."
)
ROUND_LOST: Final = N_(
    "If the others play on without you, you are back in the next round at the earliest."
)
"""What leaving for now may cost; nothing where the game pauses meanwhile."""
HOST: Final = 0
"""The host sits first."""
WORDS: Final = {
    Presence.LINKED: N_("thinking"),
    Presence.UNLINKED: N_("no link"),
    Presence.LEFT: N_("left for now"),
    Presence.ABSENT: N_("absent"),
    Presence.BANNED: N_("banned"),
}
"""What each means while a seat is awaited."""
OUT: Final = (Presence.ABSENT, Presence.BANNED)
"""How a seat is not at the table."""
SEALED: Final = N_("sealed")


def knock(nickname: str, key: str) -> str:
    """A guest wants to sit down: the question to the host."""
    words = _("{name}, key {key}, asks for a seat. Let {name} in? y or n")
    return words.format(name=nickname, key=key)


def lost(found: Sequence[Presence], mine: int | None) -> list[int]:
    """The seats that may be looked for elsewhere: all without a link, if the host, around whom
    guests gather, is one of them or nobody is linked. An onlooker looks for none."""
    gone = [seat for seat, one in enumerate(found) if one is Presence.UNLINKED]
    linked = [s for s, one in enumerate(found) if one is Presence.LINKED and s != mine]
    is_cut_off = HOST in gone or not linked
    return gone if is_cut_off and mine is not None else []


def is_alone(found: Sequence[Presence], mine: int | None) -> bool:
    """Return whether a player has no link to anybody, and some are neither absent nor have left."""
    others = {one for seat, one in enumerate(found) if seat != mine}
    return mine is not None and Presence.UNLINKED in others and Presence.LINKED not in others


def awaited(
    seats: Iterable[int], found: Sequence[Presence], names: Names, have_sealed: bool = False
) -> str:
    """The seats that are awaited, and how each is there as far as it is known. `have_sealed`: all
    have chosen, and only their programs are awaited."""
    return listed(_seat(seat, found, names, have_sealed) for seat in sorted(seats))


def _seat(seat: int, found: Sequence[Presence], names: Names, has_sealed: bool) -> str:
    if seat >= len(found):
        return names.seat(seat)
    is_sealed = has_sealed and found[seat] is Presence.LINKED
    words = SEALED if is_sealed else WORDS[found[seat]]
    return f"{names.short(seat)} ({_(words)})"
