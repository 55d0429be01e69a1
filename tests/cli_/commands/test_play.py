"""Tests of what a table asks, who sits at it from here, and how it is left."""

import json
import os
import random
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import trio
from support.boxes import box, file_of, with_colours
from support.cases import fails
from support.limits import LIMIT
from support.sampling import AT_WORK
from support.shell import nothing
from support.short_game import short_file
from support.terminals import hoity

from cli.commands.options import OutputOptions, SeatOptions, TableOptions
from cli.commands.play import checked_terms, edition_of
from cli.commands.take_seat import Sitting, new_sitting
from cli.exit_codes import Trouble, told
from cli.local import player_setup
from cli.local.bot_processes import Crew, crew_of, hire
from cli.ui.json_window import last_line
from cli.ui.lines import stdin_lines
from cli.ui.lines.stdin_lines import END, forward_input, until_closed
from cli.words import edition_text, rules_text, table_terms
from cli.words.table_terms import TableOffer
from cli.words.translation import speak
from p2p_hoity.editions.load_edition import EditionError, load
from p2p_hoity.game_adapter import read_game
from p2p_hoity.rules import Standing
from p2p_hoity.storage.home import Home
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.player_interface import LeaveForNow
from p2p_hoity.table.playing.session import Outcome
from p2p_hoity.table.task_groups import open_nursery
from protocol.crypto.identities import Identity
from protocol.wire.table_header import Terms, check_nickname

HOST = Identity(bytes(32)).public


def terms(seats: int, **given: Any) -> Terms:
    return checked_terms(TableOptions(seats, **given), HOST)


def described(offered: Terms, *names: str) -> str:
    """Return the terms in words."""
    return "\n".join(table_terms.describe(TableOffer(offered, read_game(offered), names)))


# Terms.


def test_what_is_not_asked_for_is_as_usual_and_switches_are_overridden() -> None:
    for seats, quorum in ((2, 2), (3, 2), (4, 3), (5, 4), (6, 4)):
        assert terms(seats).quorum == quorum
    assert read_game(terms(2)).variant == "surprise"
    assert read_game(terms(2, variant="confrontation")).variant == "confrontation"
    assert read_game(terms(3)).variant is None
    switches = edition_of(
        TableOptions(action_choice="together", detective_in_hall=True, detective_rank="before")
    ).switches
    assert (switches.action_choice, switches.detective_in_hall) == ("together", True)
    assert switches.detective_rank == "before"


def test_terms_that_cannot_be_played() -> None:
    for asked in (
        *((1, {}), (7, {}), (4, {"quorum": 2}), (4, {"quorum": 5})),
        *((3, {"variant": "surprise"}), (3, {"edition": "none"})),
    ):
        with pytest.raises((Trouble, EditionError)) as caught:
            terms(asked[0], **asked[1])
        assert told(caught.value).exit_code == 2


@pytest.mark.parametrize(("colours", "seats"), [(5, 6), (2, 3), (3, 6)])
def test_more_seats_than_colours_are_refused_by_the_name_and_the_number(
    tmp_path: Path, colours: int, seats: int
) -> None:
    file = tmp_path / "box.toml"
    names = ("white", "Türkis", "red", "black", "blue")[:colours]
    file.write_text(file_of(with_colours(load(), *names), random.Random(1)), encoding="utf-8")
    said = f"has {colours} colours, so at most {colours} seats can play, not {seats}."
    for language, words in (("en", said), ("de", "hat . Farben"), ("es", "tiene . colores")):
        speak(language)
        assert fails(Trouble, words, terms, seats, edition=str(file)).exit_code == 2
    speak("en")
    assert "white" in described(terms(colours, edition=str(file)))


@pytest.mark.parametrize(("pieces", "seats", "bounds"), [(130, 4, "16 to 128"), (200, 2, "8 to")])
def test_more_collectibles_than_a_deck_may_have_are_refused_with_the_bounds(
    tmp_path: Path, pieces: int, seats: int, bounds: str
) -> None:
    file = tmp_path / "box.toml"
    file.write_text(file_of(box(1, 6, pieces), random.Random(1)), encoding="utf-8")
    words = f"has {pieces} Collectibles. A table of {seats} seats needs {bounds}"
    assert fails(Trouble, words, terms, seats, edition=str(file)).exit_code == 2


