"""Hard networks between network namespaces made here: NATs, walls, slow and broken cables, homes
that move. Needs root and nftables.

Each game ends with equal transcripts that `hoity verify` finds sound, and nobody accused.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import namespaces
from support.namespaces import LOST, REFUSED, RELAY, Internet, Machine, machines, part, relay
from support.process_table import LONG, ProcessTable
from support.sampling import REACHED, is_nightly, sample
from support.short_game import short_file
from support.terminals import GUEST, Terminal

from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket

pytestmark = REACHED

FULL = "uberplay-2004"
KEEPS, RANDOM = "masquerade", "masquerade random"


@pytest.fixture
def net() -> Iterator[Internet]:
    """Plain cables."""
    with namespaces.internet() as made:
        yield made


@pytest.fixture
def far() -> Iterator[Internet]:
    """Fifty milliseconds from door to door: what crosses nothing on its way meets nobody."""
    with namespaces.internet("--delay", "0.025") as made:
        yield made


def home_of(net: Internet, number: int, masking: str = KEEPS, **more: str) -> Machine:
    """A home behind a NAT; all have the same address inside unless told otherwise."""
    rules = namespaces.nat(masking, more.pop("unexpected", "drop"))
    return net.home("abcd"[number], f"8.{number + 1}.0.1/8", rules, **more)


# Walls and cuts.


def test_a_star_plays(net: Internet, tmp_path: Path) -> None:
    places = machines(net, 4)
    part(places, [(1, 2), (1, 3), (2, 3)], "wall", LOST)
    with ProcessTable(tmp_path, 4, machines=places) as table:
        table.play()
        assert [len(table.seen(n, "linked")) for n in (1, 2, 3)] == [1, 1, 1]


@pytest.mark.nightly
def test_a_line_plays_and_is_cut_in_two_and_joined_again(net: Internet, tmp_path: Path) -> None:
    """Seats 1 - 0 - 2 - 3, once all have sat down; then the middle is cut for longer than a link
    may be silent."""
    places = machines(net, 4)
    table = ProcessTable(tmp_path, 4, machines=places, edition=FULL)
    table.every = (table.waits(2, "line"), table.waits(4, "cut"))
    with table:
        table.fill()
        table.read_until("round", 1)
        part(places, [(1, 2), (1, 3), (0, 3)], "wall", REFUSED)
        for number, lost in enumerate((1, 2, 1, 2)):
            for _ in range(lost):
                table.running[number].read_until("type", "unlinked")
        table.let_go("line")
        table.read_until("round", 4)
        part(places, [(0, 2)], "cut", LOST)
        for number in (0, 2):
            told = table.running[number].read_until("type", "unlinked")
            assert told["reason"]["code"] in ("link-silent", "link-unread")
        table.let_go("cut")
        namespaces.join(places, "cut")
        print(table.judge())


@pytest.mark.nightly
def test_a_half_open_link_is_noticed_and_mended(net: Internet, tmp_path: Path) -> None:
    """A link goes dead without a word."""
    places = machines(net, 2)
    table = ProcessTable(tmp_path, 2, machines=places)
    table.every = (table.waits(2),)
    with table:
        table.fill()
        table.read_until("round", 2)
        part(places, [(0, 1)], "cut", LOST)
        lost = [seat.read_until("type", "unlinked") for seat in table.running.values()]
        told = [line["reason"]["code"] for line in lost]
        assert set(told) <= {"link-silent", "link-unread"}
        table.let_go()
        namespaces.join(places, "cut")
        table.judge()


@pytest.mark.nightly
def test_two_split_from_four_and_heal(net: Internet, tmp_path: Path) -> None:
    places, two = machines(net, 6), (4, 5)
    timeouts = "20000,20000,1000,8000"
    how = {"edition": FULL, "timeouts": timeouts, "every": ("think=0.5",)}
    with ProcessTable(tmp_path, 6, machines=places, **how) as table:
        table.fill()
        table.running[0].read_until("round", 2)
        part(places, itertools.product(range(4), two), "cut", LOST)
        table.running[0].read_until("type", "timed-out")
        table.running[0].read_until("round")
        namespaces.join(places, "cut")
        found = table.judge()
        for number in two:
            assert table.seen(number, "away")
            assert len(table.seen(number, "away")) == len(table.seen(number, "back"))
            assert table.seat_of(number) in found["timed-out"]
        print(found)


# A host that comes back elsewhere.


SHORT = "1800000,20000,5000,60000"
"""Times of a table where a seat resumes that not all others can be linked with: it waits for one
step timeout and one back-off before it signs ([E-10])."""


@contextmanager
def lost_host(tmp_path: Path, places: list[Machine], **more: Any) -> Iterator[ProcessTable]:
    """A table of three whose host is killed in the second round, as the others wait."""
    table = ProcessTable(tmp_path, 3, machines=places, **more)
    table.every = (table.waits(2),)
    with table:
        table.fill()
        table.read_until("round", 2)
        table.kill(0)
        table.let_go()
        yield table


@pytest.mark.nightly
def test_a_killed_host_goes_on_at_another_address(net: Internet, tmp_path: Path) -> None:
    """It dials the others, who find nobody where it was; it had listened at that address only."""
    places = machines(net, 3)
    ways = {0: ("--listen", f"{namespaces.address(0)}:4646")}
    with lost_host(tmp_path, places, ways=ways) as table:
        namespaces.move(places[0], f"{namespaces.address(0)}/8", "8.0.9.9/8")
        assert table.resume(0).end() == 3
        assert "Choose another address or port with --listen" in table.running[0].errors()
        table.resume(0, "--listen", "8.0.9.9:4646")
        table.judge()


@pytest.mark.nightly
def test_a_killed_host_goes_on_in_another_home_by_a_relay(net: Internet, tmp_path: Path) -> None:
    """All are behind NATs, so that nobody can be dialled: the others call it where it waited."""
    homes = [home_of(net, number) for number in range(3)]
    elsewhere = home_of(net, 3, RANDOM, inside="10.0.0")
    with (
        relay(net, tmp_path / "relay"),
        lost_host(tmp_path, homes, way=("--relay", RELAY)) as table,
    ):
        homes[0] = elsewhere
        table.resume(0)
        table.judge()


@pytest.mark.nightly
def test_a_killed_host_goes_on_elsewhere_by_a_fresh_ticket(net: Internet, tmp_path: Path) -> None:
    """No relay, and the guests are behind NATs: they know only where the host was. One is handed
    the ticket while its game stands still, one has been killed too and comes back by it."""
    places = [*machines(net, 1), home_of(net, 0), home_of(net, 1)]
    elsewhere, stranger = net.machine("new", "8.0.9.9/8"), net.machine("str", "8.8.0.1/8")
    ways: dict[int, Any] = {0: ("--listen", ":4646")}
    with lost_host(tmp_path, places, ways=ways, timeouts=SHORT) as table:
        places[0] = elsewhere
        told = table.resume(0).read_until("type", "moved")
        assert told["scope"] == "anywhere"
        ticket, first = (decode_ticket(word) for word in (told["ticket"], table.ticket))
        assert replace(ticket, addresses=()) == replace(first, addresses=())
        theirs = {"machines": [stranger], "way": ("--listen", ":4646")}
        with ProcessTable(tmp_path / "stranger", 2, **theirs):
            hand_forged_tickets(table, ticket)
            exit_code, handed = hand(table, told["ticket"])
            assert (exit_code, handed["type"]) == (0, "handed")
            table.running[0].read_until("type", "linked")
        table.kill(2)
        table.ticket = told["ticket"]
        table.join(2)
        table.judge()
        assert len(table.seen(1, "ticket-taken")) == 2
        assert {line["name"] for line in table.seen(1, "linked")[-1:]} == {handed["name"]}


def hand(table: ProcessTable, ticket: str) -> tuple[int, dict[str, Any]]:
    """`hoity join` in another terminal while seat 1 is played: exit code, last object."""
    done = table.machines[1].start(table.running[1].home, "join", ticket, *GUEST)
    code = done.end()
    assert "Traceback" not in done.errors()
    return code, done.last


def hand_forged_tickets(table: ProcessTable, ticket: Ticket) -> None:
    """A liar's tickets for seat 1: refused, or dialled without a link to anyone."""
    for forged, code in (
        (replace(ticket, secret=bytes(16)), "ticket-with-another-secret"),
        (replace(ticket, secret=b""), "ticket-with-another-secret"),
        (replace(ticket, host_id=bytes(32)), "ticket-of-no-seat"),
    ):
        exit_code, last = hand(table, encode_ticket(forged))
        assert (exit_code, last["code"]) == (2, code)
    strangers = replace(ticket, addresses=("8.8.0.1:4646", "8.8.0.1:1"))
    assert hand(table, encode_ticket(strangers))[0] == 0


