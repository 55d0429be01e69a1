"""How well bots play: typed, chosen once, told to a bot and remembered for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.local import bot_levels, settings
from cli.local.bot_levels import LEVEL, LEVEL_FILE, ask_level, level_of, levels_of, own_level
from cli.trouble import Trouble
from cli.words.levels import WORDS, level_meant
from p2p_hoity import bots
from p2p_hoity.storage.home import Home


def test_the_settings_and_the_words_know_every_level() -> None:
    assert set(bots.LEVELS) <= set(settings.LEVELS) == set(WORDS)
    assert {bots.DEFAULT_LEVEL, bots.STAND_IN} <= set(bots.LEVELS) <= set(bots.BOTS)


@pytest.mark.parametrize(
    ("word", "levels"),
    [
        (None, ("normal",) * 3),
        ("1", ("normal",)),
        (" 5 ", ("normal",) * 5),
        ("easy", ("easy",)),
        ("EASY, normal,e", ("easy", "normal", "easy")),
    ],
)
def test_their_number_or_a_level_for_each(word: str | None, levels: tuple[str, ...]) -> None:
    assert levels_of(word, "normal", 5) == levels


def test_bots_that_are_counted_are_of_the_level_that_was_chosen_once() -> None:
    assert levels_of("2", "easy", 5) == ("easy", "easy")
    assert levels_of("normal", "easy", 5) == ("normal",)


NONSENSE = [",", "x", "easy,,easy", "easy;normal", "0", "6", "-1", "3.5", "easy," * 5 + "easy"]


@pytest.mark.parametrize("word", [*NONSENSE, "9" * 5000, "1" + "0" * 5000])
def test_anything_else_is_refused_in_words(word: str) -> None:
    with pytest.raises(Trouble, match="--bots takes"):
        levels_of(word, "normal", 5)


def test_a_host_may_take_none() -> None:
    assert levels_of("0", "normal", 5, 0) == ()


def test_the_level_is_asked_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home, typed = Home(tmp_path), iter(["easy,hard", "ea"])
    tmp_path.chmod(0o700)
    settings.keep(home, settings.Settings(nickname="Ana", relay="here:1"))
    monkeypatch.setattr(bot_levels, "answer", lambda question: next(typed))
    assert ask_level(home) == "easy"
    assert capsys.readouterr().out.count("One word for all of them") == 1
    assert ask_level(home) == "easy"
    assert settings.load(home) == settings.Settings(nickname="Ana", relay="here:1", bots="easy")


def test_enter_takes_the_usual_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(bot_levels, "answer", lambda question: "")
    assert ask_level(Home(tmp_path)) == bots.DEFAULT_LEVEL


def test_a_level_alone_does_not_spare_the_first_run_its_questions(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    settings.keep(Home(tmp_path), settings.Settings(bots="easy"))
    assert not settings.is_kept(Home(tmp_path))


@pytest.mark.parametrize("kept", ["best", 7, None, ["easy"]])
def test_a_level_that_is_none_counts_as_not_chosen(tmp_path: Path, kept: Any) -> None:
    import json

    (tmp_path / "settings.json").write_text(json.dumps({"bots": kept}), encoding="utf-8")
    assert settings.load(Home(tmp_path)).bots is None


def test_a_bot_is_told_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LEVEL, "easy")
    assert own_level() == "easy"
    monkeypatch.setenv(LEVEL, "best")
    assert own_level() == bots.STAND_IN
    monkeypatch.delenv(LEVEL)
    assert own_level() == bots.STAND_IN


def test_its_home_remembers_it(tmp_path: Path) -> None:
    assert level_of(tmp_path) == bots.DEFAULT_LEVEL
    (tmp_path / LEVEL_FILE).write_bytes(b"easy")
    assert level_of(tmp_path) == "easy"
    for other in (b"best", b"\xff"):
        (tmp_path / LEVEL_FILE).write_bytes(other)
        assert level_of(tmp_path) == bots.DEFAULT_LEVEL


def test_a_word_means_the_level_it_begins() -> None:
    assert [level_meant(word) for word in ("e", "Norm", "easyly", "", "3")] == [
        "easy",
        "normal",
        None,
        None,
        None,
    ]
