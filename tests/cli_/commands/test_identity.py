"""The player's key, as commands make, show and export it."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.shell import Shell

SOME = pytest.mark.sampled(3)


def test_a_key_is_made_shown_and_exported_and_not_replaced(hoity: Shell, tmp_path: Path) -> None:
    made = hoity.done(0, "id", "new", "--name", "Ana", "--json")
    assert made.lines[0]["nickname"] == "Ana"
    assert stat.S_IMODE((hoity.home.identity).stat().st_mode) == 0o600
    assert hoity("id", "show", "--json").lines == made.lines
    assert made.lines[0]["fingerprint"] in hoity("id", "show").out
    assert hoity("id", "export").out.strip() == made.lines[0]["public"]
    copy = tmp_path / "copy"
    assert hoity("id", "export", "--secret", copy).code == 0
    assert copy.read_bytes() == (hoity.home.identity).read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    again = hoity("id", "export", "--secret", copy)
    assert (again.code, "exists already" in again.err) == (2, True)
    before = (hoity.home.identity).read_bytes()
    assert hoity("id", "new", "--name", "Bob").code == 2
    assert (hoity.home.identity).read_bytes() == before


def test_a_sealed_key_needs_its_passphrase(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter(["one", "two"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(given))
    assert hoity("id", "new", "--passphrase").code == 2  # as they differ
    assert not hoity.home.identity.exists()
    monkeypatch.setenv("HOITY_PASSPHRASE", "open sesame")
    assert hoity("id", "new", "--name", "Ana").code == 0
    assert hoity("id", "show").code == 0
    monkeypatch.setenv("HOITY_PASSPHRASE", "wrong")
    assert hoity("id", "show").code == 2
    monkeypatch.delenv("HOITY_PASSPHRASE")
    assert "HOITY_PASSPHRASE" in hoity.told(2, "id", "show")


@SOME
def test_a_passphrase_without_a_terminal_is_a_clear_error(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "cli", "id", "new", "--passphrase"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # no terminal to fall back to either
        env={**os.environ, "HOITY_HOME": str(tmp_path), "HOITY_PASSPHRASE": ""},
    )
    assert process.returncode == 2
    assert "HOITY_PASSPHRASE" in process.stderr
    assert "Warning" not in process.stderr
    assert not (tmp_path / "identity").exists()


def test_a_key_without_a_nickname_is_shown_as_such(hoity: Shell) -> None:
    told = hoity.told(0, "id", "new")
    assert "another one at each table" in told
    assert hoity("id", "show", "--json").lines[0]["nickname"] is None
    hoity.home.identity.unlink()
    assert "Nickname: Ana" in hoity.told(0, "id", "new", "--name", "Ana")
    assert hoity("id", "show", "--json").lines[0]["nickname"] == "Ana"