# NATs, through a relay and then without it.


def pair(one: Machine, two: Machine, tmp_path: Path) -> tuple[Terminal, Terminal]:
    """Two hubs, the first calling the second through the relay."""
    hub = {"module": "support.lone_hub"}
    called = two.start(tmp_path / "two", "2", RELAY, **hub)
    called.read_until("relay")
    return one.start(tmp_path / "one", "1", RELAY, "2", **hub), called


@pytest.mark.parametrize("unexpected", sample(["drop", "reject"], 1, "NATs that keep ports"))
def test_two_behind_nats_that_keep_ports_need_the_relay_no_more(
    far: Internet, tmp_path: Path, unexpected: str
) -> None:
    one, two = (home_of(far, number, unexpected=unexpected) for number in range(2))
    with relay(far, tmp_path / "relay"):
        hubs = pair(one, two, tmp_path)
        for hub, other in zip(hubs, ("8.2.0.1:", "8.1.0.1:"), strict=True):
            assert hub.read_until("linked")["relayed"]
            assert hub.read_until("lost")["lost"] == "link-replaced"
            direct = hub.read_until("linked")
            assert not direct["relayed"]
            assert direct["linked"].startswith(other)
        before = hubs[0].read_until("heard")["heard"]
        assert hubs[0].read_until("heard")["heard"] > before
        for hub in hubs:
            hub.kill()


