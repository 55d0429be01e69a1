"""Tests of the command line as a whole: help, exit codes, and errors in words."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support.cases import each
from support.cli_stage import played_file, tool
from support.limits import LIMIT
from support.paths import ROOT, VECTORS
from support.sampling import sample
from support.shell import Shell, modules_of
from support.short_game import short_edition
from support.sim.cheap import shared_nodes

from cli import exit_codes
from cli.app import EXAMPLES, build
from cli.commands import bench, join
from cli.local import start_of_play
from cli.words import translation
from p2p_hoity import benchmarks, worker_processes
from p2p_hoity.benchmarks import expected_seconds
from p2p_hoity.editions.load_edition import NAMES
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.storage.journal import JournalCode, JournalError
from p2p_hoity.table.gathering.join_table import JoinCode
from p2p_hoity.table.peer_error import PeerError
from protocol import transcript

SOME = pytest.mark.sampled(3)

COMMANDS = [
    "play", "host", "join", "tables", "resume", "watch", "games", "forget", "verify",
    "replay", "relay", "id", "rules", "learn", "bench",
]  # fmt: skip


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.hoity"
    path.write_bytes(played_file())
    return path


def python(*words: object) -> str:
    """Return what Python prints, run with these words in another process."""
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


# Help.


@SOME
def test_without_docstrings_the_commands_are_there_and_have_no_help() -> None:
    command = [sys.executable, "-OO", "-m", "cli", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "verify" in done.stdout


def test_help_lists_every_command(hoity: Shell) -> None:
    done = hoity.done(0, "--help")
    assert all(f"\n  {command} " in done.out for command in COMMANDS)
    assert "Exit codes" in done.out
    assert hoity("--version").out.startswith("hoity ")


@pytest.mark.parametrize("command", [*COMMANDS, "id new", "id show", "id export"])
def test_every_command_has_help_with_an_example_in_english_only(hoity: Shell, command: str) -> None:
    done = hoity.done(0, *command.split(), "--help")
    assert f"Example: {EXAMPLES[command.split()[-1]]}" in done.out
    english = set(done.out.splitlines())
    for language in ("es", "de"):
        other = hoity.done(0, *command.split(), "--help", "--lang", language)
        assert "Example" not in other.out
        assert "Show this message" not in other.out
        assert len(english & set(other.out.splitlines())) < len(english) / 2


@SOME
def test_a_command_loads_no_more_than_it_needs(tmp_path: Path) -> None:
    """No screen, no network, no process, no seat: half of a small file's time is what is loaded."""
    heavy = {"trio", "nacl", "msgpack", "rich", "protocol", "zeroconf", "textual", "segno"}
    names = ("coded_errors", "installation", "shell_words", "storage")
    stored = ("storage.home", "storage.folder_owner")
    ours = {"p2p_hoity", *(f"p2p_hoity.{name}" for name in (*names, *stored))}
    loaded = modules_of(0, "--help")
    assert not heavy & loaded
    assert {name for name in loaded if name.startswith("p2p_hoity")} <= ours
    (tmp_path / "a.hoity").write_bytes(b"x")
    loaded = modules_of(1, "verify", tmp_path / "a.hoity")
    assert "protocol.transcript.verifier" in loaded
    heavy = {"trio", "textual", "zeroconf", "cryptography", "multiprocessing", "concurrent"}
    assert not heavy & {name.split(".")[0] for name in loaded}
    above = {"protocol.seat.seat_machine", "p2p_hoity.table", "p2p_hoity.bots", "p2p_hoity.net"}
    assert not {*above, "cli.ui"} & loaded
    whole = VECTORS / "failures" / "another-game.hoity"
    of_many = {"multiprocessing", "cli.commands.verify_archive", "distributed", "asyncio"}
    assert not of_many & modules_of(1, "verify", whole, "--jobs", "1")
    loaded = modules_of(0, "rules")
    assert "p2p_hoity.rules" in loaded
    heavy = {"trio", "nacl", "ssl", "socket", "textual", "multiprocessing", "asyncio"}
    assert not heavy & {name.split(".")[0] for name in loaded}
    above = {"game_adapter", "benchmarks", "presentation", "net", "table", "bots", "reachability"}
    assert not {f"p2p_hoity.{name}" for name in above} & loaded
    assert not {"protocol.crypto", "protocol.chain", "protocol.seat", "cli.ui"} & loaded


