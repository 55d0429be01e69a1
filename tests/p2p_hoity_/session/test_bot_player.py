"""A bot in a seat: what it plays a game by is drawn once a game, from its own randomness."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from support.rules_driver import Referee

from p2p_hoity import bots, rules
from p2p_hoity.editions import load
from p2p_hoity.session.player import BotPlayer


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, random.Random]]:
    """What bots were drawn for."""
    asked: list[tuple[str, random.Random]] = []
    draw: Callable[..., bots.Bot] = bots.for_game

    def noted(level: str, rng: random.Random) -> bots.Bot:
        asked.append((level, rng))
        return draw(level, rng)

    monkeypatch.setattr(bots, "for_game", noted)
    return asked


async def play(player: BotPlayer) -> None:
    """Two choices of seat 0."""
    referee, chosen = Referee.seat(load(), 4, 3), 0
    while chosen < 2:
        due = rules.expected(referee.state)
        if isinstance(due, rules.Seal) and due.kind == "place":
            view = referee.view(0)
            view.check("place", await player.choose(view, "place", False))
            chosen += 1
        referee.step()


async def test_a_bot_is_drawn_once_a_game_and_anew_for_the_next(
    drawn: list[Any], autojump_clock: Any
) -> None:
    rng = random.Random(1)
    player = BotPlayer("hard", rng)
    assert drawn == []
    await play(player)
    assert drawn == [("hard", rng)]
    assert await player.again()
    await play(player)
    assert drawn == [("hard", rng)] * 2
