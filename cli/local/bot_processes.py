"""The bots that this computer runs: each is a process of its own, and a real peer with a real key.

The bots of one game are its crew. A crew has a folder among the program's files, which contains a
folder with the files of each bot. The crew's folder is removed when the game is over. If the player
leaves the game, the folder stays, so that `resume` finds the bots' journals and starts the bots
again. A command that is killed leaves the folder behind. The next command that looks for a crew
removes every such folder that no process has locked and no game needs.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from p2p_hoity.bots import DEFAULT_LEVEL, LEVELS, STAND_IN
from p2p_hoity.confusable_names import twins
from p2p_hoity.storage.file_store import StoredFile
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import Company
from p2p_hoity.storage.player_key import KeyFileError, load_identity
from p2p_hoity.storage.private_files import PrivateFiles, check_if_there, private_folder
from protocol.units import Seconds

from ..exit_codes import USAGE, Trouble
from ..printing import say
from ..words.translation import _, level_meant, level_word
from . import settings
from .bot_copies import SECRET, CopiedBot, Copy
from .bot_manners import AUDIENCE, Audience
from .own_program import own_command, own_environment
from .player_setup import answer

LEVEL: Final = "HOITY_BOT"
"""The environment variable that gives a bot its level."""
LEVEL_FILE: Final = "level"
"""The name of the file among a bot's files that stores its level, for when the bot is resumed."""
LEARN: Final = "learn"
"""The word that is typed in place of a level to play the lesson first."""
USUAL: Final = 3
"""The number of bots in a game if the player has typed no number."""


def levels_of(word: str | None, kept: str, most: int, least: int = 1) -> tuple[str, ...]:
    """Return the level of each bot, of which there have to be `least` to `most`.

    Args:
        word: The number of bots, or their levels with commas between. None for `USUAL` bots.
        kept: The level of every bot if no levels are typed.

    Raises:
        Trouble: If the word is neither a number nor levels, or there are too few or too many bots.
    """
    words = (word or str(USUAL)).replace(" ", "").lower().split(",")
    if len(words) == 1 and words[0].isdecimal():
        # A number of more than nine digits only has to become one that is too large.
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
    """Return the level of bots that the player once chose, or the default level."""
    return settings.load(home).bots or DEFAULT_LEVEL