@pytest.mark.parametrize(
    ("seats", "secrecy", "progress", "fork"),
    [(3, 1, 1, 0), (4, 2, 1, 1), (5, 3, 1, 2), (6, 3, 2, 1)],
)
def test_the_three_bounds_in_words(seats: int, secrecy: int, progress: int, fork: int) -> None:
    offered = terms(seats)
    text = described(offered, "Ana")
    found = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    assert f" {secrecy} seat" in found["Secrecy"]
    assert f" {progress} seat" in found["Progress"]
    assert f"{fork} lying seat" in found["One history"] or not fork
    assert ("a single liar can split" in text) is (fork == 0)
    assert ("If you are linked with one seat only" in text) is (fork == 0)
    assert "Ana" in text
    plain = table_terms.terms_json(TableOffer(offered, read_game(offered), ("Ana",)))
    assert [plain[key] for key in ("secrecy", "progress", "no_fork")] == [secrecy, progress, fork]
    assert json.dumps(plain)


def test_what_the_terms_say_of_absences_and_of_when_actions_are_chosen() -> None:
    for needs_all in (terms(2), terms(4, quorum=4)):
        assert "an absence pauses the game" in described(needs_all)
    patient = terms(3, patience=7.5)
    assert patient.timeouts.choice == 7500
    assert "after 7 seconds" in "\n".join(table_terms.absence(patient))
    text = described(terms(3))
    assert "The Castle's Actions are chosen after the sale." in text
    assert "Surprise" not in text


# Names and last lines.


def test_two_fresh_keys_have_no_name_until_they_are_at_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (player_setup.load_or_make(Home(tmp_path / str(i)), None)[0] for i in range(2))
    assert one.nickname == two.nickname == ""
    assert one.identity.public != two.identity.public
    assert "a new nickname at each table" in capsys.readouterr().err
    named = [player_setup.named(Home(tmp_path), one, None).nickname for _ in range(8)]
    assert len(set(map(check_nickname, named))) > 1
    player_setup.load_or_make(Home(tmp_path / "2"), "Ana")
    told = capsys.readouterr().err
    assert "A new key was made for you: Ana," in told
    assert "another nickname" not in told


def test_the_last_line() -> None:
    done = Outcome(Path("g.hoity"), (Standing(1, 1, 47, (4, 5, 6)),))
    assert last_line(done, ("Ana", "Bob")) == {
        "type": "finished",
        "transcript": "g.hoity",
        "standings": [{"rank": 1, "seat": 1, "nickname": "Bob", "field": 47, "exhibit": [4, 5, 6]}],
        "broken": None,
        "seat": None,
        "by": None,
        "code": None,
    }
    assert last_line(Outcome(None, (), "stopped"), ())["type"] == "ended"


def test_the_last_line_says_on_whose_word_alone_a_seat_is_named() -> None:
    line = last_line(Outcome(None, (), "bad-shuffle", 1, by=2), ())
    assert (line["code"], line["seat"], line["by"]) == ("bad-shuffle", 1, 2)


# Standard input.


async def test_lines_come_whole_however_they_are_cut_until_the_input_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for pieces, lines in (
        ([b"on", b"e\ntw", "o é\n\nlast".encode()], ["one", "two é", "", "last"]),
        ([b"\xff\xfd\n"], ["\ufffd\ufffd"]),
    ):
        come = iter([*pieces, b""])
        send, receive = trio.open_memory_channel[str](10)
        await forward_input(send, partial(next, come))
        assert [line async for line in receive] == lines
    come = iter([b"ignored", b""])
    monkeypatch.setattr(stdin_lines, "read_stdin", partial(next, come))
    await until_closed()
    assert list(come) == []


