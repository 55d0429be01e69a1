"""Bots take their time and talk for people, and answer programs at once."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
from support.rules_driver import table
from trio.testing import MockClock

from cli.local.bot_manners import AUDIENCE, PART, Audience, BotManners, own_audience
from p2p_hoity.bots.pauses import LEAST, MOST
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game import bot_remarks
from p2p_hoity.table.beside_game.bot_remarks import Phrase
from p2p_hoity.table.playing.player_interface import PAUSE
from p2p_hoity.table.playing.player_requests import Talk


def started(patience: int) -> Any:
    timeouts = SimpleNamespace(choice=patience)
    header = SimpleNamespace(terms=SimpleNamespace(timeouts=timeouts))
    return updates.Started(cast(Any, SimpleNamespace(seats=3, header=header)), 0)


async def seconds(manners: BotManners) -> float:
    """How long the bot of these manners takes for an Action."""
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    referee.until("action", place=dict.fromkeys(range(3), 0))
    began = trio.current_time()
    await manners.bot("easy").choose(referee.view(0), "action", False)
    return trio.current_time() - began


async def test_a_bot_takes_its_time_for_people_alone(autojump_clock: MockClock) -> None:
    assert await seconds(BotManners(Audience.PROGRAM)) == pytest.approx(PAUSE)
    for audience in (Audience.PERSON, Audience.QUIET):
        assert LEAST < await seconds(BotManners(audience)) <= MOST


async def test_at_a_hasty_table_it_takes_a_part_of_the_time_at_most(
    autojump_clock: MockClock,
) -> None:
    manners = BotManners(Audience.PERSON)
    manners.hear(started(1000))
    assert await seconds(manners) == pytest.approx(PART)


def test_it_talks_unless_nobody_wants_to_hear_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def hear(remarks: object, update: updates.Update) -> Phrase:
        return Phrase.GOOD_LUCK

    monkeypatch.setattr(bot_remarks.Remarks, "hear", hear)
    said = {audience: BotManners(audience).hear(started(60_000)) for audience in Audience}
    assert said == {
        Audience.PROGRAM: None,
        Audience.QUIET: None,
        Audience.PERSON: Talk(int(Phrase.GOOD_LUCK)),
    }


def test_a_bot_is_told_its_audience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(AUDIENCE, raising=False)
    assert own_audience() is Audience.PROGRAM
    for word, wanted in (*((c.value, c) for c in Audience), ("crowd", Audience.PROGRAM)):
        monkeypatch.setenv(AUDIENCE, word)
        assert own_audience() is wanted
