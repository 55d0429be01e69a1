"""Homes behind NATs, in network namespaces made here: through a relay, then without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support import namespaces, terminals
from support.namespaces import Internet, Machine, nat

pytestmark = pytest.mark.skipif(
    bool(namespaces.why_not()), reason=namespaces.why_not() or "all is there"
)
BOT = ("--auto", "--yes", "--json", "--lan", "off")
RELAY = "8.0.0.1:4646"
KEEPS, RANDOM = "masquerade", "masquerade random"


@pytest.fixture
def net() -> Iterator[Internet]:
    """Fifty milliseconds from door to door: what crosses nothing on its way meets nobody."""
    with namespaces.internet("--delay", "0.025") as made:
        yield made


def relay_at(net: Internet, tmp_path: Path) -> terminals.Terminal:
    machine = net.machine("relay", "8.0.0.1/8")
    running = machine.hoity(tmp_path / "relay", "relay", "--listen", ":4646", "--json")
    running.read_until("addresses")
    return running


@pytest.fixture
def relay(net: Internet, tmp_path: Path) -> Iterator[terminals.Terminal]:
    running = relay_at(net, tmp_path)
    yield running
    running.process.kill()
    running.process.wait()


def pair(
    one: Machine, two: Machine, tmp_path: Path, relay: str = RELAY
) -> tuple[terminals.Terminal, terminals.Terminal]:
    """Two hubs, the first calling the second through the relay."""
    called = two.module(tmp_path / "two", "support.lone_hub", "2", relay)
    called.read_until("relay")
    caller = one.module(tmp_path / "one", "support.lone_hub", "1", relay, "2")
    return caller, called


def stop(*hubs: terminals.Terminal) -> None:
    for hub in hubs:
        hub.process.kill()
        hub.process.wait()


@pytest.mark.usefixtures("relay")
@pytest.mark.parametrize("unexpected", ["drop", "reject"])
def test_two_behind_nats_that_keep_ports_need_the_relay_no_more(
    net: Internet, tmp_path: Path, unexpected: str
) -> None:
    one = net.home("a", "8.1.0.1/8", nat(KEEPS, unexpected))
    two = net.home("b", "8.2.0.1/8", nat(KEEPS, unexpected))  # with the same address inside
    hubs = pair(one, two, tmp_path)
    for hub, other in zip(hubs, ("8.2.0.1:", "8.1.0.1:"), strict=True):
        assert hub.read_until("linked")["relayed"]
        assert hub.read_until("lost")["lost"] == "link-replaced"
        direct = hub.read_until("linked")
        assert not direct["relayed"]
        assert direct["linked"].startswith(other)
    before = hubs[0].read_until("heard")["heard"]
    assert hubs[0].read_until("heard")["heard"] > before
    stop(*hubs)


@pytest.mark.usefixtures("relay")
@pytest.mark.parametrize("masks", [(KEEPS, RANDOM), (RANDOM, KEEPS), (RANDOM, RANDOM)])
def test_behind_a_nat_that_takes_random_ports_the_relay_stays(
    net: Internet, tmp_path: Path, masks: tuple[str, str]
) -> None:
    one = net.home("a", "8.1.0.1/8", nat(masks[0]))
    two = net.home("b", "8.2.0.1/8", nat(masks[1]))
    hubs = pair(one, two, tmp_path)
    for hub in hubs:
        assert hub.read_until("linked")["relayed"]
        # Twenty frames a second: this one comes long after the tries are over.
        hub.read_until("heard", 150)
        assert not [line for line in hub.lines if "lost" in line]
    stop(*hubs)


@pytest.mark.usefixtures("relay")
def test_two_homes_play_a_whole_game(net: Internet, tmp_path: Path) -> None:
    one = net.home("a", "8.1.0.1/8", nat())
    two = net.home("b", "8.2.0.1/8", nat(RANDOM), inside="10.0.0")
    host = one.hoity(tmp_path / "h", "host", "--seats", "2", "--relay", RELAY, *BOT)
    ticket = host.read_until("ticket")["ticket"]
    guest = two.hoity(tmp_path / "g", "join", ticket, *BOT[:3])
    files = terminals.finish([host, guest])
    assert files[0] == files[1]