@pytest.mark.nightly
@pytest.mark.parametrize("masks", [(KEEPS, RANDOM), (RANDOM, KEEPS), (RANDOM, RANDOM)])
def test_behind_a_nat_that_takes_random_ports_the_relay_stays(
    far: Internet, tmp_path: Path, masks: tuple[str, str]
) -> None:
    one, two = (home_of(far, number, mask) for number, mask in enumerate(masks))
    with relay(far, tmp_path / "relay"):
        hubs = pair(one, two, tmp_path)
        for hub in hubs:
            assert hub.read_until("linked")["relayed"]
            # Twenty frames a second: this one comes long after the tries are over.
            hub.read_until("heard", 150)
            assert not [line for line in hub.lines if "lost" in line]
        for hub in hubs:
            hub.kill()


@pytest.mark.nightly
@pytest.mark.parametrize("masks", [(KEEPS, RANDOM), (KEEPS, RANDOM, KEEPS)])
def test_homes_with_mixed_nats_play(far: Internet, tmp_path: Path, masks: tuple[str, ...]) -> None:
    homes = [home_of(far, number, mask) for number, mask in enumerate(masks)]
    way = ("--relay", RELAY, "--listen", ":4646")
    with (
        relay(far, tmp_path / "relay"),
        ProcessTable(tmp_path, len(masks), machines=homes, way=way) as table,
    ):
        table.play()


