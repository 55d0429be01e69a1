"""The first run: a nickname is asked for once and kept.

Asking and keeping are separate, so that every screen asks in its own way.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from p2p_hoity.stacking import is_stacked, thinned
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import KeyFileError, check_name
from protocol import is_one_name, table_header

from ..printing import say
from ..words import lingo
from ..words.lingo import _
from ..words.reasons import sentence
from . import settings
from .questions import answer, at_terminal
from .settings import Settings

PLAYER: Final = "Player"
Ask = Callable[[], Settings]
"""Asks for the nickname; the settings are kept as they are."""


def is_first(home: Home) -> bool:
    """Whether nobody has chosen anything here yet, or has a key."""
    return not home.identity.exists() and not settings.is_kept(home)


def first_run(home: Home, ask: Ask | None = None) -> bool:
    """Ask once, and keep what is said; whether it was asked: nothing is without a terminal or a
    second time. OSError or NotPrivateError if the home takes no files."""
    asks = is_first(home) and at_terminal()
    if asks:
        keep(home, (ask or in_lines)())
    return asks


def keep(home: Home, chosen: Settings) -> None:
    """Keep what was chosen, and speak the language from now on; OSError or NotPrivateError if the
    home takes no files."""
    kept = settings.load(home)
    settings.keep(home, replace(chosen, relay=kept.relay, bots=kept.bots))
    if chosen.language is not None:
        lingo.speak(chosen.language)


def default_nickname() -> str:
    """What is offered: the system's name of the user as far as it can be a nickname."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    plain = "".join(letter for letter in name if letter == " " or is_one_name(letter)).strip()
    offered = thinned(plain)[: table_header.MAX_NICKNAME].strip()
    return PLAYER if not offered or is_stacked(offered) else offered


def why_no_nickname(word: str) -> str | None:
    """Why this cannot be a nickname, in words; None if it can."""
    try:
        check_name(word)
    except KeyFileError as error:
        return sentence(error.reason)
    return None


def in_lines() -> Settings:
    """Ask at the line prompt for the nickname; Enter takes the one that is offered.

    Returns:
        What is to be kept: the nickname, and the language if the command line named one.
    """
    offered = default_nickname()
    question = _("What shall the others call you? Enter for {name}: ").format(name=offered)
    while (why := why_no_nickname(word := answer(question) or offered)) is not None:
        say(_("That is no nickname: {why}.").format(why=why))
    return Settings(word, lingo.language() if lingo.is_asked_for() else None)
