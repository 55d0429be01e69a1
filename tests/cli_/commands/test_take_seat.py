"""How a seat is reached, as typed, what it is told of at its table, and how it is left."""

import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.shell import Shell, nothing

from cli.app import run
from cli.commands import take_seat
from cli.commands.join import _ticket
from cli.commands.options import USUAL, NetworkOptions, OutputOptions, RelayOptions, SeatOptions
from cli.commands.relay import relay as run_relay
from cli.commands.take_seat import Going, Sitting, for_guests, new_sitting, sit
from cli.exit_codes import NOT_OK, OK, Trouble
from cli.local.bot_processes import hire
from cli.ui.screen_options import ScreenOptions
from p2p_hoity.net.network_errors import AddressError
from p2p_hoity.net.socks_proxy import ProxyTypedError, SocksNetwork
from p2p_hoity.table.open_links import Lan, Reach
from p2p_hoity.table.playing.end_codes import LEFT
from p2p_hoity.table.playing.player_interface import (
    BotPlayer,
    LeaveForNow,
    PlayerRequest,
    WaitLonger,
)
from p2p_hoity.table.playing.session import Outcome
from protocol.seat.effects import UNCONFIRMED

# How a seat is reached.

TOR = "socks5://127.0.0.1:9050"


def reach_of(
    listen: str = USUAL, relay: list[str] | None = None, lan: Lan = Lan.OFF, **typed: Any
) -> Reach:
    """Return how a table is reached that is told to be reached in this way."""
    return take_seat.reach_of(NetworkOptions(listen, relay, **typed), lan)


@pytest.mark.parametrize("text", ["nowhere", "65536", "-1", "4647x", "host:", ""])
def test_an_error_shows_an_address_that_suits_the_command(text: str) -> None:
    for ask, example in (
        (lambda: reach_of(text), "--listen as HOST:PORT, for example 0.0.0.0:4647, not"),
        (
            lambda: run_relay(RelayOptions(text)),
            "--listen as HOST:PORT, for example 0.0.0.0:4646, not",
        ),
        (
            lambda: run_relay(RelayOptions(metrics=text)),
            "--metrics as HOST:PORT, for example 127.0.0.1:9464",
        ),
    ):
        with pytest.raises(Trouble, match=example):
            ask()


def again_by(listen: str = "", relay: list[str] | None = None, **typed: Any) -> Reach:
    """Return the same of a seat that is taken again."""
    return take_seat.again_by(NetworkOptions(listen, relay, **typed))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(take_seat.PROXY, "")


