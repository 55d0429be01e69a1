"""A lying process at a table of honest `hoity` processes: named by its code, and out.

One code here, every code at night. What each lie is: tests/support/liars/tales.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.liars import table as liar_table
from support.liars.plots import ENDINGS, PLOTS
from support.liars.tales import NOT_A_POINT, is_point
from support.room import Room, make_table, toy_choice
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.wire import frames, messages
from protocol.wire.faults import FAULTS
from protocol.wire.messages import Say

QUICK = "bad-share"
MAY_FOLLOW = ("bad-halt",)
"""A halt that leaves out a say is badly formed as well, once it lists what builds on it."""


@pytest.mark.parametrize(
    "code",
    [
        QUICK,
        *(pytest.param(one, marks=pytest.mark.nightly) for one in sorted(set(PLOTS) - {QUICK})),
    ],
)
def test_a_liar_is_named_and_the_others_go_on(tmp_path: Path, code: str) -> None:
    plot = PLOTS[code]
    seen = liar_table.play(tmp_path, code)
    guilty = [(0, code), (1, plot.also)] if plot.also else [(0, code)]
    assert set(guilty) <= set(seen.accused) <= {*guilty, *((0, one) for one in MAY_FOLLOW)}
    assert any(f"({code})" in line for line in seen.screen)
    if plot.before:
        assert set(seen.exits) == {1}
        assert any("Whose doing: liar" in line for line in seen.screen)
        assert seen.verdicts == ()
        return
    assert set(seen.exits) == {0}
    assert len(seen.verdicts) >= 2
    for verdict in seen.verdicts:
        assert verdict["verdict"] == "ok"
        assert [(f["seat"], f["code"]) for f in verdict["faults"]] == guilty
    assert len({verdict["content"] for verdict in seen.verdicts}) == 1


@pytest.mark.nightly
@pytest.mark.parametrize("table", sorted(ENDINGS))
def test_where_the_quorum_is_lost_the_table_ends_and_the_liar_is_named(
    tmp_path: Path, table: str
) -> None:
    code, plot = ENDINGS[table]
    seen = liar_table.play(tmp_path, code, plot)
    assert set(seen.exits) == {1}
    codes = [code, plot.also] if plot.also else [code]
    for one in codes:
        assert any(f"({one})" in line for line in seen.screen)
    assert any("Whose doing: " in line for line in seen.screen)
    assert any("resume --claim" in line for line in seen.screen)
    assert seen.verdicts == ()
    claimed = liar_table.claim(tmp_path / str(plot.seats - 1))
    assert claimed["verdict"] == "fault"
    assert claimed["problem"]["code"] == "not-final"


def ended(seats: int, quorum: int, liars: int) -> list[tuple[int, str] | None]:
    """Who ended it, by honest seat, at a table where the last seats sign two statements each."""
    table, who = make_table(ToyGame(seats, 1), seats, quorum)
    room = Room(table, who, toy_choice)
    room.start()
    while not all(place.machine.has_begun for place in room.places):
        room.deliver()
    honest = [place.machine for place in room.places[: seats - liars]]
    for seat in range(seats - liars, seats):
        for body in (b"one", b"two"):
            say = Say(0, honest[0].tip.step + 1, bytes([7]) * 32, body)
            said = messages.sign(who[seat], table.id, seat, say)
            for machine in honest:
                machine.receive(frames.encode_frame(frames.Carry(said.encode())), room.now, None)
    found = [m.broken for m in honest]
    liars_of = set(range(seats - liars, seats))
    assert all(set(m.core.told_guilty) == liars_of for m in honest if m.broken)  # none unnamed
    return [None if b is None or b.seat is None else (b.seat, b.code) for b in found]


def test_a_table_ends_once_more_seats_are_at_fault_than_it_can_spare() -> None:
    with cheap_blocks():
        assert ended(5, 4, 2) == [(4, "two-statements")] * 3
        assert ended(4, 3, 2) == [(3, "two-statements")] * 2
        assert ended(3, 3, 1) == [(2, "two-statements")] * 2


def test_a_table_goes_on_while_a_quorum_is_left() -> None:
    with cheap_blocks():
        assert ended(5, 4, 1) == [None] * 4
        assert ended(6, 4, 2) == [None] * 4


def test_there_is_a_plot_for_every_code() -> None:
    assert set(PLOTS) == set(FAULTS)
    assert not is_point(NOT_A_POINT)