@SOME
def test_a_command_has_no_other_and_python_m_cli_is_hoity(game: Path) -> None:
    assert [one.name for one in build("verify").registered_commands] == ["verify"]
    assert build("id").registered_commands == []
    everything = len(build("jion").registered_commands)
    assert everything == len(build().registered_commands) > 10
    told = python("-m", "cli", "--lang", "de", "--help")
    assert "Befehle" in told
    assert "Optionen" in told
    assert json.loads(python("-m", "cli", "verify", game, "--json"))["verdict"] == "ok"


# Usage.


@pytest.mark.parametrize(
    "words",
    [
        "jion",
        "play --bots 6",
        "play --bots 0",
        "play --variant chess",
        "play --variant surprise --bots 2",
        "play --edition no-such-edition",
        "play --quorum 9",
        "play --quorum 1",
        "play --quorum 0",
        "play --patience 0",
        "play --transcript /",
        "host --seats 7",
        "host --seats 3 --bots 3",
        "host --listen nowhere",
        "host --listen [::1:0",
        "host --listen 'a b:1'",
        "host --relay foo",
        "host --relay foo:99999",
        "host" + " --relay a:1" * 5,
        "join hoity3abc --relay foo",
        "join hoity3abc --listen foo",
        "relay --listen 'a b:1'",
        "join",
        "join nonsense",
        "join hoity3abcdef",
        "join hoity2abcdef",
        "watch hoity4abcdef",
        "watch nonsense",
        "resume no-such-game",
        "verify",
        "verify no-such-file.hoity",
        "replay no-such-file.hoity",
        "relay --listen nowhere",
        "id new --name ''",
        "id new --name " + "x" * 25,
        "id show",
        "id export",
        "rules --edition no-such-edition",
        "bench --cards 7",
        "--lang fr rules",
        "rules --lang",
        "resume",
        "resume --claim",
    ],
)
def test_impossible_words_are_usage(hoity: Shell, words: str) -> None:
    done = hoity.done(2, *shlex.split(words))
    assert done.err.strip()
    assert "Traceback" not in done.err
    if words.startswith("resume") and "no-such" not in words:  # without a key none is missed
        assert "no game is waiting for you" in done.err
        assert "key" not in done.err


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


# Errors.


CUT = NetError(NetCode.CUT)
FIELDS: dict[str, dict[str, Any]] = {
    "journal-in-use": {"journal": "j"},
    "system-error": {"number": 13, "path": "x"},
    "program-mistake": {"kind": "RuntimeError"},
}


@each(
    [
        (
            NetError(NetCode.NOBODY_LISTENS),
            3,
            "nobody-listens",
            "no program accepts connections there",
        ),
        (PeerError(JoinCode.CUTS), 3, "host-cuts-links", "the host closes every link"),
        (PeerError(JoinCode.FULL), 1, "table-full", "the table is full"),
        (JournalError(JournalCode.IN_USE, journal="j"), 2, "journal-in-use", "j is in use"),
        (exit_codes.Trouble("words", 130), 130, "refused", "words"),
        (KeyboardInterrupt(), 130, "interrupted", "Interrupted."),
        (PermissionError(13, "not allowed", "x"), 1, "system-error", "x: not allowed"),
        (MemoryError(), 1, "no-memory", "This machine does not have enough memory for that."),
        (RuntimeError("odd"), 1, "program-mistake", "bug in the program"),
        (ExceptionGroup("g", [ValueError(), CUT]), 3, "connection-cut", "connection was cut"),
        (ExceptionGroup("g", [ExceptionGroup("h", [CUT])]), 3, "connection-cut", "was cut"),
        (BaseExceptionGroup("g", [KeyboardInterrupt(), CUT]), 130, "interrupted", "Interrupted."),
    ]
)
def test_errors_have_words_codes(case: tuple[BaseException, int, str, str]) -> None:
    error, number, code, words = case
    told = exit_codes.told(error)
    assert words in told.words
    assert (told.exit_code, told.code, told.fields) == (number, code, FIELDS.get(code, {}))


# Keys.


