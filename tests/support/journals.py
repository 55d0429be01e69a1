"""Journals as a game leaves them, and a disk that is full."""

import os
from pathlib import Path
from typing import Any

import pytest

from p2p_hoity.storage import journal
from p2p_hoity.storage.journal_format import SeatRecord
from support.machine_table import identity, make_table
from support.toy_game import ToyGame


def seat_record(header: bytes, seat: int, **more: Any) -> SeatRecord:
    """Return the first record of a seat's journal."""
    fields = {
        "seed": b"s" * 32,
        "key": identity(seat).seed,
        "addresses": ((), (), ()),
        "listen": ":0",
        "relays": (),
        "started": 0,
        "signature": bytes(64),
        "secret": b"",
        "is_open": False,
        "hidden": False,
        "relay_only": False,
        "vouches": (None,) * 3,
    }
    return SeatRecord(header=header, seat=seat, **(fields | more))


FIRST = seat_record(make_table(ToyGame(3, 1), 3, 2)[0].header.encode(), 1)


def fresh(folder: Path, passphrase: str | None = None) -> journal.Journal:
    """Return a new journal below a folder."""
    return journal.create(folder / "journals" / "game.journal", FIRST, passphrase)


def write(folder: Path, *records: bytes, passphrase: str | None = None) -> Path:
    """Write a journal with these records, and return where it is."""
    book = fresh(folder, passphrase)
    for record in records:
        book.append(record)
    book.close()
    return book.path


def read(path: Path, passphrase: str | None = None) -> tuple[bool, SeatRecord, list[bytes]]:
    """Return whether a journal is current, its first record and the others."""
    book, first, records = journal.reopen(path, passphrase)
    every = list(records)
    book.close()
    return book.current, first, every


def look(path: Path, passphrase: str | None = None) -> tuple[SeatRecord, list[bytes]]:
    """Return the first record of a journal and the others, as one reads that is not reopened."""
    first, records = journal.read(path, passphrase)
    return first, list(records)


def play_on(path: Path, record: bytes = b"more") -> None:
    """Reopen a journal and add a record."""
    book, _, _ = journal.reopen(path)
    book.append(record)
    book.close()


def fill_disk(patch: pytest.MonkeyPatch) -> None:
    """Let nothing reach the disk any more."""

    def refuse(_: int) -> None:
        raise OSError(28, "No space left on device")

    patch.setattr(os, "fsync", refuse)
