"""Whole games on hard networks, between network namespaces made here; needs root and nftables.

Each case ends with equal transcripts that `hoity verify` finds sound, and nobody accused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from support import namespaces
from support.far_table import LOST, REFUSED, FarTable, address, join, machines, move, part
from support.going_table import BOT
from support.namespaces import Internet, Machine, nat
from support.short_game import short_edition
from support.terminals import Terminal

from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket

pytestmark = pytest.mark.skipif(
    bool(namespaces.why_not()), reason=namespaces.why_not() or "all is there"
)
THINKS = ("think=0.1",)


@pytest.fixture
def net() -> Iterator[Internet]:
    """Plain cables."""
    with namespaces.internet() as made:
        yield made


@pytest.fixture
def short(tmp_path: Path) -> tuple[str, ...]:
    """Options of a table whose game is over soon, and which waits long for who is cut off."""
    return ("--edition", str(short_edition(tmp_path)), "--step-patience", "60")


def every(seats: int, *habits: str) -> dict[int, tuple[str, ...]]:
    """All seats have these habits."""
    return dict.fromkeys(range(seats), habits or THINKS)


def test_a_star_plays(net: Internet, tmp_path: Path, short: tuple[str, ...]) -> None:
    places = machines(net, 4)
    part(places, [(1, 2), (1, 3), (2, 3)], "wall", LOST)
    with FarTable(tmp_path, 4, every(4), options=short, machines=places) as table:
        table.fill()
        table.alike()
        assert [len(table.seen(n, "linked")) for n in (1, 2, 3)] == [1, 1, 1]


def test_a_line_plays_and_is_cut_in_two_and_joined_again(
    net: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    """Seats 1 - 0 - 2 - 3, once all have sat down; then the middle is cut for longer than a link
    may be silent."""
    places = machines(net, 4)
    with FarTable(tmp_path, 4, every(4), options=short, machines=places) as table:
        table.fill()
        for number in range(4):
            table.running[number].read_until("round", 1)
        part(places, [(1, 2), (1, 3), (0, 3)], "wall", REFUSED)
        for number, lost in enumerate((1, 2, 1, 2)):
            for _ in range(lost):
                table.running[number].read_until("type", "unlinked")
        reached = table.running[3].read_until("round")["round"]
        table.running[1].read_until("round", reached + 1)
        part(places, [(0, 2)], "cut", LOST)
        for number in (0, 2):
            told = table.running[number].read_until("type", "unlinked")
            assert told["code"] in ("link-silent", "link-unread")
        join(places, "cut")
        print(table.alike())


def test_a_killed_host_goes_on_at_another_address(
    net: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    """It dials the others, who find nobody where it was; it had listened at that address only."""
    places = machines(net, 3)
    way = {0: ("--listen", f"{address(0)}:4646")}
    with FarTable(tmp_path, 3, every(3), options=short, machines=places, ways=way) as table:
        table.fill()
        table.running[0].read_until("round", 2)
        table.kill(0)
        move(places[0], f"{address(0)}/8", "8.0.9.9/8")
        assert table.resume(0).end() == 3
        assert "name another with --listen" in table.running[0].errors()
        table.resume(0, "--listen", "8.0.9.9:4646")
        table.alike()


RELAY = "8.9.0.1:4646"
"""Where nobody else is."""


@contextmanager
def relay(net: Internet, tmp_path: Path, *addresses: str, listen: str = ":4646") -> Iterator[None]:
    """A relay on a machine of its own."""
    running = net.machine("relay", *(addresses or ("8.9.0.1/8",))).hoity(
        tmp_path / "relay", "relay", "--listen", listen, "--json"
    )
    with killed_after(running, "addresses"):
        yield


@contextmanager
def killed_after(running: Terminal, told: str) -> Iterator[None]:
    """A command that has told this, until it is killed."""
    try:
        running.read_until(told)
        yield
    finally:
        running.process.kill()
        running.process.wait()


def test_a_killed_host_goes_on_in_another_home_by_a_relay(
    net: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    """All are behind NATs, so that nobody can be dialled: the others call it where it waited."""
    homes = [net.home(name, f"8.{n}.0.1/8", nat()) for n, name in enumerate("abc", 1)]
    homes.append(net.home("d", "8.4.0.1/8", nat("masquerade random"), inside="10.0.0"))
    way = ("--relay", RELAY)
    with (
        relay(net, tmp_path),
        FarTable(tmp_path, 3, every(3), options=short, machines=homes, way=way) as table,
    ):
        table.fill()
        table.running[0].read_until("round", 2)
        table.kill(0)
        homes[0] = homes[3]
        table.resume(0)
        table.alike()


def test_a_killed_host_goes_on_elsewhere_by_a_fresh_ticket(
    net: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    """No relay, and the guests are behind NATs: they know only where the host was. One is handed
    the ticket while its game stands still, one has been killed too and comes back by it."""
    places = machines(net, 1)
    places += [net.home(name, f"8.{n}.0.1/8", nat()) for n, name in enumerate("ab", 1)]
    elsewhere, stranger = net.machine("new", "8.0.9.9/8"), net.machine("str", "8.8.0.1/8")
    way = {0: ("--listen", ":4646")}
    with FarTable(tmp_path, 3, every(3), options=short, machines=places, ways=way) as table:
        table.fill()
        table.running[0].read_until("round", 2)
        table.kill(0)
        places[0] = elsewhere
        told = table.resume(0).read_until("type", "moved")
        assert told["reach"] == "anywhere"
        ticket, first = (decode_ticket(word) for word in (told["ticket"], table.ticket))
        assert replace(ticket, addresses=()) == replace(first, addresses=())
        with stranger_at(stranger, tmp_path):
            hand_forged_tickets(table, ticket)
            exit_code, handed = table.hand(1, told["ticket"])
            assert (exit_code, handed["type"]) == (0, "handed")
            table.running[0].read_until("type", "linked")
        table.kill(2)
        table.running[2] = table.start(2, *THINKS, "join", told["ticket"], *BOT)
        table.alike()
        assert len(table.seen(1, "ticket-taken")) == 2
        assert {line["name"] for line in table.seen(1, "linked")[-1:]} == {handed["name"]}


@contextmanager
def stranger_at(machine: Machine, tmp_path: Path) -> Iterator[None]:
    """Somebody else who hosts a table at 8.8.0.1:4646."""
    words = ("host", "--seats", "2", "--listen", ":4646", "--lan", "off", *BOT)
    running = machine.hoity(tmp_path / "stranger", *words)
    with killed_after(running, "ticket"):
        yield


def hand_forged_tickets(table: FarTable, ticket: Ticket) -> None:
    """A liar's tickets for seat 1: refused, or dialled without a link to anyone."""
    for forged, code in (
        (replace(ticket, secret=bytes(16)), "ticket-with-another-secret"),
        (replace(ticket, secret=b""), "ticket-with-another-secret"),
        (replace(ticket, host_id=bytes(32)), "ticket-of-no-seat"),
    ):
        exit_code, last = table.hand(1, encode_ticket(forged))
        assert (exit_code, last["code"]) == (2, code)
    strangers = replace(ticket, addresses=("8.8.0.1:4646", "8.8.0.1:1"))
    assert table.hand(1, encode_ticket(strangers))[0] == 0