@pytest.mark.nightly
def test_the_change_to_a_direct_link_is_no_pause(far: Internet, tmp_path: Path) -> None:
    """Prints the longest pause between two steps around the change, and of the whole game."""
    homes = [home_of(far, number) for number in range(2)]
    how = {"way": ("--relay", RELAY), "edition": FULL, "every": ("think=0.1",)}
    table = ProcessTable(tmp_path, 2, machines=homes, **how)
    with relay(far, tmp_path / "relay"), table:
        table.play()
        for number, seat in table.running.items():
            lines = list(zip(seat.lines, seat.came, strict=True))
            reasons = [(line.get("reason", {}).get("code"), at) for line, at in lines]
            changed = [at for code, at in reasons if code == "link-replaced"]
            steps = [at for line, at in lines if line.get("type") == "step"]
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


# What leads out.

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


@pytest.mark.nightly
def test_over_ipv6_alone(net: Internet, tmp_path: Path) -> None:
    """No machine has another IPv4 address than that of loopback; two let no call in."""
    places = [net.machine(f"s{n}", f"2a0e::{n + 1}/64") for n in range(3)]
    for place in places[:2]:
        place.run("nft", SHUT.format(family="ip6", out="accept"))
    way = ("--relay", "[2a0e::9]:4646")
    with (
        relay(net, tmp_path / "relay", "2a0e::9/64"),
        ProcessTable(tmp_path, 3, machines=places, way=way) as table,
    ):
        table.play()


@pytest.mark.nightly
def test_where_only_port_443_leads_out(net: Internet, tmp_path: Path) -> None:
    places = machines(net, 2)
    for place in places:
        place.run("nft", SHUT.format(family="ip", out="tcp dport 443 accept"))
    with (
        relay(net, tmp_path / "relay", listen=":443"),
        ProcessTable(tmp_path, 2, machines=places, way=("--relay", "8.9.0.1:443")) as table,
    ):
        table.play()
        lost = {line["reason"]["code"] for line in table.seen(1, "unlinked")}
        assert lost <= {"link-closed"}, "whoever is done first closes"


# Slow cables.


def lost(table: ProcessTable) -> list[str]:
    """Why links were lost; whoever is done first closes its own, and one of two replaces the
    other."""
    told = [line["reason"]["code"] for n in table.running for line in table.seen(n, "unlinked")]
    return [code for code in told if code not in ("link-closed", "link-replaced")]


@contextmanager
def on_slow_cables(tmp_path: Path, rate: int, **more: Any) -> Iterator[ProcessTable]:
    """A full table with so many bytes a second each way of each cable, and up to half a second
    more or less."""
    seats = more.pop("seats", 2)
    with (
        namespaces.internet("--rate", str(rate), "--jitter", "0.5") as net,
        ProcessTable(tmp_path, seats, machines=machines(net, seats), **more) as table,
    ):
        table.fill()
        yield table


def test_the_first_round_over_a_slow_cable(tmp_path: Path) -> None:
    """The deal, which is most of all bytes, passes even with half the Collectibles in seconds."""
    with on_slow_cables(tmp_path, 2_000 if is_nightly() else 10_000) as table:
        table.read_until("type", "round-ended")
        assert [table.seen(n, kind) for n in range(2) for kind in ("alarm", "away")] == [[]] * 4
        assert lost(table) == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("seats", "rate", "timeouts"), [(2, 2_000, ""), (3, 4_000, ""), (3, 2_000, LONG)]
)
def test_a_whole_game_over_slow_cables(
    tmp_path: Path, seats: int, rate: int, timeouts: str
) -> None:
    """At the default times a cable needs 2,000 bytes a second for each of its links.

    Of two links on a cable one may fall silent behind the other and is made anew. Nobody is late
    by that, and with a longer step timeout the game is played over half of it, too.
    """
    edition = str(short_file(tmp_path, 9))
    more = {"seats": seats, "edition": edition, "timeouts": timeouts}
    with on_slow_cables(tmp_path, rate, **more) as table:
        print(judged := table.judge(), "links lost:", len(lost(table)))
        assert (judged["timed-out"], judged["away"]) == ([], 0)
        assert seats > 2 or lost(table) == []
