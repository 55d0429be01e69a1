"""Tests of how a peer listens and waits at relays, and of what it tells others to dial."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import trio
from support.memory_network import MemoryNetwork
from support.relays import serve_relay

from cli import exit_codes
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table import open_links
from p2p_hoity.table.open_links import Reach, open_hub
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import resume_table
from protocol.crypto.identities import Identity

WHO = Identity(b"a" * 32)


def test_a_named_address_is_told_as_it_is_or_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("127.0.0.1:7", "[::1]:7", "host.example:4646", "node0:40000"):
        assert open_links.reachable([address]) == [address]
    for address in open_links.reachable(["0.0.0.0:4646", "[::]:4646"]):
        assert address.rpartition(":")[0] not in open_links.EVERYWHERE
    assert resume_table._same_port(":0", ["relay+x:1", "192.0.2.7:4321"]) == ":4321"
    assert resume_table._same_port(":4646", ["192.0.2.7:4321"]) == ":4646"
    assert resume_table._same_port(":0", []) == ":0"
    # The port that was to be listened at was taken when the game began.
    assert resume_table._same_port(":4647", ["192.0.2.7:4647", "127.0.0.1:33285"]) == ":33285"

    def own(port: int) -> list[str]:
        return [f"192.0.2.7:{port}", f"127.0.0.1:{port}"]

    monkeypatch.setattr(open_links, "local_addresses", own)
    found = open_links.reachable(["0.0.0.0:4646", "[::]:4646"])
    assert found == ["192.0.2.7:4646", "127.0.0.1:4646"]


async def test_a_port_given_away_is_replaced_if_the_system_chose_it_and_else_told() -> None:
    network = MemoryNetwork()
    async with open_links.open_hub(WHO, open_links.Reach("node0:0", network=network)) as (_, first):
        again = open_links.Reach(first.named[0], network=network)
        async with open_links.open_hub(WHO, replace(again, or_any=True)) as (_, second):
            assert len(second.named) == 1
            assert second.named != first.named
        with pytest.raises(PeerError, match=r"cannot-listen-there .*port-in-use"):
            async with open_links.open_hub(WHO, again):
                pass


@pytest.mark.parametrize("or_any", [True, False])
async def test_an_address_that_is_gone_is_told_as_it_was_typed(or_any: bool) -> None:
    """No free port of it helps, as after a move to another network."""
    with pytest.raises(PeerError, match=r"cannot-listen-there .*192\.0\.2\.7:4646"):
        async with open_links.open_hub(WHO, open_links.Reach("192.0.2.7:4646", or_any=or_any)):
            pass


async def test_a_relay_that_is_gone_is_told_with_the_ways_to_go_on() -> None:
    reach = open_links.Reach("node0:0", ("relay:1",), network=MemoryNetwork())
    with pytest.raises(NetError, match=r"relay-unreached .*unreached address='relay:1'") as caught:
        async with open_links.open_hub(WHO, reach):
            pass
    told = exit_codes.told(caught.value)
    assert told.exit_code == exit_codes.NETWORK
    assert "--relay none" in told.words
    assert "--relay HOST:PORT" in told.words


async def test_a_returning_seat_does_without_a_relay_that_says_it_waits_there() -> None:
    network = MemoryNetwork()
    async with trio.open_nursery() as nursery:
        (relay,) = await nursery.start(partial(serve_relay, "relay", 1, network=network))
        first = open_links.Reach("node0:0", (relay,), network=network)
        async with open_links.open_hub(WHO, first) as (_, ways):
            assert ways.named[1:] == (f"relay+{relay}",)
            with pytest.raises(NetError, match="verdict-elsewhere"):
                async with open_links.open_hub(WHO, replace(first, listen="node1:0")):
                    pass
            # The same is told if another relay, named first, does not answer at all.
            gone = replace(first, listen="node3:0", relays=("gone.example:1", relay))
            with pytest.raises(NetError, match="verdict-elsewhere"):
                async with open_links.open_hub(WHO, gone):
                    pass
            back = replace(first, listen="node2:0", returning=True)
            async with open_links.open_hub(WHO, back) as (_, others):
                assert others.named[1:] == (f"relay+{relay}",)
        nursery.cancel_scope.cancel()


async def test_a_relay_that_is_gone_keeps_no_seat_out_that_returns(autojump_clock: Any) -> None:
    """It is told, asked again, and told when it is back; the ticket of the seat does not count on
    it meanwhile."""
    network, told = MemoryNetwork(), list[Any]()
    back = open_links.Reach("node0:0", ("relay.example:1",), network=network, returning=True)
    began = trio.current_time()
    async with (
        trio.open_nursery() as nursery,
        open_links.open_hub(WHO, back, told.append) as (hub, ways),
    ):
        assert trio.current_time() == began
        await trio.sleep(30)
        (lost,) = told
        assert (lost.relay, lost.why.code) == ("relay.example:1", "unreached")
        assert ways.judged().direct == ("node0:40000",)
        await nursery.start(partial(serve_relay, "relay.example", 1, network=network))
        await trio.sleep(30)
        assert told[1:] == [updates.RelayState("relay.example:1", None)]
        assert hub.relays() == {"relay+relay.example:1"} == set(ways.named[1:])
        nursery.cancel_scope.cancel()


async def test_one_relay_of_those_named_is_enough(autojump_clock: Any) -> None:
    network, told = MemoryNetwork(), list[Any]()
    async with trio.open_nursery() as nursery:
        (relay,) = await nursery.start(partial(serve_relay, "relay", 1, network=network))
        reach = open_links.Reach("node0:0", ("gone:1", relay), network=network)
        async with open_links.open_hub(WHO, reach, told.append) as (hub, ways):
            assert hub.relays() == {f"relay+{relay}"}
            assert ways.named[1:] == ("relay+gone:1", f"relay+{relay}")
            assert [one.relay for one in told] == ["gone:1"]
        nursery.cancel_scope.cancel()


async def test_who_hides_names_no_machine_and_waits_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    network = MemoryNetwork()
    listen = network.listen

    async def spy(host: str, port: int) -> Any:
        asked.append(host)
        return await listen(host, port)

    monkeypatch.setattr(network, "listen", spy)
    how = Reach(":0", network=network, advertised=("x.onion:1",), maps=True, hidden=True)
    async with open_hub(Identity(b"h" * 32), how) as (hub, ways):
        assert asked == ["127.0.0.1"]
        assert ways.named == ways.judged().direct == ("x.onion:1",)
        assert hub._limits.dial > Limits().dial
        assert hub._limits.handshake == Limits().handshake