async def test_at_a_terminal_each_end_is_told_and_after_two_in_a_row_nothing_is_read() -> None:
    come = iter([b"", b"3\n", b"", b""])
    send, receive = trio.open_memory_channel[str](10)
    await forward_input(send, lambda: next(come), at_terminal=True)
    assert [line async for line in receive] == [END, "3", END, END]


@pytest.mark.parametrize("size", [1, 2, 3, 4096])
@pytest.mark.parametrize(
    ("encoding", "end"),
    [
        *product(("utf-8", "utf-8-sig"), ("\n", "\r\n", "\r")),
        ("utf-16", "\r\n"),
        ("utf-16", "\n"),
    ],
)
async def test_lines_of_a_file_come_as_people_save_it(encoding: str, end: str, size: int) -> None:
    lines = ["1", "Türkis", "", "2"]
    data = "".join(line + end for line in [*lines, "3"]).removesuffix(end).encode(encoding)
    first = max(size, 2)  # a file has its byte order mark in the first bytes that are read
    come = iter([data[:first], *(data[i : i + size] for i in range(first, len(data), size)), b""])
    send, receive = trio.open_memory_channel[str](99)
    await forward_input(send, lambda: next(come))
    assert [line async for line in receive] == [*lines, "3"]


# Bots.


def test_a_crew_has_other_names_than_the_player_and_is_found_again(tmp_path: Path) -> None:
    crew = hire(Home(tmp_path), ("normal",) * 5, "Ada", nothing)
    assert len(set(crew.levels)) == 5
    assert "Ada" not in crew.levels
    assert stat.S_IMODE(crew.folder.stat().st_mode) == 0o700
    home = Home(tmp_path)
    crew = hire(home, ("easy", "normal"), "Ana", nothing)
    for name in crew.levels:
        (crew.folder / name).mkdir(mode=0o700)
    assert crew_of(home, "0123", nothing) is None
    crew.remember("0123")
    found = crew_of(home, "0123", nothing)
    assert found is not None
    assert (found.folder, set(found.levels)) == (crew.folder, set(crew.levels))


@pytest.mark.parametrize("keep", [True, False])
async def test_a_crew_is_dismissed(tmp_path: Path, keep: bool) -> None:
    crew = hire(Home(tmp_path), ("normal",), "Ana", nothing)
    await crew.dismiss(keep)
    assert crew.folder.exists() is keep


@pytest.mark.parametrize(("seats", "bots", "hints"), [(3, 2, True), (3, 1, False), (2, 0, False)])
def test_hints_are_for_a_table_full_of_ones_own_bots(
    tmp_path: Path, seats: int, bots: int, hints: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    here.crew = hire(here.home, ("normal",) * bots, "Ana", nothing) if bots else None
    monkeypatch.setattr(type(here), "game", "0123")
    here._begin(seats)
    assert here.player.has_hints is hints
    go_along = bots > 0 and bots < seats - 1
    assert ("Your bots have left with you" in here.farewell("you left")) is go_along


@pytest.mark.parametrize(
    ("output", "command"),
    [
        (OutputOptions(), "hoity resume 0123"),
        (OutputOptions(plain=True), "hoity resume --plain 0123"),
        (OutputOptions(as_json=True), "hoity resume --json 0123"),
    ],
)
def test_the_command_that_takes_a_seat_again_keeps_the_way_it_is_shown(
    tmp_path: Path, output: OutputOptions, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), output)
    monkeypatch.setattr(type(here), "game", "0123")
    assert here.farewell("you left").endswith(f" {command}")


@pytest.mark.parametrize("is_over", [True, False])
async def test_who_leaves_ones_own_bots_behind_the_end_is_still_told_what_it_came_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    here.is_over = is_over
    won = Outcome(tmp_path / "game.hoity", ())

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        sitting._leave("you left")
        assert isinstance(await sitting.seat.player.next_request(), LeaveForNow)
        return won

    if is_over:
        assert await here.run(go) == won
        return
    with pytest.raises(Trouble, match="you left"):
        await here.run(go)


