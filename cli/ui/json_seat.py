"""A seat for programs: one JSON object a line out, one answer a line in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.presentation.screen_updates import Finished, Started, Update
from p2p_hoity.table.player_interface import BotPlayer, Player, Wish
from p2p_hoity.table.session import Outcome
from protocol import Terms

from ..local.bot_processes import own_level
from ..printing import write_line
from ..words import table_terms
from ..words.presence_sentences import standings_json, why_ended
from .json_screen import JsonPlayer, JsonScreen
from .stdin_lines import pump

T = TypeVar("T")


class Assisted(BotPlayer):
    """A bot makes the choices; a program talks, and is asked for another game."""

    def __init__(self, program: JsonPlayer, level: str) -> None:
        super().__init__(level)
        self._program = program

    async def wish(self) -> Wish:
        """The program's, whenever it comes."""
        return await self._program.wish()

    async def again(self) -> bool:
        """As the program says."""
        return await self._program.again()


class JsonSeat:
    """The screen of `--json`; see `screen.Screen`."""

    def __init__(
        self,
        auto: bool,
        leave: Callable[[str], None],
        listens: bool = False,
        stands_in: bool = False,
    ) -> None:
        """Prepare the screen.

        Args:
            auto: Whether a bot plays.
            leave: Called with the reason when the program leaves.
            listens: Whether it hears lines also where nothing is asked, for talk and another game.
            stands_in: Whether a bot plays on if the input ends before the first answer.
        """
        self._listens, self._is_over = listens, False
        self._send, lines = trio.open_memory_channel[str](64)
        self._screen = JsonScreen()
        level = own_level() if auto or stands_in else ""
        stand_in = BotPlayer(level) if stands_in else None
        self._program = JsonPlayer(lines, write_line, leave, stand_in)
        self.player: Player = self._program
        if auto:
            self.player = Assisted(self._program, level) if listens else BotPlayer(level)

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self._screen.table_name

    def tell(self, update: Update) -> None:
        """One object; the end of a table as soon as it is known, if others may follow."""
        self._screen(update)
        if isinstance(update, Started):
            self._is_over = False
        elif isinstance(update, Finished) and self._listens:
            self.end(Outcome(update.transcript, update.standings))

    def say(self, words: str) -> None:
        """Nothing: programs get no remarks."""

    def show_ticket(
        self, ticket: str, terms: Terms, game: HoityToity, nickname: str, watched: bool = True
    ) -> None:
        """The first object of a host."""
        described = table_terms.terms_json(terms, game, [nickname], watched)
        write_line({"type": "ticket", "ticket": ticket, **described})

    def show_terms(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], watched: bool = True
    ) -> None:
        """The first object of a guest."""
        write_line({"type": "terms", **table_terms.terms_json(terms, game, names, watched)})

    def allow_hints(self, allowed: bool) -> None:
        """Nothing: a program asks for none."""

    async def agree(self) -> bool:
        """Whether the next line says so."""
        return await self._program.agree()

    async def admit(self, nickname: str, key: str) -> bool:
        """Whether the program lets a guest in: a line that names the key."""
        write_line({"type": "knock", "nickname": nickname, "fingerprint": key})
        return await self._program.admit(key)

    def listens(self, is_asked: bool) -> bool:
        """For answers, and for a program that may talk or play again."""
        return is_asked or self._listens

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._send)
            nursery.start_soon(self._program.listen)

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer; this screen needs no loop of its own."""
        return trio.run(main, *args)

    def end(self, outcome: Outcome) -> None:
        """The last object of a table, once."""
        if self._is_over:
            return
        self._is_over = outcome.code is None
        write_line(last_line(outcome, self._screen.nicknames))


def last_line(outcome: Outcome, nicknames: tuple[str, ...]) -> dict[str, object]:
    """The last object a program gets."""
    return {
        "type": "finished" if outcome.code is None else "ended",
        "transcript": None if outcome.transcript is None else str(outcome.transcript),
        "standings": standings_json(outcome.standings, nicknames),
        "broken": None if outcome.code is None else why_ended(outcome.code),
        "seat": outcome.seat,
        "code": outcome.code,
        **_evidence(outcome),
    }


def _evidence(outcome: Outcome) -> dict[str, Any]:
    """What proves to anyone that the host has signed two tables, or one in two ways."""
    found = outcome.evidence
    if found is None:
        return {}
    signed = [
        {"table": s.table.hex(), "watched": s.watched, "signature": s.signature.hex()}
        for s in found.both
    ]
    return {"evidence": {"terms": found.terms.hex(), "signed": signed}}
