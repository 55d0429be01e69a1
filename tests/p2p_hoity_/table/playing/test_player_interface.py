"""Tests of the questions to a player: each ends with an answer, or when it is void."""

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from support.rules_driver import table
from trio.testing import MockClock

from p2p_hoity.bots import BOTS
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import expected
from p2p_hoity.table.playing.player_interface import FRESH, PAUSE, BotPlayer, PlayerQuestions
from protocol.game_interface import IllegalMove


class Absentee(BotPlayer):
    """A player who comes back when `key` is struck."""

    def __init__(self) -> None:
        super().__init__()
        self.key, self.waits = trio.Event(), 0

    async def returning(self) -> None:
        """Not before the key."""
        self.waits += 1
        try:
            await self.key.wait()
        finally:
            self.waits -= 1


class AskedSeat:
    """The machine, as far as it is asked for a way back, and who sits there."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.player, self.asked, self.drained = Absentee(), 0, 0
        given: Any = (self, self.player, None, None, trio.current_time)
        self.asking = PlayerQuestions(*given)
        nursery.start_soon(self.asking.run)
        nursery.start_soon(self._drain)

    async def absent(self, may_rejoin: bool = True) -> None:
        """The seat is declared absent, and all that follows at once has happened."""
        self.asking.ask_to_return(may_rejoin)
        await trio.testing.wait_all_tasks_blocked()

    def ask_rejoin(self, now: float) -> None:
        """What the machine is told."""
        self.asked += 1

    async def _drain(self) -> None:
        while True:
            await self.asking.wait_for_answer()
            self.drained = self.asked


async def test_who_has_just_sat_down_is_back_unasked_others_say_so(nursery: trio.Nursery) -> None:
    seat = AskedSeat(nursery)
    await trio.sleep(FRESH - 1)
    await seat.absent()
    assert (seat.asked, seat.drained) == (1, 1)
    await seat.absent()
    assert (seat.asked, seat.player.waits) == (1, 1)
    seat.player.key.set()
    seat = AskedSeat(nursery)
    await seat.absent(may_rejoin=False)
    assert (seat.asked, seat.player.waits) == (0, 0)
    seat = AskedSeat(nursery)
    await trio.sleep(FRESH)
    await seat.absent()
    assert (seat.asked, seat.player.waits) == (0, 1)
    seat.player.key.set()
    await trio.testing.wait_all_tasks_blocked()
    assert (seat.asked, seat.drained) == (1, 1)


async def test_who_is_there_again_in_another_way_is_asked_no_more(nursery: trio.Nursery) -> None:
    seat = AskedSeat(nursery)
    await trio.sleep(FRESH)
    await seat.absent()
    seat.asking.stop()
    await trio.testing.wait_all_tasks_blocked()
    assert seat.player.waits == 1
    seat.asking.close()
    await trio.testing.wait_all_tasks_blocked()
    assert seat.player.waits == 0
    seat.player.key.set()
    await trio.testing.wait_all_tasks_blocked()
    assert seat.asked == 0


class Question:
    """A machine that waits for a choice until it is answered or no longer waits."""

    def __init__(self, legal: int | None = None) -> None:
        self.must_choose, self.legal = True, legal
        self.taken: list[Any] = []

    def choose(self, choice: Any, now: float) -> None:
        """Take the legal choice alone."""
        if choice != self.legal:
            raise IllegalMove("not-in-hand")
        self.must_choose = False
        self.taken.append(choice)


async def asks(machine: Question, choose: Any, nursery: trio.Nursery) -> list[Any]:
    """Return what the screen is told while a player chooses."""
    shown: list[Any] = []
    player: Any = SimpleNamespace(choose=choose)
    given: Any = (machine, player, shown.append, lambda: None, trio.current_time)
    questions = PlayerQuestions(*given)
    nursery.start_soon(questions.run)
    questions.ask("place", False)
    await trio.testing.wait_all_tasks_blocked()
    return [type(update) for update in shown]


async def test_an_illegal_answer_is_refused_and_asked_again(nursery: trio.Nursery) -> None:
    answers = iter([7, 1])

    async def choose(view: Any, kind: str, again: bool) -> int:
        return next(answers)

    machine = Question(legal=1)
    told = await asks(machine, choose, nursery)
    assert told == [
        updates.Choosing,
        updates.ChoiceRefused,
        updates.Choosing,
        updates.ChoiceTaken,
    ]
    assert machine.taken == [1]


async def test_an_answer_that_comes_too_late_is_not_taken(nursery: trio.Nursery) -> None:
    machine = Question(legal=1)

    async def choose(view: Any, kind: str, again: bool) -> int:
        machine.must_choose = False  # a change of epoch has made the question void
        return 1

    assert await asks(machine, choose, nursery) == [updates.Choosing]
    assert machine.taken == []


async def test_a_bot_answers_after_the_same_pause_by_its_view_alone(
    autojump_clock: MockClock,
) -> None:
    referee = table(load(), 3, {0: "A1 A2 B1 C1"})
    due = expected(referee.state)
    for level in BOTS:
        began = trio.current_time()
        choice = await BotPlayer(level, Random(1)).choose(referee.view(0), "place", False)
        assert choice == BOTS[level](referee.view(0), due, Random(1))
        assert trio.current_time() - began == pytest.approx(PAUSE)
    with pytest.raises(KeyError):
        BotPlayer("unbeatable")


async def test_a_bot_always_comes_back_plays_again_and_wishes_nothing(
    autojump_clock: MockClock,
) -> None:
    bot = BotPlayer()
    with trio.fail_after(1):
        await bot.returning()
        assert await bot.again()
    with trio.move_on_after(3600) as waited:
        await bot.next_request()
    assert waited.cancelled_caught


async def test_a_seat_without_a_player_is_asked_nothing_and_a_new_question_ends_the_old(
    nursery: trio.Nursery,
) -> None:
    nobody = PlayerQuestions(*cast(Any, (Question(), None, None, None, trio.current_time)))
    nobody.ask("place", False)
    nobody.ask_to_return(True)
    assert nobody._question is None
    ended: list[str] = []

    async def choose(view: Any, kind: str, again: bool) -> int:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(kind)

    player: Any = SimpleNamespace(choose=choose)
    given: Any = (Question(), player, lambda update: None, lambda: None, trio.current_time)
    questions = PlayerQuestions(*given)
    nursery.start_soon(questions.run)
    for kind, due in (("place", []), ("action", ["place"]), ("window", ["place", "action"])):
        questions.ask(kind, False)
        await trio.testing.wait_all_tasks_blocked()
        assert ended == due
    questions.stop()
    await trio.testing.wait_all_tasks_blocked()
    assert ended == ["place", "action", "window"]