@pytest.mark.parametrize(
    ("code", "kept", "stays"),
    [
        ("deck-unconfirmed", True, True),
        ("bad-shuffle", False, False),
        (LEFT, True, True),
        (None, False, False),
    ],
)
async def test_bots_keep_their_journals_where_their_host_keeps_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str | None, kept: bool, stays: bool
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    here.crew = hire(here.home, ("normal",), "Ana", nothing)
    here.crew.remember("0123")
    here.is_over = code is None

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        return Outcome(None, (), code, kept=kept)

    with suppress(Trouble):
        await here.run(go)
    assert here.crew.folder.exists() is stays


@AT_WORK
async def test_a_bot_that_cannot_come_is_trouble(tmp_path: Path) -> None:
    crew = Crew(tmp_path, {"Ada": "normal"}, nothing)
    with pytest.raises(Trouble, match="not a ticket"):
        async with open_nursery() as nursery:
            await crew.join("nonsense", nursery)
    await crew.dismiss(keep=False)


@AT_WORK
@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_terminal_a_bot_plays_if_the_input_ends_unanswered(
    tmp_path: Path, as_json: bool
) -> None:
    words = ("play", "--bots", "1", "--edition", str(short_file(tmp_path)))
    if as_json:
        done = hoity(tmp_path, *words, "--json", code=0)
        said = [json.loads(one) for one in done.stdout.splitlines()]
        assert [one["type"] for one in said].count("stand-in") == 1
        assert said[-1]["type"] == "finished"
        return
    done = hoity(tmp_path, *words, code=0)
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("This is no terminal")
    assert "hoity verify" in last
    assert "The input has ended: a bot plays your seat." in done.stdout


@AT_WORK
@pytest.mark.parametrize(
    ("more", "typed"),
    [(("--no-auto",), ""), (("--no-auto", "--json"), ""), ((), "1\ny\n"), (("--json",), "0\n")],
)
def test_without_a_terminal_the_command_ends_if_no_bot_may_play_or_something_was_answered(
    tmp_path: Path, more: tuple[str, ...], typed: str
) -> None:
    words = ("play", "--bots", "1", "--edition", str(short_file(tmp_path)))
    hoity(tmp_path, *words, *more, typed=typed, code=130)


@AT_WORK
def test_ctrl_c_keeps_the_game_and_its_bots(tmp_path: Path) -> None:
    """One real process: interrupted at its first question, then resumed to the end by a bot."""
    environment = {**os.environ, "HOITY_HOME": str(tmp_path), "LANGUAGE": "en"}
    here: dict[str, Any] = {"env": environment, "text": True, "stderr": subprocess.PIPE}
    command = [sys.executable, "-m", "cli"]
    playing = subprocess.Popen(
        [*command, "play", "--bots", "1", "--edition", str(short_file(tmp_path))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **here,
    )
    assert playing.stdout is not None
    for line in playing.stdout:
        if line.startswith("Where do you go"):
            playing.send_signal(signal.SIGINT)
    _, said = playing.communicate(timeout=LIMIT)
    assert playing.returncode == 130
    game = said.rpartition("hoity resume ")[2].strip()
    assert len(list((tmp_path / "bots").iterdir())) == 1
    resumed = subprocess.run(
        [*command, "resume", game, "--auto", "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=LIMIT,
        check=False,
        **here,
    )
    assert resumed.returncode == 0, resumed.stderr
    last = json.loads(resumed.stdout.splitlines()[-1])
    assert Path(last["transcript"]).exists()
    assert list((tmp_path / "bots").iterdir()) == []
    assert list((tmp_path / "journals").iterdir()) == []


@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_a_variant_says_in_the_terms_what_it_says_in_the_rules(variant: str) -> None:
    text, sentence = described(terms(2, variant=variant)), edition_text.VARIANTS[variant]
    assert sentence in text
    assert sentence in " ".join(" ".join(rules_text.lines(load(), None)).split())
    assert "after the sale" not in text
    assert "before the sale" not in text
