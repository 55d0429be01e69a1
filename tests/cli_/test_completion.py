"""Tests of shell completion: commands, options and games, by the library's own means."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.app import COMPLETING, run

Shown = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    (tmp_path / "journals").mkdir()
    (tmp_path / "journals" / "8daa000011112222.journal").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("hoity ga", ["games"]),
        ("hoity resume 8", ["8daa000011112222"]),
        ("hoity resume l", ["last"]),
        ("hoity forget 9", []),
        ("hoity play --aut", ["--auto"]),
        ("hoity verify 8", []),
        ("hoity join 7-lante", ["7-lantern-"]),
        ("hoity watch 7-lantern-walr", ["7-lantern-walrus"]),
    ],
)
def test_a_shell_is_offered(
    typed: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    monkeypatch.setenv(COMPLETING, "complete_bash")
    assert run([]) == 0
    assert capsys.readouterr().out.split() == offered


@pytest.mark.parametrize("instruction", ["nonsense", "complete_noshell", "dance_bash"])
def test_an_instruction_that_is_none_is_refused(
    instruction: str, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv(COMPLETING, instruction)
    assert run(["play"]) == 1
    assert capsys.readouterr().out == ""


def test_the_script_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: Shown) -> None:
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "bash")
    assert run(["--show-completion"]) == 0
    assert f"{COMPLETING}=complete_bash" in capsys.readouterr().out
