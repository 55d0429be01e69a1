"""Tests of how a table is reached, as typed: forwarded ports, the proxy, the router; and of what a
host is shown of its ticket."""

import io
import json
import os
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.at_prompt import written_of
from support.cli_stage import referee
from support.kept_home import keep_journal, player, room_of
from support.shell import Shell, Types

from cli.app import run
from cli.commands import join, resume, take_seat
from cli.commands import play as play_command
from cli.commands.join import _ticket, _with_relays
from cli.commands.options import USUAL, NetworkOptions, RelayOptions
from cli.commands.relay import relay as run_relay
from cli.commands.take_seat import for_guests
from cli.exit_codes import Trouble
from cli.ui.lines.line_screen import LineScreen
from cli.words.table_terms import alone_lines, reach_lines
from p2p_hoity.coded_errors import because
from p2p_hoity.net.lan_discovery import Announcement
from p2p_hoity.net.network_errors import AddressError, NetCode
from p2p_hoity.net.socks_proxy import ProxyTypedError, SocksNetwork
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.reachability.advertised_addresses import (
    SCOPES,
    Found,
    ReachCode,
    Scope,
    Wanted,
    judge,
)
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode
from p2p_hoity.storage.home import Home
from p2p_hoity.table.playing.play_table import Lan, Reach

LINKED, UNLINKED = updates.Attending.LINKED, updates.Attending.UNLINKED
TOR = "socks5://127.0.0.1:9050"
TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


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


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Reach]:
    """How the tables would be reached that commands open."""
    found: list[Reach] = []

    def host(seat: Any, output: Any, opening: Any) -> int:
        found.append(opening.reach)
        return 0

    monkeypatch.setattr(play_command, "host", host)
    return found


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


