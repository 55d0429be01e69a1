"""The first run: a nickname and a language asked once, and kept. Asking and keeping are separate,
so that every screen asks in its own way.
"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.keys import KeyFileError, check_name
from protocol import header, is_one_name

from ..printing import say
from ..words import lingo
from ..words.lingo import _
from ..words.reasons import sentence
from . import settings
from .questions import answer, at_terminal
from .settings import Settings

PLAYER: Final = "Player"
Ask = Callable[[bool], Settings]
"""Asks for the nickname and, if it is true, the language; to be kept as they are."""


def is_first(home: Home) -> bool:
    """Whether nobody has chosen anything here yet, or has a key."""
    return not home.identity.exists() and not settings.is_kept(home)


def first_run(home: Home, ask: Ask | None = None) -> bool:
    """Ask once, and keep what is said; whether it was asked: nothing is without a terminal or a
    second time. OSError or NotPrivateError if the home takes no files."""
    asks = is_first(home) and at_terminal()
    if asks:
        keep(home, (ask or in_lines)(not lingo.is_asked_for()))
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
    return plain[: header.MAX_NICKNAME].strip() or PLAYER


def why_no_nickname(word: str) -> str | None:
    """Why this cannot be a nickname, in words; None if it can."""
    try:
        check_name(word)
    except KeyFileError as error:
        return sentence(error.reason)
    return None


def in_lines(with_language: bool) -> Settings:
    """Asked at the line prompt; Enter takes what is offered."""
    language = _language() if with_language else None
    if language is not None:
        lingo.speak(language)
    offered = default_nickname()
    question = _("What shall the others call you? Enter for {name}: ").format(name=offered)
    while (why := why_no_nickname(word := answer(question) or offered)) is not None:
        say(_("That is no nickname: {why}.").format(why=why))
    return Settings(word, language)


def _language() -> str:
    codes = lingo.LANGUAGES
    listed = "  ".join(f"{n} {lingo.name_of(code)}" for n, code in enumerate(codes, 1))
    now = lingo.language()
    text = _("Language: {languages}. Enter for {now}: ")
    question = text.format(languages=listed, now=lingo.name_of(now))
    while (code := _code(answer(question), now)) is None:
        pass
    return code


def _code(word: str, now: str) -> str | None:
    """The language meant by its number, code or name; None if it is none of ours."""
    codes = lingo.LANGUAGES
    if not word:
        return now
    if word.isdecimal() and 1 <= int(word) <= len(codes):
        return codes[int(word) - 1]
    names = {lingo.name_of(code).casefold(): code for code in codes}
    return {**names, **{code: code for code in codes}}.get(word.casefold())
