"""Unproven connections: few at once; who has come least far goes first, among equals by lot."""

import random

import pytest
import trio
import trio.testing
from support.running import running

from p2p_hoity.net import connection_slots as module
from p2p_hoity.net.connection_slots import HandshakeStage, UnprovenConnections, UnprovenStream


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
