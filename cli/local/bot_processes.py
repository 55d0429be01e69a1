"""Bots of this machine: each is a process of its own, a real peer with a real key, of a level.

A crew lives in a folder of the player's home that only its owner can enter, a home for each bot.
The folder is gone when the game is over, and stays when the game is left: then whoever resumes
the game finds the bots' journals there and wakes them again. A command that is killed leaves its
folder behind: who looks for a crew next sweeps out what nobody holds and no game needs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from p2p_hoity.bots import DEFAULT_LEVEL, LEVELS, STAND_IN
from p2p_hoity.confusable_names import twins
from p2p_hoity.storage.file_store import StoredFile
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import KeyFileError, load_identity
from p2p_hoity.storage.private_files import PrivateFiles, private_folder
from protocol.bounds import Seconds

from ..exit_codes import USAGE, Trouble
from ..printing import say
from ..words.translation import _, level_meant, level_word
from . import settings
from .player_setup import answer

LEVEL: Final = "HOITY_BOT"
"""In the environment of a bot: its level."""
LEVEL_FILE: Final = "level"
"""In its home, for when it is woken again."""
LEARN: Final = "learn"
"""Typed in place of a level: the command that explains a first round."""
USUAL: Final = 3
"""Bots of a game for which no number is given."""


def levels_of(word: str | None, kept: str, most: int, least: int = 1) -> tuple[str, ...]:
    """Return a level for each bot: `word` is their number, or a level for each with commas between.

    Bots that are only counted are of the level that is `kept`. Trouble for anything else.
    """
    words = (word or str(USUAL)).replace(" ", "").lower().split(",")
    if len(words) == 1 and words[0].isdecimal():
        found = [kept] * min(int(words[0][-9:]) + 10 * (len(words[0]) > 9), most + 1)
    else:
        found = [level for level in map(level_meant, words) if level is not None]
        if len(found) < len(words):
            text = _("--bots needs the number of bots, or a level for each: {levels}; not {word}.")
            levels = ",".join(LEVELS)
            raise Trouble(text.format(levels=levels, word=repr(word)), USAGE)
    if not least <= len(found) <= most:
        text = _("--bots needs a number from {least} to {most}.")
        raise Trouble(text.format(least=least, most=most), USAGE)
    return tuple(found)


def kept_level(home: Home) -> str:
    """Return the level the player has chosen once."""
    return settings.load(home).bots or DEFAULT_LEVEL


def ask_level(home: Home, lesson: Callable[[], None]) -> str:
    """Return the level that the player has chosen. At the first game it is asked for, and kept.

    Args:
        home: Where it is kept.
        lesson: Explains a first round. It is called when the player types `LEARN`.
    """
    chosen = settings.load(home)
    if chosen.bots is not None:
        return chosen.bots
    offered = ", ".join(level_word(level) for level in LEVELS)
    usual = level_word(DEFAULT_LEVEL)
    question = _("Bots: {levels}? Enter for {usual}, or learn for a lesson first: ")
    level = None
    while level is None:
        word = answer(question.format(levels=offered, usual=usual)) or DEFAULT_LEVEL
        if word.strip().lower() == LEARN:
            lesson()
            continue
        level = level_meant(word)
        if level is None:
            text = _(
                "Type one of {levels} for all bots. Use --bots to give each bot its own level."
            )
            say(text.format(levels=offered))
    settings.keep(home, replace(chosen, bots=level))
    say(_("This level is remembered for later games. --bots changes it for one game."))
    return level


def level_of(bot: Path) -> str:
    """Return the level written down in this bot's home; the usual one if none can be read."""
    try:
        level = (bot / LEVEL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return DEFAULT_LEVEL
    return level if level in LEVELS else DEFAULT_LEVEL


def own_level() -> str:
    """Of the bot that plays the seat of this process: what its crew gave it, else the best."""
    level = os.environ.get(LEVEL, "")
    return level if level in LEVELS else STAND_IN


NAMES = ("Ada", "Bruno", "Clara", "Dario", "Edith", "Fabio", "Greta")
FAREWELL: Final[Seconds] = 15.0
"""Seconds that bots have to finish by themselves when the game is over."""
GRACE: Final[Seconds] = 5.0
"""Seconds between asking a bot to go and making it."""
LOOPBACK = "127.0.0.1:0"
MANNER = ("--auto", "--json", "--until-eof", "--again")
"""How a bot sits: it plays on as long as the people do, and goes when its command goes."""
GAME_FILE = "game"
TROUBLE_FILE = "trouble.txt"
LATCH_FILE = "held"
SECRET = frozenset({"HOITY_PASSPHRASE", "HOITY_TICKET"})
"""Not for bots, unless they are told."""


def _key_of(folder: Path) -> bytes | None:
    """Return the key of the bot that lives here, or None if it has none yet."""
    try:
        return load_identity(Home(folder)).identity.public
    except (KeyFileError, OSError):
        return None


@dataclass
class Crew:
    """The bots of one game on this machine.

    Attributes:
        levels: The level of each bot, by its name.
        relays: Through which alone they are reached, as the player is; if empty, they listen on
            this machine and dial whom they like.
    """

    folder: Path
    levels: dict[str, str]
    say: Callable[[str], None]
    processes: dict[str, trio.Process] = field(default_factory=dict)
    seated: bool = False
    held: StoredFile | None = field(default=None, repr=False)
    relays: tuple[str, ...] = ()

    def remember(self, game: str) -> None:
        """The table is complete: from now on the bots belong to this game."""
        self.seated = True
        PrivateFiles(self.folder).put(self.folder / GAME_FILE, game.encode())

    def has(self, key: bytes) -> bool:
        """Return whether this is the key of one of these bots, each of which has made its own."""
        return any(_key_of(self.folder / name) == key for name in self.levels)

    async def join(self, ticket: str, nursery: trio.Nursery) -> None:
        """Start the bots; each sits down at the table of the ticket.

        Everyone on this machine could read it among a command's words, but not in its environment.
        """
        for name, level in self.levels.items():
            PrivateFiles(self.folder).put(self.folder / name / LEVEL_FILE, level.encode())
            words = ("join", "--yes", "--name", name, *self._way)
            await self._start(name, words, nursery, {"HOITY_TICKET": ticket, LEVEL: level})

    @property
    def _way(self) -> tuple[str, ...]:
        """How a bot is reached, as options of `join`."""
        if not self.relays:
            return ("--listen", LOOPBACK)
        return ("--relay-only", *(word for relay in self.relays for word in ("--relay", relay)))

    async def resume(self, nursery: trio.Nursery) -> None:
        """Start the bots of a game that was left."""
        self.seated = True
        for name, level in self.levels.items():
            await self._start(name, ("resume",), nursery, {LEVEL: level})

    async def _start(
        self,
        name: str,
        words: Sequence[str],
        nursery: trio.Nursery,
        told: Mapping[str, str],
    ) -> None:
        files, home = PrivateFiles(self.folder), self.folder / name
        files.remove(home / TROUBLE_FILE)
        own = {word: value for word, value in own_installation().items() if word not in SECRET}
        command = [sys.executable, "-P", "-m", "cli", *words, *MANNER]
        with files.append(home / TROUBLE_FILE, new=True) as trouble:
            process = await trio.lowlevel.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=trouble,
                env={**own, "HOITY_HOME": str(home), "HOITY_NO_MAP": "1", **told},
                start_new_session=True,
            )
        self.processes[name] = process
        nursery.start_soon(self._watch, name, process)

    async def _watch(self, name: str, process: trio.Process) -> None:
        code = await process.wait()
        if code == 0:
            return
        told = self._why_stopped(name, code)
        if not self.seated:
            raise Trouble(told)
        self.say(told)

    def _why_stopped(self, name: str, code: int) -> str:
        """Return why a bot has stopped: its own last line, if it was not ended by a signal."""
        if code < 0:
            words = _(
                "The system ended the bot {name} (signal {number}), perhaps because memory ran "
                "out. To start the bot again, leave the table and take your seat again with "
                "hoity resume."
            )
            return words.format(name=name, number=-code)
        said = (self.folder / name / TROUBLE_FILE).read_text(encoding="utf-8", errors="replace")
        words = _("The bot {name} has stopped ({code}): {words}")
        last = (said.strip().splitlines() or ["–"])[-1]
        return words.format(name=name, code=code, words=last[-300:])

    async def farewell(self) -> None:
        """The game is over: let the bots finish by themselves."""
        with trio.move_on_after(FAREWELL):
            for process in self.processes.values():
                await process.wait()

    async def dismiss(self, keep: bool) -> None:
        """End every bot that still runs; forget their files unless the game is kept."""
        with trio.CancelScope(shield=True):
            for process in self.processes.values():
                if process.stdin is not None:
                    await process.stdin.aclose()
            for process in self.processes.values():
                await _end(process)
        if self.held is not None:
            self.held.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