def ask_level(home: Home, lesson: Callable[[], None]) -> str:
    """Return the level of bots that the player once chose, or ask for it and store it.

    The lesson is played when the player types `LEARN`.
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
    """Return the level that is stored among a bot's files, or the default if none can be read."""
    try:
        level = (bot / LEVEL_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return DEFAULT_LEVEL
    return level if level in LEVELS else DEFAULT_LEVEL


def own_level() -> str:
    """Return the level of this process's bot by the environment, or else that of a stand-in."""
    level = os.environ.get(LEVEL, "")
    return level if level in LEVELS else STAND_IN


def is_bot() -> bool:
    """Return whether this process plays a bot of another process of this computer."""
    return LEVEL in os.environ


NAMES = ("Ada", "Bruno", "Clara", "Dario", "Edith", "Fabio", "Greta")
FAREWELL: Final[Seconds] = 15.0
"""The time that bots have to end by themselves when the game is over, in seconds."""
GRACE: Final[Seconds] = 5.0
"""The time that a bot's process has to end before it is forced to, in seconds."""
ANY_PORT_HERE = "127.0.0.1:0"
MANNER = ("--auto", "--json", "--until-eof", "--again")
"""The options of each bot's command. The bot plays on with the people, and ends with its host."""
GAME_FILE = "game"
TROUBLE_FILE = "trouble.txt"
LOCK_FILE = "held"


def company_at(
    seat: int, players: Sequence[bytes | None], levels: Mapping[bytes | None, str]
) -> Company:
    """Return who sits at a table: the player at a seat, and own bots with their levels by key."""
    found = (None if key is None else levels.get(key) for key in players)
    return Company(seat, tuple(found))


def levels_of_bots(homes: Iterable[Home]) -> dict[bytes | None, str]:
    """Return the level of each bot whose files are in one of these folders, by its key."""
    return {_key_of(home.path): level_of(home.path) for home in homes}


def _key_of(folder: Path) -> bytes | None:
    """Return the public key of the bot whose files are in a folder, or None if it has none yet."""
    try:
        return load_identity(Home(folder)).identity.public
    except (KeyFileError, OSError):
        return None


Bot = trio.Process | CopiedBot


@dataclass
class Crew:
    """The bots of one game on this computer. The dictionaries are by the bot's name.

    Attributes:
        seated: Whether the game has begun.
        held: The lock of the folder. None if another process has locked it.
        relays: The relays that the bots use for all connections. If empty, they listen on this
            computer and connect directly.
        copies: Copies of this process for the bots. For a bot without one, a Python is started.
        audience: For whom the bots play.
    """

    folder: Path
    levels: dict[str, str]
    say: Callable[[str], None]
    processes: dict[str, Bot] = field(default_factory=dict)
    seated: bool = False
    held: StoredFile | None = field(default=None, repr=False)
    relays: tuple[str, ...] = ()
    copies: list[Copy] = field(default_factory=list, repr=False)
    audience: Audience = Audience.PROGRAM

    def remember(self, game: str) -> None:
        """Store the id of the game to which the bots belong, once the table is complete."""
        self.seated = True
        PrivateFiles(self.folder).put(self.folder / GAME_FILE, game.encode())

    def has(self, key: bytes) -> bool:
        """Return whether a long-lived public key belongs to one of these bots."""
        return any(_key_of(self.folder / name) == key for name in self.levels)

    def company(self, seat: int, players: Sequence[bytes | None]) -> Company:
        """Return who sits at the table, by the long-lived key of each seat's player."""
        levels = {_key_of(self.folder / name): level for name, level in self.levels.items()}
        return company_at(seat, players, levels)

    async def join(self, ticket: str, nursery: trio.Nursery) -> None:
        """Start the bots, which sit down at the table of a ticket."""
        for name, level in self.levels.items():
            PrivateFiles(self.folder).put(self.folder / name / LEVEL_FILE, level.encode())
            # The ticket is passed in the environment, because every user of the computer can read
            # the words of a command.
            words = ("join", "--yes", "--name", name, *self._way)
            await self._start(name, words, nursery, {"HOITY_TICKET": ticket, LEVEL: level})

    @property
    def _way(self) -> tuple[str, ...]:
        """The options of `join` that say how a bot can be reached."""
        if not self.relays:
            return ("--listen", ANY_PORT_HERE)
        return ("--relay-only", *(word for relay in self.relays for word in ("--relay", relay)))

    async def resume(self, nursery: trio.Nursery) -> None:
        """Start the bots of a resumed game again."""
        self.seated = True
        for name, level in self.levels.items():
            await self._start(name, ("resume",), nursery, {LEVEL: level})

    async def _start(
        self, name: str, words: Sequence[str], nursery: trio.Nursery, told: Mapping[str, str]
    ) -> None:
        """Start one bot by its own words and environment, and watch it in the nursery."""
        files, home = PrivateFiles(self.folder), self.folder / name
        files.remove(home / TROUBLE_FILE)
        # A bot must learn neither the player's passphrase nor a ticket that is not its own.
        own = {word: value for word, value in own_environment().items() if word not in SECRET}
        here = {"HOITY_HOME": str(home), "HOITY_NO_MAP": "1", AUDIENCE: self.audience.value}
        env = {**own, **here, **told}
        with files.append(home / TROUBLE_FILE, new=True) as trouble:
            process = self._copied((*words, *MANNER), env, trouble.fileno())
            process = process or await trio.lowlevel.open_process(
                own_command(*words, *MANNER),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=trouble,
                env=env,
                # Ctrl-C at the terminal is for the player's process alone.
                start_new_session=True,
            )
        self.processes[name] = process
        nursery.start_soon(self._watch, name, process)

    def _copied(self, words: Sequence[str], env: Mapping[str, str], stderr: int) -> Bot | None:
        """Let a copy play a bot. Return None if there is no copy, or it has ended."""
        if self.copies:
            with suppress(OSError):
                return self.copies.pop().begin(words, env, stderr)
        return None

    async def _watch(self, name: str, process: Bot) -> None:
        """Wait for a bot to end, and report a failure, before the game begins as a Trouble."""
        code = await process.wait()
        if code == 0:
            return
        told = self._why_stopped(name, code)
        if not self.seated:
            raise Trouble(told)
        self.say(told)
        if code > 0:
            words = _(
                "The game may wait for the bot {name}. To start it again, leave the table and take "
                "your seat again with hoity resume."
            )
            self.say(words.format(name=name))

    def _why_stopped(self, name: str, code: int) -> str:
        """Return why a bot has stopped: by a signal, or with the last line that it wrote."""
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
        """Wait, at most `FAREWELL` seconds, for the bots to end by themselves after the game."""
        with trio.move_on_after(FAREWELL):
            for process in self.processes.values():
                await process.wait()

    async def dismiss(self, keep: bool) -> None:
        """End every bot that still runs, unlock the folder, and remove it unless it is kept."""
        # A cancelled program must not leave bots behind. Every input is closed first, so that the
        # bots end at the same time.
        with trio.CancelScope(shield=True):
            for process in self.processes.values():
                if process.stdin is not None:
                    await process.stdin.aclose()
            for process in self.processes.values():
                await _end(process)
        for copy in self.copies:
            copy.dismiss()
        if self.held is not None:
            self.held.close()
        if not keep:
            # What cannot be removed now is swept before the next game.
            _remove(Home(self.folder.parent.parent), self.folder)


async def _end(process: Bot) -> None:
    """Wait until a bot's process ends. If it does not end in time, terminate and then kill it."""
    for act in (process.terminate, process.kill):
        with trio.move_on_after(GRACE):
            await process.wait()
            return
        act()
    await process.wait()


def hire(
    home: Home,
    levels: Sequence[str],
    nickname: str,
    say: Callable[[str], None],
    copies: list[Copy] | None = None,
) -> Crew:
    """Prepare the bots of a game, with nicknames that differ from the player's. None is started."""
    names = [name for name in NAMES if not twins(name, nickname)]
    with _swept(home) as bots:
        folder = private_folder(bots / secrets.token_hex(8))
        of_names = dict(zip(names, levels, strict=False))
        # Before the folder of all bots is unlocked, or another command would sweep this one.
        held = _hold(folder)
        return Crew(folder, of_names, say, held=held, copies=copies or [])


def crew_of(home: Home, game: str, say: Callable[[str], None]) -> Crew | None:
    """Find the bots that this computer ran in a game that the player has left. None if it ran none.

    Raises:
        NotPrivateError: If other users can access the files of a bot, which would not play then.
    """
    if not (home.path / "bots").exists():
        return None
    with _swept(home) as bots:
        for folder in _folders_in(bots):
            if game in _games_of(folder):
                levels = {bot.name: level_of(bot) for bot in _folders_in(folder)}
                for path in (folder, *sorted(folder.rglob("*"))):
                    if path.parent.name != "transcripts":  # Others may read those.
                        check_if_there(path)
                return Crew(folder, levels, say, held=_hold(folder))
    return None


def _folders_in(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.is_dir())


def _games_of(folder: Path) -> set[str]:
    """Return the ids of the games of the bots in a folder: none before a game has begun."""
    # The names of journals count too: a command may be killed before it writes the file with the
    # id.
    homes = map(Home, folder.glob("*"))
    found = {path.stem for home in homes for path in home.journals.glob("*.journal")}
    with suppress(FileNotFoundError):
        found.add((folder / GAME_FILE).read_text(encoding="utf-8"))
    return found


def _hold(folder: Path) -> StoredFile | None:
    """Lock the folder of a game's bots, or return None if another process has locked it."""
    return PrivateFiles(folder).lock(folder / LOCK_FILE)


@contextmanager
def _swept(home: Home) -> Iterator[Path]:
    """Lock the folder of all bots, remove those of ended games, and yield the folder."""
    bots = private_folder(home.path / "bots")
    lock = home.files.lock(home.path / "bots.held", wait=True)
    with closing(lock) if lock is not None else nullcontext():
        for folder in _folders_in(bots):
            with suppress(OSError):  # A folder that cannot be removed does no harm.
                _sweep(home, folder)
        yield bots


def _sweep(home: Home, folder: Path) -> None:
    """Remove the folder of a game's bots unless a process has locked it or the game goes on."""
    if any((home.journals / f"{game}.journal").exists() for game in _games_of(folder)):
        return
    held = _hold(folder)
    if held is not None:
        # Nobody else can lock it meanwhile, since that needs the lock of the folder of all bots.
        held.close()
        _remove(home, folder)


def _remove(home: Home, folder: Path) -> None:
    """Remove the folder of a game's bots, but save what only their files prove.

    If this is not possible now, the folder stays.
    """
    # Commands without bots do not need it.
    from p2p_hoity.table.beside_game.split_tables import UNREADABLE, rescue

    with suppress(*UNREADABLE):
        # Before the folder is removed, or the proof is lost.
        rescue(home, map(Home, _folders_in(folder)))
        shutil.rmtree(folder, ignore_errors=True)


def sweep(home: Home) -> None:
    """Remove the files of bots whose games are over, unless a process has locked their folder."""
    if (home.path / "bots").exists():
        with _swept(home):
            pass
