"""Another browser than the one of the other tests plays a whole game: Firefox."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.firefox import ENTER, firefox
from support.paths import ROOT
from support.short_game import short_file
from support.terminals import environment

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
MARK_ALL = """[...document.querySelectorAll("#choice .own-set, #choice .loot")].forEach(
    group => group.querySelector(".on") || group.querySelector(".can")?.click())"""
PATIENCE = 120


@pytest.mark.nightly
@pytest.mark.skipif(FIREFOX is None, reason="no Firefox")
def test_firefox_plays_a_whole_game_without_an_error(tmp_path: Path) -> None:
    words = ["play", "--name", "Fox", "--bots", "easy,easy", "--web", "--web-port", "0"]
    more = ["--edition", str(short_file(tmp_path)), "--patience", "10"]
    command = [sys.executable, "-m", "cli", *words, *more]
    profile = tmp_path / "profile"
    profile.mkdir()
    process = subprocess.Popen(
        command, env=environment(tmp_path / "home"), cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        address = next(line.strip() for line in process.stdout or () if line.startswith("http"))
        with firefox(str(FIREFOX), profile, os.environ) as window:
            window.open(address)
            last = time.monotonic() + PATIENCE
            while not window.value("!!document.querySelector('.standings')"):
                assert time.monotonic() < last
                if window.value("!!document.querySelector('#choice input')"):
                    window.press("1")
                elif window.value("!!document.querySelector('#choice')"):
                    window.value(MARK_ALL)
                time.sleep(0.1)
                window.press(ENTER)
            assert window.problems == []
    finally:
        process.terminate()
        process.wait(30)