def test_a_forwarded_port_is_named_and_the_lan_not_asked_behind_a_proxy() -> None:
    reach = reach_of(":0", advertise=["my.example.org:4646", "[2606:4700::1111]:5"])
    assert reach.advertised == ("my.example.org:4646", "[2606:4700::1111]:5")
    assert reach.listen == ":4646"
    assert reach_of("192.168.1.5:9", advertise=["h:4646"]).listen == "192.168.1.5:9"
    assert reach_of(":0").listen == ":0"
    assert reach_of(USUAL, advertise=["h:4646"]).listen == ":4646"
    usual, typed = reach_of(USUAL), reach_of(":4646")
    assert (usual.or_any, typed.or_any) == (True, False)
    assert reach_of(USUAL, proxy=TOR).or_any
    for typed_port in ("4646", " 4646", ":4646", "４６４６"):
        assert reach_of(typed_port) == reach_of(":4646")
        assert again_by(typed_port) == again_by(":4646")
    assert reach_of(USUAL.removeprefix(":"), relay_only=True, relay=["r.example:1"]).relay_only
    assert not again_by(USUAL.removeprefix(":")).anew
    for how, option in ((Reach(hidden=True), "--proxy"), (Reach(relay_only=True), "--relay-only")):
        with pytest.raises(Trouble, match=f"With {option} this network is not searched"):
            _ticket(False, "", how)
        assert _ticket(False, "Ana", how) == "Ana"


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        *(
            ([text], AddressError)
            for text in (
                "h",
                "h:0",
                "h:70000",
                "[::1:5",
                "::1:5",
                "a b:5",
                "http://h",
                "c℀.example:5",
            )
        ),
        (["relay+h:5"], Trouble),
        ([f"h{n}:5" for n in range(9)], Trouble),
    ],
)
def test_what_is_no_address_is_no_forwarded_port(typed: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        reach_of(":0", advertise=typed)


def test_behind_a_proxy_nothing_is_listened_to_announced_or_asked() -> None:
    reach = reach_of(":0", ["r.example:1"], Lan.OPEN, advertise=["x.onion:47"], proxy=TOR)
    assert (reach.listen, reach.lan) == ("127.0.0.1:47", Lan.OFF)
    assert (reach.maps, reach.hidden) == (False, True)
    assert isinstance(reach.network, SocksNetwork)
    assert os.environ[take_seat.PROXY] == TOR  # for the bots that this command hires
    assert reach_of("127.0.0.1:9", proxy=TOR).listen == "127.0.0.1:9"
    with pytest.raises(Trouble):
        reach_of("0.0.0.0:9", proxy=TOR)
    with pytest.raises(ProxyTypedError):
        reach_of(":0", proxy="http://127.0.0.1:80")
    with pytest.raises(Trouble):  # a table that nobody could reach
        for_guests(reach_of(":0", proxy=TOR), 0)
    for ways in ({"relay": ["r.example:1"]}, {"advertise": ["x.onion:1"]}):
        assert for_guests(reach_of(":0", proxy=TOR, **ways), 0).outside


def test_a_host_that_hides_announces_nothing_whatever_else_is_set() -> None:
    for lan in Lan:
        assert Reach(lan=lan).announced is lan
        assert Reach(lan=lan, hidden=True).announced is Lan.OFF
        assert Reach(lan=lan, relay_only=True).announced is Lan.OFF


def test_only_a_host_asks_the_router_and_not_if_it_is_forbidden(
    opened: list[Reach], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOITY_NO_MAP")
    assert run(["host"]) == run(["host", "--no-map"]) == run(["play"]) == 0
    monkeypatch.setenv("HOITY_NO_MAP", "1")
    assert run(["host", "--bots", "1"]) == 0
    assert [reach.maps for reach in opened] == [True, False, False, False]
    assert [reach.outside for reach in opened] == [True, True, False, True]
    assert [reach.shares_machine for reach in opened] == [False, False, False, True]


def test_the_proxy_may_be_named_by_the_environment_and_is_not_given_to_bots_of_one_machine(
    opened: list[Reach], hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(take_seat.PROXY, "socks5://Ada:s3cret@127.0.0.1:9050")
    done = hoity("host", "--relay", "r.example:1")
    assert (done.code, done.err) == (0, "")
    assert "s3cret" not in repr(opened[0])
    monkeypatch.setenv(take_seat.PROXY, TOR)
    assert hoity("play").code == 0
    assert take_seat.PROXY not in os.environ
    assert [reach.hidden for reach in opened] == [True, False]


def test_a_password_among_the_words_is_not_repeated(opened: list[Reach], hoity: Shell) -> None:
    words = ["host", "--relay", "r.example:1", "--proxy"]
    assert "HOITY_PROXY" in hoity(*words, "socks5://Ada:s3cret@127.0.0.1:9050").err
    for before in ([], ["--debug"]):
        told = hoity.told(2, *before, *words, "socks5://Ada:s3cret@127.0.0.1")
        assert "s3cret" not in told
        assert before or "socks5://HOST:PORT" in told


def test_through_relays_alone_nothing_is_listened_for_announced_or_asked() -> None:
    reach = reach_of(USUAL, ["r.example:1"], Lan.OPEN, relay_only=True)
    assert (reach.relay_only, reach.relays) == (True, ("r.example:1",))
    assert (reach.lan, reach.maps, reach.advertised) == (Lan.OFF, False, ())
    assert for_guests(reach, 2).relay_only
    for shown in ({"listen": ":9"}, {"listen": ":0", "advertise": ["h:1"]}):
        with pytest.raises(Trouble, match="Leave out --listen and --advertise"):
            reach_of(**shown, relay=["r.example:1"], relay_only=True)
    by_proxy = reach_of(":0", ["r.example:1"], proxy=TOR, relay_only=True)
    assert (by_proxy.hidden, by_proxy.relay_only) == (True, True)
    assert isinstance(by_proxy.network, SocksNetwork)


def test_a_seat_is_taken_again_as_before_but_for_what_is_typed() -> None:
    before = again_by()
    assert (before.anew, before.relays_anew, before.advertised) == (False, False, ())
    assert again_by(":0") == replace(before, anew=True)
    assert not again_by(USUAL).anew
    elsewhere = again_by(relay=["relay.example:9"], advertise=["home.example:4646"])
    assert (elsewhere.anew, elsewhere.relays_anew) == (True, True)
    assert elsewhere.listen == ":4646"
    assert elsewhere.relays == ("relay.example:9",)
    assert again_by(":9").anew
    without = again_by(relay=["none"])
    assert (without.relays, without.relays_anew) == ((), True)


# At the table, and how it is left.


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


class Wishful(BotPlayer):
    """A bot whose player wishes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.tell, self.told = trio.open_memory_channel[PlayerRequest](1)

    async def next_request(self) -> PlayerRequest:
        return await self.told.receive()


async def test_a_player_wishes_as_before_until_it_goes(autojump_clock: Any) -> None:
    player, going = Wishful(), trio.Event()
    both, wishes = Going(player, going), list[PlayerRequest]()
    await player.tell.send(WaitLonger())
    assert await both.next_request() == WaitLonger()

    async def hear() -> None:
        wishes.append(await both.next_request())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await trio.sleep(60)
        assert wishes == []
        going.set()
    assert wishes == [LeaveForNow()]
    player.tell.send_nowait(WaitLonger())  # a request that waits is not lost
    assert await player.next_request() == WaitLonger()
    assert await both.next_request() == LeaveForNow()
    assert await both.again() is True


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
    monkeypatch.setattr(take_seat, "is_full", lambda plain: full and not plain)
    seat = take_seat.seat_of(ScreenOptions([].append, **how))
    assert type(seat.window).__name__ == window
