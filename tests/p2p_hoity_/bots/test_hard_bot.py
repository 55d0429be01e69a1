"""Tests of the hard bot: its mixtures are in haste, and its games do not stall."""

import random
from math import exp

import pytest
from support.one_round import idle_runs
from support.rules_driver import Referee, table
from support.sampling import sample, times

from p2p_hoity.bots import BOTS
from p2p_hoity.bots.hard_bot import (
    HASTES,
    Haste,
    choice_of,
    hastened,
    mixtures_of,
)
from p2p_hoity.bots.learned import Mixture, shipped
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionKind

EXHIBIT = ActionKind.EXHIBIT
THIEF, DETECTIVE = ActionKind.THIEF, ActionKind.DETECTIVE
WAITING = Mixture((1, 2, 3), (0.01, 0.04, 0.95))
KINDS = (EXHIBIT, THIEF, DETECTIVE)


@pytest.mark.parametrize("haste", [haste for haste in HASTES.values() if haste])
def test_what_brings_the_game_forward_becomes_likelier(haste: Haste) -> None:
    found = hastened(WAITING, KINDS, haste)
    assert sum(found.chances) == pytest.approx(1)
    assert found.choices == WAITING.choices
    assert found.chances[0] > WAITING.chances[0]
    assert found.chances[2] < WAITING.chances[2]


def test_what_has_no_haste_stays_as_it_was() -> None:
    found = hastened(WAITING, KINDS, HASTES[6])
    assert found.chances[2] / found.chances[1] == pytest.approx(0.95 / 0.04)
    assert found.chances[0] / found.chances[1] == pytest.approx(0.25 * exp(HASTES[6][EXHIBIT]))
    assert hastened(WAITING, KINDS, {}).chances == pytest.approx(WAITING.chances)
    never = hastened(Mixture((1, 2), (0.0, 1.0)), (EXHIBIT, DETECTIVE), HASTES[2])
    assert never.chances == (0.0, 1.0)


def test_only_actions_are_changed_and_each_choice_is_drawn() -> None:
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    for kind in ("place", "action"):
        due = referee.until(kind, place=dict.fromkeys(range(3), 0))
        view, bot = referee.view(0), shipped()
        found = mixtures_of(bot, view, due)
        assert (found == bot.mixtures(view, due)) is (kind == "place")
        drawn = [choice_of(bot, view, due, random.Random(i)) for i in range(100)]
        assert len({*drawn}) > (kind == "action")
        assert {*drawn} <= {*found[0].choices}
        assert drawn[0] == BOTS["hard"](view, due, random.Random(0))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seats", sample(range(2, 7), 1, "tables of hard bots"))
def test_rounds_in_which_nothing_happens_are_few(seats: int) -> None:
    """In 1,000 games for each number of seats they were at most 3 in 100."""
    games = times(3, 60)
    variant = "surprise" if seats == 2 else None
    idle = rounds = stalled = 0
    for seed in range(games):
        referee = Referee.seat(load(), seats, seed, variant, [BOTS["hard"]] * seats)  # type: ignore[arg-type]
        referee.play()
        runs = idle_runs(referee)
        rounds, idle = rounds + len(runs), idle + sum(run > 0 for run in runs)
        stalled += max(runs) >= 3
    assert idle <= 0.03 * rounds + 2 * (0.03 * rounds) ** 0.5
    assert stalled <= 0.02 * games + 2
