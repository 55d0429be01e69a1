"""A game of more steps than an array elsewhere may have items is written, and is valid."""

from dataclasses import replace
from typing import Any

import pytest
from support.machine_table import MachineTable, make_table
from support.sampling import LARGE_FILES
from support.sim.cheap import cheap_blocks
from support.toy_game import Toy, ToyGame

from protocol.game_interface import Chosen
from protocol.transcript.transcript_format import MAX_ITEMS, opened
from protocol.transcript.verifier import verify
from protocol.wire import codec


class LongGame(ToyGame):
    """The toy game of one round, in which so many piles are chosen by the seats in turn."""

    def __init__(self, seats: int, turns: int) -> None:
        super().__init__(seats, 1)
        self.turns = turns

    def apply(self, state: Toy, event: Any) -> Toy:
        if isinstance(event, Chosen) and state.pile + 1 < self.turns:
            return replace(state, pile=state.pile + 1, winner=(state.winner + 1) % self.seats)
        if isinstance(event, Chosen):
            return replace(super().apply(state, event), pile=0)
        return super().apply(state, event)


def table(turns: int, seats: int) -> MachineTable:
    return MachineTable(*make_table(LongGame(seats, turns), seats))


@LARGE_FILES
@pytest.mark.parametrize(
    ("turns", "seats"),
    [
        (4_100, 2),
        pytest.param(4_100, 3, marks=pytest.mark.nightly),
        pytest.param(11_960, 3, marks=pytest.mark.nightly),
    ],
)
def test_a_long_game_is_valid(turns: int, seats: int) -> None:
    with cheap_blocks():
        room = table(turns, seats)
        room.play(until=60)
        machine = room.machine()
        assert machine.finished
        data = machine.transcript()
        report = verify(data, lambda _: machine.table.game)
    assert report.ok, report.problem
    parts = opened(data).transcript
    assert parts is not None
    assert codec.MAX_ITEMS < turns < report.steps <= len(parts.content.entries) < MAX_ITEMS
    assert len(parts.evidence.signatures) == report.steps
    assert report.epochs > 0 or seats == 2, "no epoch is that long"
