"""Tests of hole punching: two behind NATs meet, or stay linked through their relay."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
import trio
from support.cases import ends_in
from support.homes_behind_nats import Home, HomeOutlet, Internet, Nat, NoOutlet
from support.relays import serve_relay
from support.running import running

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net import hole_punching
from p2p_hoity.net.addresses import Address, Named, parse_address
from p2p_hoity.net.handshake import Listener, Purpose, prove, receive, send
from p2p_hoity.net.hub import Frame, Hub, LinkDown, LinkUp
from p2p_hoity.net.network_errors import LinkCode, NetCode, NetError
from p2p_hoity.net.protocol_versions import Speech
from p2p_hoity.net.relay_client import reach, read_seen, seen_from
from protocol.crypto.identities import Identity

LOW, HIGH = sorted((Identity(bytes([n]) * 32) for n in (1, 2)), key=lambda who: who.public)
STRANGER = Identity(bytes([3]) * 32)
FIRST, SECOND = "8.1.0.1", "8.2.0.1"


@dataclass
class Node:
    """A hub in a home, and all that it was told."""

    hub: Hub
    home: Home
    told: list = field(default_factory=list)

    async def listen(self) -> None:
        async for event in self.hub.events:
            self.told.append(event)

    @property
    def links(self) -> list[tuple[bool, str]]:
        return [(up.via_relay, up.address) for up in self.told if isinstance(up, LinkUp)]


@dataclass
class World:
    internet: Internet
    nursery: trio.Nursery
    relay: str

    async def node(self, who: Identity, home: Home) -> Node:
        node = Node(Hub(who, network=home), home)
        await self.nursery.start(node.hub.run)
        self.nursery.start_soon(node.listen)
        return node


@asynccontextmanager
async def world(delay: float = 0.05) -> AsyncIterator[World]:
    internet = Internet(delay)
    serve = partial(serve_relay, "relay.example", 4646, network=internet.network)
    async with running() as nursery:
        (place,) = await nursery.start(serve)
        yield World(internet, nursery, place)


async def met(
    there: World,
    nats: Sequence[Nat] = (Nat.SAME_PORT, Nat.SAME_PORT),
    who: Sequence[Identity] = (LOW, HIGH),
) -> tuple[Node, Node]:
    """Return two behind these NATs, of whom the first has called the second."""
    one = await there.node(who[0], Home(there.internet, FIRST, nats[0]))
    two = await there.node(who[1], Home(there.internet, SECOND, nats[1]))
    await linked(there, one, two)
    return one, two


async def linked(there: World, caller: Node, callee: Node) -> None:
    """The caller is linked with the callee through the relay, for less than a second."""
    address = await callee.hub.listen_via(there.relay)
    await caller.hub.connect([address], callee.hub.me, 5)
    await trio.sleep(0.5)
    assert [up[0] for up in caller.links] == [up[0] for up in callee.links] == [True]


@pytest.mark.parametrize("caller_is_low", [True, False])
@pytest.mark.parametrize("nats", [(Nat.SAME_PORT, Nat.SAME_PORT), (Nat.REFUSING, Nat.SAME_PORT),
                                  (Nat.REFUSING, Nat.REFUSING)])  # fmt: skip
async def test_two_behind_nats_meet_without_the_relay(nats, caller_is_low, autojump_clock) -> None:
    async with world() as there:
        one, two = await met(there, nats, (LOW, HIGH) if caller_is_low else (HIGH, LOW))
        await trio.sleep(6)
        for node, other in ((one, SECOND), (two, FIRST)):
            assert [up[0] for up in node.links] == [True, False]
            assert node.links[-1][1].startswith(f"{other}:")
            (down,) = [event for event in node.told if isinstance(event, LinkDown)]
            assert down.reason.code == LinkCode.REPLACED, "nobody is told of a lost link"
        one.hub.post(two.hub.me, b"no relay between us")
        two.hub.post(one.hub.me, b"none")
        await trio.sleep(1)
        assert two.told[-1] == Frame(one.hub.me, b"no relay between us")
        assert one.told[-1] == Frame(two.hub.me, b"none")


@pytest.mark.parametrize("fresh", [(True, False), (False, True), (True, True)])
async def test_where_a_nat_takes_a_fresh_port_the_relayed_link_stays(fresh, autojump_clock) -> None:
    async with world() as there:
        one, two = await met(there, [Nat.FRESH_PORT if one else Nat.SAME_PORT for one in fresh])
        began = trio.current_time()
        await trio.sleep(60)
        assert [up[0] for up in one.links] == [up[0] for up in two.links] == [True]
        assert not [event for event in one.told + two.told if isinstance(event, LinkDown)]
        assert len(there.internet.sent) == 6, "three tries each, and never again"
        one.hub.post(two.hub.me, b"still here")
        await trio.sleep(1)
        assert two.told[-1] == Frame(one.hub.me, b"still here")
        assert trio.current_time() - began > 60


async def test_the_game_goes_on_while_it_is_tried_if_there_is_an_outlet(autojump_clock) -> None:
    async with world() as there:
        one, two = await met(there, (Nat.SAME_PORT, Nat.FRESH_PORT))
        for number in range(50):
            one.hub.post(two.hub.me, b"%d" % number)
            await trio.sleep(0.1)
        frames = [event.data for event in two.told if isinstance(event, Frame)]
        assert frames == [b"%d" % number for number in range(50)]
    async with world() as there:
        one = await there.node(LOW, NoOutlet(there.internet, FIRST))
        two = await there.node(HIGH, Home(there.internet, SECOND))
        await linked(there, one, two)
        await trio.sleep(20)
        assert [up[0] for up in one.links] == [True]
        assert there.internet.sent == []


class Noting(Home):
    """A home that notes by whom each address was named that is dialled from it."""

    named: list[Named]

    async def open(self, address: Address) -> trio.abc.Stream:
        self.named.append(address.named)
        return await super().open(address)

    def outlet(self) -> HomeOutlet:
        made, dial = super().outlet(), HomeOutlet.open

        async def noting(address: Address) -> trio.abc.Stream:
            self.named.append(address.named)
            return await dial(made, address)

        made.open = noting  # type: ignore[method-assign]
        return made


async def test_a_relay_that_a_peer_named_leads_no_further_when_two_meet(autojump_clock) -> None:
    """[L-14]: its name may lead elsewhere by the time it is dialled again."""
    async with world() as there:
        home = Noting(there.internet, FIRST)
        home.named = []
        one, two = await there.node(LOW, home), await there.node(HIGH, Home(there.internet, SECOND))
        one.hub.dial(await two.hub.listen_via(there.relay), two.hub.me, Named.FAR)
        await trio.sleep(10)
        assert [up[0] for up in one.links] == [True, False]
        assert len(home.named) >= 4
        assert set(home.named) == {Named.FAR}


async def test_a_new_link_through_the_relay_is_tried_anew(autojump_clock) -> None:
    async with world() as there:
        one, two = await met(there, (Nat.FRESH_PORT, Nat.SAME_PORT))
        await trio.sleep(10)
        two.home.internet.sent.clear()
        one.hub.drop(two.hub.me, Reason("again"))
        one.home.nat = Nat.SAME_PORT
        await trio.sleep(1)
        await one.hub.connect([f"relay+{there.relay}"], two.hub.me, 5)
        await trio.sleep(10)
        assert [up[0] for up in one.links] == [True, True, False]


async def asked(there: World, who: Identity, peer: bytes, home: Home) -> trio.abc.Stream:
    """A stream on which someone has asked a peer to meet; NetError if it was refused."""
    secured = await reach(home, parse_address(f"relay+{there.relay}"), peer)
    listener = Listener(Purpose.PUNCH, peer, secured.channel.handshake_hash)
    await prove(secured.channel, listener, who, bytes(16))
    return secured.channel


async def test_only_who_has_a_relayed_link_may_ask(autojump_clock) -> None:
    async with world() as there:
        one, two = await met(there)
        with pytest.raises(NetError, match="verdict-refused"):
            await asked(there, STRANGER, two.hub.me, Home(there.internet, "8.3.0.1"))
        await trio.sleep(6)
        assert [up[0] for up in two.links] == [True, False]
        await ends_in(NetError, "verdict-refused", asked(there, LOW, two.hub.me, one.home))


async def liar_with_a_link(there: World) -> tuple[Node, Home]:
    """A node with a relayed link from a peer that lies; the peer's home."""
    home = Home(there.internet, FIRST)
    node = await there.node(HIGH, Home(there.internet, SECOND))
    await node.hub.listen_via(there.relay)
    await lying_link(there, node, home, LOW)
    return node, home


