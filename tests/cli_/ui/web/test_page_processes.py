"""A real `hoity play --web` and a real browser: the first run, a game, and every kind of end."""

import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.live_page import Tab, chromium, window
from support.page_browser import IS_HERE
from support.short_game import short_file
from support.terminals import environment

from cli.words.page_labels import labels

pytestmark = pytest.mark.skipif(
    not IS_HERE or os.name != "posix", reason="no Chromium, or no package playwright"
)
INTERRUPTED = 130
LIMIT = 60


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests of the module."""
    with chromium() as found:
        yield found


class Play:
    """A `hoity play --web` that takes a program for a browser which notes what it shall open."""

    def __init__(self, folder: Path, *words: str) -> None:
        self.home, self.noted = folder / "home", folder / "opened"
        show = folder / "show"
        show.write_text(
            f'#!/bin/sh\necho "$1" > {self.noted}.new; mv {self.noted}.new {self.noted}\n'
        )
        show.chmod(0o755)
        edition = str(short_file(folder))
        options = ("--bots", "easy", "--edition", edition, "--patience", "5", *words)
        self.command = [sys.executable, "-m", "cli", "play", "--web", *options]
        self.process = subprocess.Popen(
            self.command,
            env=environment(self.home, BROWSER=str(show)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "Play":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def forwarding(self) -> Path:
        """The file that the browser is to open."""
        end = time.monotonic() + LIMIT
        while not self.noted.exists():
            assert time.monotonic() < end, self.process.poll()
            time.sleep(0.02)
        return Path(self.noted.read_text().strip().removeprefix("file://"))

    def end(self) -> tuple[int, str, str]:
        """Its exit code, and what it printed."""
        out, err = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out, err


def command_lines() -> str:
    """The command lines and environments of all processes that can be read."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return "\n".join(found)


def begin(tab: Tab, play: Play) -> str:
    """Enter by the forwarding file, answer the first run, and return the game's secret."""
    file = play.forwarding()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.parent == play.home
    found = re.search(r"http://127\.0\.0\.1:\d+/#([\w-]{20,})", file.read_text())
    assert found is not None
    assert found[1] not in command_lines()
    tab.page.goto(file.as_uri(), wait_until="commit")
    tab.page.wait_for_selector("form.setup")
    end = time.monotonic() + 5
    while file.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert not file.exists()
    tab.page.get_by_role("textbox").fill("Cleo")
    tab.page.get_by_role("button", name=labels()["play_bots"]).click()
    return found[1]


@pytest.mark.nightly
def test_the_first_run_and_a_game_to_its_end(browser: Any, tmp_path: Path) -> None:
    with Play(tmp_path) as play, window(browser) as opened:
        tab = Tab(opened.new_page())
        secret = begin(tab, play)
        tab.until("ending", tab.by_keys)
        token = tab.page.evaluate("sessionStorage.getItem('hoity-token')")
        seen = command_lines()
        assert secret not in seen
        assert token not in seen
        tab.page.get_by_role("button", name=labels()["leave_table"]).click()
        code, out, err = play.end()
        assert code == 0
        assert secret not in out + err
        assert "Traceback" not in err
        tab.page.wait_for_selector(".notice")
        assert not tab.problems
        assert '"Cleo"' in (play.home / "settings.json").read_text()
        assert not list(play.home.glob("page-*"))


@pytest.mark.nightly
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
def test_a_program_that_ends_in_a_game_leaves_a_page_that_says_how_to_go_on(
    browser: Any, tmp_path: Path, how: signal.Signals
) -> None:
    with Play(tmp_path) as play, window(browser) as opened:
        tab = Tab(opened.new_page())
        begin(tab, play)
        tab.until("question", tab.by_keys)
        play.process.send_signal(how)
        code, out, err = play.end()
        assert code == (INTERRUPTED if how == signal.SIGINT else -how)
        tab.page.wait_for_selector(".notice")
        if how == signal.SIGINT:
            assert re.search(r"hoity resume --web \S+", tab.page.inner_text(".notice")), (out, err)
        else:
            assert tab.page.locator(".notice").inner_text() in (labels()["lost"], labels()["ended"])
        assert tab.page.locator(".rows tbody tr").count() == 2
        assert not list(play.home.glob("page-*"))