@pytest.fixture
def far() -> Iterator[Internet]:
    """Fifty milliseconds from door to door, as hole punching needs."""
    with namespaces.internet("--delay", "0.025") as made:
        yield made


def test_three_homes_with_the_same_address_inside_and_mixed_nats(
    far: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    masks = ("masquerade", "masquerade random", "masquerade")
    homes = [far.home("abc"[n], f"8.{n + 1}.0.1/8", nat(mask)) for n, mask in enumerate(masks)]
    way = ("--relay", RELAY, "--listen", ":4646")
    with (
        relay(far, tmp_path),
        FarTable(tmp_path, 3, every(3), options=short, machines=homes, way=way) as table,
    ):
        table.fill()
        table.alike()


def test_over_ipv6_alone(net: Internet, tmp_path: Path, short: tuple[str, ...]) -> None:
    """No machine has another IPv4 address than that of loopback; two let no call in."""
    places = [net.machine(f"s{n}", f"2a0e::{n + 1}/64") for n in range(3)]
    for place in places[:2]:
        place.run("nft", SHUT.format(family="ip6", out="accept"))
    way = ("--relay", "[2a0e::9]:4646")
    with (
        relay(net, tmp_path, "2a0e::9/64"),
        FarTable(tmp_path, 3, every(3), options=short, machines=places, way=way) as table,
    ):
        table.fill()
        table.alike()


SHUT = """
add table {family} wall
add chain {family} wall in {{ type filter hook input priority 0; policy drop; }}
add rule {family} wall in ct state established,related accept
add rule {family} wall in iifname lo accept
add rule {family} wall in meta l4proto ipv6-icmp accept
add chain {family} wall out {{ type filter hook output priority 0; policy drop; }}
add rule {family} wall out oifname lo accept
add rule {family} wall out {out}
"""
"""Nothing comes in but answers; `out` says what goes out."""


def test_where_only_port_443_leads_out(
    net: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    places = machines(net, 2)
    for place in places:
        place.run("nft", SHUT.format(family="ip", out="tcp dport 443 accept"))
    way = ("--relay", "8.9.0.1:443")
    with (
        relay(net, tmp_path, listen=":443"),
        FarTable(tmp_path, 2, every(2), options=short, machines=places, way=way) as table,
    ):
        table.fill()
        table.alike()
        lost = {line["code"] for line in table.seen(1, "unlinked")}
        assert lost <= {"link-closed"}, "whoever is done first closes"


@pytest.fixture
def slow() -> Iterator[Internet]:
    """Two thousand bytes a second each way of each cable, and up to half a second more or less."""
    with namespaces.internet("--rate", "2000", "--jitter", "0.5") as made:
        yield made


def on_slow_cables(net: Internet, tmp_path: Path, of_a_letter: int, seats: int = 2) -> FarTable:
    options = ("--edition", str(short_edition(tmp_path, of_a_letter)), "--step-patience", "200")
    places = machines(net, seats)
    return FarTable(tmp_path, seats, every(seats), options=options, machines=places)


def lost(table: FarTable) -> list[str]:
    """Why links were lost; whoever is done first closes its own, and one of two replaces the
    other."""
    told = [line["code"] for n in table.running for line in table.seen(n, "unlinked")]
    return [code for code in told if code not in ("link-closed", "link-replaced")]


def test_the_first_round_at_two_thousand_bytes_a_second(slow: Internet, tmp_path: Path) -> None:
    """The deal, which is most of all bytes, passes even with half the Collectibles in seconds."""
    with on_slow_cables(slow, tmp_path, 4) as table:
        table.fill()
        for number in range(2):
            table.running[number].read_until("type", "round-ended")
        assert {line["code"] for n in range(2) for line in table.seen(n, "accused")} == set()
        assert len(table.seen(0, "away") + table.seen(1, "away")) == 0
        assert lost(table) == []


@pytest.mark.nightly
def test_a_whole_game_at_two_thousand_bytes_a_second(slow: Internet, tmp_path: Path) -> None:
    with on_slow_cables(slow, tmp_path, 9) as table:
        table.fill()
        print(table.alike())
        assert lost(table) == []


@pytest.mark.nightly
def test_three_seats_at_two_thousand_bytes_a_second_of_a_cable(
    slow: Internet, tmp_path: Path
) -> None:
    """A link has half a cable: some fall silent in the deal, and are made anew."""
    with on_slow_cables(slow, tmp_path, 9, seats=3) as table:
        table.fill()
        print(table.alike(), "links lost:", len(lost(table)))


@pytest.mark.nightly
def test_the_change_to_a_direct_link_is_no_pause(
    far: Internet, tmp_path: Path, short: tuple[str, ...]
) -> None:
    """Prints the longest pause between two steps around the change, and of the whole game."""
    homes = [far.home("ab"[n], f"8.{n + 1}.0.1/8", nat()) for n in range(2)]
    way = ("--relay", RELAY)
    with (
        relay(far, tmp_path),
        FarTable(tmp_path, 2, every(2), options=short, machines=homes, way=way) as table,
    ):
        table.fill()
        table.alike()
        for number, seat in table.running.items():
            lines = list(zip(seat.lines, seat.came, strict=True))
            changed = [at for line, at in lines if line.get("code") == "link-replaced"]
            steps = [at for line, at in lines if line.get("type") == "stepped"]
            pauses = [(b - a, a, b) for a, b in itertools.pairwise(steps)]
            around = [p for p, a, b in pauses if a - 1 <= changed[-1] <= b + 1]
            print(
                {
                    "seat": number,
                    "steps": len(steps),
                    "changed after": round(changed[-1] - steps[0], 2),
                    "longest around": round(max(around), 2),
                    "longest": round(max(pauses)[0], 2),
                }
            )
