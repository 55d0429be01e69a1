"""The names of seats: a word for each seat, a letter that marks it, and the authors of the talk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from p2p_hoity.presentation.screen_updates import Said

from ...words.translation import _
from .stage import Stage


def letters(nicknames: Sequence[str], fits: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the letter or number by which a screen marks each seat.

    Args:
        nicknames: The nicknames of the seats.
        fits: Returns whether there is room to draw a letter.

    Returns:
        For each seat the first letter of its nickname that no earlier seat has, in capitals. If
        there is no such letter, the number of the seat.
    """
    found: list[str] = []
    for seat, nickname in enumerate(nicknames):
        own = (one.upper() for one in nickname if one.isalnum() and fits(one.upper()))
        found.append(next((one for one in own if one not in found), str(seat + 1)))
    return tuple(found)


def name_of(stage: Stage, seat: int) -> str:
    """Return the nickname of a seat, or the word for `You` for this person's own seat.

    Args:
        stage: What is shown.
        seat: The seat.

    Returns:
        The name.
    """
    if stage.names is None:
        return str(seat + 1)
    return _("You") if seat == stage.scene.seat else stage.names.nicknames[seat]


def names_of(stage: Stage, seats: Iterable[int]) -> str:
    """Return the names of seats in their order, separated by commas.

    Args:
        stage: What is shown.
        seats: The seats.

    Returns:
        The names. "" for no seats.
    """
    return ", ".join(name_of(stage, seat) for seat in sorted(seats))


def author_of(stage: Stage, said: Said) -> str:
    """Return the name of the author of a chat message.

    Args:
        stage: What is shown.
        said: The message.

    Returns:
        The name.
    """
    return said.who if said.seat is None else name_of(stage, said.seat)
