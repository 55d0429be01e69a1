"""Help and errors about what is typed: in every language, and as wide as the terminal."""

import re
from itertools import product
from pathlib import Path

import pytest
from support.shell import Shell

from cli.words import translation


@pytest.mark.parametrize(
    ("words", "spanish", "german"),
    [
        ("play --bogus", "No existe la opción: --bogus", "Diese Option gibt es nicht: --bogus"),
        ("join", "Falta el argumento 'TICKET'.", "Das Argument 'TICKET' fehlt."),
        ("host --seats x", "hace falta un número de 2 a 6", "eine Zahl von 2 bis 6 gebraucht"),
        ("host --seats 9", "'--seats': hace falta un número", "'--seats': hier wird eine Zahl"),
        ("play --bots x", "--bots admite un número", "--bots verlangt"),
        ("play --bots 9", "--bots necesita un número de 1 a 5", "Bei --bots sind 1 bis 5"),
        (
            "play --variant chess",
            "hace falta uno de: surprise, confrontation",
            "möglich ist eines von: surprise",
        ),
        ("host --listen", "La opción '--listen' necesita un valor.", "braucht einen Wert."),
        ("jion", "¿Querías decir 'join'?", "Meinst du 'join'?"),
        ("play x", "Sobran argumentos (x)", "Überzählige Argumente: x"),
        ("join hoity3abc", "le falta el final", "ist abgeschnitten"),
        ("join hoity2abc", "de la versión 2: léela con hoity 0.1", "von Version 2: Lies es mit"),
        ("host --relay foo", "'foo' no tiene puerto", "'foo' hat keinen Port"),
    ],
)
def test_usage_is_said_in_any_language(hoity: Shell, words: str, spanish: str, german: str) -> None:
    for language, wanted in (("es", spanish), ("de", german)):
        done = hoity.done(2, "--lang", language, *words.split())
        assert wanted in done.err
        for english in ("Usage", "OPTIONS", "Error", "Try", "Invalid", "Missing", "No such"):
            assert english not in done.err


def test_help_fits_the_terminal(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in (40, 72, 120):
        monkeypatch.setenv("COLUMNS", str(columns))
        for language, words in product(translation.LANGUAGES, ([], ["play"], ["host"])):
            lines = hoity("--lang", language, *words, "--help").out.splitlines()
            assert not any(re.search(r"[^]]\.\.\.$", line) for line in lines)
            long = [line for line in lines if len(line) > columns]
            assert not [line for line in long if not line.lstrip().startswith("--detective-in")]


def test_errors_fit_the_terminal_and_debug_shows_where(
    hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = hoity.done(2, "join", "nonsense", "--debug")
    assert "Traceback" in done.err
    assert "TicketError" in done.err
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\n')
    assert "mine.toml" in hoity.told(2, "play", "--edition", file)
    monkeypatch.setenv("COLUMNS", "40")
    for words in (["join", "hoity3abc"], ["play", "--variant", "chess"]):
        lines = hoity(*words).err.splitlines()
        assert len(lines) > 2
        assert max(map(len, lines)) <= 40


def test_a_long_help_has_headings_and_a_short_one_has_not(hoity: Shell) -> None:
    long, short = (hoity.told(0, command, "--help") for command in ("host", "verify"))
    for heading in ("Table:", "Bots:", "Who may come:", "Network:", "Your seat:", "Output:"):
        assert heading in long
    assert "Options:" not in long
    assert "Options:" in short
    for words in (
        "easy (beginner), fair (casual), normal (experienced), hard (expert)",
        "[default: :4647]",
        "The default is 2, 2, 3, 4, 4",
    ):
        assert words in " ".join(long.split())
    told = hoity.told(0, "join", "--help")
    places = [told.index(word) for word in ("Arguments:", "Network:", "Output:", "--help ")]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("verify", "`hoity games` lists your games."),
        ("replay", "`hoity games` lists your games."),
        ("forget", "`hoity games` lists your games."),
        ("join", "`hoity tables` lists the tables of this LAN."),
        ("watch", "`hoity tables` lists the tables of this LAN."),
    ],
)
def test_who_leaves_an_argument_out_is_told_where_it_is_found(
    hoity: Shell, command: str, hint: str
) -> None:
    told = hoity.told(2, command)
    assert "Missing argument" in told
    assert told.count("lists") == 1
    assert hint in told
    assert f"Help: hoity {command} --help" in told


@pytest.mark.parametrize(
    ("language", "example"), [("en", "Example: hoity "), ("de", "Beispiel: hoity ")]
)
def test_what_stands_below_a_help_is_in_the_language_spoken(
    hoity: Shell, language: str, example: str
) -> None:
    below = " ".join(hoity.done(0, "verify", "--help", "--lang", language).out.split())
    assert example in below
    whole = hoity.done(0, "--help", "--lang", language).out
    assert ("Exit codes" in whole) is (language == "en")
    assert "HOITY_LANG" in whole
