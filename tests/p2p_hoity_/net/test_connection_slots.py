"""Tests of which links a hub keeps, and which unproven connections make room for others."""

import random
from dataclasses import replace
from typing import Any

import pytest
import trio
import trio.testing
from support.running import running

from p2p_hoity.net import connection_slots as module
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.connection_slots import (
    Admission,
    AdmittedLink,
    HandshakeStage,
    UnprovenConnections,
    UnprovenStream,
)
from p2p_hoity.net.handshake import Proven
from p2p_hoity.net.handshake_codes import Verdict
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.peer_link import Link

SEAT, ONE, TWO, THREE, LATE = (bytes([number]) * 32 for number in range(1, 6))
LIMITS = Limits(links=3, links_per_source=3)


def standing(peer: bytes, source: str = "here") -> AdmittedLink:
    """A link that came in from a machine."""
    near, _ = trio.testing.memory_stream_pair()
    proven = Proven(peer, peer[:16], b"")
    return AdmittedLink(proven, Link(near, LIMITS), Address("x", 1), peer, source)


def judged(table: Admission, peer: bytes, source: str = "here") -> Verdict:
    return table.judge(standing(peer, source))


@pytest.fixture
def full() -> tuple[Admission, dict[bytes, AdmittedLink]]:
    """A hub whose room three strangers have."""
    table = Admission(b"m" * 32, LIMITS)
    those = {peer: standing(peer) for peer in (ONE, TWO, THREE)}
    for one in those.values():
        table.enter(one)
    table.prefer([SEAT])
    return table, those


async def test_a_stranger_makes_room_for_another_but_nobody_kept_does(full: Any) -> None:
    table, those = full
    assert judged(table, LATE) is Verdict.WELCOME
    table.keep([ONE, TWO])
    table.enter(standing(LATE))
    assert those[THREE].link.reason is not None
    assert table.peers() == {ONE, TWO, LATE}
    table.keep([ONE, TWO, LATE])
    assert judged(table, THREE) is Verdict.FULL
    assert judged(table, THREE, "elsewhere") is Verdict.FULL


async def test_who_is_kept_makes_room_for_the_tables_own(full: Any) -> None:
    table, _ = full
    table.keep([ONE, TWO, THREE])
    assert judged(table, SEAT) is Verdict.WELCOME
    table.enter(standing(SEAT))
    assert SEAT in table.peers()
    assert len(table.peers()) == LIMITS.links
    table.prefer([SEAT, ONE, TWO, THREE])
    assert judged(table, LATE) is Verdict.FULL


async def test_a_stranger_goes_before_one_that_is_kept(full: Any) -> None:
    table, those = full
    table.keep([ONE, THREE])
    table.enter(standing(SEAT))
    assert those[TWO].link.reason is not None
    assert table.peers() == {ONE, THREE, SEAT}


@pytest.mark.parametrize(("per_source", "closed"), [(2, {ONE, TWO}), (1, {THREE})])
async def test_the_computer_with_the_most_links_makes_room_before_a_neighbour(
    per_source: int, closed: set[bytes]
) -> None:
    """[L-13]: a newcomer's own address makes room only if it has as many links as it may have."""
    for _ in range(20):
        table = Admission(b"m" * 32, LIMITS)
        those = {
            ONE: standing(ONE, "crowded"),
            TWO: standing(TWO, "crowded"),
            THREE: standing(THREE, "here"),
        }
        for one in those.values():
            table.enter(one)
        table.prefer([SEAT])
        table._limits = replace(LIMITS, links_per_source=per_source)
        table.enter(standing(LATE, "here"))
        assert {peer for peer, one in those.items() if one.link.reason is not None} <= closed
        assert len(table.peers()) == LIMITS.links


