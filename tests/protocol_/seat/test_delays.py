"""What distance costs, on a virtual clock: how many delays one way a choice and the deal take."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator

import pytest
from support.room import Room, make_table, toy_choice
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.chain.state import Kind
from protocol.seat.effects import Send, Stepped

DELAY = 0.1


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


class FarRoom(Room):
    """A room in which each frame takes 100 ms to each other seat, and computing takes nothing."""

    def __init__(self, seats: int, quorum: int | None = None) -> None:
        table, who = make_table(ToyGame(seats, 2), seats, quorum)
        self.under_way: list[tuple[float, int, int, int, bytes]] = []
        self.numbers = itertools.count()
        super().__init__(table, who, toy_choice)

    def post(self, seat: int, send: Send) -> None:
        super().post(seat, send)
        for source, to, frame in self.queue:
            due = round(self.now + DELAY, 6)
            heapq.heappush(self.under_way, (due, next(self.numbers), source, to, frame))
        self.queue.clear()

    def play(self) -> dict[int, list[tuple[float, Kind]]]:
        """The whole game; when each seat completed which step."""
        steps: dict[int, list[tuple[float, Kind]]] = {s: [] for s in range(self.table.seats)}
        seen = dict.fromkeys(steps, 0)
        self.start()
        while self.under_way and not self.done():
            self.now, _, source, to, frame = heapq.heappop(self.under_way)
            self.places[to].machine.receive(frame, self.now, self.table.ids[source])
            self.collect(to)
            heard = self.places[to].heard
            for effect in heard[seen[to] :]:
                if isinstance(effect, Stepped):
                    steps[to].append((self.now, effect.before.want.kind))
            seen[to] = len(heard)
        assert self.done()
        return steps


def choices(steps: list[tuple[float, Kind]]) -> list[float]:
    """In delays: from the step before a sealed choice to the one in which it is shown."""
    found, begun = [], 0.0
    for (before, _), (at, kind) in itertools.pairwise(steps):
        begun = before if kind is Kind.SEAL else begun
        if kind is Kind.REVEAL:
            found.append(round((at - begun) / DELAY, 3))
    return found


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_a_sealed_choice_takes_three_delays(seats: int) -> None:
    for steps in FarRoom(seats).play().values():
        assert set(choices(steps)) == {3.0}


@pytest.mark.parametrize(("seats", "quorum"), [(2, None), (3, 3), (6, 6)])
def test_at_a_strict_table_it_takes_two(seats: int, quorum: int | None) -> None:
    for steps in FarRoom(seats, quorum).play().values():
        assert set(choices(steps)) == {2.0}


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_deal_takes_a_delay_for_each_seat_and_five(seats: int) -> None:
    for steps in FarRoom(seats).play().values():
        dealt = next(at for at, kind in steps if kind is Kind.DEAL)
        assert round(dealt / DELAY, 3) <= seats + 5
