"""One seat taken at this machine: who sits, on which screen, and what is left when it is over."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import trio

from p2p_hoity.game_port import HoityToity
from p2p_hoity.session.driver import Outcome
from p2p_hoity.session.player import BotPlayer, Player
from p2p_hoity.session.updates import Started, Update
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.keys import Player as Me
from p2p_hoity.tables import Seat
from protocol import Terms

from ..local.bot_processes import Crew
from ..printing import complain, say
from ..trouble import INTERRUPTED, NOT_OK, OK, Trouble, ctrl_c_means
from ..ui.json_screen import JsonPlayer, JsonScreen, write_line
from ..ui.line_prompt import SeatPrompt
from ..ui.line_screen import SeatScreen
from ..ui.stdin_lines import pump, until_closed
from ..words import terms as terms_words
from ..words.lingo import _
from ..words.updates import standings_json, why_ended


@dataclass(frozen=True)
class Manner:
    """How a seat is taken: by whom it is played and how it talks."""

    auto: bool = False
    yes: bool = False
    as_json: bool = False
    until_eof: bool = False
    transcript: Path | None = None
    name: str | None = None


@dataclass
class Sitting:
    """The seat, its screen and its player; `crew` are the bots that play along from here."""

    home: Home
    me: Me
    manner: Manner
    passphrase: str | None = None
    crew: Crew | None = None
    left: str | None = None
    screen: SeatScreen | JsonScreen = field(init=False)
    player: Player = field(init=False)

    def __post_init__(self) -> None:
        self._send, lines = trio.open_memory_channel[str](64)
        self._scope = trio.CancelScope()
        manner = self.manner
        self.prompt: SeatPrompt | None = None
        if manner.as_json:
            self.screen = JsonScreen()
            self.program = JsonPlayer(lines, write_line)
            self.player = BotPlayer() if manner.auto else self.program
        else:
            self.screen = SeatScreen(say)
            patient = not sys.stdin.isatty()
            self.prompt = SeatPrompt(self.screen, lines, self._leave, None, manner.auto, patient)
            self.player = self.prompt

    @property
    def seat(self) -> Seat:
        """What the peer needs to know of this seat."""
        output = self.manner.transcript
        return Seat(self.home, self.me, self.player, self._tell, output, self.passphrase)

    @property
    def game(self) -> str:
        """The name of the game, once it has begun."""
        return self.screen.table_name

    def say(self, words: str) -> None:
        """A remark to a person; programs do not get it."""
        if not self.manner.as_json:
            say(words)

    def _tell(self, update: Update) -> None:
        if self.prompt is None:
            self.screen(update)
        else:
            self.prompt.tell(update)
        if isinstance(update, Started) and self.crew is not None:
            self.crew.remember(self.game)

    def _leave(self, reason: str) -> None:
        self.left = reason
        self._scope.cancel()

    async def accept(self, terms: Terms, game: HoityToity, names: tuple[str, ...]) -> bool:
        """Show the terms and ask, unless they are taken as they are."""
        if self.prompt is None:
            write_line({"type": "terms", **terms_words.as_json(terms, game, names)})
            return self.manner.yes or await self.program.agree()
        for line in terms_words.describe(terms, game, names):
            say(line)
        return self.manner.yes or await self.prompt.agree(_("Sit down? Enter or y; n leaves."))

    # Running.

    async def run(self, go: Callable[[Sitting, trio.Nursery], Awaitable[Outcome]]) -> Outcome:
        """Sit until the table is over; Trouble if the seat is left before."""
        outcome: Outcome | None = None
        try:
            with self._scope:
                async with trio.open_nursery() as nursery:
                    self._listen(nursery)
                    outcome = await go(self, nursery)
                    if self.crew is not None:
                        await self.crew.farewell()
                    nursery.cancel_scope.cancel()
        finally:
            if self.crew is not None:
                await self.crew.dismiss(keep=outcome is None and self.crew.seated)
        if outcome is None:
            raise Trouble(self.farewell(self.left or _("you left")), INTERRUPTED)
        return outcome

    def _listen(self, nursery: trio.Nursery) -> None:
        manner = self.manner
        if manner.until_eof:
            nursery.start_soon(self._until_closed)
        elif not (manner.auto and manner.yes) or (self.prompt and sys.stdin.isatty()):
            nursery.start_soon(pump, self._send)
            nursery.start_soon(self.program.listen if self.prompt is None else self.prompt.listen)

    async def _until_closed(self) -> None:
        await until_closed()
        self.left = _("the input has ended")
        self._scope.cancel()

    def farewell(self, reason: str) -> str:
        """Words for a game that is left: how to take the seat again."""
        if not self.game:
            return _("{reason}; no game had begun.").format(reason=reason)
        text = _("{reason}. The game is kept; take your seat again with: hoity resume {game}")
        return text.format(reason=reason, game=self.game)


def sit(sitting: Sitting, go: Callable[[Sitting, trio.Nursery], Awaitable[Outcome]]) -> int:
    """Run a whole sitting; the exit code. Ctrl-C leaves the game as it can be resumed."""
    with ctrl_c_means(lambda: sitting.farewell(_("Interrupted"))):
        outcome = trio.run(sitting.run, go)
    if outcome.kept:
        text = _("What was played is kept; save it, without a result: hoity resume --claim {game}")
        sitting.say(text.format(game=sitting.game))
    _tell_place(sitting.manner.transcript, outcome.transcript)
    if isinstance(sitting.screen, JsonScreen):
        write_line(last_line(outcome, sitting.screen.nicknames))
    return OK if outcome.code is None else NOT_OK


def _tell_place(asked: Path | None, path: Path | None) -> None:
    """Say where the transcript is if it could not go where it was asked for."""
    if asked is not None and path not in (None, asked):
        words = _("{asked} could not be written; the transcript is in {path}.")
        complain("hoity: " + words.format(asked=asked, path=path))


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


def _evidence(outcome: Outcome) -> dict[str, object]:
    """What proves to anyone that the host has signed two tables."""
    found = outcome.evidence
    if found is None:
        return {}
    signed = [{"table": s.table.hex(), "signature": s.signature.hex()} for s in found.both]
    return {"evidence": {"terms": found.terms.hex(), "signed": signed}}


def taken_as(me: Me, name: str | None) -> Me:
    """The player under another nickname at this table."""
    return me if name is None else replace(me, nickname=name)
