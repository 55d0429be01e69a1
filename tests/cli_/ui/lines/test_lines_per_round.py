"""How many lines a round of the line prompt prints: whole games played at it, at 80 columns."""

from collections.abc import Callable
from typing import Any

import pytest
from support.at_prompt import Desk, desk
from support.cli_stage import NICKNAMES
from support.rules_driver import Referee
from support.sampling import sample

from cli import printing
from cli.words import translation
from cli.words.board_text import own_slots
from cli.words.card_names import Names
from cli.words.choice_names import questions
from p2p_hoity import bots, rules
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import happenings
from protocol import game_interface

MOST = 54
"""A round with a theft from several exhibits; most rounds have half as many lines."""
USUAL = 30
WIDTH = 80


def pick(view: rules.View, slots: Any) -> str:
    """Return what is typed to pick these pieces one by one."""
    return "p " + " ".join(str(own_slots(view).index(slot) + 1) for slot in slots)


async def choose(game: Referee, here: Desk) -> None:
    """Type what a bot would choose, if seat 0 is asked."""
    due = rules.expected(game.state)
    seats = getattr(due, "seats", {getattr(due, "seat", None)})
    if not isinstance(due, rules.Seal | rules.Show | rules.Choose) or 0 not in seats:
        return
    kind: Any = due.kind
    game.plan = {}
    view, choice = game.view(0), game.choose(0, due)
    await here.begin(here.seat.choose, view, kind, False)
    if not here.found:
        names = Names(view.state.edition, NICKNAMES[: view.state.seats], 0)
        for number, question in enumerate(questions(view, kind, names)):
            value = choice[number] if kind == "theft" else choice  # type: ignore[index]
            values = [option.value for option in question.options]
            if kind != "theft" or len(values) > 1:
                is_listed = value in values
                await here.types(str(values.index(value) + 1) if is_listed else pick(view, value))
        await here.types("y")
    assert here.found == [choice]
    here.found.clear()
    game.plan = {(kind, 0): choice}
    here.prompt.tell(updates.ChoiceTaken(kind, choice))


async def rounds_of(edition: str, seats: int, seed: int, variant: Any) -> list[list[str]]:
    """Play a game with a person in seat 0: what is printed before the first round, and in each."""
    bot: Callable[..., Any] = bots.BOTS["normal"]
    game = Referee.seat(load(edition), seats, seed, variant, [bot] * seats)
    rounds: list[list[str]] = []

    def end_round(said: list[str]) -> None:
        shown = map(printing.shown, said)
        rounds.append([part for line in shown for part in printing.wrapped(line, WIDTH)])
        said.clear()

    async with desk(None) as here:
        here.prompt._screen.names = Names(game.state.edition, NICKNAMES[:seats], 0)
        while not isinstance(rules.expected(game.state), game_interface.Over):
            await choose(game, here)
            items = tuple(game.step().news)
            begins = [isinstance(item, happenings.RoundBegan) for item in items]
            cut = begins.index(True) if any(begins) else 0
            if cut:
                here.prompt.tell(updates.Happened(items[:cut], game.view(0)))
            if any(begins):
                end_round(here.said)
            if items[cut:]:
                here.prompt.tell(updates.Happened(items[cut:], game.view(0)))
        end_round(here.said)
    return rounds


TABLES = [(2, "surprise"), (2, "confrontation"), (3, None), (4, None), (6, None)]


@pytest.mark.parametrize(
    ("seats", "variant", "language"),
    sample(
        [(*table, one) for table in TABLES for one in translation.LANGUAGES], 2, "lines a round"
    ),
)
async def test_a_round_is_short_with_an_answer_a_line(
    seats: int, variant: Any, language: str
) -> None:
    translation.speak(language)
    for seed, edition in enumerate(NAMES):
        _first, *rest = await rounds_of(edition, seats, seed, variant)
        longest = max(rest[:-1], key=len)
        assert len(longest) <= MOST, "\n".join(longest)
        assert sum(map(len, rest[:-1])) <= USUAL * len(rest[:-1])
        assert len(rest) > 3
        assert max(map(len, (line for lines in rest for line in lines))) <= WIDTH
