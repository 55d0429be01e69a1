"""What each command takes: words put together, and no option that would do nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.shell import Shell

from cli import exit_codes
from cli.app import build
from cli.commands import certificate, join, verify, verify_archive
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket


def test_a_ticket_copied_in_two_lines_is_one(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    word = encode_ticket(Ticket(b"h" * 32, ("127.0.0.1:9",), b"t" * 32))
    read: list[Ticket] = []

    def stop(ticket: str) -> Ticket:
        read.append(decode_ticket(ticket))
        raise exit_codes.Trouble("read")

    monkeypatch.setattr(join, "read_ticket", stop)
    for command in ("join", "watch"):
        assert hoity(command, word[:50], word[50:]).code == 1
    assert [ticket.addresses for ticket in read] == [("127.0.0.1:9",)] * 2


def test_a_command_refuses_options_that_would_do_nothing(hoity: Shell) -> None:
    for words in (
        *((command, "--yes") for command in ("play", "host", "resume")),
        *((command, "--name", "Ana") for command in ("resume", "watch")),
        *(("play", option, "3") for option in ("--seats", "--step-patience", "--listen")),
        ("watch", "--no-bell"),
    ):
        assert f"No such option: {words[1]}" in hoity.told(2, *words)


def params(command: Any) -> Iterator[Any]:
    """Yield the parameters of a command and of all commands in it."""
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from params(inner)


def test_every_option_that_is_a_path_is_expanded(my_home: Path) -> None:
    found = set()
    for param in params(typer.main.get_command(build())):
        if type(param.type).__name__.endswith("Path") or param.name in ("edition",):
            found.add(param.opts[0])
            context: Any = typer.Context(typer.main.get_command(build()))
            assert str(param.callback(context, param, "~/x")) == str(my_home / "x"), param.name
    assert found >= {
        "--edition",
        "--from",
        "--save-certificate",
        "--secret",
        "--transcript",
        "--verdicts",
        "--vouches",
    }


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which function was to judge, of each command `verify`."""
    found: list[str] = []

    def note(name: str) -> Callable[..., int]:
        def judge(*_given: object) -> int:
            found.append(name)
            return 0

        return judge

    for module, name in (
        (verify, "verify_file"),
        (verify_archive, "verify_all"),
        (certificate, "check_all"),
        (certificate, "save"),
    ):
        monkeypatch.setattr(module, name, note(name))
    return found


@pytest.mark.parametrize(
    ("words", "judge"),
    [
        (["GAME"], "verify_file"),
        (["GAME", "GAME"], "verify_all"),
        (["FOLDER"], "verify_all"),
        (["GAME", "--verdicts", "FOLDER/verdicts"], "verify_all"),
        (["GAME", "--dask", "tcp://127.0.0.1:9", "--send"], "verify_all"),
        (["GAME", "--jobs", "2"], "verify_file"),
        (["GAME", "--vouches", "GAME"], "verify_file"),
        (["GAME", "GAME", "--certificate"], "check_all"),
        (["GAME", "--save-certificate", "FOLDER/new"], "save"),
        *(
            (words, None)
            for words in (
                ["GAME", "GAME", "--vouches", "GAME"],
                ["FOLDER", "--vouches", "GAME"],
                ["GAME", "--certificate", "--vouches", "GAME"],
                ["GAME", "GAME", "--save-certificate", "FOLDER/new"],
                ["FOLDER", "--save-certificate", "FOLDER/new"],
                ["GAME", "--send"],
                ["GAME", "--dask", "tcp://127.0.0.1:9", "--jobs", "2"],
            )
        ),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, list) else str(one),
)
def test_verify_takes_one_file_or_many_and_only_options_that_go_together(
    words: list[str], judge: str | None, judged: list[str], game: Path, hoity: Shell
) -> None:
    named = [w.replace("GAME", str(game)).replace("FOLDER", str(game.parent)) for w in words]
    assert hoity("verify", *named).code == (2 if judge is None else 0)
    assert judged == ([] if judge is None else [judge])
