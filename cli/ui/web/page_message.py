"""What a window needs besides the table: its labels, the languages, its settings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from p2p_hoity.presentation import window_messages as windows

from ...words import translation
from ...words.page_labels import labels


def page_message(
    mode: windows.Mode,
    settings: windows.WindowSettings,
    *,
    has_hints: bool = False,
    may_talk: bool = False,
    by_bot: bool = False,
) -> windows.Page:
    """Return what a window needs besides the table, in the current language."""
    words, languages = _words_in(translation.language())
    return windows.Page(mode, words, languages, settings, has_hints, may_talk, by_bot)


# A window makes this message after each update, to compare it with the one it told last.
@cache
def _words_in(language: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the labels in the current language, and the names of all languages by their codes."""
    return labels(), {code: translation.name_of(code) for code in translation.LANGUAGES}
