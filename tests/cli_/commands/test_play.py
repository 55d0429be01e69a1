"""What a table that one opens asks, and whole games at it without a terminal."""

import json
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.boxes import box, file_of, with_colours
from support.cases import fails
from support.limits import LIMIT
from support.sampling import AT_WORK
from support.shell import Shell
from support.short_game import short_file
from support.terminals import hoity

from cli.commands import play
from cli.commands.options import TableOptions
from cli.commands.play import checked_terms, edition_of
from cli.commands.take_seat import Sitting
from cli.exit_codes import Trouble, told
from cli.words import table_terms
from cli.words.presence_sentences import seat_request
from cli.words.table_terms import TableOffer
from cli.words.translation import speak
from p2p_hoity.editions.load_edition import EditionError, load
from p2p_hoity.game_adapter import read_game
from protocol.crypto.identities import Identity
from protocol.wire.table_header import Terms

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


@AT_WORK
@pytest.mark.parametrize("as_json", [False, True])
def test_without_a_terminal_a_bot_plays_if_the_input_ends_unanswered(
    tmp_path: Path, as_json: bool
) -> None:
    words = ("play", "--bots", "1", "--edition", str(short_file(tmp_path)))
    if as_json:
        done = hoity(tmp_path, *words, "--json", code=0)
        said = [json.loads(one) for one in done.stdout.splitlines()]
        assert [one.get("event") for one in said].count("stand-in") == 1
        assert (said[-1]["type"], said[-1]["code"]) == ("ending", None)
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


def test_with_nobody_to_ask_no_table_opens(monkeypatch: pytest.MonkeyPatch, hoity: Shell) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: False, raising=False)
    assert "--ask needs somebody who answers" in hoity.told(2, "host", "--ask")
    assert seat_request("Bob", "ABCD-EFGH").startswith("Bob, key ABCD-EFGH,")
    assert "shows no key" in seat_request("Bob", None)


@pytest.mark.parametrize("relay_only", [True, False])
def test_a_host_behind_relays_alone_is_told_what_they_learn_and_hires_bots_that_use_them(
    relay_only: bool, monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    sat: list[Sitting] = []

    def sit(sitting: Sitting, go: object) -> int:
        sat.append(sitting)
        return 0

    monkeypatch.setattr(play, "sit", sit)
    words = ("host", "--relay", "r.example:1", "--bots", "1", "--auto")
    told = hoity.told(0, *words, *(["--relay-only"] if relay_only else []))
    assert ("The relay learns your address" in told) is relay_only
    crew = sat[0].crew
    assert crew is not None
    assert crew.relays == (("r.example:1",) if relay_only else ())
    assert crew.held is not None
    crew.held.close()
