"""The screen and the seat for programs: a JSON object a line out, an answer a line in."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import trio

from p2p_hoity import rules
from p2p_hoity.game_adapter import HoityToity, table_name
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene_json import update_json
from p2p_hoity.presentation.screen_updates import GameOver, Started, Update
from p2p_hoity.rules import happenings
from p2p_hoity.rules.happenings import plain
from p2p_hoity.table.player_interface import BotPlayer, LeaveForNow, Player, Talk, WaitLonger, Wish
from p2p_hoity.table.session import Outcome
from protocol import Terms

from ..exit_codes import INTERRUPTED, USAGE, Trouble
from ..local.bot_processes import own_level
from ..printing import write_line
from ..words import table_terms
from ..words.chat_phrases import spoken
from ..words.error_sentences import as_json as reason_json
from ..words.error_sentences import meaning, refusal
from ..words.presence_sentences import standings_json, why_ended
from ..words.translation import _
from .lines.line_question import MOST_WISHES
from .lines.stdin_lines import STRAYS, pump
from .screen_interface import Box

Write = Callable[[dict[str, Any]], None]
WISHES: Final[dict[str, Wish]] = {'{"wait":true}': WaitLonger(), '{"leave":true}': LeaveForNow()}
"""Lines that are no answers, without their spaces."""


class JsonScreen:
    """Writes each update and each happening as an object with a `type`, one a line.

    The end is left to whoever opened the table. Its line needs the nicknames, which are kept.
    """

    def __init__(self, write: Write = write_line) -> None:
        self.write = write
        self.nicknames: tuple[str, ...] = ()
        self.table_name = ""

    def __call__(self, update: updates.Update) -> None:
        """Write one update, except for the clock, which is for people."""
        match update:
            case updates.GameOver() | updates.Ended() | updates.Clock():
                return
            case updates.Happened(items, view):
                for item in items:
                    self.write(item.as_json())
                if any(isinstance(item, happenings.Setup) for item in items):
                    self._show_hand(view)
                return
            case updates.Started(table):
                self.nicknames = tuple(entry.nickname for entry in table.header.roster)
                self.table_name = table_name(table)
        self.write(update_json(update, reason_json) | _words(update))
        if isinstance(update, updates.Resumed):
            self._show_hand(update.view)

    def _show_hand(self, view: rules.View) -> None:
        """Write the secret Collectibles of this seat. An onlooker has none."""
        own = [plain(view.piece(slot)) for slot in sorted(view.mine())]
        if own:
            self.write({"type": "hand", "collectibles": own})


def _words(update: updates.Update) -> dict[str, Any]:
    """Return the sentences beside the codes of an update."""
    match update:
        case updates.ChoiceRefused(_, code, fields):
            return {"reason": refusal(code, fields)}
        case updates.Said(words=words):
            return {"words": spoken(words), "phrase": words if isinstance(words, int) else None}
        case updates.Accused(_, code):
            return {"words": meaning(code)}
    return {}


def _parsed(line: str) -> Any:
    """The JSON value of a line; None, which is never a choice, if it holds none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _talk(line: str) -> Talk | None:
    """What a line says to the table; None if it is no talk."""
    value = _parsed(line) if line.startswith("{") else None
    if not isinstance(value, dict) or list(value) != ["talk"]:
        return None
    words = value["talk"]
    is_said = isinstance(words, str | int) and not isinstance(words, bool)
    return Talk(words) if is_said else None


class JsonPlayer:
    """A program in the seat: it answers each `choosing` line with a choice as JSON, one a line.

    A number or an array as in `choices`; what is not legal is refused and asked again. The line
    {"wait": true} is no answer: it waits longer for who is awaited; {"leave": true} leaves for now;
    {"talk": "words"} or {"talk": 3} says them, or the phrase of this number, to the table. A
    `knock` is answered by {"admit": "FINGERPRINT"} or {"refuse": "FINGERPRINT"}.
    """

    def __init__(
        self,
        lines: trio.MemoryReceiveChannel[str],
        write: Write,
        leave: Callable[[str], None] | None = None,
        stand_in: Player | None = None,
    ) -> None:
        """Prepare to read.

        Args:
            lines: The lines of the input.
            write: Writes an object.
            leave: Called with the reason when the input ends and a choice is needed.
            stand_in: Plays the seat to the end if the input ends before its first answer.
        """
        self._lines = lines
        self._stand_in, self._stands_in = stand_in, False
        self._leave = leave
        self._write = write
        self._send, self._answers = trio.open_memory_channel[str](64)
        self._wishes = Box[Wish](MOST_WISHES)

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async with self._send:
            async for line in self._lines:
                wish = WISHES.get("".join(line.split())) or _talk(line)
                if wish is None:
                    await self._send.send(line)
                else:
                    self._wishes.put(wish)

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """The next line that is a choice of this kind; Trouble after too many that are none."""
        for _stray in range(STRAYS):
            line = await self._choice_line()
            if not isinstance(line, str):
                return await line.choose(view, kind, again)
            try:
                choice = rules.choice_from_wire(kind, _parsed(line))
                view.check(kind, choice)
            except rules.IllegalMove as error:
                refused = updates.ChoiceRefused(kind, error.code, error.fields)
                self._write(update_json(refused, reason_json) | _words(refused))
                continue
            return choice
        words = _("{number} lines of the input have made no choice; --auto lets a bot play")
        raise Trouble(words.format(number=STRAYS), USAGE)

    async def _choice_line(self) -> str | Player:
        """Return the next line, or who plays on if the input has ended."""
        try:
            line = await self._line()
        except Trouble as error:
            if self._stand_in is not None:
                if not self._stands_in:
                    self._write({"type": "stand-in"})
                self._stands_in = True
                return self._stand_in
            if self._leave is None:
                raise
            self._leave(str(error).rstrip("."))
            await trio.sleep_forever()
            raise
        self._stand_in = None
        return line

    async def agree(self) -> bool:
        """Whether the next line is true, y or yes."""
        return (await self._line()).lower() in ("true", "y", "yes")

    async def admit(self, key: str) -> bool:
        """Whether the guest of this key may sit down; what says nothing of it is passed over."""
        while True:
            said = _parsed(await self._line())
            for word, means in (("admit", True), ("refuse", False)):
                if said == {word: key}:
                    return means

    async def _line(self) -> str:
        try:
            return await self._answers.receive()
        except trio.EndOfChannel as error:
            words = _("The input has ended while an answer was needed; --auto lets a bot answer.")
            raise Trouble(words, INTERRUPTED) from error

    async def returning(self) -> None:
        """At once: a program that is still there wants to play."""

    async def wish(self) -> Wish:
        """To wait longer or to talk, each time it says so."""
        return await self._wishes.next()

    async def again(self) -> bool:
        """Whether the next line is true, y or yes; no, if there is none."""
        try:
            return await self.agree()
        except Trouble:
            return False


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


class JsonSeat(JsonScreen):
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
        super().__init__()
        level = own_level() if auto or stands_in else ""
        stand_in = BotPlayer(level) if stands_in else None
        self._program = JsonPlayer(lines, write_line, leave, stand_in)
        self.player: Player = self._program
        if auto:
            self.player = Assisted(self._program, level) if listens else BotPlayer(level)

    def tell(self, update: Update) -> None:
        """One object; the end of a table as soon as it is known, if others may follow."""
        self(update)
        if isinstance(update, Started):
            self._is_over = False
        elif isinstance(update, GameOver) and self._listens:
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
        write_line(last_line(outcome, self.nicknames))


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