@pytest.mark.parametrize("words", [(), ("--json",), ("--wait", "0.2")])
def test_the_lan_is_not_searched_for_tables_behind_a_proxy_of_the_environment(
    words: tuple[str, ...], hoity: Shell, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[float] = []

    async def browse(seconds: float) -> list[Announcement]:
        searched.append(seconds)
        return []

    monkeypatch.setattr(join, "browse", browse)
    monkeypatch.setenv(take_seat.PROXY, TOR)
    assert "HOITY_PROXY is set" in hoity.told(2, "tables", *words)
    types("1")
    assert "is not searched" in hoity.told(2, "join")
    assert "not a ticket" in hoity.told(2, "join", "Ana")
    assert searched == []
    monkeypatch.setenv(take_seat.PROXY, "")
    assert hoity("tables", *words).code == 0
    monkeypatch.setattr(join, "at_terminal", lambda: True)
    assert "no table of Ana" in hoity.told(2, "join", "Ana")
    assert len(searched) == 2


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


# Relays alone.


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


def test_relays_alone_needs_a_relay_that_the_player_names(
    opened: list[Reach], hoity: Shell, home: Home
) -> None:
    for words in (
        ["host", "--relay-only"],
        ["host", "--relay-only", "--relay", "none"],
        ["join", "--relay-only", TICKET],
        ["join", "--relay-only", "--relay", "none", TICKET],
        ["join", "--relay-only", "7-lantern-walrus"],
    ):
        assert "needs a relay: name one with --relay HOST:PORT" in hoity.told(2, *words)
    assert hoity("relay", "--use", "kept.example:1").code == 0
    assert hoity("host", "--relay-only").code == 0
    assert opened[-1].relays == ("kept.example:1",)
    word = "7-lantern-walrus@r.example:1"
    kept = ("kept.example:1",)
    for typed, code, relays in (
        (None, TICKET, kept),
        (None, word, (*kept, "r.example:1")),
        (["x.example:1"], TICKET, ("x.example:1",)),
        (["r.example:1"], word, ("r.example:1",)),
        (["none"], word, ("r.example:1",)),
    ):
        found = _with_relays(code, again_by(USUAL, typed, relay_only=True))
        assert found.relays == relays
    with pytest.raises(Trouble, match="needs a relay"):
        _with_relays(TICKET, again_by(USUAL, ["none"], relay_only=True))


def test_what_each_party_learns_is_said(hoity: Shell) -> None:
    words = ("join", "--relay-only", "--relay", "r.example:1", TICKET)
    told = hoity.told(2, *words)
    assert "The relay learns your address, with whom you are linked, when" in told
    assert "The others learn that you use this relay, and no address of yours." in told
    assert "the host waits at no relay" in told
    first, others = alone_lines(("r:1", "s:1"), True, True)
    assert "(r:1, s:1)" in first
    assert "your proxy's address" in first
    assert "the address that you had then" in others


# A seat that is taken again.


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


@pytest.mark.parametrize(("bots", "is_told"), [(0, True), (1, True), (2, False)])
def test_only_a_game_with_others_looks_how_they_find_this_seat(
    bots: int, is_told: bool, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    player(home, 0)
    keep_journal(home, room_of(3, 1), 0).close()
    crew = SimpleNamespace(levels=("Ada", "Bruno")[:bots]) if bots else None
    found: list[Reach] = []

    async def resume_table(seat: Any, name: str, *, how: Reach, fresh: Any) -> None:
        found.append(how)

    async def main(sitting: Any, go: Any) -> None:
        sitting.crew = None  # no process is started here
        async with trio.open_nursery() as nursery:
            await go(sitting, nursery)

    def sit(sitting: Any, go: Any) -> int:
        trio.run(main, sitting, go)
        return 0

    monkeypatch.setattr(resume, "crew_of", lambda *_: crew)
    monkeypatch.setattr(resume, "sit", sit)
    monkeypatch.setattr(resume, "resume_table", resume_table)
    assert run(["resume", "--auto", "--advertise", "home.example:9", "--no-map"]) == 0
    (how,) = found
    assert (how.outside, how.advertised, how.anew) == (is_told, ("home.example:9",), True)


# What is shown.


MOVED = updates.Moved(Scope.LAN, (because(SCOPES[Scope.LAN]), because(ReachCode.OTHERWISE)), TICKET)


def test_the_ticket_of_one_who_moved_is_shown() -> None:
    lines: list[str] = []
    LineScreen(lines.append)(MOVED)
    assert lines.count(TICKET) == 1
    assert any("not everybody can reach you" in line for line in lines)
    assert "hoity resume --relay" in lines[-1]
    moved, taken = written_of(MOVED, updates.TicketTaken("Bob"))
    assert (moved["type"], moved["reach"], moved["ticket"]) == ("moved", "lan", TICKET)
    assert taken == {"type": "ticket-taken", "name": "Bob"}


def test_a_relay_that_is_lost_or_found_again_is_told() -> None:
    lines: list[str] = []
    lost = updates.RelayState("r.example:1", because(NetCode.CUT))
    found = updates.RelayState("r.example:1", None)
    for update in (lost, found):
        LineScreen(lines.append)(update)
    assert "r.example:1 does not work at the moment (the connection was cut)" in lines[0]
    assert "r.example:1 works again" in lines[1]
    first, second = written_of(lost, found)
    assert first["type"] == second["type"] == "relay-state"
    assert (first["relay"], first["waits"], first["code"]) == ("r.example:1", False, NetCode.CUT)
    assert second == {"type": "relay-state", "relay": "r.example:1", "waits": True}


def test_the_line_prompt_says_once_for_each_loss_what_to_do() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    table = room_of(3, 1).table
    screen(updates.Started(table, 1))
    awaited = updates.Awaited(frozenset({0}), 30.0)
    lost = updates.Attendance((UNLINKED, LINKED, LINKED))
    there = updates.Attendance((LINKED,) * 3)
    for seats, times in ((there, 0), (lost, 1), (lost, 1), (there, 1), (lost, 2)):
        screen(seats)
        screen(awaited)
        assert sum("hoity join TICKET" in line for line in lines) == times


def test_who_resumed_and_finds_nobody_is_told_once_that_they_may_have_finished() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    table = room_of(3, 1).table
    resumed = updates.Resumed(referee(3).view(1), ())
    linked, alone = (updates.Attendance((one,) * 3) for one in (LINKED, UNLINKED))
    started, awaited = (
        updates.Started(table, 1),
        updates.Awaited(frozenset({0, 2}), 10.0),
    )
    command = f"hoity resume {table.id.hex()[:16]} --claim"
    for told, is_said in (
        ((started, alone, awaited), False),  # not resumed
        ((started, resumed, linked, awaited), False),
        ((started, resumed, updates.Linked("Bob"), alone, awaited), False),
        (
            (started, resumed, updates.Linked(None), alone, awaited),
            True,
        ),  # an onlooker is nobody
        ((awaited, alone, awaited), False),  # once
    ):
        lines.clear()
        for update in told:
            screen(update)
        assert ("finished without you" in "".join(lines)) == is_said
        assert (command in "".join(lines)) == is_said


def reached(found: Found, ticket: str = "") -> updates.Reached:
    judged = judge(found, Wanted(lan=True))
    return updates.Reached(judged.scope, judged.reasons, ticket)


HOME = Found(("192.168.1.5:4646",), trouble=(because(RouterCode.SILENT),))


def test_the_line_prompt_says_each_thing_once_and_a_better_ticket_apart() -> None:
    lines: list[str] = []
    screen = LineScreen(lines.append)
    screen(reached(Found(("192.168.1.5:4646",), asking=True)))
    before = len(lines)
    screen(reached(HOME))
    assert lines[before:] == [line for line in lines if "not answer" in line]
    screen(reached(Found(("192.168.1.5:4646",), mapped="81.2.69.142:4646"), TICKET))
    assert lines.count(TICKET) == 1
    assert "81.2.69.142:4646" in lines[-1]


def test_a_program_gets_codes_and_each_reach_has_words() -> None:
    out = written_of(reached(HOME), reached(Found(("93.184.216.34:1",)), TICKET))
    assert [(one["type"], one["reach"], one["ticket"]) for one in out] == [
        ("reached", "lan", None),
        ("reached", "anywhere", TICKET),
    ]
    codes = [reason["code"] for reason in out[0]["reasons"]]
    assert codes == ["reach-lan", "router-silent", "reach-take-relay", "reach-forward"]
    assert json.load(io.StringIO(json.dumps(out)))
    for scope in Scope:
        (line,) = reach_lines(updates.Reached(scope, (because(SCOPES[scope]),)))
        assert "ticket" in line
    first, router, *rest = reach_lines(reached(HOME))
    assert "only on your own network" in first
    assert "does not answer" in router
    assert any("--relay" in line for line in rest)
    assert any("--listen :4646 --advertise HOST:4646" in line for line in rest)
