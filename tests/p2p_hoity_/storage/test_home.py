"""Tests of a player's files: whoever makes them, only their owner reads them."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from p2p_hoity.storage.private_files import PrivateFiles


@pytest.fixture(autouse=True)
def _careless() -> Iterator[None]:
    """A umask that opens everything to everybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def open_to_others(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def test_files_and_folders_are_the_owners_alone_and_added_to(tmp_path: Path) -> None:
    made = tmp_path / "made" / "deeper"
    files = PrivateFiles(tmp_path / "made")
    files.put(made / "one", b"1")
    with files.append(made / "two", new=True) as file:
        file.write(b"2")
    held = files.lock(made / "three")
    assert held is not None
    held.close()
    paths = [made.parent, *made.parent.rglob("*")]
    assert len(paths) == 5
    assert [path for path in paths if open_to_others(path)] == []
    assert (made / "two").read_bytes() == b"2"
    (tmp_path / "open").write_bytes(b"")
    assert open_to_others(tmp_path / "open")
    for word in (b"a", b"b"):
        with files.append(made / "two") as file:
            file.seek(0, os.SEEK_END)
            file.write(word)
    assert (made / "two").read_bytes() == b"2ab"