async def _end(process: trio.Process) -> None:
    """Wait for one's own process to go, and make it go if it does not."""
    for act in (process.terminate, process.kill):
        with trio.move_on_after(GRACE):
            await process.wait()
            return
        act()
    await process.wait()


def own_installation() -> dict[str, str]:
    """Return the environment in which another process of this user runs this very installation."""
    here = str(Path(__file__).resolve().parents[2])
    paths = [here, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def hire(home: Home, levels: Sequence[str], nickname: str, say: Callable[[str], None]) -> Crew:
    """Return a crew of bots of these levels with names of their own."""
    names = [name for name in NAMES if not twins(name, nickname)]
    with _swept(home) as bots:
        folder = private_folder(bots / secrets.token_hex(8))
        return Crew(folder, dict(zip(names, levels, strict=False)), say, held=_hold(folder))


def crew_of(home: Home, game: str, say: Callable[[str], None]) -> Crew | None:
    """Return the crew that was left with this game, if it had bots."""
    if not (home.path / "bots").exists():
        return None
    with _swept(home) as bots:
        for folder in _folders_in(bots):
            if game in _games_of(folder):
                levels = {bot.name: level_of(bot) for bot in _folders_in(folder)}
                return Crew(folder, levels, say, held=_hold(folder))
    return None


def _folders_in(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.is_dir())


def _games_of(folder: Path) -> set[str]:
    """Return the game these bots belong to: as was remembered, or as their own journals say, if the
    command was killed before it could remember; nothing before it has begun."""
    homes = map(Home, folder.glob("*"))
    found = {path.stem for home in homes for path in home.journals.glob("*.journal")}
    with suppress(FileNotFoundError):
        found.add((folder / GAME_FILE).read_text(encoding="utf-8"))
    return found


def _hold(folder: Path) -> StoredFile | None:
    """Hold a crew's folder as long as this process lives; None if another one holds it."""
    return PrivateFiles(folder).lock(folder / LATCH_FILE)


@contextmanager
def _swept(home: Home) -> Iterator[Path]:
    """The folder of all crews, without those left over; one command at a time gets to it."""
    bots = private_folder(home.path / "bots")
    door = home.files.lock(home.path / "bots.held", wait=True)
    with closing(door) if door is not None else nullcontext():
        for folder in _folders_in(bots):
            with suppress(OSError):  # not ours to remove: it harms nobody
                _sweep(home, folder)
        yield bots


def _sweep(home: Home, folder: Path) -> None:
    """Forget a crew that nobody holds and whose game has not begun, or is over."""
    if any((home.journals / f"{game}.journal").exists() for game in _games_of(folder)):
        return
    held = _hold(folder)
    if held is not None:
        held.close()
        shutil.rmtree(folder)


def sweep(home: Home) -> None:
    """Forget the crews that nobody holds and no game needs any more."""
    if (home.path / "bots").exists():
        with _swept(home):
            pass
