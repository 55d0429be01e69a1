"""The refusal of a file that would replace the only proof that a table was split.

A table is split if two histories of its game are final at different seats. It takes more cheaters
than the table withstands. The journal of a seat on one branch and a file of the other branch then
prove it together, so neither may be removed for the other.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from protocol import SeatMachine, effects, transcript

from ...coded_errors import NOT_OK, Code
from ...game_adapter import bind_raw
from ...storage import journal as journals
from ...storage import transcript_archive
from ...storage.file_store import NotPrivateError
from ...storage.home import Home
from ..peer_error import PeerError


class SplitCode(Code):
    """The reasons why a valid file of the same table does not replace a journal."""

    SPLIT = (
        "file-of-another-branch",
        "{path} is valid, but it lacks step {step} as your journal has it, where this step was "
        "final: the table was split, so that there are two histories of one game. Only players "
        "who cheated can split a table. Your journal is the proof of it and is kept. Save your "
        "side with: hoity resume --claim {game} and keep both files: each seat that has signed "
        "different things in them has cheated",
        NOT_OK,
    )
    VOID = (
        "file-of-void-table",
        "your journal proves that the table was split: two histories of one game were agreed to, "
        "so {path} shows no result. Only players who cheated can split a table. Your journal is "
        "the proof of it and is kept. Save your side with: hoity resume --claim {game} and keep "
        "both files",
        NOT_OK,
    )


UNREADABLE: Final = (journals.JournalError, NotPrivateError, ValueError, OSError)
"""The errors of a journal that this program or this user cannot read."""


def machines_in(homes: Iterable[Home], game: str) -> Iterator[SeatMachine]:
    """Replay the journals of a game in homes without a passphrase, without locking them.

    What cannot be read is left out. Nobody starts the machines, so they sign nothing.
    """
    for home in homes:
        with suppress(*UNREADABLE):
            yield _machine_in(home, game)


def _machine_in(home: Home, game: str) -> SeatMachine:
    """Replay the journal of a game, or raise one of the errors `UNREADABLE`."""
    first, records = journals.read(home.journals / f"{game}.journal", None, home.files)
    table = bind_raw(first.header)
    machine = SeatMachine(table, os.urandom, first.seat, first.identity, first.seed)
    machine.restore(records)
    return machine


def check_branch(path: Path, report: transcript.Report, machine: SeatMachine, game: str) -> None:
    """Check that a valid file has all final steps of a replayed journal, and that no fork is known.

    Raises:
        PeerError: If the table was split. The journal is the proof of it.
    """
    if machine.broken is not None and machine.broken.code == effects.VOID_TABLE:
        raise PeerError(SplitCode.VOID, path=str(path), game=game)
    # Without a node there are no steps of the file to compare with.
    if report.node is None:
        return
    step = transcript.first_lost(machine.tip, machine.final_step(), report.node)
    if step is not None:
        raise PeerError(SplitCode.SPLIT, path=str(path), step=step, game=game)


def rescue(home: Home, others: Iterable[Home]) -> None:
    """Save what the folders of this computer's bots prove and the player's own files do not.

    Call it before these folders are removed. On a split table a bot may have been on another branch
    than the player. Nothing is saved of a game that the player's folder has no transcript of. If
    one of the errors `UNREADABLE` is raised, something could not be read or saved. Then keep the
    folders.
    """
    for one in others:
        for path in one.unchecked.list(one.transcripts, ".hoity"):
            _save(home, path.name, one.unchecked.get(path))
        for path in one.unchecked.list(one.journals, ".journal"):
            try:
                machine = _machine_in(one, path.stem)
            except journals.JournalError as error:
                if error.code is journals.JournalCode.EMPTY:
                    continue  # Its bot was ended before it had written anything.
                raise
            with suppress(ValueError):  # It lacks messages, or is too long for a file.
                _save(home, path.stem + transcript_archive.CLAIM, machine.transcript())


def _save(home: Home, name: str, data: bytes) -> None:
    """Save a transcript that has other steps than the player's own transcript of the game."""
    files, folder = home.unchecked, home.transcripts
    # Only what proves more is saved: a bot on the player's branch has nothing to add.
    if transcript_archive.lacks(folder / f"{name.partition('.')[0]}.hoity", data, files):
        place = transcript_archive.free_place(folder / name, data, files)
        transcript_archive.write_transcript(place, data, files)
