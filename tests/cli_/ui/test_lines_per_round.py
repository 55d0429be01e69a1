"""How many lines a round of the line prompt prints: whole games played at it, at 80 columns."""

from collections.abc import Callable
from typing import Any

import pytest
import trio
import trio.testing
from support.cli_stage import NICKNAMES
from support.rules_driver import Referee
from support.sampling import sample

from cli import printing
from cli.ui.line_prompt import SeatPrompt
from cli.ui.line_screen import SeatScreen
from cli.words import lingo
from cli.words.board import own_slots
from cli.words.cards import Names
from cli.words.choices import questions
from p2p_hoity import bots, rules
from p2p_hoity.editions import NAMES, load
from p2p_hoity.rules import news
from p2p_hoity.session import updates

MOST = 30
WIDTH = 80


class Printed:
    """Lines as they come out at 80 columns, by rounds."""

    def __init__(self) -> None:
        self.rounds: list[list[str]] = [[]]

    def say(self, words: str) -> None:
        self.rounds[-1] += printing.wrapped(printing.shown(words), WIDTH)


class Table:
    """A game by the rules alone, with a person at the prompt in seat 0."""

    def __init__(self, edition: str, seats: int, seed: int, variant: Any) -> None:
        bot: Callable[..., Any] = bots.BOTS["normal"]
        self.game = Referee.seat(load(edition), seats, seed, variant, [bot] * seats)
        self.printed = Printed()
        screen = SeatScreen(self.printed.say)
        screen.names = Names(self.game.state.edition, NICKNAMES[:seats], 0)
        self.type, lines = trio.open_memory_channel[str](100)
        self.prompt = SeatPrompt(screen, lines, lambda reason: None)

    async def play(self) -> list[list[str]]:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.prompt.listen)
            while not isinstance(rules.expected(self.game.state), rules.Over):
                await self._ask()
                self._tell(self.game.step())
            nursery.cancel_scope.cancel()
        return self.printed.rounds

    async def _ask(self) -> None:
        due = rules.expected(self.game.state)
        seats = getattr(due, "seats", {getattr(due, "seat", None)})
        if isinstance(due, rules.Seal | rules.Show | rules.Choose) and 0 in seats:
            kind: Any = due.kind
            self.game.plan = {}
            view, choice = self.game.view(0), self.game.choose(0, due)
            assert await self._answered(view, kind, choice) == choice
            self.game.plan = {(kind, 0): choice}
            self.prompt.tell(updates.Chosen(kind, choice))

    async def _answered(self, view: rules.View, kind: Any, choice: rules.Choice) -> rules.Choice:
        found: list[rules.Choice] = []
        async with trio.open_nursery() as nursery:

            async def ask() -> None:
                found.append(await self.prompt.choose(view, kind, False))
                nursery.cancel_scope.cancel()

            nursery.start_soon(ask)
            if len(view.legal(kind)) == 1 and not (kind == "exhibit" and len(own_slots(view)) > 3):
                return choice
            names = Names(view.state.edition, NICKNAMES[: view.state.seats], 0)
            for number, question in enumerate(questions(view, kind, names)):
                value = choice[number] if kind == "theft" else choice  # type: ignore[index]
                values = [option.value for option in question.options]
                if kind == "theft" and len(values) == 1:
                    continue
                await trio.testing.wait_all_tasks_blocked()
                picked = f"{values.index(value) + 1}" if value in values else _pick(view, value)
                await self.type.send(picked)
            await trio.testing.wait_all_tasks_blocked()
            await self.type.send("y")
        return found[0]

    def _tell(self, state: rules.State) -> None:
        before: list[news.Happening] = []
        for item in state.news:
            if isinstance(item, news.RoundBegan):
                self._happened(before)
                before = []
                self.printed.rounds.append([])
            before.append(item)
        self._happened(before)

    def _happened(self, items: list[news.Happening]) -> None:
        if items:
            self.prompt.tell(updates.Happened(tuple(items), self.game.view(0), True))


def _pick(view: rules.View, slots: Any) -> str:
    return "p " + " ".join(str(own_slots(view).index(slot) + 1) for slot in slots)


TABLES = [(2, "surprise"), (2, "confrontation"), (3, None), (4, None), (6, None)]


@pytest.mark.parametrize(
    ("seats", "variant", "language"),
    sample([(*table, one) for table in TABLES for one in lingo.LANGUAGES], 4, "lines a round"),
)
async def test_no_round_prints_more_than_a_screen(seats: int, variant: Any, language: str) -> None:
    lingo.speak(language)
    for seed, edition in enumerate(NAMES):
        _first, *rest = await Table(edition, seats, seed, variant).play()
        longest = max(rest[:-1], key=len)
        assert len(longest) <= MOST, "\n".join(longest)
        assert len(rest) > 3
        assert max(map(len, (line for lines in rest for line in lines))) <= WIDTH
