"""What a real seat leaves behind: nothing secret is printed, and nobody else may read its files."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import terminals
from support.liars.table import environment, hoity

from p2p_hoity.storage import journal
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.keys import load_identity
from p2p_hoity.storage.own_files import private_folder

PASSPHRASE = "correct horse battery staple"


def secrets_of(home: Path, passphrase: str | None) -> set[bytes]:
    """The secrets of a seat in the middle of a game: its key and what its journal holds."""
    (path,) = home.glob("journals/*.journal")
    first = journal.read_first(path, passphrase)
    return {load_identity(Home(home), passphrase).identity.seed, first[2]}


def shown(secret: bytes) -> set[bytes]:
    """A secret as it is, in hexadecimal, and as Python would print it."""
    return {secret, secret.hex().encode(), repr(secret)[2:-1].encode()}


@pytest.fixture
def careless() -> Iterator[None]:
    """A player whose system opens every new file to everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless")
def test_a_seat_tells_no_secret_and_locks_its_files(tmp_path: Path) -> None:
    home = tmp_path / "host"
    env = {**environment(home), "HOITY_PASSPHRASE": PASSPHRASE}
    words = [sys.executable, "-m", "cli", "--debug", "host", "--seats", "2", "--auto", "--yes"]
    with (tmp_path / "printed").open("wb") as printed:
        host = subprocess.Popen(
            [*words, "--json", "--listen", "127.0.0.1:0", "--lan", "off"],
            env=env, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed,
        )  # fmt: skip
    ticket = _wait_for_ticket(tmp_path / "printed")
    guest = terminals.start(tmp_path / "guest", "join", ticket, "--auto", "--yes", "--json")
    guest.read_until("round", 2)
    command = Path(f"/proc/{host.pid}/cmdline")
    arguments = command.read_bytes() if command.exists() else b""
    host.kill()
    host.wait()
    secrets = secrets_of(home, PASSPHRASE)
    guest.process.kill()
    guest.process.wait()
    theirs = secrets_of(tmp_path / "guest", None)
    open_words = (tmp_path / "printed").read_bytes() + arguments + ticket.encode()
    open_words += repr(guest.lines).encode() + guest.errors().encode()
    for secret in secrets | theirs | {PASSPHRASE.encode()}:
        assert not any(form in open_words for form in shown(secret))
    _locked(home, secrets | {PASSPHRASE.encode()})
    _locked(tmp_path / "guest", set())
    wrong = hoity(home, "--debug", "resume", "--auto", "--json")
    assert wrong.returncode != 0
    assert "passphrase" in wrong.stderr
    assert not any(form in wrong.stderr.encode() for s in secrets for form in shown(s))


def _wait_for_ticket(printed: Path) -> str:
    while b"hoity2" not in printed.read_bytes():
        pass
    text = printed.read_text()
    return "hoity2" + text.split("hoity2", 1)[1].split('"', 1)[0]


def _locked(home: Path, sealed: set[bytes]) -> None:
    """Owner-only, every one of them; and under a passphrase no secret lies open."""
    files = [path for path in home.rglob("*") if path.name not in ("errors", "screen")]
    assert len(files) >= 3
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        if path.is_file():
            assert not any(secret in path.read_bytes() for secret in sealed), path


@pytest.mark.usefixtures("careless")
def test_every_folder_that_is_made_is_the_owners_alone(tmp_path: Path) -> None:
    private_folder(tmp_path / "a" / "b" / "c")
    for path in tmp_path.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
