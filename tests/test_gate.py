"""The gate: few strangers at once, and a flood only shortens what each of them gets."""

import trio
import trio.testing

from p2p_hoity.net.gate import Gate


class Strangers:
    """Tasks that stand at a gate until sent away; tells who was, in order."""

    def __init__(self, gate, nursery):
        self.gate = gate
        self.nursery = nursery
        self.sent_away = []

    async def come(self, name, source):
        self.nursery.start_soon(self._stand, name, source)
        await trio.testing.wait_all_tasks_blocked()

    async def _stand(self, name, source):
        with self.gate.standing(source, 5.0):
            await trio.sleep_forever()
        self.sent_away.append(name)


async def test_a_newcomer_takes_the_place_of_the_oldest_of_the_fullest_source(autojump_clock):
    gate = Gate(most=3, most_per_source=3)
    async with trio.open_nursery() as nursery:
        strangers = Strangers(gate, nursery)
        for name, source in [("quiet", "b"), ("loud 1", "a"), ("loud 2", "a"), ("new", "c")]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["loud 1"]
        assert len(gate) == 3
        nursery.cancel_scope.cancel()


async def test_one_source_makes_room_for_itself_only(autojump_clock):
    gate = Gate(most=10, most_per_source=2)
    async with trio.open_nursery() as nursery:
        strangers = Strangers(gate, nursery)
        for name, source in [("other", "b"), ("1", "a"), ("2", "a"), ("3", "a"), ("4", "a")]:
            await strangers.come(name, source)
        assert strangers.sent_away == ["1", "2"]
        nursery.cancel_scope.cancel()


async def test_nobody_stands_at_the_gate_beyond_the_time_there_is(autojump_clock):
    gate = Gate(most=3, most_per_source=3)
    began = trio.current_time()
    with gate.standing("a", 5.0):
        await trio.sleep_forever()
    assert trio.current_time() - began == 5.0
    assert len(gate) == 0


async def test_who_leaves_by_itself_leaves_no_trace():
    gate = Gate(most=3, most_per_source=3)
    for _ in range(10):
        with gate.standing("a", 5.0) as scope:
            assert len(gate) == 1
        assert not scope.cancelled_caught
    assert len(gate) == 0
