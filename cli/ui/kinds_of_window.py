"""The window that the options of a command ask for. Only that kind of window is loaded."""

from __future__ import annotations

from p2p_hoity.table.playing.player_interface import BotPlayer

from .person_seat import PersonSeat
from .screen_options import ScreenOptions, uses_full_screen


def seat_of(how: ScreenOptions, bot: BotPlayer | None = None) -> PersonSeat:
    """Return the player of a seat, or an onlooker, with the window that the options ask for.

    Args:
        bot: The bot that plays in place of a program. None for the usual one.
    """
    if not how.as_json:
        return seat_of_person(how)
    from .json_window import JsonWindow

    return PersonSeat(how, JsonWindow, bot)


def seat_of_person(how: ScreenOptions) -> PersonSeat:
    """Return a person at a page, at the full screen, or, by choice or necessity, at the prompt."""
    if how.page is not None:
        from .web.page_window import PageWindow

        return PersonSeat(how, PageWindow)
    if uses_full_screen(how.plain or how.auto):
        from .full_screen.full_window import FullWindow

        return PersonSeat(how, FullWindow)
    from .lines.line_window import LineWindow

    return PersonSeat(how, LineWindow)
