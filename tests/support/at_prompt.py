"""A person at the line prompt: what is typed, what is said, and views of games by rules alone."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import trio
import trio.testing

from cli.ui.json_window import JsonWindow
from cli.ui.lines.line_window import LineWindow
from cli.ui.person_seat import PersonSeat
from cli.ui.screen_options import ScreenOptions
from cli.words.card_names import Names
from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Update
from p2p_hoity.rules import View
from p2p_hoity.table.playing.player_requests import PlayerRequest
from support import table_contract
from support.cli_stage import NICKNAMES, referee, until


class Bot:
    """A bot whose choice is known."""

    async def choose(self, view: View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Return the last legal choice."""
        return view.legal(kind)[-1]

    async def returning(self) -> None:
        """Come back at once."""

    async def next_request(self) -> PlayerRequest:
        """Wish nothing."""
        raise NotImplementedError

    async def again(self) -> bool:
        """Want every other game."""
        return True


@dataclass
class Desk:
    """A person at the prompt.

    Attributes:
        found: What the questions begun here came to.
    """

    seat: PersonSeat
    prompt: LineWindow
    type: trio.MemorySendChannel[str]
    said: list[str]
    left: list[str]
    nursery: trio.Nursery
    found: list[Any] = field(default_factory=list)

    def heard(self, words: str) -> bool:
        """Return whether a line with these words was said."""
        return any(words in line for line in self.said)

    async def types(self, *lines: str) -> None:
        """Type lines, and wait after each until it was read."""
        for line in lines:
            await self.type.send(line)
            await trio.testing.wait_all_tasks_blocked()

    async def begin(self, ask: Callable[..., Awaitable[Any]], *given: Any) -> None:
        """Ask something beside the test, and wait until an answer is awaited."""

        async def run() -> None:
            self.found.append(await ask(*given))

        self.nursery.start_soon(run)
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def desk(
    view: View | None, autopilot: bool = False, patient: bool = False
) -> AsyncIterator[Desk]:
    """Sit down before a view, or before the deal."""
    said: list[str] = []
    left: list[str] = []
    how = ScreenOptions(left.append, auto=autopilot, again=True)
    seat = PersonSeat(how, lambda seat: LineWindow(seat, said.append), Bot())
    prompt = seat.window
    assert isinstance(prompt, LineWindow)
    prompt._patient = patient
    if view is not None:
        prompt._screen.names = Names(view.state.edition, NICKNAMES, view.seat)
        prompt._screen.follow(updates.Happened((), view))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(prompt.hear)
        yield Desk(seat, prompt, prompt.typed, said, left, nursery)
        nursery.cancel_scope.cancel()


async def answer(view: View, kind: rules.Kind, *lines: str) -> tuple[rules.Choice, Desk]:
    """Return the choice of a person who types these lines once asked."""
    async with desk(view) as here:
        await here.begin(here.seat.choose, view, kind, False)
        await here.types(*lines)
        return here.found[0], here


async def is_in_vain(wait: Callable[..., Awaitable[object]], *given: Any) -> bool:
    """Return whether nothing comes of this in a minute."""
    with trio.move_on_after(60) as scope:
        await wait(*given)
    return scope.cancelled_caught


def program_window(how: ScreenOptions, write: Callable[[dict[str, Any]], None]) -> JsonWindow:
    """Return the window of a program."""
    window = PersonSeat(how, lambda seat: JsonWindow(seat, write)).window
    assert isinstance(window, JsonWindow)
    return window


def prompt_window(how: ScreenOptions) -> LineWindow:
    """Return the line prompt of a seat."""
    window = PersonSeat(how, LineWindow).window
    assert isinstance(window, LineWindow)
    return window


def written_of(*heard: Update) -> list[dict[str, Any]]:
    """Return what a program is written when it hears this, as messages of the contract.

    The greeting is left out.
    """
    written: list[dict[str, Any]] = []
    screen = program_window(ScreenOptions([].append), written.append)
    for update in heard:
        screen.tell(update)
    for line in written:
        table_contract.check(line)
    return written[1:]


def asked(kind: rules.Kind, seats: int = 3, seed: int = 1) -> View:
    """Return what seat 0 sees when it is first asked for such a choice."""
    return until(referee(seats, seed), kind, 0)
