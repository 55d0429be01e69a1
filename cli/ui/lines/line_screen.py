"""The screen of lines, for a seat or an onlooker: every update becomes sentences.

It is for a screen reader, a pipe, or a plain terminal. It keeps the log of the game by rounds, and
shows a host's ticket as a block, as a copy for the clipboard, or as a QR code.
"""

from __future__ import annotations

import signal
import sys
import textwrap
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

import trio

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene, fold
from p2p_hoity.presentation.screen_updates import Moved, Reached, Update
from p2p_hoity.rules import Happening, View, happenings
from p2p_hoity.table.player_interface import Player
from p2p_hoity.table.session import Outcome
from protocol import Terms

from ... import printing
from ...words import happening_sentences, presence_sentences, table_terms
from ...words.card_names import Names
from ...words.presence_sentences import knock
from ...words.table_terms import block
from ...words.translation import N_, _
from ...words.update_sentences import REMARKS, Telling, names_of, sentences
from .line_prompt import QUIT, SeatPrompt
from .line_question import TALK_HELP, Pages
from .stdin_lines import CONTINUED, INTERRUPT, pump, read_stdin


class Log:
    """What has happened, a list of lines for each round."""

    def __init__(self) -> None:
        self._rounds: list[list[str]] = []

    def __bool__(self) -> bool:
        return bool(self._rounds)

    def add(self, names: Names, items: Iterable[Happening]) -> None:
        """Tell some happenings, with the names as they are: what they hear of does not stay."""
        before = names.before
        for item in items:
            if not self._rounds or isinstance(item, happenings.RoundBegan):
                self._rounds.append([])
            self._rounds[-1] += happening_sentences.story(names, [item])
        names.before = before

    def recent(self) -> list[str]:
        """The lines of this round and of the one before it."""
        return [line for lines in self._rounds[-2:] for line in lines]


