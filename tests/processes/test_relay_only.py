"""A seat that is reached through a relay alone, between network namespaces made here: no packet
goes from it to another seat, nor comes from one. Needs root and nftables."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import namespaces
from support.namespaces import RELAY, Internet, Machine, address, machines, relay
from support.process_table import ProcessTable
from support.sampling import REACHED
from support.terminals import BOT, GUEST

pytestmark = REACHED

HIDES = 2
"""The number of the seat that hides, in the tables here."""
ALONE = ("--relay-only", "--relay", RELAY)
HOST, PORT = RELAY.split(":")
WATCH = f"""
table inet watch {{
  counter relayed {{ }}
  counter leaked {{ }}
  chain out {{
    type filter hook output priority 0;
    oifname "lo" accept
    ip daddr {HOST} tcp dport {PORT} counter name relayed accept
    meta l4proto {{ tcp, udp }} counter name leaked
  }}
  chain in {{
    type filter hook input priority 0;
    iifname "lo" accept
    ip saddr {HOST} tcp sport {PORT} accept
    meta l4proto {{ tcp, udp }} counter name leaked
  }}
}}
"""


@pytest.fixture
def net() -> Iterator[Internet]:
    """Plain cables."""
    with namespaces.internet() as made:
        yield made


def packets(machine: Machine, counter: str) -> int:
    """How many packets were counted."""
    told = machine.run("nft", "list", "counter", "inet", "watch", counter)
    return int(told.partition("packets ")[2].split()[0])


def files_that_name(home: Path, place: str) -> list[str]:
    """The files of a seat in which an address stands, by their names."""
    found = (path for path in home.rglob("*") if path.is_file())
    return [path.name for path in found if place.encode() in path.read_bytes()]


def test_no_packet_goes_to_another_seat(net: Internet, tmp_path: Path) -> None:
    """Nor to a router or the LAN; also when it is resumed without a word of it, and while the
    others could meet it directly."""
    places = machines(net, 3)
    places[HIDES].run("nft", WATCH)
    table = ProcessTable(tmp_path, 3, machines=places, ways={0: ("--relay", RELAY), HIDES: ALONE})
    table.habits = {number: (table.waits(2),) for number in range(2)}
    with relay(net, tmp_path / "relay"), table:
        table.fill()
        table.read_until("round", 2)
        home = tmp_path / "0"
        assert files_that_name(home, address(1))
        assert not files_that_name(home, address(HIDES))
        table.kill(HIDES)
        table.resume(HIDES).read_until("type", "resumed")
        linked = table.running[HIDES]
        linked.read_until("type", "linked")
        linked.read_until("type", "linked")
        table.let_go()
        table.judge()
        assert {line["relay"] for line in table.seen(HIDES, "linked")} == {f"relay+{RELAY}"}
        assert packets(places[HIDES], "relayed") > 50
        assert packets(places[HIDES], "leaked") == 0


def test_a_host_that_hides_with_its_bot_and_what_would_be_seen_else(
    net: Internet, tmp_path: Path
) -> None:
    host, guest = machines(net, 2)
    host.run("nft", WATCH)
    table = ProcessTable(tmp_path, 3, machines=(host, host, guest), options=("--bots", "1"))
    table.ways = {0: (*ALONE, "--no-again"), HIDES: ("--no-again",)}
    with relay(net, tmp_path / "relay"), table:
        table.join(HIDES)
        table.judge([0, HIDES])
        assert packets(host, "leaked") == 0
        assert packets(host, "relayed") > 50
        # What would be seen without the option.
        other = guest.start(tmp_path / "other", "host", "--seats", "2", *BOT, "--lan", "off")
        ticket = other.read_until("ticket")["ticket"]
        plain = host.start(tmp_path / "plain", "join", ticket, *GUEST)
        plain.read_until("type", "table")
        assert packets(host, "leaked") > 0
        plain.kill()
        other.kill()
