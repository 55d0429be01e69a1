"""The start menu, which `hoity` alone shows to a person at a terminal.

Each entry runs a command line as if it had been typed, and says which one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from p2p_hoity.pasted_text import bare, visible
from p2p_hoity.rules.choices import MAX_SEATS, MIN_SEATS
from p2p_hoity.storage.home import FolderError
from p2p_hoity.storage.home import home as own_home

from ..exit_codes import INTERRUPTED, OK, Trouble
from ..local import settings
from ..local.player_setup import answer
from ..printing import say
from ..words import translation
from ..words.translation import INSTALLED, _, command_line, count

Run = Callable[[Sequence[str]], int]
"""A function that runs a command line, without the name of the program, and returns its code."""
QUIT: Final = frozenset({"q", "quit", "exit", "salir", "ende"})
BOTS: Final = 3
"""The number of bots of a game for which none is typed, as for `hoity play`."""
SEATS: Final = 4
"""The number of seats of a table for which none is typed, as for `hoity host`."""


class Back(Exception):
    """The person does not go on with an entry of the menu."""


@dataclass(frozen=True)
class Entry:
    """An entry of the menu.

    Attributes:
        key: The word that may be typed in place of the entry's number.
        words: What it does, translated.
        ask: Asks the person what the command needs, and returns the words of its command line. The
            command line is empty if nothing is left to do.
        returns: Whether the menu comes again after the command.
    """

    key: str
    words: str
    ask: Callable[[], list[str]]
    returns: bool = False


def show(run: Run) -> int:
    """Show the menu until an entry has ended the program or the person leaves.

    Raises:
        Trouble: If Ctrl-C is typed.
    """
    say("Hoity Toity", "")
    try:
        while (entry := _picked(entries())) is not None:
            with suppress(Back):
                words = entry.ask()
                code = _run(run, words) if words else OK
                if not entry.returns:
                    return code
    except KeyboardInterrupt as error:
        raise Trouble(_("Interrupted."), INTERRUPTED) from error
    return OK


def entries() -> list[Entry]:
    """Return the entries that the menu has now."""
    found = [
        Entry("play", _("play against bots"), _play),
        Entry("learn", _("play a first round that is explained"), lambda: ["learn"]),
        Entry("host", _("open a table for other people"), _host),
        Entry("join", _("sit down at a table: with a ticket, words, or in this network"), _join),
        Entry("games", _("your games"), lambda: ["games"], returns=True),
        Entry("rules", _("the rules in one screen"), lambda: ["rules"], returns=True),
        Entry("language", _language_entry(), _language, returns=True),
    ]
    if (waiting := _waiting()) > 0:
        words = count(
            "go on with a game: {number} waits", "go on with a game: {number} wait", waiting
        )
        found.insert(0, Entry("resume", words.format(number=waiting), lambda: ["resume"]))
    return found


def _waiting() -> int:
    """Return how many unfinished games are stored on this computer."""
    with suppress(OSError, FolderError):
        return sum(1 for _path in own_home().journals.glob("*.journal"))
    return 0


def _picked(found: Sequence[Entry]) -> Entry | None:
    """Show the entries, and return the one that the person picks, None to leave."""
    for number, entry in enumerate(found, 1):
        say(f"  {number}  {entry.words}")
    say("  q  " + _("leave"))
    while True:
        try:
            word = bare(visible(answer(_("Your choice: ")))).lower()
        except Trouble:  # The input has ended.
            say("")
            return None
        if word in QUIT:
            return None
        named = [one for n, one in enumerate(found, 1) if word in (str(n), one.key)]
        if named:
            return named[0]
        if word:
            text = _("Please type a number from 1 to {most}, or q.")
            say(text.format(most=len(found)))


def _run(run: Run, words: Sequence[str]) -> int:
    """Say the command line that does the same, and run it."""
    # A ticket is long, and was typed just now.
    typed = ["TICKET" if word == words[-1] and words[0] == "join" else word for word in words[1:]]
    say(_("This does the same: {command}").format(command=command_line(words[0], *typed)), "")
    code = run(words)
    say("")
    return code


# Questions


def _number(question: str, usual: int, least: int, most: int) -> int:
    """Ask for a number until it is one of those from `least` to `most`. Enter means `usual`.

    Raises:
        Back: If the person types q.
    """
    while True:
        word = _line(f"{question} [{usual}]: ")
        if not word:
            return usual
        if word.isascii() and word.isdecimal() and least <= int(word[:3]) <= most:
            return int(word)
        told = _("Please type a number from {least} to {most}, Enter for {usual}, or q to go back.")
        say(told.format(least=least, most=most, usual=usual))


def _line(question: str) -> str:
    """Ask a question, and return what is typed, cleaned of what pasting adds.

    Raises:
        Back: If q is typed, or the input has ended.
    """
    try:
        word = bare(visible(answer(question))).strip()
    except Trouble as error:  # The input has ended.
        say("")
        raise Back from error
    if word.lower() in QUIT:
        raise Back
    return word


def _play() -> list[str]:
    number = _number(_("How many bots?"), BOTS, 1, MAX_SEATS - 1)
    return ["play", "--bots", str(number)]


def _host() -> list[str]:
    """Ask what kind of table is to be opened."""
    seats = _number(_("How many seats, with yours?"), SEATS, MIN_SEATS, MAX_SEATS)
    most = seats - 1
    bots = _number(_("How many of the other seats are for bots?"), 0, 0, most) if most > 1 else 0
    say(_("Who comes?"))
    say("  1  " + _("people elsewhere, to whom you send a ticket"))
    words = _("everybody in this network, who only types: {hoity} join")
    say("  2  " + words.format(hoity=INSTALLED))
    is_open = _number(_("Which?"), 1, 1, 2) == 2
    typed = ["host", "--seats", str(seats)]
    typed += ["--bots", str(bots)] if bots else []
    return [*typed, "--lan", "open"] if is_open else typed


def _join() -> list[str]:
    """Ask for a ticket or a spoken code. Without one the tables of this network are searched."""
    from .join import Pasted

    say(_("Paste the ticket, or type the words, that the host gave you."))
    pasted = Pasted(())
    while True:
        line = answer(_("Enter alone searches this network, q goes back: "))
        if line.lower() in QUIT:
            raise Back
        if not line and not pasted.is_begun:
            return ["join"]
        if pasted.takes(line):
            return ["join", pasted.text]


def _language_entry() -> str:
    """Return the words of the entry that changes the language."""
    name = translation.name_of(translation.language())
    words = _("language: {language}").format(language=name)
    # Whoever does not read the chosen language finds the entry by the English word.
    return words if translation.language() == "en" else f"{words} (language)"


def _language() -> list[str]:
    """Ask for a language, speak it from now on, and store it."""
    codes = list(translation.LANGUAGES)
    for number, code in enumerate(codes, 1):
        say(f"  {number}  {translation.name_of(code)}")
    usual = codes.index(translation.language()) + 1
    code = codes[_number(_("Which?"), usual, 1, len(codes)) - 1]
    translation.speak(code)
    settings.change(language=code)
    words = _("For one command alone, type: {command}")
    say(words.format(command=command_line("--lang", code)))
    return []