async def lying_link(there: World, node: Node, home: Home, who: Identity) -> None:
    """One relayed link more from a peer that lies; it takes the place of the one before."""
    secured = await reach(home, parse_address(f"relay+{there.relay}"), node.hub.me)
    channel = secured.channel
    listener = Listener(Purpose.LINK, node.hub.me, channel.handshake_hash)
    await prove(channel, listener, who, bytes(16), Speech())

    async def stay() -> None:
        with suppress(trio.BrokenResourceError):
            while await channel.receive_some():
                await channel.send_all(bytes(4))

    there.nursery.start_soon(stay)
    await trio.sleep(0.5)


async def test_each_link_may_ask_once_and_who_meets_still_proves_its_key(autojump_clock) -> None:
    """Where the liar leads, someone else answers, or nobody does: no link comes of it."""
    async with world() as there:
        node, home = await liar_with_a_link(there)
        await (await asked(there, LOW, node.hub.me, home)).aclose()
        await ends_in(NetError, "verdict-refused", asked(there, LOW, node.hub.me, home))
    async with world() as there:
        node, home = await liar_with_a_link(there)
        met = await met_by(there, LOW, node, home)
        await met.send_all(b"GET / HTTP/1.1\r\n\r\n")
        await trio.sleep(10)
        assert [up[0] for up in node.links] == [True]
        assert not [event for event in node.told if isinstance(event, LinkDown)]


