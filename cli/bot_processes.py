"""The bots' dressing room: each local bot is a process of its own, a real peer with a real key.

A crew lives in a folder of the player's home that only its owner can enter, a home for each bot.
The folder is gone when the game is over, and stays when the game is left: then whoever resumes
the game finds the bots' journals there and wakes them again.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import trio

from p2p_hoity.home import Home, private_folder

from .lingo import _
from .trouble import Trouble

NAMES = ("Ada", "Bruno", "Clara", "Dario", "Edith", "Fabio", "Greta")
FAREWELL = 15.0
"""Seconds that bots have to finish by themselves when the game is over."""
GRACE = 5.0
"""Seconds between asking a bot to go and making it."""
LOOPBACK = "127.0.0.1:0"
GAME_FILE = "game"
TROUBLE_FILE = "trouble.txt"


@dataclass
class Crew:
    """The bots of one game on this machine."""

    folder: Path
    names: tuple[str, ...]
    say: Callable[[str], None]
    processes: dict[str, trio.Process] = field(default_factory=dict)
    seated: bool = False

    def remember(self, game: str) -> None:
        """The table is complete: from now on the bots belong to this game."""
        self.seated = True
        (self.folder / GAME_FILE).write_text(game, encoding="utf-8")

    async def join(self, ticket: str, nursery: trio.Nursery) -> None:
        """Start the bots; each sits down at the table of the ticket."""
        for name in self.names:
            words = ("join", ticket, "--yes", "--name", name, "--listen", LOOPBACK)
            await self._start(name, words, nursery)

    async def resume(self, nursery: trio.Nursery) -> None:
        """Start the bots of a game that was left."""
        self.seated = True
        for name in self.names:
            await self._start(name, ("resume",), nursery)

    async def _start(self, name: str, words: Sequence[str], nursery: trio.Nursery) -> None:
        home = private_folder(self.folder / name)
        command = [sys.executable, "-P", "-m", "cli", *words, "--auto", "--json", "--until-eof"]
        with (home / TROUBLE_FILE).open("wb") as trouble:
            process = await trio.lowlevel.open_process(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=trouble,
                env=_environment(home),
                start_new_session=True,
            )
        self.processes[name] = process
        nursery.start_soon(self._watch, name, process)

    async def _watch(self, name: str, process: trio.Process) -> None:
        code = await process.wait()
        if code == 0:
            return
        said = (self.folder / name / TROUBLE_FILE).read_text(encoding="utf-8", errors="replace")
        words = _("The bot {name} has stopped ({code}): {words}")
        told = words.format(name=name, code=code, words=said.strip()[-300:] or "–")
        if not self.seated:
            raise Trouble(told)
        self.say(told)

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


def _environment(home: Path) -> dict[str, str]:
    """The bot's own home, no passphrase, and this very installation."""
    environment = {k: v for k, v in os.environ.items() if k != "HOITY_PASSPHRASE"}
    here = str(Path(__file__).resolve().parent.parent)
    paths = [here, *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "HOITY_HOME": str(home), "PYTHONPATH": os.pathsep.join(paths)}


def hire(home: Home, number: int, nickname: str, say: Callable[[str], None]) -> Crew:
    """A crew of so many bots with names of their own."""
    names = [name for name in NAMES if name != nickname][:number]
    folder = private_folder(private_folder(home.path / "bots") / secrets.token_hex(8))
    return Crew(folder, tuple(names), say)


def crew_of(home: Home, game: str, say: Callable[[str], None]) -> Crew | None:
    """The crew that was left with this game, if it had bots."""
    for folder in _crews(home):
        if (folder / GAME_FILE).read_text(encoding="utf-8") == game:
            names = [path.name for path in sorted(folder.iterdir()) if path.is_dir()]
            return Crew(folder, tuple(names), say)
    return None


def _crews(home: Home) -> Iterator[Path]:
    for file in (home.path / "bots").glob(f"*/{GAME_FILE}"):
        yield file.parent
