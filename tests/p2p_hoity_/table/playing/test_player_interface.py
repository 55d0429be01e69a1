"""Tests of the questions to a player: each ends with an answer, or when it is void."""

from types import SimpleNamespace
from typing import Any

import trio
import trio.testing

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.playing.player_interface import FRESH, BotPlayer, PlayerQuestions
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
