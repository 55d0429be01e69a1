"""Tests of shell completion: commands, options and games, by the library's own means."""

from pathlib import Path

import pytest
from support.shell import Shell

from cli.completion import INSTALL, SHOW, VARIABLE, ZSH_LINE


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
        ("hoity play --bots h", ["hard"]),
        ("hoity host --bots easy,f", ["easy,fair"]),
        ("hoity play --bots 3", ["3"]),
        ("hoity host --edition ref", ["reference-manual"]),
    ],
)
def test_a_shell_is_offered(
    typed: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    hoity.home.journals.mkdir(parents=True)
    (hoity.home.journals / "8daa000011112222.journal").touch()
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    monkeypatch.setenv(VARIABLE, "complete_bash")
    assert hoity.told(0).split() == offered


@pytest.mark.parametrize(("typed", "code"), [("hoity ver", 0), ("hoity nonsense", 1)])
def test_fish_asks_first_whether_anything_is_offered(
    typed: str, code: int, monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    monkeypatch.setenv(VARIABLE, "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "is-args")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", typed)
    done = hoity()
    assert (done.code, done.out, done.err) == (code, "", "")


def test_no_other_instruction_is_taken(monkeypatch: pytest.MonkeyPatch, hoity: Shell) -> None:
    for instruction in ("nonsense", "complete_noshell", "dance_bash"):
        monkeypatch.setenv(VARIABLE, instruction)
        done = hoity("play")
        assert (done.code, done.out) == (1, "")
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "bash")
    assert f"{VARIABLE}=complete_bash" in hoity.told(0, "--show-completion")


SCRIPTS = {
    "bash": "complete -o default",
    "zsh": "#compdef hoity",
    "fish": "complete --command hoity",
}


@pytest.mark.parametrize("found", [None, "bash", "dash"])
@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_named_shell_counts_whichever_is_found(
    found: str | None, shell: str, monkeypatch: pytest.MonkeyPatch, hoity: Shell, tmp_path: Path
) -> None:
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: found)
    for name in ("ZDOTDIR", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for words in ((SHOW, shell), (f"{SHOW}={shell}",), (SHOW, shell.upper())):
        assert SCRIPTS[shell] in hoity.told(0, *words)
    told = hoity.told(0, INSTALL, shell)
    (path,) = [one for one in tmp_path.rglob("*hoity*") if one.is_file()]
    assert f"Completion for {shell} is installed in {path}." in told
    assert SCRIPTS[shell] in path.read_text()


def test_completion_is_installed_where_the_shell_reads_it(
    monkeypatch: pytest.MonkeyPatch, hoity: Shell, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("ZDOTDIR", str(tmp_path / "zsh"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    settings = tmp_path / "zsh" / ".zshrc"
    settings.parent.mkdir()
    settings.write_bytes(b"# \xe4\nsetopt autocd\n")
    for _ in range(2):
        hoity.told(0, INSTALL, "zsh")
        lines = settings.read_bytes().splitlines()
        assert lines == [b"# \xe4", b"setopt autocd", ZSH_LINE]
    assert (tmp_path / ".zfunc" / "_hoity").exists()
    assert not (tmp_path / ".zshrc").exists()
    told = hoity.told(0, INSTALL, "fish")
    path = tmp_path / "settings" / "fish" / "completions" / "hoity.fish"
    assert str(path) in told
    assert path.exists()
    assert not (tmp_path / ".config").exists()
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")  # counts as none
    assert str(tmp_path / ".config" / "fish") in hoity.told(0, INSTALL, "fish")


def test_completion_is_for_the_command_which_has_to_be_installed(
    monkeypatch: pytest.MonkeyPatch, hoity: Shell, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("HOITY_CALLED_AS", "python3 tasks.py hoity")
    for found, told in ((None, "It is for the command hoity, which"), ("/bin/hoity", "It works")):
        monkeypatch.setattr("shutil.which", lambda *_, found=found: found)
        for shell in SCRIPTS:
            assert told in hoity.told(0, INSTALL, shell)


@pytest.mark.parametrize("option", [INSTALL, SHOW])
@pytest.mark.parametrize(
    ("found", "named", "told"),
    [
        (None, (), "It is not known which shell you use. Name it, as in: hoity --show-completion"),
        ("dash", (), "There is no completion for the shell dash, but for: bash, zsh, fish"),
        ("bash", ("tcsh",), "There is no completion for the shell tcsh, but for: bash, zsh, fish"),
    ],
)
def test_where_no_shell_is_known_it_is_asked_for(
    option: str,
    found: str | None,
    named: tuple[str, ...],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    hoity: Shell,
) -> None:
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: found)
    assert told in hoity.told(2, option, *named)
