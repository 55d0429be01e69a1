"""Translation of messages by gettext, and small words: yes and no, durations, levels of bots."""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Callable, Iterable, Mapping
from gettext import NullTranslations
from pathlib import Path
from typing import Any, Final

from p2p_hoity.shell_words import command

CALLED_AS: Final = "HOITY_CALLED_AS"
"""The environment variable with the words that started this program, if they are not `hoity`."""
NAMES: Final = (
    "learn", "play", "host", "join", "tables", "resume", "watch", "games", "forget", "verify",
    "replay", "relay", "id", "rules", "bench",
)  # fmt: skip
"""The first words of all commands, in the order in which help lists them."""
COMMAND: Final = re.compile(rf"(?<![\w.-])hoity ({'|'.join(NAMES)})\b")
"""The pattern of a command in a message. It does not match `*.hoity` and `p2p-hoity`."""
INSTALLED: Final = "hoity"
"""The name of the program as other players type it, for the gap `{hoity}`. `as_typed` keeps it."""


def command_line(*words: str | Path) -> str:
    """Return a command as it is typed here, such as `hoity resume 8daa`, quoted for the shell.

    The variable HOITY_CALLED_AS replaces `hoity`, for example by `python tasks.py hoity`. For the
    command `play`, its final `hoity` is left out. Empty words are left out.
    """
    called_as = os.environ.get(CALLED_AS, INSTALLED)
    if words[:1] == ("play",):
        called_as = called_as.removesuffix(" hoity")
    return " ".join(filter(None, (called_as, command(*words))))


def as_typed(message: str) -> str:
    """Return a message, whose fields are not filled in yet, with its commands as typed here."""
    return COMMAND.sub(lambda found: command_line(found[1]), message)


