"""The screen for programs: it writes JSON objects, one a line, and reads an answer on each line."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

import trio

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene_json import update_json
from p2p_hoity.rules import happenings
from p2p_hoity.rules.happenings import plain
from p2p_hoity.table.playing.player_interface import LeaveForNow, PlayerRequest, Talk, WaitLonger
from p2p_hoity.table.playing.session import Outcome
from protocol.units import Seconds

from ..exit_codes import INTERRUPTED, USAGE, Trouble
from ..printing import write_line
from ..words.chat_phrases import spoken
from ..words.end_sentences import standings_json, why_ended
from ..words.error_sentences import as_json as reason_json
from ..words.error_sentences import meaning
from ..words.refusals import NO_SUCH_QUESTION, OLD_QUESTION, refusal
from ..words.table_terms import TableOffer, terms_json
from ..words.translation import _
from .lines.stdin_lines import STRAYS, forward_input
from .person_seat import PersonSeat, Window

Write = Callable[[dict[str, Any]], None]
REQUESTS: Final[dict[str, PlayerRequest]] = {
    '{"wait":true}': WaitLonger(),
    '{"leave":true}': LeaveForNow(),
}
"""The requests that a program can make at any time, by the line (without spaces) for each."""


def _words(update: updates.Update) -> dict[str, Any]:
    """Return the keys with sentences for people that are added to an update's JSON object."""
    match update:
        case updates.ChoiceRefused(_, code, fields):
            return {"reason": refusal(code, fields)}
        case updates.Said(words=words):
            return {"words": spoken(words), "phrase": words if isinstance(words, int) else None}
        case updates.Accused(_, code):
            return {"words": meaning(code)}
    return {}


