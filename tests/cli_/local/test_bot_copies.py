"""Bots as copies of the player's process: what they share, and what they never have."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.commands import list_games, play, resume
from cli.commands.options import GuestOptions, OutputOptions, SeatOptions, TableOptions
from cli.local import bot_copies
from cli.local.bot_copies import Copy, copies
from p2p_hoity.table.open_links import Reach

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(os, "pidfd_open"), reason="no process is copied there"
)


def test_two_bots_draw_differently_and_hold_nothing_of_the_player(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "support.told_copies", str(tmp_path / "lock")]
    done = subprocess.run(command, capture_output=True, check=True)
    (one_code, one), (two_code, two), failed, killed = json.loads(done.stdout)
    assert (one_code, two_code) == (0, 0)
    assert not set(one["drawn"]) & set(two["drawn"])
    assert len({*one["drawn"], *two["drawn"]}) == 8
    for told in (one, two):
        assert told["held"] == []
        assert told["environ"] == {"HOITY_HOME": "/home", "OWN": "tell"}
        assert told["session"]
        assert told["words"] == ["tell"]
    assert (failed[0], killed[0]) == (3, -signal.SIGKILL)


@pytest.mark.parametrize("command", ["play", "resume"])
def test_they_are_made_before_the_key_of_the_player_is_loaded(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    class Stop(Exception):
        """The key would be loaded now."""

    def load(*_: Any, **_more: Any) -> None:
        events.append("key")
        raise Stop

    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    (tmp_path / "bots").mkdir(mode=0o700)
    tmp_path.chmod(0o700)
    module = {"play": play, "resume": resume}[command]
    monkeypatch.setattr(module, "copies", lambda number: events.append(f"{number} copies"))
    seat, output = SeatOptions(), OutputOptions()
    if command == "play":
        monkeypatch.setattr(play, "new_sitting", load)
        opening = play.Opening(TableOptions(), ("easy", "easy"), Reach(), GuestOptions())
        with pytest.raises(Stop):
            play.host(seat, output, opening)
    else:
        monkeypatch.setattr(list_games, "key_of_games", load)
        with pytest.raises(Stop):
            resume.resume(seat, output, None, Reach())
    assert events == ["2 copies" if command == "play" else "5 copies", "key"]


@pytest.mark.parametrize("name", sorted(bot_copies.SECRET))
def test_an_environment_with_a_secret_is_not_copied(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "secret")
    assert copies(3) == []


def test_where_processes_cannot_be_copied_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_copies, "can_copy", lambda: False)
    assert copies(3) == []


async def test_a_copy_that_has_ended_begins_no_task() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with pytest.raises(OSError, match=r"pipe|reset"):
        Copy(ours, 1).begin(["join"], {}, 2)
    assert ours.fileno() == -1
