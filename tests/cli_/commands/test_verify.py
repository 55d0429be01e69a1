"""The verdict about one transcript, and how its file or its game is named."""

import os
import re
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_transcript
from support.paths import VECTORS
from support.sampling import sample
from support.shell import Shell

from cli.commands import list_games
from cli.commands.options import typed_id
from cli.commands.verify import transcript_named
from protocol import transcript


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
    assert f"rounds: {found['rounds']}, steps: {found['steps']}" in told
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


@pytest.mark.parametrize("command", [["verify", "--json"], ["replay"]])
@pytest.mark.usefixtures("cheap")
def test_a_transcript_is_named_by_its_id(command: list[str], hoity: Shell) -> None:
    keep_transcript(hoity.home, played_file(), "8daa000011112222.hoity")
    for word in ("8daa", "8DAA00", "8daa000011112222", "last"):
        assert hoity(*command, word).code == 0
    for word in ("8da", "8dab"):
        assert hoity(*command, word).code == 2


@pytest.mark.usefixtures("cheap")
def test_a_path_that_is_there_comes_first_and_a_finished_transcript_before_a_claim(
    hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_transcript(hoity.home, b"a claim", "8daa000011112222.claim.hoity")
    assert hoity("verify", "8daa").code == 1
    keep_transcript(hoity.home, played_file(), "8daa000011112222.hoity")
    assert hoity("verify", "8daa").code == 0
    keep_transcript(hoity.home, b"another", "8daa000011112222.hoity")
    monkeypatch.chdir(tmp_path)
    for name in ("8daa", "last"):
        (tmp_path / name).write_bytes(played_file())
        assert hoity("verify", name).code == 0


def test_what_names_no_transcript_or_several_is_said(unfinished: str, hoity: Shell) -> None:
    assert "not over" in hoity.told(2, "verify", unfinished[:6])
    assert "No finished game is stored" in hoity.told(2, "verify", "last")
    for name in ("8daa000011112222", "8daa100011112222"):
        keep_transcript(hoity.home, played_file(), f"{name}.hoity")
    assert "8daa000011112222, 8daa100011112222" in hoity.told(2, "verify", "8daa")
    assert hoity("verify", "8daa0").code == 0


def test_a_line_of_games_or_the_name_of_a_file_is_as_good_as_the_id(
    unfinished: str, hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    over, claim = "8b3632ae91383d75", "8b3632ae91383d75.claim.hoity"
    keep_transcript(hoity.home, played_file(), f"{over}.hoity")
    path = hoity.home.transcripts / f"{over}.hoity"
    assert transcript_named(f"{over}.hoity") == path
    assert transcript_named(f"{over[:6]}.hoity") == path
    keep_transcript(hoity.home, played_file(), claim)
    assert transcript_named(claim) == path.with_name(claim)
    assert transcript_named(path.as_uri()) == path
    words = f"{over}  2026-11-27 05:52  over, round 27: Festive Lynx 47, Ada 34"
    for line in (words, f"  {words}\n", words.upper(), f"`{words}`"):
        assert transcript_named(line) == path
    assert hoity.told(0, "verify", f"{over}.hoity") != hoity.told(0, "verify", claim)
    (line,) = [one for one in hoity("games").out.splitlines() if one.startswith(unfinished)]
    for typed in (line, f"{unfinished}.journal"):
        assert typed_id(typed) == unfinished
        assert list_games.find(hoity.home, typed, None, "").name == unfinished
    for other in (unfinished[:4], f"{unfinished}x", "last", f"{unfinished[:5]} x"):
        assert typed_id(other) == other