def _parsed(line: str) -> Any:
    """Return the JSON value of a line, None (which is never a legal choice) if it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _talk(line: str) -> Talk | None:
    """Return the chat message of a line, None if it is no chat."""
    value = _parsed(line) if line.startswith("{") else None
    if not isinstance(value, dict) or list(value) != ["talk"]:
        return None
    words = value["talk"]
    # In Python, `true` is an int, too.
    is_said = isinstance(words, str | int) and not isinstance(words, bool)
    return Talk(words) if is_said else None


def _names_question(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"id", "choice"}


def _question_of(value: Any) -> int:
    """Return the number of the question that an answer names, 0 if it names none."""
    number = value["id"] if _names_question(value) else 0
    # Not `isinstance`, because `true` is an int in Python, too.
    return number if type(number) is int else 0


class JsonWindow(Window):
    """The JSON interface by which a program plays the seat (option `--json`).

    Each update and each happening is written as an object with a `type`, one a line. The program
    answers each `choosing` line with a choice as JSON: a number or an array as in `choices`. A
    choice that is not legal is refused and asked for again. The answer {"id": NUMBER, "choice":
    CHOICE} is for the `choosing` line with this `id` alone, and is refused if it comes too late.

    Some lines are no answers. {"wait": true} asks for more time for the awaited seats, and
    {"leave": true} leaves for now. {"talk": "words"} sends a chat message, and {"talk": 3} sends
    the phrase with the number 3.

    A `seat-request` is answered with {"admit": "FINGERPRINT"} or {"refuse": "FINGERPRINT"}. If the
    guest shows no key, the answer is {"admit": null, "request": NUMBER} with the number of the
    request.

    Attributes:
        nicknames: Empty before the game has begun.
        typed: The channel into which the lines of the program are sent.
    """

    def __init__(self, seat: PersonSeat, write: Write = write_line) -> None:
        super().__init__(seat)
        self._how, self._write = seat.how, write
        self.nicknames: tuple[str, ...] = ()
        self._is_over = self._has_answered = False
        self._seat_requests = self._questions = 0
        self._kind = ""
        self.typed, self._lines = trio.open_memory_channel[str](64)
        self._send, self._answers = trio.open_memory_channel[str](64)

    # Screen

    def tell(self, update: updates.Update) -> None:
        """Write an update as a JSON object, the result of a game as soon as it is final.

        Unless another game may follow, the result is the last line, except for faults that are
        found while others still have to confirm it.
        """
        match update:
            case updates.GameOver(_, _, standings, transcript, awaited, left):
                self._is_over = True
                told = last_line(Outcome(transcript, standings), self.nicknames)
                self._write(told | {"awaited": sorted(awaited), "left": round(left, 1)})
                return
            case updates.Ended() | updates.Clock() | updates.Unconfirmed():
                return
            # These two are written even after the result.
            case updates.Accused() | updates.Started():
                pass
            case _ if self._is_over and not self._how.again:
                return
        match update:
            case updates.Happened(items, view):
                for item in items:
                    self._write(item.as_json())
                if any(isinstance(item, happenings.Setup) for item in items):
                    self._show_hand(view)
                return
            case updates.Started(table):
                self.nicknames = tuple(entry.nickname for entry in table.header.roster)
                self._is_over = False
        told = update_json(update, reason_json) | _words(update)
        if isinstance(update, updates.Choosing):
            self._questions, self._kind = self._questions + 1, update.kind
            told["id"] = self._questions
        self._write(told)
        if isinstance(update, updates.Resumed):
            self._show_hand(update.view)

    def _show_hand(self, view: rules.View) -> None:
        """Write the secret Collectibles of this seat. An onlooker has none."""
        own = [plain(view.piece(slot)) for slot in sorted(view.mine())]
        if own:
            self._write({"type": "hand", "collectibles": own})

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Write the object with the ticket and the terms, the first one that a host gets."""
        self._write({"type": "ticket", "ticket": ticket, **terms_json(offer)})

    def show_terms(self, offer: TableOffer) -> None:
        """Write the object with the terms, the first one that a guest gets."""
        self._write({"type": "terms", **terms_json(offer)})

    def end(self, outcome: Outcome) -> tuple[()]:
        """Write the object that tells how the table ended, unless it was written already."""
        if not self._is_over:
            self._is_over = outcome.code is None
            self._write(last_line(outcome, self.nicknames))
        return ()

    # Input

    def listener(self, is_asked: bool) -> Callable[[], Awaitable[None]] | None:
        """Return the function that reads the standard input, None if it is not to be read."""
        is_read = is_asked or self._how.again
        # An onlooker's lines are chat of a program, which sits at no terminal.
        if self._how.looks_on:
            is_read = not sys.stdin.isatty()
        return self.listen if is_read else None

    async def listen(self) -> None:
        """Read and handle every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(forward_input, self.typed)
            await self.hear()

    async def hear(self) -> None:
        """Read the lines of the input until it ends, and sort them into requests and answers."""
        async with self._send:
            async for line in self._lines:
                request = REQUESTS.get("".join(line.split())) or _talk(line)
                if request is None:
                    await self._send.send(line)
                else:
                    self.seat.request(request)

    async def _line(self) -> str:
        """Return the next line that is no request, or raise `Trouble` if the input has ended."""
        try:
            return await self._answers.receive()
        except trio.EndOfChannel as error:
            words = _("The input ended while an answer was needed. With --auto a bot answers.")
            raise Trouble(words, INTERRUPTED) from error

    async def agree(self) -> bool:
        """Return whether the program accepts the terms, and refuse late answers before that."""
        while self._is_late(line := await self._line()):
            continue
        return line.lower() in ("true", "y", "yes")

    def _is_late(self, line: str) -> bool:
        """Return whether a line answers an earlier question for a choice. If so, refuse it."""
        number = _question_of(_parsed(line))
        if not 0 < number <= self._questions:
            return False
        self._refuse_late(number)
        return True

    def _refuse_late(self, number: int) -> None:
        self.tell(updates.ChoiceRefused(self._kind, OLD_QUESTION, {"id": number}))

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the program whether a guest may sit down, and skip lines that are no answer."""
        self._seat_requests += 1
        request = {"nickname": nickname, "fingerprint": key, "request": self._seat_requests}
        self._write({"type": "seat-request", **request})
        # The answer repeats whom it is about, so that an old line cannot admit another guest.
        named = {"request": self._seat_requests} if key is None else {}
        while True:
            said = _parsed(await self._line())
            for word, means in (("admit", True), ("refuse", False)):
                if said == {word: key, **named}:
                    return means

    # Questions

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Wait for a line that is a legal choice.

        Raises:
            Trouble: After too many lines that are no choice.
        """
        strays = 0
        while strays < STRAYS:
            value = _parsed(await self._choice_line())
            # A late answer is refused without counting as a stray. `<`: the open question is not
            # late.
            if 0 < (number := _question_of(value)) < self._questions:
                self._refuse_late(number)
                continue
            try:
                choice = rules.choice_from_wire(kind, self._choice_in(value))
                view.check(kind, choice)
            except rules.IllegalMove as error:
                self.tell(updates.ChoiceRefused(kind, error.code, error.fields))
                strays += 1
                continue
            return choice
        words = _("too many lines of the input ({number}) were no choice; with --auto a bot plays")
        raise Trouble(words.format(number=STRAYS), USAGE)

    def _choice_in(self, value: Any) -> Any:
        """Return the choice in an answer. Raise `IllegalMove` if its question was never asked."""
        if not _names_question(value):
            return value
        if _question_of(value) != self._questions:
            raise rules.IllegalMove(NO_SUCH_QUESTION)
        return value["choice"]

    async def _choice_line(self) -> str:
        """Return the next line. If the input has ended, a bot plays on, or the seat is left."""
        try:
            line = await self._line()
        except Trouble as error:
            if self._how.stands_in and not self._has_answered:
                self._write({"type": "stand-in"})
                self.seat.hand_over(True)
            else:
                self.seat.leave(str(error).rstrip("."))
            # Whoever takes the seat, or the end of the table, cancels this question.
            await trio.sleep_forever()
        self._has_answered = True
        return line

    async def again(self, seconds: Seconds) -> bool:
        """Ask the program for another game, which `true`, `y` or `yes` accepts."""
        try:
            return await self.agree()
        except Trouble:
            return False


def last_line(outcome: Outcome, nicknames: tuple[str, ...]) -> dict[str, object]:
    """Return the JSON object that tells a program how the table ended."""
    return {
        "type": "finished" if outcome.code is None else "ended",
        "transcript": None if outcome.transcript is None else str(outcome.transcript),
        "standings": standings_json(outcome.standings, nicknames),
        "broken": None if outcome.code is None else why_ended(outcome.code),
        "seat": outcome.seat,
        "by": outcome.by,
        "code": outcome.code,
        **_evidence(outcome),
    }


def _evidence(outcome: Outcome) -> dict[str, Any]:
    """Return, under the key `evidence`, the proof that the host signed two rosters, or nothing."""
    found = outcome.evidence
    if found is None:
        return {}
    signed = [{"table": s.table.hex(), "signature": s.signature.hex()} for s in found.both]
    return {"evidence": {"terms": found.terms.hex(), "signed": signed}}
