"""The gate: few strangers at once; who has come least far goes first, and the lot decides."""

import random

import pytest
import trio
import trio.testing

from p2p_hoity.net import gate as gates
from p2p_hoity.net.gate import Gate, Stage, Stranger


class Strangers:
    """Tasks that stand at a gate until sent away; tells who was, in order."""

    def __init__(self, gate, nursery):
        self.gate = gate
        self.nursery = nursery
        self.sent_away = []

    async def come(self, name, source, stage=Stage.SILENT):
        near, _ = trio.testing.memory_stream_pair()
        stranger = Stranger(near, source)
        stranger.reach(stage)
        self.nursery.start_soon(self._stand, name, stranger)
        await trio.testing.wait_all_tasks_blocked()

    async def _stand(self, name, stranger):
        with self.gate.standing(stranger, 5.0):
            await trio.sleep_forever()
        self.sent_away.append(name)


async def test_a_newcomer_takes_the_place_of_one_of_the_fullest_source(autojump_clock):
    gate = Gate(most=3, most_per_source=3)
    async with trio.open_nursery() as nursery:
        strangers = Strangers(gate, nursery)
        for name, source in [("quiet", "b"), ("loud", "a"), ("loud", "a"), ("new", "c")]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["loud"]
        assert len(gate) == 3
        nursery.cancel_scope.cancel()


async def test_one_source_makes_room_for_itself_only(autojump_clock):
    gate = Gate(most=10, most_per_source=2)
    async with trio.open_nursery() as nursery:
        strangers = Strangers(gate, nursery)
        for name, source in [("other", "b"), *[("own", "a")] * 4]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["own", "own"]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("source", ["a", "b"])
async def test_who_has_come_least_far_makes_room_first(autojump_clock, source):
    """Also where the flood comes from the very address of the honest, or from all others."""
    gate = Gate(most=4, most_per_source=4)
    async with trio.open_nursery() as nursery:
        strangers = Strangers(gate, nursery)
        for stage in (Stage.SECURED, Stage.GREETED, Stage.SPOKE):
            await strangers.come(stage.name, "a", stage)
        for _ in range(20):
            await strangers.come("silent", source)
        assert set(strangers.sent_away) == {"silent"}
        await strangers.come("spoke too", "a", Stage.SPOKE)
        await strangers.come("spoke too", "a", Stage.SPOKE)
        assert "SECURED" not in strangers.sent_away
        assert "GREETED" not in strangers.sent_away
        nursery.cancel_scope.cancel()


async def test_among_equals_the_lot_decides(autojump_clock, monkeypatch):
    monkeypatch.setattr(gates, "random", random.Random(1))
    gate, survived = Gate(most=8, most_per_source=8), 0
    for _ in range(60):
        async with trio.open_nursery() as nursery:
            strangers = Strangers(gate, nursery)
            await strangers.come("honest", "me")
            for number in range(12):
                await strangers.come("flood", str(number))
            survived += "honest" not in strangers.sent_away
            nursery.cancel_scope.cancel()
    assert 15 < survived < 50  # of 33 on average; by age it would never have


async def test_what_a_stranger_does_tells_how_far_it_has_come():
    near, far = trio.testing.memory_stream_pair()
    stranger = Stranger(near, "a")
    assert stranger.stage is Stage.SILENT
    await far.send_all(b"hello")
    assert await stranger.receive_some() == b"hello"
    assert stranger.stage is Stage.SPOKE
    await stranger.send_all(b"hello yourself")
    assert stranger.stage is Stage.GREETED
    stranger.reach(Stage.SECURED)
    await stranger.send_all(b"again")
    assert stranger.stage is Stage.SECURED
    assert await far.receive_some() == b"hello yourselfagain"


async def test_one_that_only_hangs_up_has_said_nothing():
    near, far = trio.testing.memory_stream_pair()
    stranger = Stranger(near, "a")
    await far.aclose()
    assert await stranger.receive_some() == b""
    assert stranger.stage is Stage.SILENT


def at(source):
    return Stranger(trio.testing.memory_stream_pair()[0], source)


async def test_nobody_stands_at_the_gate_beyond_the_time_there_is(autojump_clock):
    gate = Gate(most=3, most_per_source=3)
    began = trio.current_time()
    with gate.standing(at("a"), 5.0):
        await trio.sleep_forever()
    assert trio.current_time() - began == 5.0
    assert len(gate) == 0


async def test_who_leaves_by_itself_leaves_no_trace():
    gate = Gate(most=3, most_per_source=3)
    for _ in range(10):
        one = at("a")
        with gate.standing(one, 5.0):
            assert len(gate) == 1
        assert not one.scope.cancelled_caught
    assert len(gate) == 0
