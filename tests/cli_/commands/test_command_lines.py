"""What each command takes: words put together, and no option that would do nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from support.shell import Shell

from cli import exit_codes
from cli.app import build
from cli.commands import join
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
