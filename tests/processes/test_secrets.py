"""What a real seat leaves behind: nothing secret is printed, and nobody else may read its files."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sampling import AT_WORK
from support.terminals import BOT, GUEST, LISTEN, hoity, start

from p2p_hoity.storage import journal
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.player_key import load_identity

pytestmark = AT_WORK

PASSPHRASE = "correct horse battery staple"


def secrets_of(home: Path, passphrase: str | None) -> set[bytes]:
    """Return the secrets of a seat in a game: its key and what its journal holds."""
    (path,) = home.glob("journals/*.journal")
    first = journal.read_first(path, passphrase)
    return {load_identity(Home(home), passphrase).identity.seed, first.seed}


def shown(secret: bytes) -> set[bytes]:
    """Return a secret as it is, in hexadecimal, and as Python would print it."""
    return {secret, secret.hex().encode(), repr(secret)[2:-1].encode()}


@pytest.fixture
def careless() -> Iterator[None]:
    """Have the system open every new file of this player to everyone."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless")
def test_a_seat_tells_no_secret_and_locks_its_files(tmp_path: Path) -> None:
    words = ("--debug", "host", "--seats", "2", "--lan", "off", *LISTEN, *BOT)
    host = start(tmp_path / "host", *words, fresh=True, HOITY_PASSPHRASE=PASSPHRASE)
    ticket = host.read_until("ticket")["ticket"]
    guest = start(tmp_path / "guest", "join", ticket, *GUEST)
    guest.read_until("round", 2)
    command = Path(f"/proc/{host.process.pid}/cmdline")
    arguments = command.read_text() if command.exists() else ""
    host.kill()
    rest = host.rest()
    secrets = secrets_of(host.home, PASSPHRASE)
    guest.kill()
    theirs = secrets_of(guest.home, None)
    told = [arguments, ticket, rest, *(repr(one.lines) + one.errors() for one in (host, guest))]
    open_words = "".join(told).encode()
    for secret in secrets | theirs | {PASSPHRASE.encode()}:
        assert not any(form in open_words for form in shown(secret))
    _locked(host.home, secrets | {PASSPHRASE.encode()})
    _locked(guest.home, set())
    wrong = hoity(host.home, "--debug", "resume", "--auto", "--json")
    assert wrong.returncode != 0
    assert "passphrase" in wrong.stderr
    assert not any(form in wrong.stderr.encode() for s in secrets for form in shown(s))


def _locked(home: Path, sealed: set[bytes]) -> None:
    """Check that all is its owner's alone, and that under a passphrase no secret lies open."""
    files = list(home.rglob("*"))
    assert len(files) >= 3
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
        if path.is_file():
            assert not any(secret in path.read_bytes() for secret in sealed), path