EDGE = 2
"""Light modules around a QR code: fewer and some cameras do not find it."""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules of one column, dark or not, as a character whose ink is light."""


def show_qr(ticket: str) -> None:
    """Print a QR code of the ticket, or say that the terminal has no room for it."""
    lines, room = qr(ticket), printing.room()
    wide, high = len(lines[0]), len(lines)
    if room is not None and (room[0] < wide or room[1] <= high):
        words = _(
            "The QR code needs {columns} columns and {lines} lines; this terminal has {wide} and"
            " {high}."
        )
        told = words.format(columns=wide, lines=high + 1, wide=room[0], high=room[1])
        printing.say(told)
        return
    printing.picture(lines)


def copy(ticket: str) -> None:
    """Put the ticket into the clipboard, if the terminal does that, and say so."""
    _copy(ticket, _("The ticket was sent to your clipboard; not every terminal takes it."))


def copy_code(code: str) -> None:
    """The same for a code."""
    _copy(code, _("The code was sent to your clipboard; not every terminal takes it."))


def _copy(text: str, done: str) -> None:
    is_sent = printing.copy(text)
    printing.say(done if is_sent else _("There is no terminal here to copy it with."))


def qr(ticket: str) -> list[str]:
    """A QR code of the ticket, two rows of it in a line. Capital letters alone take less room, and
    a ticket reads the same in them."""
    import segno

    modules = segno.make_qr(ticket.upper(), error="l").matrix
    wide = len(modules) + 2 * EDGE
    light = [False] * wide
    rows = [[False] * EDGE + [bool(dark) for dark in row] + [False] * EDGE for row in modules]
    rows = [light, light, *rows, light, light]
    if len(rows) % 2:
        rows.append(light)
    return [_line(above, below) for above, below in zip(rows[::2], rows[1::2], strict=True)]


def _line(above: Sequence[bool], below: Sequence[bool]) -> str:
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


Say = Callable[[str], None]
"""Prints one line."""


class LineScreen:
    """Prints each update in sentences, and keeps the scene, the names and the log for pages.

    Attributes:
        scene: The table as it stands.
        names: What seats and pieces are called. None before the table is complete.
        log: The game in full sentences.
        proofs: What was proven. It is shown on demand.
        is_confirmed: Whether the player has just confirmed a choice, which is then not told again.
        by_bot: Whether a bot plays the seat.
    """

    def __init__(self, say: Say, options: str = "") -> None:
        """Args:
        say: Prints one line.
        options: What stands before a game in the commands that are shown.
        """
        self.say = say
        self._options = options
        self.scene = Scene()
        self.names: Names | None = None
        self.log = Log()
        self.proofs: list[str] = []
        self.is_confirmed = self.by_bot = False
        self._owes_awaited = False

    @property
    def view(self) -> View | None:
        """The game as this seat may see it."""
        return self.scene.view

    @property
    def typed_game(self) -> str:
        """The game as it stands behind `hoity resume`. Empty before it has begun."""
        return self.scene.game and self._options + self.scene.game

    def note(self, words: str) -> None:
        """Print a remark that is no part of the game."""
        self.say(f"  [{words}]")

    def __call__(self, update: updates.Update) -> None:
        """Take in one update and print what it says."""
        before, self.scene = self.scene, fold(self.scene, update)
        if isinstance(update, updates.Started):
            self.names, self.log = names_of(self.scene), Log()
        self._take(update)
        telling = Telling(self.names, before, self._options, self.by_bot, printing.width())
        if isinstance(update, updates.Chosen) and self.is_confirmed:
            self._owes_awaited, self.is_confirmed = True, False
            return
        tell = self.note if type(update) in REMARKS else self.say
        for line in sentences(update, telling):
            tell(line)

    def look(self, view: View) -> None:
        """Show another view of the game."""
        self.scene = replace(self.scene, view=view)
        if self.names is not None:
            self.names.look(view)

    def _take(self, update: updates.Update) -> None:
        """Keep what this screen alone needs of an update."""
        match update:
            case updates.Resumed(view, items) | updates.Happened(items, view):
                self.look(view)
                if self.names is not None:
                    self.log.add(self.names, items)
            case updates.Rewound(view=view):
                self.look(view)
                if self.names is not None:
                    self.names.before = view.state.before
            case updates.Choosing(view):
                self.look(view)
            case updates.Stepped(before, _, seconds) if self.names is not None:
                if words := happening_sentences.proved(before, seconds, self.names):
                    self.proofs.append(words)
            case updates.Clock():
                self._tell_awaited(update)
        if isinstance(update, updates.Happened | updates.Awaited | updates.Chosen):
            self._owes_awaited = False

    def _tell_awaited(self, update: updates.Clock) -> None:
        """Tell once after a choice who is awaited now, unless this seat was the last to seal."""
        self._owes_awaited &= not update.is_opening
        if self.names is None or not self._owes_awaited:
            return
        others = update.awaited - {self.names.mine}
        if others and self.names.mine not in update.awaited:
            who = presence_sentences.awaited(others, self.scene.attendance, self.names)
            self.note(_("sealed; awaited: {who}").format(who=who))
            self._owes_awaited = False


T = TypeVar("T")
WIDTH: Final = 96
"""Columns of an explanation where no terminal says how many it has."""


class LineSeat:
    """The screen without `--json`; see `screen.Screen`."""

    def __init__(
        self,
        auto: bool,
        leave: Callable[[str], None],
        stands_in: bool = False,
        plain: bool = False,
    ) -> None:
        """Prepare the screen.

        Args:
            auto: Whether a bot plays.
            leave: Called with the reason when the player leaves.
            stands_in: Whether a bot plays on if the input ends before the first answer.
            plain: Whether lines were asked for, so that the commands shown keep them.
        """
        self._send, lines = trio.open_memory_channel[str](64)
        self._screen = LineScreen(printing.say, "--plain " if plain else "")
        patient = not sys.stdin.isatty()
        self._at_terminal = not patient
        self._prompt = SeatPrompt(self._screen, lines, leave, None, auto, patient, stands_in)
        self.player: Player = self._prompt

    @property
    def table_name(self) -> str:
        """The name of the game, once it has begun."""
        return self._screen.scene.game

    def tell(self, update: Update) -> None:
        """Some lines; the open question again behind them."""
        if isinstance(update, Reached | Moved) and update.ticket:
            self._prompt.pages.ticket = update.ticket
        self._prompt.tell(update)

    def say(self, words: str) -> None:
        """One line."""
        printing.say(words)

    def show_ticket(
        self, ticket: str, terms: Terms, game: HoityToity, nickname: str, watched: bool = True
    ) -> None:
        """The terms, then the ticket in a block of its own, once."""
        self.show_terms(terms, game, (nickname,), watched)
        for line in block(ticket):
            self.say(line)
        self._prompt.pages.ticket = ticket
        if self._at_terminal:
            self.say(_("Type c to copy it, or qr to show it as a QR code."))

    def show_terms(
        self, terms: Terms, game: HoityToity, names: tuple[str, ...], watched: bool = True
    ) -> None:
        """The terms, a line each."""
        for line in table_terms.describe(terms, game, names, watched):
            self.say(line)

    def allow_hints(self, allowed: bool) -> None:
        """Whether `hint` says what the hard bot would do."""
        self._prompt.has_hints = allowed

    def mute(self, names: Iterable[str]) -> None:
        """These voices are not heard."""
        self._prompt.talk.mute(names)

    def begin_lesson(self, names: Names) -> None:
        """Who sits there; no table is told of."""
        self._screen.names = names
        self._prompt.is_lesson = True

    async def explain(self, words: str) -> None:
        """A paragraph: lines stay, so that nobody has to say that it was read."""
        told = _("LESSON {words}").format(words=words)
        for line in textwrap.wrap(told, printing.width() or WIDTH, subsequent_indent="  "):
            self.say(line)

    def end_lesson(self) -> None:
        """Nothing: the lines stay."""

    async def agree(self) -> bool:
        """Whether the person sits down."""
        return await self._prompt.agree(_("Sit down? Enter or y; n leaves."))

    async def admit(self, nickname: str, key: str) -> bool:
        """Whether the person lets a guest in: that has to be typed."""
        return await self._prompt.admit(knock(nickname, key))

    def listens(self, is_asked: bool) -> bool:
        """For answers; and a person at a terminal may type a command at any time."""
        return is_asked or sys.stdin.isatty()

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._send, read_stdin, self._at_terminal)
            nursery.start_soon(self._prompt.listen)
            if self._at_terminal:
                nursery.start_soon(self._watch_signals, self._send.clone())

    async def _watch_signals(self, send: trio.MemorySendChannel[str]) -> None:
        """Ctrl-C asks what leaving means; after `fg` the open question is said again."""
        wanted = {signal.SIGINT: INTERRUPT}
        if hasattr(signal, "SIGCONT"):
            wanted[signal.SIGCONT] = CONTINUED
        with trio.open_signal_receiver(*wanted) as received:
            async for number in received:
                await send.send(wanted[signal.Signals(number)])

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer; this screen needs no loop of its own."""
        return trio.run(main, *args)

    def end(self, outcome: Outcome) -> None:
        """Nothing: the updates have told it."""