DOMAIN: Final = "hoity"
LOCALE: Final = Path(__file__).parent / "locale"
"""The folder of the compiled catalogues."""
LANGUAGES: Final = (
    "en",
    *sorted(path.parts[-3] for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")),
)
"""The codes of English and of every language that has a catalogue."""
LOCALE_VARIABLES: Final = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")


LOCALE_NAME: Final = re.compile(r"([A-Za-z]{2})(?:[_-][A-Za-z0-9_-]*)?(?:\.[\w-]*)?(?:@[\w-]*)?")
"""The pattern of a language with its country, encoding and variant, such as `de_AT.UTF-8@euro`."""


class _Speech:
    """The chosen language of this process, which only `speak` changes."""

    language: str = "en"
    is_asked_for: bool = False
    catalogue: NullTranslations = NullTranslations()
    """The catalogue of translations. For English it returns each message unchanged."""
    instead: Mapping[str, str] = {}
    """The messages that take the place of others in this process."""


def code_of(word: str) -> str | None:
    """Return the language that a name such as `DE`, `de-AT` or `de_DE.UTF-8` means, or None."""
    found = LOCALE_NAME.fullmatch(word.strip())
    code = found[1].lower() if found is not None else ""
    return code if code in LANGUAGES else None


def language_of(environ: Mapping[str, str]) -> str:
    """Return the language that the environment asks for, `en` if that has no catalogue."""
    for name in LOCALE_VARIABLES:
        asked = environ.get(name, "")
        for word in asked.split(":"):
            if (code := code_of(word)) is not None:
                return code
        if asked:
            return "en"
    return "en"


def speak(language: str, is_asked_for: bool = False) -> None:
    """Choose the language of this process, by a name that `code_of` reads.

    Raises:
        ValueError: If the language is none of `LANGUAGES`.
    """
    code = code_of(language)
    if code is None:
        raise ValueError(f"the languages are {', '.join(LANGUAGES)}, not {language!r}")
    _Speech.language, _Speech.is_asked_for = code, is_asked_for
    _Speech.catalogue = NullTranslations() if code == "en" else _load(code)

    # The command-line library translates its own words.
    os.environ["LANGUAGE"] = code
    gettext.bindtextdomain(DOMAIN, str(LOCALE))
    gettext.textdomain(DOMAIN)


def say_instead(messages: Mapping[str, str]) -> None:
    """Let messages, in English, take the place of others in this process."""
    _Speech.instead = messages


def go_on_in(language: str) -> None:
    """Choose the language of a worker process, unless it is chosen already."""
    if _Speech.language != language:
        speak(language)


def _load(language: str) -> NullTranslations:
    return gettext.translation(DOMAIN, str(LOCALE), [language])


def language() -> str:
    """Return the code of the chosen language, such as `en`."""
    return _Speech.language


def is_asked_for() -> bool:
    """Return whether the command line names the chosen language."""
    return _Speech.is_asked_for


def name_of(language: str) -> str:
    """Return the name of a language in that language."""
    return ENGLISH if language == "en" else _load(language).gettext(ENGLISH)


def in_each(labels: Callable[[], dict[str, str]]) -> dict[str, dict[str, Any]]:
    """Return labels in every language, with its name, by its code. The language stays as it was."""
    chosen, found = (_Speech.language, _Speech.is_asked_for), {}
    try:
        for code in LANGUAGES:
            speak(code)
            found[code] = {"name": name_of(code), "labels": labels()}
    finally:
        speak(*chosen)
    return found


def _(message: str) -> str:
    """Translate a message into the chosen language, with commands as this player types them."""
    message = _Speech.instead.get(message, message)
    return as_typed(_Speech.catalogue.gettext(message))


def in_all(message: str) -> frozenset[str]:
    """Return a message and its translations, which people may type. Case is as it is written."""
    return frozenset({message, *(_load(code).gettext(message) for code in LANGUAGES[1:])})


def N_(message: str) -> str:
    """Return the message, marked for the catalogues. A call of `_` translates it later."""
    return message


ENGLISH: Final = N_("English")
"""The message that each catalogue translates by the name of its own language."""


def count(one: str, many: str, number: int) -> str:
    """Return the singular or plural of a message in the chosen language, its fields unfilled."""
    return _Speech.catalogue.ngettext(one, many, number)


YES: Final = frozenset({"y", "yes", "s", "si", "sí", "j", "ja"})
NO: Final = frozenset({"n", "no", "nein"})


def yes_or_no(line: str, silent: bool | None = True) -> bool | None:
    """Return the answer in any language: `silent` for an empty line, None for no yes or no."""
    from p2p_hoity.pasted_text import visible

    word = visible(line).strip().rstrip(".!").lower()
    if not word:
        return silent
    return word in YES if word in YES | NO else None


LETTERS: Final = {True: N_("Y/n"), False: N_("y/N"), None: N_("y/n")}
"""The letters that answer a question, by what Enter means. The letter of that answer is large."""


def yes_no(question: str, usual: bool | None) -> str:
    """Return a question with the letters that answer it. `usual` is what Enter means, or None."""
    return f"{question} {_(LETTERS[usual])}"


UNITS: Final[tuple[tuple[int, Callable[[int], str]], ...]] = (
    (86_400, lambda number: count("{number} day", "{number} days", number)),
    (3_600, lambda number: count("{number} hour", "{number} hours", number)),
    (60, lambda number: count("{number} minute", "{number} minutes", number)),
    (1, lambda number: count("{number} second", "{number} seconds", number)),
)
"""For each unit of time its seconds, and the words for a number of it."""


def span(milliseconds: int) -> str:
    """Return a duration in words of at most two units, such as 2 hours 30 minutes, rounded down."""
    rest, words = milliseconds // 1000, list[str]()
    for size, words_for in UNITS:
        number, rest = divmod(rest, size)
        if number or (size == 1 and not words):
            words.append(words_for(number).format(number=number))
    return " ".join(words[:2])


def listed(words: Iterable[str]) -> str:
    """Return words with commas between them, or a dash for none."""
    return ", ".join(words) or "–"


def figures(number: float) -> str:
    """Return a number with as many digits as tell a person something, such as 42, 3.5 or 0.74."""
    size = abs(number)
    text = f"{number:.{0 if size >= 10 else 1 if size >= 1 else 2}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def signed(number: int) -> str:
    """Return a number with its sign, such as +3 or −2, and 0 without one."""
    return f"{number:+}".replace("-", "−") if number else "0"


FIRST_SECOND: Final = 1.0
"""The seconds during which a screen shows no time beside what has just begun, as it would be 0."""


def clock(seconds: float) -> str:
    """Return seconds as minutes and seconds, such as 4:31. A negative duration counts as 0."""
    whole = max(0, int(seconds))
    return f"{whole // 60}:{whole % 60:02}"


WORDS: Final = {
    "easy": N_("easy"),
    "fair": N_("fair"),
    "normal": N_("normal"),
    "hard": N_("hard"),
}


def level_word(level: str) -> str:
    """Return a level of bots in the chosen language."""
    return _(WORDS[level])


def level_meant(word: str) -> str | None:
    """Return the level of bots that a word or its beginning, also translated, means, or None."""
    from p2p_hoity.bots import LEVELS
    from p2p_hoity.pasted_text import bare, visible

    word = bare(visible(word)).lower()
    for level in LEVELS if word else ():
        if level.startswith(word) or level_word(level).lower().startswith(word):
            return level
    return None
