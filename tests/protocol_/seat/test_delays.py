"""What distance costs, on a virtual clock: how many delays one way a choice and the deal take."""

import pytest
from soak.delays import choices
from support.machine_table import toy_table

from protocol.chain.chain_state import Kind
from protocol.seat.effects import StepAppended
from protocol.wire.table_header import Timeouts

DELAY = 0.1


def played(seats: int, quorum: int | None = None) -> list[list[tuple[float, Kind]]]:
    """Return when each seat completed which step of a whole game, computing taking nothing."""
    table = toy_table(seats, 2, quorum, Timeouts())
    table.delay = lambda seat, other: DELAY
    table.start()
    assert table.go(table.done, 60)
    return [
        [
            (at, effect.before.want.kind)
            for at, effect in zip(place.heard_at, place.heard, strict=True)
            if isinstance(effect, StepAppended)
        ]
        for place in table.places
    ]


@pytest.mark.parametrize(
    ("seats", "quorum", "delays"),
    [*((seats, None, 3.0) for seats in (3, 4, 5, 6)), (2, None, 2.0), (3, 3, 2.0), (6, 6, 2.0)],
)
def test_a_sealed_choice_takes_three_delays_and_two_at_a_strict_table(
    seats: int, quorum: int | None, delays: float
) -> None:
    for steps in played(seats, quorum):
        assert {round(took / DELAY, 3) for took in choices(steps)} == {delays}


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_deal_takes_a_delay_for_each_seat_and_five(seats: int) -> None:
    for steps in played(seats):
        dealt = next(at for at, kind in steps if kind is Kind.DEAL)
        assert round(dealt / DELAY, 3) <= seats + 5