class Strangers:
    """Tasks that are counted as unproven until sent away; tells who was, in order."""

    def __init__(self, unproven, nursery):
        self.unproven = unproven
        self.nursery = nursery
        self.sent_away = []

    async def come(self, name, source, stage=HandshakeStage.SILENT):
        near, _ = trio.testing.memory_stream_pair()
        newcomer = UnprovenStream(near, source)
        newcomer.reach(stage)
        self.nursery.start_soon(self._stand, name, newcomer)
        await trio.testing.wait_all_tasks_blocked()

    async def _stand(self, name, newcomer):
        with self.unproven.counted(newcomer, 5.0):
            await trio.sleep_forever()
        self.sent_away.append(name)


async def test_a_newcomer_takes_a_place_of_its_own_source_or_the_fullest(autojump_clock):
    unproven = UnprovenConnections(most=3, most_per_source=3)
    async with running() as nursery:
        strangers = Strangers(unproven, nursery)
        for name, source in [("quiet", "b"), ("loud", "a"), ("loud", "a"), ("new", "c")]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["loud"]
        assert len(unproven) == 3
    unproven = UnprovenConnections(most=10, most_per_source=2)
    async with running() as nursery:
        strangers = Strangers(unproven, nursery)
        for name, source in [("other", "b"), *[("own", "a")] * 4]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["own", "own"]


@pytest.mark.parametrize("source", ["a", "b"])
async def test_who_has_come_least_far_makes_room_first(autojump_clock, source):
    """Also where the flood comes from the very address of the honest, or from all others."""
    unproven = UnprovenConnections(most=4, most_per_source=4)
    async with running() as nursery:
        strangers = Strangers(unproven, nursery)
        for stage in (HandshakeStage.SECURED, HandshakeStage.GREETED, HandshakeStage.SPOKE):
            await strangers.come(stage.name, "a", stage)
        for _ in range(20):
            await strangers.come("silent", source)
        assert set(strangers.sent_away) == {"silent"}
        await strangers.come("spoke too", "a", HandshakeStage.SPOKE)
        await strangers.come("spoke too", "a", HandshakeStage.SPOKE)
        assert "SECURED" not in strangers.sent_away
        assert "GREETED" not in strangers.sent_away


async def test_among_equals_the_lot_decides(autojump_clock, monkeypatch):
    monkeypatch.setattr(module, "random", random.Random(1))
    unproven, survived = UnprovenConnections(most=8, most_per_source=8), 0
    for _ in range(60):
        async with running() as nursery:
            strangers = Strangers(unproven, nursery)
            await strangers.come("honest", "me")
            for number in range(12):
                await strangers.come("flood", str(number))
            survived += "honest" not in strangers.sent_away
    assert 15 < survived < 50  # of 33 on average; by age it would never have


async def test_what_a_stranger_does_tells_how_far_it_has_come():
    near, far = trio.testing.memory_stream_pair()
    newcomer = UnprovenStream(near, "a")
    assert newcomer.stage is HandshakeStage.SILENT
    await far.send_all(b"hello")
    assert await newcomer.receive_some() == b"hello"
    assert newcomer.stage is HandshakeStage.SPOKE
    await newcomer.send_all(b"hello yourself")
    assert newcomer.stage is HandshakeStage.GREETED
    newcomer.reach(HandshakeStage.SECURED)
    await newcomer.send_all(b"again")
    assert newcomer.stage is HandshakeStage.SECURED
    assert await far.receive_some() == b"hello yourselfagain"
    near, far = trio.testing.memory_stream_pair()
    newcomer = UnprovenStream(near, "a")
    await far.aclose()
    assert await newcomer.receive_some() == b""
    assert newcomer.stage is HandshakeStage.SILENT


def at(source):
    return UnprovenStream(trio.testing.memory_stream_pair()[0], source)


async def test_nobody_stays_unproven_for_longer_and_who_leaves_leaves_no_trace(autojump_clock):
    unproven = UnprovenConnections(most=3, most_per_source=3)
    began = trio.current_time()
    with unproven.counted(at("a"), 5.0):
        await trio.sleep_forever()
    assert trio.current_time() - began == 5.0
    assert len(unproven) == 0
    for _ in range(10):
        one = at("a")
        with unproven.counted(one, 5.0):
            assert len(unproven) == 1
        assert not one.scope.cancelled_caught
    assert len(unproven) == 0
