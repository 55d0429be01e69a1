"""Completion of games and codes, and what typed options may be."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import pytest
from support.kept_home import keep_transcript
from support.shell import Shell
from typer import Option, Typer
from typer.main import get_command

from cli.commands import option_classes, options
from cli.commands.options import NoSeconds, codes, typed_id
from cli.help import NoSuchOption
from p2p_hoity.storage.home import Home
from p2p_hoity.table.gathering.spoken_codes import beginning_with


def test_a_shell_completes_the_words() -> None:
    for typed, offered in (
        ("7-lante", ["7-lantern-"]),
        ("7-lantern-walr", ["7-lantern-walrus"]),
        ("7-lantern-WALR", ["7-lantern-walrus"]),
        *((word, []) for word in ("7-zz", "7", "hoity3", "7-ask-ask-ask-ask-x")),
    ):
        assert codes(typed) == offered
    assert len(codes("7-")) == len(beginning_with(""))


def test_the_shell_completes_games(home: Home, unfinished: str) -> None:
    assert options.transcripts("") == []
    assert options.open_games("") == sorted([unfinished, "last"])
    assert options.open_games(unfinished[:5]) == [unfinished]
    assert options.open_games("zz") == []
    keep_transcript(home, b"", "8daa000011112222.claim.hoity")
    assert options.transcripts("8d") == ["8daa000011112222"]


# What is typed.


@pytest.mark.parametrize("number", [None, 0.0, 1.5, float("inf")])
def test_seconds_are_any_number_and_not_the_one_that_is_none(number: float | None) -> None:
    check = options.seconds(0.1, 60)["callback"]
    assert check(number) == number
    with pytest.raises(NoSeconds):
        check(float("nan"))


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("8DAA", "8daa"),
        ("last", "last"),
        ("“8daa”", "8daa"),
        ("hoity resume 8daa", "8daa"),
        ("8daa000011112222  2026-11-27 05:52  over", "8daa000011112222"),
        ("8daa.claim.hoity", "8daa"),
        ("8daa000011112222.journal", "8daa000011112222"),
        ("8daa.txt", "8daa.txt"),
        ("8daa  over", "8daa  over"),
        ("`", "`"),
    ],
)
def test_a_typed_word_is_the_id_that_it_begins_with(word: str, meant: str) -> None:
    assert typed_id(word) == meant


@dataclass(frozen=True)
class Manners:
    """Options for a test."""

    HEADING: ClassVar[str] = "Manners"
    loud: bool = option_classes.option(False, "Speak up.")
    name: str | None = option_classes.option(None, None, "--called", heading="Names")
    file: Path | None = option_classes.option(None, "A file.", metavar="FILE")  # noqa: RUF009


def test_a_command_has_an_option_for_each_field_that_is_not_left_out() -> None:
    found: list[object] = []

    @option_classes.takes_options
    def greet(how: Manners, times: Annotated[int, Option(help="How often.")] = 1) -> None:
        found.append((how, times))

    @option_classes.takes_options
    def whisper(how: Annotated[Manners, option_classes.Without(("loud", "file"))]) -> None:
        found.append(how)

    app = Typer()
    for command in (greet, whisper):
        app.command(command.__name__)(command)
    group = get_command(app)
    params = {one.name: one for one in group.commands["greet"].params}  # type: ignore[attr-defined]
    assert [*params] == ["loud", "name", "file", "times"]
    assert params["name"].opts == ["--called"]
    assert (params["name"].hidden, params["loud"].hidden) == (True, False)
    assert params["loud"].rich_help_panel == "Manners"
    assert params["name"].rich_help_panel == "Names"
    words = ["greet", "--loud", "--called", "Ana", "--file", "a.hoity", "--times", "2"]
    group(words, standalone_mode=False)
    group(["whisper", "--called", "Bob"], standalone_mode=False)
    assert found == [(Manners(True, "Ana", Path("a.hoity")), 2), Manners(name="Bob")]
    with pytest.raises(NoSuchOption):
        group(["whisper", "--loud"], standalone_mode=False)


def test_a_ticket_that_is_missing_is_named_as_one(hoity: Shell) -> None:
    assert "Missing argument 'TICKET'." in hoity.told(2, "join")
