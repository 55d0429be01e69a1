"""What a screen is told as the chain grows, and as a change of epoch takes some of it back."""

from types import SimpleNamespace
from typing import Any

from support.cli_stage import referee

from p2p_hoity.game_adapter import Play
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import happenings
from p2p_hoity.table.playing.effects_out import GameReporter

STATE = referee(3, 1).state


def node(*rounds: int, past: Play | None = None, convictions: tuple[Any, ...] = ()) -> Any:
    """Return a node of the chain at which these rounds have begun, one after the other."""
    play = past or Play(STATE.but(news=()))
    for number in rounds:
        play = play.then(STATE.but(news=(happenings.RoundBegan(number, (0, 1, 2), (), None),)))
    return SimpleNamespace(state=play, step=9, convictions=convictions)


def reporter_at(tip: Any) -> tuple[GameReporter, list[Any]]:
    """Return a reporter whose screen knows all up to a node, and what it is told from then on."""
    told: list[Any] = []
    machine: Any = SimpleNamespace(tip=tip, seat=0, hand=dict, final_step=lambda: 8)
    return GameReporter(machine, told.append), told


def test_a_base_that_drops_steps_is_told_as_taken_back_and_then_what_it_holds() -> None:
    before = node(1)
    tip = node(2, 3, past=before.state)
    reporter, told = reporter_at(tip)
    reporter.entered(1, node(4, past=before.state), [(2, "bad-share")])
    accused, rewound, happened = told
    assert accused == updates.Accused(2, "bad-share")
    assert (rewound.epoch, rewound.kept) == (1, 1)
    assert [item.round for item in happened.items] == [4]


def test_a_base_that_keeps_every_step_is_told_only_by_what_is_new() -> None:
    tip = node(1, 2)
    reporter, told = reporter_at(tip)
    reporter.entered(1, tip, [])
    assert told == []
    guilty = SimpleNamespace(seat=1, code="equivocation")
    for _again in range(2):
        reporter.tell(node(past=tip.state, convictions=(guilty,)))
    assert told == [updates.Accused(1, "equivocation")]


def test_of_a_chain_that_was_not_told_only_what_it_shares_with_the_told_one_is_final() -> None:
    first, second = node(1), node(1, 2)
    tip = node(2, 3, past=first.state)
    other = node(4, 5, past=first.state)
    reporter, _ = reporter_at(tip)
    for final, count in ((tip, 3), (first, 1), (other, 1), (second, 0)):
        reporter._machine.tip.before = {9: final}.get  # type: ignore[method-assign, assignment]
        assert reporter.final() == count
