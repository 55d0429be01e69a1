"""A seat at a table: who plays it, what is told of it, and how it is left."""

import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.screened import table
from support.shell import nothing

from cli.commands import take_seat
from cli.commands.options import OutputOptions, SeatOptions
from cli.commands.take_seat import Sitting, new_sitting, sit
from cli.exit_codes import NOT_OK, OK, Trouble
from cli.local.bot_manners import AUDIENCE, Audience
from cli.local.bot_processes import hire
from cli.ui import kinds_of_window
from cli.ui.screen_options import ScreenOptions
from p2p_hoity.game_adapter import table_name
from p2p_hoity.presentation.screen_updates import Crowded, GameOver, Started
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import Company, read_company
from p2p_hoity.storage.player_key import new_identity
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.player_requests import LeaveForNow, Talk
from p2p_hoity.table.playing.session import Outcome
from protocol.seat.effects import UNCONFIRMED


@pytest.mark.parametrize(("seats", "bots", "hints"), [(3, 2, True), (3, 1, False), (2, 0, False)])
def test_hints_are_for_a_table_full_of_ones_own_bots(
    tmp_path: Path, seats: int, bots: int, hints: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    here.crew = hire(here.home, ("normal",) * bots, "Ana", nothing) if bots else None
    monkeypatch.setattr(type(here), "game", "0123")
    here._begin(seats)
    assert here.player.is_among_own_bots is hints
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
    with pytest.raises(Trouble, match="you left") as caught:
        await here.run(go)
    assert (caught.value.code, caught.value.fields) == ("left", {"game": here.game})


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


@pytest.mark.parametrize(
    ("options", "output", "at_terminal", "audience"),
    [
        ({}, {}, True, Audience.PERSON),
        ({"no_talk": True}, {"plain": True}, True, Audience.QUIET),
        ({}, {}, False, Audience.PROGRAM),
        ({"auto": True}, {}, True, Audience.PROGRAM),
        ({}, {"as_json": True}, True, Audience.PROGRAM),
    ],
)
async def test_bots_know_whether_a_person_plays_with_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, Any],
    output: dict[str, bool],
    at_terminal: bool,
    audience: Audience,
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana", **options), OutputOptions(**output))
    monkeypatch.setattr(sys.stdin, "isatty", lambda: at_terminal)
    here.crew = hire(here.home, ("normal",), "Ana", nothing)
    started: list[Mapping[str, str]] = []

    def copied(words: object, env: Mapping[str, str], stderr: int) -> None:
        started.append(env)
        raise OSError

    monkeypatch.setattr(here.crew, "_copied", copied)

    async def go(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
        assert sitting.crew is not None
        with suppress(OSError):
            await sitting.crew.join("hoity3abc", nursery)
        return Outcome(None, (), None)

    await here.run(go)
    assert [env[AUDIENCE] for env in started] == [audience]


async def test_what_a_bot_says_is_a_request_of_its_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana", auto=True), OutputOptions(as_json=True))
    monkeypatch.setattr(here._manners, "hear", lambda update: Talk(4))
    here._tell(Crowded())
    assert await here.seat.player.next_request() == Talk(4)


@pytest.mark.parametrize("others", [True, False])
async def test_a_hired_bot_whose_host_is_gone_tells_the_others(
    others: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def closed() -> None:
        return

    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(take_seat, "until_closed", closed)
    bot = new_sitting(
        SeatOptions(auto=True, until_eof=True, name="Ada"), OutputOptions(as_json=True)
    )
    if others:
        bot._begin(3)
    await bot._until_closed()
    assert bot.left == "the input has ended"
    assert bot._going.is_set() is others
    assert bot._scope.cancel_called is not others


@pytest.mark.parametrize(
    ("levels", "seat", "company"),
    [
        (("easy", "hard"), 0, Company(0, (None, "easy", "hard"))),
        (("easy",), 2, Company(2, (None, "easy", None))),
        ((), 0, Company(0, (None, None, None))),
        ((), None, None),
    ],
)
def test_who_sat_there_is_stored_when_a_game_is_over(
    levels: tuple[str, ...],
    seat: int | None,
    company: Company | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    monkeypatch.setattr(here.player, "tell", nothing)
    bots = [b"a" * 32, b"b" * 32]
    if levels:
        here.crew = hire(here.home, levels, "Ana", nothing)
        for number, name in enumerate(here.crew.levels):
            home = Home(here.crew.folder / name)
            bots[number] = new_identity(home, name).identity.public
    bound = table(3)
    here._tell(Started(bound, seat, (None, *bots)))
    name = table_name(bound)
    assert read_company(here.home, name, 3) is None
    here._tell(GameOver(bound, None, (), None, frozenset(), 0.0))
    assert read_company(here.home, name, 3) == company
    if company is not None:
        here._tell(Started(bound, seat))  # Whose keys are not known.
        here._tell(GameOver(bound, None, (), None, frozenset(), 0.0))
        assert read_company(here.home, name, 3) == Company(company.seat, (None,) * 3)


# How it ended.


@pytest.mark.parametrize(
    ("wanted", "written", "is_told"),
    [("a", "b", True), ("a", "a", False), (None, "b", False), ("a", None, False)],
)
def test_where_the_transcript_is_instead_is_told(
    wanted: str | None,
    written: str | None,
    is_told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    path = None if wanted is None else tmp_path / wanted
    found = None if written is None else tmp_path / written
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True, transcript=path))
    monkeypatch.setattr(here.player.window, "run", lambda *_: Outcome(found, ()))
    assert sit(here, anything) == OK
    told = " ".join(capsys.readouterr().err.split())
    assert ("could not be written; the transcript is in" in told) is is_told


@pytest.mark.parametrize(
    ("code", "kept", "is_told"),
    [(None, False, False), ("bad-shuffle", True, True), (UNCONFIRMED, True, False)],
)
def test_a_kept_journal_is_told_with_what_to_do_unless_nothing_was_played_yet(
    code: str | None,
    kept: bool,
    is_told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    here = new_sitting(SeatOptions(name="Ana"), OutputOptions(plain=True))
    monkeypatch.setattr(here.player.window, "run", lambda *_: Outcome(None, (), code, kept=kept))
    assert sit(here, anything) == (OK if code is None else NOT_OK)
    assert ("hoity resume --claim" in " ".join(capsys.readouterr().out.split())) is is_told


async def anything(sitting: Sitting, nursery: trio.Nursery) -> Outcome:
    """Stands for what opens a table, which is not called here."""
    raise NotImplementedError


# Its screen.


@pytest.mark.parametrize(
    ("how", "full", "window"),
    [
        ({}, True, "FullWindow"),
        ({}, False, "LineWindow"),
        ({"plain": True}, True, "LineWindow"),
        ({"auto": True}, True, "LineWindow"),
        ({"as_json": True}, True, "JsonWindow"),
    ],
)
def test_a_seat_has_the_screen_that_is_wanted_where_the_terminal_is_one(
    how: dict[str, bool], full: bool, window: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinds_of_window, "uses_full_screen", lambda plain: full and not plain)
    seat = kinds_of_window.seat_of(ScreenOptions([].append, **how))
    assert type(seat.window).__name__ == window
