"""A game that takes too many steps is stopped, and ends like any other."""

import pytest
from support.cases import fails
from support.machine_table import TIMEOUTS, toy_table
from support.rules_driver import Referee
from support.sim.cheap import cheap_blocks

from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import UnexpectedEvent, apply, expected
from p2p_hoity.rules.happenings import GameStopped
from protocol.chain import transition
from protocol.chain.chain_state import Kind
from protocol.game_interface import Deal, OpenAll, Opened, Over, Stopped
from protocol.transcript.verifier import steps_to


@pytest.mark.parametrize("last", [11, 12, 13, 14, 17, 20])
def test_behind_the_last_step_the_hands_are_opened(
    monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    assert transition.LAST_STEP == 12_000, "a shorter game is not stopped"
    monkeypatch.setattr(transition, "LAST_STEP", last)
    with cheap_blocks():
        table = toy_table(4, 3, timeouts=TIMEOUTS)
        table.play(until=5)
    tips = [place.machine.tip for place in table.places]
    assert all(place.machine.finished for place in table.places)
    assert len({tip.digest for tip in tips}) == 1
    kinds = {node.step: node.want.kind for node, _, _ in steps_to(tips[0])}
    assert [kinds[step] for step in range(last, tips[0].step)] == [Kind.OVER, Kind.FINAL]


@pytest.mark.parametrize("steps", range(1, 80, 7))
def test_hoity_toity_ends_as_it_stands(steps: int) -> None:
    referee = Referee.seat(load(), 4, seed=steps)
    for _ in range(steps):
        referee.step()
    before = referee.state
    state = referee.apply(Stopped())
    assert [type(item) for item in state.news] == [GameStopped]
    assert isinstance(expected(state), OpenAll)
    assert state.figures == before.figures
    referee.step()
    assert isinstance(expected(referee.state), Over)
    assert len(referee.state.standings) == 4


def test_what_has_not_begun_or_is_over_cannot_be_stopped() -> None:
    referee = Referee.seat(load(), 3)
    assert isinstance(expected(referee.state), Deal)
    fails(UnexpectedEvent, "", apply, referee.state, Stopped())
    referee.step()
    stopped = referee.apply(Stopped())
    fails(UnexpectedEvent, "", apply, stopped, Stopped())
    assert isinstance(expected(apply(stopped, Opened(referee.cards(range(12))))), Over)