LIES = {
    "a machine at home": hole_punching.SEEN + seen_from(Address("192.168.1.1", 80)),
    "the very machine": hole_punching.SEEN + seen_from(Address("127.0.0.1", 80)),
    "link-local": hole_punching.SEEN + seen_from(Address("169.254.1.1", 80)),
    "translated": hole_punching.SEEN + seen_from(Address("64:ff9b::192.168.1.1", 80)),
    "multicast": hole_punching.SEEN + seen_from(Address("224.0.0.1", 80)),
    "nothing": b"",
    "another word": hole_punching.GO,
    "a name": hole_punching.SEEN + b"\x01\x06home\x00\x50",
    "too much": hole_punching.SEEN + seen_from(Address("8.9.9.9", 80)) + b"!",
    "port 0": hole_punching.SEEN + bytes([4, 6, 8, 9, 9, 9, 0, 0]),
    "IPv4 in IPv6": hole_punching.SEEN + bytes([6, 18, *bytes(10), 255, 255, 8, 9, 9, 9, 0, 80]),
    "as long as may be": hole_punching.SEEN * 256,
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_what_a_peer_says_of_itself_leads_nowhere_else(lie: bytes, autojump_clock) -> None:
    async with world() as there:
        node, home = await liar_with_a_link(there)
        stream = await asked(there, LOW, node.hub.me, home)
        await send(stream, lie)
        await ends_in(NetError, "", receive(stream))
        assert there.internet.sent == []
        assert [up[0] for up in node.links] == [True]
        assert not [event for event in node.told if isinstance(event, LinkDown)]


@pytest.mark.parametrize("words", [0, 1, 2])
async def test_who_falls_silent_is_left(words: int, autojump_clock) -> None:
    async with world() as there:
        node, home = await liar_with_a_link(there)
        stream = await asked(there, LOW, node.hub.me, home)
        said = [hole_punching.SEEN + seen_from(Address("8.9.9.9", 80)), hole_punching.PING]
        for word in said[:words]:
            await send(stream, word)
            await receive(stream)
        began = trio.current_time()
        await ends_in(NetError, "", receive(stream))
        assert trio.current_time() - began <= hole_punching.WHOLE
        assert [up[0] for up in node.links] == [True]


async def met_by(there: World, who: Identity, node: Node, home: Home) -> trio.abc.Stream:
    """A stream to a node that a liar meets."""
    stream = await asked(there, who, node.hub.me, home)
    other = home.outlet()
    await send(stream, hole_punching.SEEN + seen_from(other.seen))
    where = read_seen((await receive(stream))[1:])
    await send(stream, hole_punching.PING)
    await receive(stream)
    await send(stream, hole_punching.GO)
    return await other.open(where)


async def test_one_who_meets_a_node_twice_at_once_and_falls_silent_is_left(autojump_clock) -> None:
    """Each link through the relay may be tried, though another try of the same peer runs."""
    async with world() as there:
        home = Home(there.internet, FIRST)
        node = await there.node(LOW, Home(there.internet, SECOND))
        await node.hub.listen_via(there.relay)
        for _ in range(2):
            await lying_link(there, node, home, HIGH)
            await met_by(there, HIGH, node, home)
        await trio.sleep(20)
        assert [up[0] for up in node.links] == [True, True]
        assert node.hub.links() == {HIGH.public}


async def test_a_crowd_of_strangers_is_met_by_a_few_at_a_time(autojump_clock) -> None:
    """[L-41]"""
    async with world() as there:
        home = Home(there.internet, FIRST)
        node = await there.node(HIGH, Home(there.internet, SECOND))
        await node.hub.listen_via(there.relay)
        crowd = [Identity(bytes([n]) * 32) for n in range(100, 120)]
        for who in crowd:
            await lying_link(there, node, home, who)
        some = crowd[: hole_punching.MOST_AT_ONCE]
        waiting = [await asked(there, who, node.hub.me, home) for who in some]
        await ends_in(NetError, "verdict-refused", asked(there, crowd[-1], node.hub.me, home))
        await trio.sleep(hole_punching.WHOLE)
        waiting.append(await asked(there, crowd[-1], node.hub.me, home))


@pytest.mark.parametrize("fails", [False, True])
async def test_of_a_crowd_that_asks_at_once_no_more_are_met(
    monkeypatch, fails: bool, autojump_clock
) -> None:
    """[L-41], and an attempt whose answer could not be sent does not count."""
    async with world() as there:
        home = Home(there.internet, FIRST)
        node = await there.node(HIGH, Home(there.internet, SECOND))
        await node.hub.listen_via(there.relay)
        crowd = [Identity(bytes([n]) * 32) for n in range(100, 120)]
        for who in crowd:
            await lying_link(there, node, home, who)
        met_now = 0

        async def ask(who: Identity) -> None:
            nonlocal met_now
            with suppress(NetError):
                await asked(there, who, node.hub.me, home)
                met_now += 1

        async def slow(stream: Any, *words: bytes) -> None:
            await trio.sleep(0.1)
            if fails:
                raise NetError(NetCode.CUT)
            await send(stream, *words)

        first = hole_punching.MOST_AT_ONCE - 4
        for who in crowd[:first]:
            await ask(who)
        with monkeypatch.context() as patch:
            patch.setattr(hole_punching, "send", slow)
            async with trio.open_nursery() as nursery:
                for who in crowd[first:]:
                    nursery.start_soon(ask, who)
        assert met_now == first + (0 if fails else 4)
        for who in crowd[first:] if fails else ():
            await lying_link(there, node, home, who)
            await ask(who)
        assert met_now == hole_punching.MOST_AT_ONCE
