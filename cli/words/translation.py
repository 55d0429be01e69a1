"""Translation by gettext catalogues, and small words: yes and no, durations, levels of bots."""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Callable, Mapping
from gettext import NullTranslations
from pathlib import Path
from typing import Final

CALLED_AS: Final = "HOITY_CALLED_AS"
"""In the environment: the words by which this program was started, if they are not `hoity`."""
NAMES: Final = (
    "learn", "play", "host", "join", "tables", "resume", "watch", "games", "forget", "verify",
    "replay", "relay", "id", "rules", "bench",
)  # fmt: skip
"""The first words of all commands, in the order in which help lists them."""
COMMAND: Final = re.compile(rf"(?<![\w.-])hoity ({'|'.join(NAMES)})\b")
"""A command in a message. The `hoity` of `*.hoity` and of `p2p-hoity` begins none."""
INSTALLED: Final = "hoity"
"""What other players type, however this program was started here: the field `{hoity}` of a message
that tells their commands, so that `as_typed` leaves them as they are."""


def command_line(*words: str) -> str:
    """Return a command as it is typed here, as in `hoity resume 8daa`; empty words are left out.

    Where `CALLED_AS` is set, as by `tasks.py`, its words stand in place of `hoity`. `tasks.py` has
    a target of its own for `play`.
    """
    called_as = os.environ.get(CALLED_AS, INSTALLED)
    if words[:1] == ("play",):
        called_as = called_as.removesuffix(" hoity")
    return " ".join(filter(None, (called_as, *words)))


def as_typed(message: str) -> str:
    """Return a message, its fields not yet filled in, with its commands as they are typed here."""
    return COMMAND.sub(lambda found: command_line(found[1]), message)


DOMAIN: Final = "hoity"
LOCALE: Final = Path(__file__).parent / "locale"
"""Where the compiled catalogues are."""
LANGUAGES: Final = (
    "en",
    *sorted(path.parts[-3] for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")),
)
"""English, and every language that has a catalogue."""
LOCALE_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


class _Speech:
    """What is spoken now: one language a process, changed only by `speak`."""

    language: str = "en"
    is_asked_for: bool = False
    catalogue: NullTranslations = NullTranslations()
    """That of English gives the messages as they are written."""


def language_of(environ: Mapping[str, str]) -> str:
    """Return the language that the locale's variables ask for; English if it is none of ours."""
    for name in LOCALE_VARIABLES:
        asked = environ.get(name, "")
        for word in asked.split(":"):
            code = word[:2].lower()
            if code in LANGUAGES:
                return code
        if asked:
            return "en"
    return "en"


def speak(language: str, is_asked_for: bool = False) -> None:
    """Speak this language from now on.

    Args:
        language: One of `LANGUAGES`.
        is_asked_for: Whether the command line names it.

    Raises:
        ValueError: If it is none of them.
    """
    if language not in LANGUAGES:
        raise ValueError(f"the languages are {', '.join(LANGUAGES)}, not {language!r}")
    _Speech.language, _Speech.is_asked_for = language, is_asked_for
    _Speech.catalogue = NullTranslations() if language == "en" else _load(language)

    # The command-line library looks its own words up by itself.
    os.environ["LANGUAGE"] = language
    gettext.bindtextdomain(DOMAIN, str(LOCALE))
    gettext.textdomain(DOMAIN)


def go_on_in(language: str) -> None:
    """Speak this language in a process that works for one that does, unless it does already."""
    if _Speech.language != language:
        speak(language)


def _load(language: str) -> NullTranslations:
    return gettext.translation(DOMAIN, str(LOCALE), [language])


def language() -> str:
    """Return the language spoken now."""
    return _Speech.language


def is_asked_for() -> bool:
    """Return whether the command line names the language spoken."""
    return _Speech.is_asked_for


def name_of(language: str) -> str:
    """Return what a language calls itself."""
    return ENGLISH if language == "en" else _load(language).gettext(ENGLISH)


def _(message: str) -> str:
    """Return a message in the language spoken, its commands as they are typed here."""
    return as_typed(_Speech.catalogue.gettext(message))


def in_all(message: str) -> frozenset[str]:
    """Return a message in every language: what people type is understood in any."""
    return frozenset({message, *(_load(code).gettext(message) for code in LANGUAGES[1:])})


def N_(message: str) -> str:
    """Marks a message for the catalogues that is looked up later."""
    return message


ENGLISH: Final = N_("English")
"""In each catalogue the name of its own language, in that language."""


def count(one: str, many: str, number: int) -> str:
    """Return the form of a message that goes with this number."""
    return _Speech.catalogue.ngettext(one, many, number)


YES: Final = frozenset({"y", "yes", "s", "si", "sí", "j", "ja"})
NO: Final = frozenset({"n", "no", "nein"})


def yes_or_no(line: str, silent: bool | None = True) -> bool | None:
    """Return the answer to a plain question in any of the languages, or None if it is neither.
    `silent` is what a line without a word stands for."""
    word = line.strip().lower()
    if not word:
        return silent
    return word in YES if word in YES | NO else None


UNITS: Final[tuple[tuple[int, Callable[[int], str]], ...]] = (
    (86_400, lambda number: count("{number} day", "{number} days", number)),
    (3_600, lambda number: count("{number} hour", "{number} hours", number)),
    (60, lambda number: count("{number} minute", "{number} minutes", number)),
    (1, lambda number: count("{number} second", "{number} seconds", number)),
)
"""The seconds of each unit of time, and what says how many there are of it."""


def span(milliseconds: int) -> str:
    """Return at most two units, as in 2 hours 30 minutes; rather too short than too long."""
    rest, words = milliseconds // 1000, list[str]()
    for size, words_for in UNITS:
        number, rest = divmod(rest, size)
        if number or (size == 1 and not words):
            words.append(words_for(number).format(number=number))
    return " ".join(words[:2])


def clock(seconds: float) -> str:
    """Seconds as a clock shows them, as in 4:31; never less than 0:00."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02}"


WORDS: Final = {"easy": N_("easy"), "normal": N_("normal"), "hard": N_("hard")}


def level_word(level: str) -> str:
    """Return a level in the player's language."""
    return _(WORDS[level])


def level_meant(word: str) -> str | None:
    """Return the level that a word, or its beginning, means in English or the player's language."""
    from p2p_hoity.bots import LEVELS

    word = word.strip().lower()
    for level in LEVELS if word else ():
        if level.startswith(word) or level_word(level).lower().startswith(word):
            return level
    return None