def test_a_key_is_made_shown_and_exported_and_not_replaced(hoity: Shell, tmp_path: Path) -> None:
    made = hoity.done(0, "id", "new", "--name", "Ana", "--json")
    assert made.lines[0]["nickname"] == "Ana"
    assert stat.S_IMODE((hoity.home.identity).stat().st_mode) == 0o600
    assert hoity("id", "show", "--json").lines == made.lines
    assert made.lines[0]["fingerprint"] in hoity("id", "show").out
    assert hoity("id", "export").out.strip() == made.lines[0]["public"]
    copy = tmp_path / "copy"
    assert hoity("id", "export", "--secret", copy).code == 0
    assert copy.read_bytes() == (hoity.home.identity).read_bytes()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    again = hoity("id", "export", "--secret", copy)
    assert (again.code, "exists already" in again.err) == (2, True)
    before = (hoity.home.identity).read_bytes()
    assert hoity("id", "new", "--name", "Bob").code == 2
    assert (hoity.home.identity).read_bytes() == before


def test_a_sealed_key_needs_its_passphrase(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    given = iter(["one", "two"])
    monkeypatch.setattr("getpass.getpass", lambda prompt: next(given))
    assert hoity("id", "new", "--passphrase").code == 2  # as they differ
    assert not hoity.home.identity.exists()
    monkeypatch.setenv("HOITY_PASSPHRASE", "open sesame")
    assert hoity("id", "new", "--name", "Ana").code == 0
    assert hoity("id", "show").code == 0
    monkeypatch.setenv("HOITY_PASSPHRASE", "wrong")
    assert hoity("id", "show").code == 2
    monkeypatch.delenv("HOITY_PASSPHRASE")
    assert "HOITY_PASSPHRASE" in hoity.told(2, "id", "show")


# Rules and bench.


def test_the_rules_fit_one_screen_and_name_the_switches_of_the_edition(hoity: Shell) -> None:
    spoken = (("en", "AIM"), ("es", "OBJETIVO"), ("de", "Auslagen"))
    for (language, words), edition in product(spoken, NAMES):
        done = hoity("rules", "--lang", language, "--edition", edition)
        assert words in done.out
        lines = done.out.splitlines()
        assert len(lines) <= 47
        assert max(map(len, lines)) <= 96
    told = [hoity.told(0, "rules", "--edition", name, "--lang", "en") for name in NAMES]
    assert "No Detective in the Auction Hall" in told[0]
    assert "A Detective may be played in the Auction Hall" in told[1]
    for text in told:  # each switch stands with what it is about
        assert "rank is taken" in text.partition("- Detectives:")[2].partition("- Prison")[0]


@SOME
@pytest.mark.parametrize("seats", [3, pytest.param(6, marks=pytest.mark.nightly)])
def test_bench(hoity: Shell, monkeypatch: pytest.MonkeyPatch, seats: int) -> None:
    """With a short game of three; with a whole one of six among the long tests."""
    monkeypatch.setattr(benchmarks, "SEATS", seats)
    if seats == 3:
        monkeypatch.setattr(benchmarks, "CHOOSERS", seats)
        monkeypatch.setattr(benchmarks, "load", short_edition)
    monkeypatch.setattr(bench, "first_question", iter((2.5,)).__next__)
    benchmarks.whole_game.cache_clear()
    with shared_nodes() if seats == 3 else nullcontext():
        benchmarks.whole_game()
    found = hoity("bench", "--cards", "24", "--rounds", "1", "--json").lines[0]
    benchmarks.whole_game.cache_clear()
    assert (found["cards"], found["clock"], found["start_of_play"]["clock"]) == (
        24,
        "processor",
        "wall",
    )
    assert found["verify"]["operations"]["multiply"] > 0
    one = found["choice_four"]
    assert (one["seats"], one["delays"]) == (benchmarks.CHOOSERS, 3)
    assert one["operations"]["signature"] == 3 * one["seats"] * (one["seats"] - 1)
    assert set(bench.PARTS) == {name for name, it in found.items() if "raw_ms" in spread(it)}
    for row in (*map(found.get, bench.PARTS), found["start_of_play"]):
        assert 0 <= row["low_ms"] <= row["ms"] <= row["high_ms"]


def spread(value: object) -> dict[str, Any]:
    """A part of what a bench has found; nothing for a single figure."""
    return value if isinstance(value, dict) else {}


ROW = {"ms": 20.0, "low_ms": 19.0, "high_ms": 300.0, "raw_ms": 10.0, "ratio": 2.0}
FOUND = {
    "cards": 24,
    "rounds": 4,
    "operation_us": {"multiply": 92.0},
    "operation_range_us": {"multiply": [88.0, 97.0]},
    **dict.fromkeys(bench.PARTS, ROW),
    "shuffle": {**ROW, "ratio": None},
    "choice_four": {**ROW, "seats": 4, "delays": 3},
}
"""What a bench has found. A clock was too coarse to see the operations of one part."""


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a bench find `FOUND` and three starts, of which one is slow."""
    monkeypatch.setattr(bench, "report", lambda *_: FOUND)
    monkeypatch.setattr(bench, "first_question", iter((2.5, 9.0, 2.0)).__next__)


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.usefixtures("measured")
def test_a_bench_has_a_row_with_the_spread_of_each_part_and_says_what_its_columns_are(
    hoity: Shell, language: str
) -> None:
    lines = hoity.done(0, "bench", "--lang", language).out.splitlines()
    translation.speak(language)
    words = {part: translation._(name) for part, name in bench.PARTS.items()}
    rows = {
        part: next(it for it in lines if f"  {name}  " in it + "  ") for part, name in words.items()
    }
    assert {len(row) for row in rows.values()} == {len(rows["shuffle"])}
    assert len(rows["shuffle"]) <= 80
    for part, row in rows.items():
        assert row.split()[-5:] == ["20", "19", "300", "10", "–" if part == "shuffle" else "2.00"]
    told = " ".join(lines)
    assert all(figure in told for figure in ("88", "92", "97", " 2.5 s ", " 9)"))
    if language == "en":
        assert "Raw operations are the calls of libsodium in a part, timed by themselves." in told
        assert "The ratio is the median divided by the raw operations." in told
        assert (
            "One choice at a table of 4: all seats together compute for 20 ms (19 to 300)." in told
        )
        assert "3 network delays" in told
        assert "first question of play with 3 bots: 2.5 s (2 to 9), wall time" in told


@pytest.mark.usefixtures("measured")
def test_a_bench_without_a_start_of_play_says_why_and_has_the_rest(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> float:
        raise start_of_play.NoQuestion("The command play asked nothing in 60 s.")

    monkeypatch.setattr(bench, "first_question", fails)
    done = hoity.done(1, "bench")
    assert "verify a whole game of six" in done.out
    assert "\nThe command play asked nothing in 60 s.\nTo see why" in done.out
    found = hoity.done(1, "bench", "--json").lines[0]
    assert found["start_of_play"]["problem"] == "The command play asked nothing in 60 s."
    assert found["choice_four"] == FOUND["choice_four"]


def test_a_bench_says_how_long_it_takes_and_shows_progress_at_a_terminal_only(
    hoity: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched = threading.Event()
    monkeypatch.setattr(bench, "BEAT", 0.001)
    monkeypatch.setattr(bench, "standing", lambda words: watched.set() if "%" in words else None)
    with bench.progress(1.0):
        pass
    assert not watched.is_set()
    monkeypatch.setattr(bench, "is_watched", lambda: True)
    with bench.progress(0.0):
        assert watched.wait(LIMIT)
    five, fifty = (expected_seconds(rounds, time.process_time) for rounds in (5, 500))
    assert 0 < five < fifty


# Transcripts.


def test_a_sound_file_is_ok(hoity: Shell, game: Path) -> None:
    done = hoity("verify", game, "--json")
    found = done.lines[0]
    assert (done.code, found["verdict"], found["problem"]) == (0, "ok", None)
    assert found["file"] == str(game)
    assert len(found["digest"]) == 64
    assert [line["rank"] for line in found["standings"]] == [1, 2]
    assert found["rounds"] > 0
    told = hoity("verify", game).out
    assert "ok. Everything in it is valid." in told
    assert re.search(r"rank 1: .+, field \d+ \((Banquet|octagon) ", told)


@pytest.mark.parametrize(
    ("change", "verdict", "code"),
    [
        (lambda data: b"", "unreadable", "empty"),
        (lambda data: b"hello", "unreadable", "wrong-magic"),
        (lambda data: data[: len(data) // 2], "unreadable", "torn"),
        (lambda data: data[:-40] + bytes(20) + data[-20:], "fault", None),
    ],
    ids=["empty", "foreign", "torn", "changed"],
)
def test_a_broken_file_is_not_ok(
    hoity: Shell, game: Path, tmp_path: Path, change: Any, verdict: str, code: str | None
) -> None:
    broken = tmp_path / "broken.hoity"
    broken.write_bytes(change(game.read_bytes()))
    first, second = hoity.done(1, "verify", game, broken, "--json", "--jobs", 1).lines
    assert (first["verdict"], second["verdict"]) == ("ok", verdict)
    assert code in (None, second["problem"]["code"])
    told = hoity.done(1, "verify", broken, "--lang", "de")
    assert second["problem"]["code"] in told.out


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "code", "place", "words"),
    [
        (
            "dealt-share-outside-the-group",
            1,
            ("shares", 0),
            "seat 2, field `shares[0]` of the body",
        ),
        ("dealt-share-not-proven", 1, ("shares", None), "seat 2, field `shares` of the body"),
        ("body-not-shortest", 1, None, "seat 2, byte"),
        ("share-outside-the-group", 0, ("shares", 0), "17, in field `shares[0]` of its body: it"),
        ("body-where-none-is-due", 0, None, "cheated in step 36: its"),
    ],
)
def test_verify_tells_in_which_field_a_fault_is(
    hoity: Shell, name: str, code: int, place: tuple[str, int | None] | None, words: str
) -> None:
    file = VECTORS / "failures" / f"{name}.hoity"
    (found,) = hoity.done(code, "verify", file, "--json", "--jobs", 1).lines
    (at,) = [one["place"] for one in (found["problem"], *found["faults"]) if one is not None]
    assert at == (None if place is None else {"field": place[0], "index": place[1]})
    assert words in hoity.done(code, "verify", file, "--lang", "en").out


def test_a_replay_fits_its_schema(hoity: Shell, game: Path) -> None:
    done = hoity.done(0, "replay", game, "--json")
    module = tool("replay_schema")
    assert module.TARGET.read_text(encoding="utf-8") == module.text()
    schema = module.whole()
    for line in done.lines:
        fitting = [one for one in schema["oneOf"] if fits(line, one, schema["$defs"])]
        assert len(fitting) == 1, line
    happened = [line for line in done.lines[1:-1] if line["type"] != "sealed"]
    assert [line["index"] for line in happened] == list(range(len(happened)))
    assert done.lines[-1]["verdict"] == "ok"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["six-uberplay-2004", "small-four-returned", ""])
def test_every_choice_shown_was_sealed_before(hoity: Shell, game: Path, name: str) -> None:
    path = VECTORS / "transcripts" / f"{name}.hoity" if name else game
    kinds = {"place-shown": "place", "action-shown": "action"}
    owed, shown = set[tuple[str, int]](), set[tuple[str, int]]()
    for line in hoity("replay", path, "--json").lines:
        if line["type"] == "sealed":
            parts = ["place", "action"] if line["kind"] == "turn" else [line["kind"]]
            owed |= {(kind, seat) for kind in parts for seat in line["seats"]}
        elif line["type"] in kinds:
            shown.add((kinds[line["type"]], line["seat"]))
            owed.remove((kinds[line["type"]], line["seat"]))
    assert {kind for kind, _ in shown} == {"place", "action"}
    assert not owed & shown  # what is left was never opened: of an absent seat, or an exhibit


def fits(value: Any, schema: dict[str, Any], defs: dict[str, Any]) -> bool:
    """The part of JSON Schema that the schema uses."""
    if "$ref" in schema:
        return fits(value, defs[schema["$ref"].rpartition("/")[2]], defs)
    if "anyOf" in schema:
        return any(fits(value, one, defs) for one in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds: dict[str, Any] = {
        "object": dict, "array": list, "string": str, "integer": int, "boolean": bool,
        "null": type(None),
    }  # fmt: skip
    if type(value) is not kinds[schema["type"]]:
        return False
    if isinstance(value, list):
        size = schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
        return size and all(fits(item, schema.get("items", {}), defs) for item in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        extra = schema.get("additionalProperties", True) or set(value) <= set(known)
        whole = set(schema.get("required", ())) <= set(value)
        return extra and whole and all(fits(value[k], known[k], defs) for k in known)
    return True


def test_a_replay_in_words_and_one_of_nothing(hoity: Shell, game: Path, tmp_path: Path) -> None:
    done = hoity.done(0, "replay", game)
    assert done.out.index("Round 1\n") < done.out.index("Round 2\n")
    assert "Rank 1:" in done.out
    assert "checked: " in done.out
    assert "took 0 ms" not in done.out
    empty = tmp_path / "empty.hoity"
    empty.write_bytes(b"")
    done = hoity.done(1, "replay", empty, "--json")
    assert [(line["verdict"], line["problem"]) for line in done.lines] == [("unreadable", "empty")]
    assert "unreadable" in done.err


@pytest.mark.parametrize("leaves", [False, True])
def test_a_replay_waits_between_rounds_and_may_be_left_there(
    hoity: Shell, game: Path, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    asked: list[int] = []
    typed = iter(["\n", "what\n", "Q\n"] if leaves else ["\n"] * 99)

    class Keys:
        def readline(self) -> str:
            asked.append(1)
            return next(typed)

    monkeypatch.setattr(sys, "stdin", Keys())
    done = hoity.done(0, "replay", game, "--step")
    if leaves:
        assert "Round 2\n" in done.out
        assert "Round 3\n" not in done.out
        assert "checked:" not in done.out
        return
    lines = hoity("replay", game, "--json").lines
    assert len(asked) == sum(line["type"] == "round-began" for line in lines) > 1


@pytest.mark.parametrize(("where", "rounds"), [(0.98, True), (0.85, True), (0.3, False)])
def test_a_replay_stops_where_it_does_not_hold(
    hoity: Shell, game: Path, where: float, rounds: bool
) -> None:
    whole = hoity("replay", game, "--json").lines
    data = bytearray(game.read_bytes())
    in_bytes = data.index(b"\xc4\x40", int(len(data) * where)) + 10  # of 64, signed or a signature
    data[in_bytes] ^= 1
    game.write_bytes(data)
    done = hoity("replay", game, "--json")
    *told, last = done.lines
    assert (done.code, last["verdict"], last["problem"]) == (1, "fault", "bad-signature")
    assert last["step"] > 0
    assert told == whole[: len(told)]
    assert len(told) < len(whole) - 1
    assert any(line["type"] == "round-began" for line in told) == rounds
    assert "step" in hoity("replay", game).out + hoity("replay", game).err


@SOME
def test_a_reader_that_has_gone_or_was_never_there_is_no_error(game: Path) -> None:
    """Even help cannot be put into a pipe whose read end is closed already."""
    commands = (f"replay {game} --json", f"replay {game}", f"verify {game} --json", "rules")
    for words in sample(commands, 1, "commands whose reader goes"):
        command = f"set -o pipefail; {sys.executable} -m cli {words} | head -c 1"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) in ((0, ""), (141, "")), words
    helps = (["--help"], ["rules"], ["play", "--help"])
    for words in sample(helps, 1, "commands without a reader"):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", *words], stdout=write, stderr=subprocess.PIPE
        )
        os.close(write)
        assert process.communicate()[1] == b""
        assert process.returncode == 141


def test_verify_goes_on_after_a_missing_file(hoity: Shell, game: Path, tmp_path: Path) -> None:
    torn, gone = tmp_path / "torn.hoity", tmp_path / "gone.hoity"
    torn.write_bytes(game.read_bytes()[:99])
    files = (torn, gone, game)
    told, done = (hoity("verify", *files, "--jobs", 1, *more) for more in ([], ["--json"]))
    assert told.code == done.code == 2
    assert str(gone) in told.err
    assert str(gone) in done.err
    assert [line["verdict"] for line in done.lines] == ["unreadable", "unreadable", "ok"]
    assert [line["file"] for line in done.lines] == [*map(str, files)]
    assert done.lines[1]["problem"]["code"] == "no-file"
    assert f"{torn}: unreadable" in told.out
    assert f"{game}: ok" in told.out
    assert hoity("verify", torn, game).code == 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("where", "error"),
    sample(
        product(
            ["opened", "verify"], [RecursionError(), MemoryError(), KeyError("seat"), ValueError()]
        ),
        4,
        "errors of a file",
    ),
)
def test_verify_goes_on_after_a_file_on_which_it_fails(
    hoity: Shell,
    game: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    error: Exception,
) -> None:
    wicked, real = tmp_path / "wicked.hoity", getattr(transcript, where)
    wicked.write_bytes(b"wicked")

    def fails(file: Any, *rest: Any) -> Any:
        if getattr(file, "name", "") == str(wicked) or getattr(file, "error", None) is not None:
            raise error
        return real(file, *rest)

    monkeypatch.setattr(transcript, where, fails)
    done = hoity.done(1, "verify", wicked, game, "--json", "--jobs", 1)
    assert [line["verdict"] for line in done.lines] == ["unreadable", "ok"]
    assert done.lines[0]["problem"]["code"] == "not-judged"
    told = hoity("verify", wicked, game)
    assert type(error).__name__ in told.out
    assert f"{game}: ok" in told.out


def test_verify_does_itself_what_a_process_left_undone(
    hoity: Shell, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object) -> Any:
        raise worker_processes.ProcessEnded

    monkeypatch.setattr(worker_processes, "process_pool", lambda _: nullcontext(gone))
    done = hoity.done(0, "verify", game, "--json")
    assert [line["verdict"] for line in done.lines] == ["ok"]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no files of that kind here")
def test_a_pipe_is_read_to_its_end_and_without_a_writer_is_not_waited_for(
    hoity: Shell, game: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe.hoity"
    os.mkfifo(pipe)
    done = hoity("verify", pipe, game, "--json")
    assert [line["verdict"] for line in done.lines] == ["unreadable", "ok"]
    assert hoity("replay", pipe).code == 1
    command = ["sh", "-c", 'read -r _ && cat "$0"', str(game)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        writer.stdin.write(b"now\n")
        writer.stdin.close()
        assert hoity("verify", f"/dev/fd/{writer.stdout.fileno()}").code == 0


@SOME
def test_a_passphrase_without_a_terminal_is_a_clear_error(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "cli", "id", "new", "--passphrase"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # no terminal to fall back to either
        env={**os.environ, "HOITY_HOME": str(tmp_path), "HOITY_PASSPHRASE": ""},
    )
    assert process.returncode == 2
    assert "HOITY_PASSPHRASE" in process.stderr
    assert "Warning" not in process.stderr
    assert not (tmp_path / "identity").exists()


@pytest.mark.parametrize(
    ("words", "code", "fields"),
    [
        (("join", "nonsense", "--json"), "no-ticket", {"prefix": "hoity3"}),
        (("resume", "--json"), "no-game", {}),
        (("replay", "no-such-file", "--json"), "refused", {}),
        (("watch", "hoity3", "--json"), "ticket-cut-short", None),
    ],
)
def test_a_program_is_told_an_error_by_its_code(
    hoity: Shell, words: tuple[str, ...], code: str, fields: dict[str, Any] | None
) -> None:
    done = hoity(*words)
    told = done.lines[-1]
    assert (told["type"], told["code"], told["exit"]) == ("error", code, done.code)
    assert fields is None or told["fields"] == fields
    assert told["words"] in " ".join(done.err.split())
    assert hoity(*words[:-1]).out == ""


def test_a_long_help_has_headings_and_a_short_one_has_not(hoity: Shell) -> None:
    long, short = (hoity.told(0, command, "--help") for command in ("host", "verify"))
    for heading in ("Table:", "Bots:", "Who may come:", "Network:", "Your seat:", "Output:"):
        assert heading in long
    assert "Options:" not in long
    assert "Options:" in short
    for words in ("[default: :4647]", "The default is 2, 2, 3, 4, 4"):
        assert words in " ".join(long.split())
    told = hoity.told(0, "join", "--help")
    places = [told.index(word) for word in ("Arguments:", "Network:", "Output:", "--help ")]
    assert places == sorted(places)


def test_a_command_refuses_options_that_would_do_nothing(hoity: Shell) -> None:
    for words in (
        *((command, "--yes") for command in ("play", "host", "resume")),
        *((command, "--name", "Ana") for command in ("resume", "watch")),
        *(("play", option, "3") for option in ("--seats", "--step-patience", "--listen")),
        ("watch", "--no-bell"),
    ):
        assert f"No such option: {words[1]}" in hoity.told(2, *words)
