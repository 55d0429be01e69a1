"""How well bots play: typed, chosen once, told to a bot and remembered for it."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.exit_codes import Trouble
from cli.local import bot_processes, settings
from cli.local.bot_processes import LEVEL, LEVEL_FILE, ask_level, level_of, levels_of, own_level
from cli.words.translation import WORDS, level_meant
from p2p_hoity import bots
from p2p_hoity.storage.home import Home


def test_their_number_or_a_level_for_each() -> None:
    for word, levels in (
        (None, ("normal",) * 3),
        ("1", ("normal",)),
        (" 5 ", ("normal",) * 5),
        ("easy", ("easy",)),
        ("EASY, normal,e", ("easy", "normal", "easy")),
    ):
        assert levels_of(word, "normal", 5) == levels
    assert levels_of("2", "easy", 5) == ("easy", "easy")  # as was chosen once
    assert levels_of("normal", "easy", 5) == ("normal",)
    assert levels_of("0", "normal", 5, 0) == ()  # a host may take none
    meant = [level_meant(word) for word in ("e", "Norm", "easyly", "", "3")]
    assert meant == ["easy", "normal", None, None, None]


NONSENSE = [",", "x", "easy,,easy", "easy;normal", "0", "6", "-1", "3.5", "easy," * 5 + "easy"]


def test_anything_else_is_refused_in_words() -> None:
    assert set(bots.LEVELS) <= set(settings.LEVELS) == set(WORDS)
    assert {bots.DEFAULT_LEVEL, bots.STAND_IN} <= set(bots.LEVELS) <= set(bots.BOTS)
    for word in (*NONSENSE, "9" * 5000, "1" + "0" * 5000):
        with pytest.raises(Trouble, match="--bots needs"):
            levels_of(word, "normal", 5)


def test_the_level_is_asked_once_and_kept_and_is_not_the_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, typed = Home(tmp_path), iter(["", "easy,hard", "Learn", "ea"])
    lessons: list[bool] = []

    def asked() -> str:
        return ask_level(home, lambda: lessons.append(True))

    tmp_path.chmod(0o700)
    monkeypatch.setattr(bot_processes, "answer", lambda question: next(typed))
    assert asked() == bots.DEFAULT_LEVEL
    settings.keep(home, settings.Settings(bots="easy"))
    assert not settings.is_kept(home)
    settings.keep(home, settings.Settings(nickname="Ana", relay="here:1"))
    assert asked() == "easy"
    assert capsys.readouterr().out.count("Type one of easy, normal, hard") == 1
    assert lessons == [True]
    assert asked() == "easy"
    assert settings.load(home) == settings.Settings(nickname="Ana", relay="here:1", bots="easy")


@pytest.mark.parametrize("kept", ["best", 7, None, ["easy"]])
def test_a_level_that_is_none_counts_as_not_chosen(tmp_path: Path, kept: Any) -> None:
    (tmp_path / "settings.json").write_text(json.dumps({"bots": kept}), encoding="utf-8")
    assert settings.load(Home(tmp_path)).bots is None


def test_a_bot_is_told_its_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_level() == bots.STAND_IN
    for level, wanted in (("easy", "easy"), ("best", bots.STAND_IN)):
        monkeypatch.setenv(LEVEL, level)
        assert own_level() == wanted
    assert level_of(tmp_path) == bots.DEFAULT_LEVEL
    for kept, wanted in (
        (b"easy", "easy"),
        (b"best", bots.DEFAULT_LEVEL),
        (b"\xff", bots.DEFAULT_LEVEL),
    ):
        (tmp_path / LEVEL_FILE).write_bytes(kept)
        assert level_of(tmp_path) == wanted