HELP: Final = (
    N_("b board · h hands of Action cards · i names of Collectibles (i B1649: that one) · l log"),
    N_("r the rules in one screen, as `hoity rules` prints them · proofs: what was proven so far"),
    N_("q leaves; nobody at the table is kept waiting by that"),
)


class LineWatch(LineSeat):
    """Tells what happens as to a seat; what is typed is about looking only."""

    def __init__(self, leave: Callable[[str], None]) -> None:
        super().__init__(True, leave)
        self._pages = Pages(self._screen)
        self._leave = leave
        self._typed, self._lines = trio.open_memory_channel[str](64)

    def listens(self, is_asked: bool) -> bool:
        """If a person types at a terminal."""
        return sys.stdin.isatty()

    async def listen(self) -> None:
        """Hear every line, and leave when the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, self._typed)
            async for line in self._lines:
                self._hear(line)
            self._leave(_("the input has ended"))

    def _hear(self, line: str) -> None:
        word, _space, rest = line.strip().partition(" ")
        if self._prompt.talk.takes(line):
            return
        if word.lower() in QUIT:
            self._leave(_("you left"))
        elif not self._pages.answers(word.lower(), rest.strip()) and line:
            for words in HELP + TALK_HELP:
                printing.say(_(words))

    def run(self, main: Callable[..., Awaitable[T]], *args: Any) -> T:
        """Run the peer with a keyboard beside it, if there is one."""

        async def heard() -> T:
            async with trio.open_nursery() as nursery:
                if self.listens(False):
                    nursery.start_soon(self.listen)
                found = await main(*args)
                nursery.cancel_scope.cancel()
            return found

        return trio.run(heard)
