"""Tests of shell completion: commands, options and games, by the library's own means."""

import pytest
from support.shell import Shell

from cli.app import COMPLETING


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
    typed: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    hoity.home.journals.mkdir(parents=True)
    (hoity.home.journals / "8daa000011112222.journal").touch()
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    monkeypatch.setenv(COMPLETING, "complete_bash")
    assert hoity.told(0).split() == offered


@pytest.mark.parametrize(("typed", "code"), [("hoity ver", 0), ("hoity nonsense", 1)])
def test_fish_asks_first_whether_anything_is_offered(
    typed: str, code: int, monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    monkeypatch.setenv(COMPLETING, "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "is-args")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
    done = hoity()
    assert (done.code, done.out, done.err) == (code, "", "")


def test_no_other_instruction_is_taken(monkeypatch: pytest.MonkeyPatch, hoity: Shell) -> None:
    for instruction in ("nonsense", "complete_noshell", "dance_bash"):
        monkeypatch.setenv(COMPLETING, instruction)
        done = hoity("play")
        assert (done.code, done.out) == (1, "")
    monkeypatch.delenv(COMPLETING)
    monkeypatch.setattr("typer.completion._get_shell_name", lambda: "bash")
    assert f"{COMPLETING}=complete_bash" in hoity.told(0, "--show-completion")
