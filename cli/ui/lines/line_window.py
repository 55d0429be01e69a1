"""The line prompt for a player or an onlooker: for screen readers, pipes and plain terminals.

A person has to confirm before the table is left or the seat is given to a bot.
"""

from __future__ import annotations

import math
import signal
import sys
import textwrap
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.pasted_text import visible
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.window_messages import Part
from p2p_hoity.table.playing.player_requests import WaitLonger
from protocol.units import Seconds

from ... import printing
from ...exit_codes import USAGE, Trouble
from ...local import settings
from ...local.ending_signals import once
from ...words import board_text, choice_names, spoken_board, table_terms
from ...words.card_names import Names
from ...words.choice_names import MOST, hint
from ...words.presence_sentences import seat_request
from ...words.table_terms import TableOffer
from ...words.translation import N_, _, yes_no
from ..person_seat import PeopleWindow, PersonSeat
from .line_question import (
    FIRST_HINT,
    HELP,
    HOST_HELP,
    QUIT,
    TALK_HELP,
    WAIT,
    WATCH_HELP,
    Asker,
    LineTalk,
    SideQuestion,
    key_of,
    leaving,
    nothing,
    page,
    too_many_strays,
)
from .line_screen import WEIGHTY, LineScreen, Say, is_news
from .line_ticket import LineTicket
from .stdin_lines import CONTINUED, END, INTERRUPT, STRAYS, forward_input, read_stdin

WIDTH: Final = 96
"""The width of an explanation if no terminal tells its own, in columns."""


class LineWindow(PeopleWindow):
    """The screen of lines as the window of a seat. Typed lines are sent into `typed`.

    The player can type commands at any time. If the input is a file or a pipe, each line waits
    until a question is asked, and leaving needs no confirmation. A line that a person types before
    a question is not taken as the answer. An onlooker can only open pages, chat and leave.

    Attributes:
        _is_over: Whether another game is being offered. To quit then declines it.
        _has_ended: Whether the input has ended, so that nobody can answer any more.
    """

    def __init__(self, seat: PersonSeat, say: Say | None = None) -> None:
        super().__init__(seat)
        how = self._how = seat.how
        self._say = say or printing.say
        self.typed, self._lines = trio.open_memory_channel[str](64)
        self._screen = LineScreen(self._say, "--plain " if how.plain else "")
        self._screen.in_sentences = how.sentences
        self._at_terminal = sys.stdin.isatty() and not how.looks_on
        self._patient = not sys.stdin.isatty()
        self.ticket = LineTicket(self._say, self._screen)
        self._asker = Asker(self._say)
        self._stands_in = how.stands_in
        self._oriented = 0
        self._menu: SideQuestion | None = None
        self._back: trio.Event | None = None
        self.talk = LineTalk(self._say, seat.request, self._others)
        self._is_over = self._has_ended = self._is_lesson = False
        self._strays = 0

    # Screen

    def tell(self, update: updates.Update) -> None:
        """Print an update, on a new line if a question is open."""
        self.ticket.follow(update)
        asks = self._asker.is_asking or self._back is not None
        breaks_in = is_news(update) and asks and not self.seat.by_bot
        # What a person has typed without Enter is not lost, because the terminal keeps it.
        if breaks_in:
            self._say("")
        self._screen.by_bot = self.seat.by_bot
        if not isinstance(update, updates.Said) or self.talk.hears(update):
            self._screen(update)
        if isinstance(update, updates.Resumed) and self._screen.names is not None:
            self._orient(update.view, self._screen.names, is_back=True)
        if breaks_in and isinstance(update, WEIGHTY):
            self._repeat()

    def say(self, words: str) -> None:
        """Print a message."""
        self._say(words)

    def _tell(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._say(line)

    def show_ticket(self, ticket: str, offer: TableOffer) -> None:
        """Print the terms, then the ticket in a block of its own."""
        self.show_terms(offer)
        self._tell(table_terms.block(ticket))
        self.ticket.word = ticket
        if self._at_terminal:
            self._say(_("Type c to copy it, or qr to show it as a QR code."))
        self._tell(table_terms.for_newcomers(ticket))

    def show_terms(self, offer: TableOffer) -> None:
        """Print the terms, a line each."""
        self._tell(table_terms.describe(offer))

    def begin_lesson(self, names: Names) -> None:
        """Begin a lesson, which has no table."""
        self._screen.names = names
        self._is_lesson = True

    def _others(self) -> list[str]:
        """Return the names of the other seats, and of all onlookers who have said something."""
        scene, names = self._screen.scene, self._screen.names
        nicknames = () if names is None else names.nicknames
        if scene.table is not None:  # Without what tells seats of one nickname apart.
            nicknames = tuple(entry.nickname for entry in scene.table.header.roster)
        seated = [name for seat, name in enumerate(nicknames) if seat != scene.seat]
        return [*seated, *(one.who for one in scene.talk if one.seat is None)]

    async def explain(self, words: str, points: tuple[Part, ...] = ()) -> None:
        """Print an explanation. The person need not confirm it, because lines stay readable."""
        told = _("LESSON {words}").format(words=words)
        self._tell(textwrap.wrap(told, printing.width() or WIDTH, subsequent_indent="  "))

    async def agree(self) -> bool:
        """Ask the person to accept the terms."""
        return await self._asker.agree(yes_no(_("Sit down?"), True))

    async def admit(self, nickname: str, key: str | None) -> bool:
        """Ask the person whether a guest may sit down, until y or n is typed."""
        self._asker.forget_old_answers()
        return await self._asker.agree(seat_request(nickname, key), silent=None)

    # Input

    def listener(self, is_asked: bool) -> Callable[[], Awaitable[None]] | None:
        """Return the function that reads typed lines, None if none have to be read."""
        # At a terminal a person may type commands at any time. A file or a pipe only answers.
        is_read = (is_asked and not self._how.looks_on) or sys.stdin.isatty()
        return self.listen if is_read else None

    async def listen(self) -> None:
        """Read and handle every line until the input ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(forward_input, self.typed, read_stdin, self._at_terminal)
            if self._at_terminal:
                nursery.start_soon(self._watch_signals, self.typed.clone())
            await self.hear()

    async def _watch_signals(self, send: trio.MemorySendChannel[str]) -> None:
        """Send a special value among the typed lines at Ctrl-C and at a return by `fg`."""
        wanted = {signal.SIGINT: INTERRUPT}
        if hasattr(signal, "SIGCONT"):
            wanted[signal.SIGCONT] = CONTINUED
        with trio.open_signal_receiver(*wanted) as received:
            async for number in once(received):
                await send.send(wanted[signal.Signals(number)])

    async def hear(self) -> None:
        """Handle the lines that are typed, until there are no more."""
        async for line in self._lines:
            await self._hear(line)
        self._has_ended = True
        if self._stands_in and not self.seat.by_bot:
            self._let_bot_play(_("The input has ended: a bot plays your seat."))
            return
        # The seat is not left before an answer is needed that will never come.
        await self._until_asked()
        if self._is_over:
            # Another game is offered, and nobody can answer any more.
            self._asker.answer("n")
        elif self._how.looks_on or not self.seat.by_bot:
            self.seat.leave(_("the input has ended"))

    async def _hear(self, line: str) -> None:
        """Handle a signal such as Ctrl-C, or a line: an answer, a command or a chat message."""
        if line in SIGNALS:
            SIGNALS[line](self)
            return
        if self._how.looks_on:
            self._look(line)
            return
        self._count_stray()
        plain = visible(line)  # What is said to the table stays as it was typed.
        if self._menu is not None:
            act = self._menu.answer(plain)
            if act is not None:
                self._menu = None
                act()
            elif plain.strip():
                self._say(self._menu.hint)
            if act is None or act is nothing:
                self._repeat()
        elif plain.lower() in WAIT:
            self._wait()
        elif self.talk.takes(line):
            self._repeat()
        else:
            await self._until_asked()
            if not self._command(plain):
                await self._answer(plain)

    def _look(self, line: str) -> None:
        """Handle a line of an onlooker, who can open a page, chat, or leave."""
        word, _space, rest = visible(line).strip().partition(" ")
        if self.talk.takes(line):
            return
        if word.lower() in QUIT:
            self._go()
        elif key_of(word.lower()) == "sentences":
            self._tell_otherwise()
        elif not self._opens(word.lower(), rest.strip()) and line:
            self._tell(map(_, WATCH_HELP + TALK_HELP))

    def _count_stray(self) -> None:
        """Count a line since the last choice. Raise `Trouble` if a file or a pipe has too many."""
        self._strays += 1
        if self._patient and self._strays > STRAYS:
            raise Trouble(too_many_strays(self._is_lesson, self._screen.typed_game), USAGE)

    async def _until_asked(self) -> None:
        """Wait until something is asked, if the lines come from a file or a pipe."""
        if self._patient and not self.seat.by_bot:
            await self._asker.hungry.wait()

    def _command(self, line: str) -> bool:
        """Run a line if it is a command, and return whether it is one."""
        word, _space, rest = line.strip().partition(" ")
        word = key_of(word.lower())
        if word == "" and self.seat.by_bot and not self._asker.is_asking:
            word = "a"  # A bare Enter takes the seat back from the bot.
        if word in COMMANDS and not rest:
            COMMANDS[word](self)
        elif not self._opens(word, rest.strip()):
            return False
        self._repeat()
        return True

    def _opens(self, word: str, rest: str) -> bool:
        """Print the page that a word and the text after it open. Return whether there is one."""
        lines = page(self._screen, word, rest)
        self._tell(lines or ())
        return lines is not None

    def _help(self) -> None:
        self._tell(map(_, HELP + TALK_HELP))
        if self.ticket.word is not None:
            self._say(_(HOST_HELP))

    def _repeat(self) -> None:
        """Print the open question again, if there is one. While a bot plays, only a menu is one."""
        if self._menu is not None:
            self._tell(self._menu.lines)
        elif self.seat.by_bot:
            return
        elif self._back is not None:
            self._say(_("Press Enter to come back to the table."))
        elif self._asker.is_asking:
            self._asker.repeat()

    async def _answer(self, line: str) -> None:
        """Answer the open question with a line, or bring an absent player back to the table."""
        if self._back is not None and not self.seat.by_bot:
            # A new event, so that the next line of a pipe waits until something is asked again.
            self._asker.hungry = trio.Event()
            self._back.set()
        elif self._asker.is_asking:
            self._stands_in = False
            self._asker.answer(line)
            await trio.lowlevel.checkpoint()  # Let it be read before the next line is handled.
        elif line:
            self._say(_("It is not your turn to choose now. ? helps."))

    # Leaving, waiting, and the bot

    def _quit(self) -> None:
        """Ask whether to leave the table, if there is somebody to ask and something to lose."""
        if self._is_over:
            # This declines the offer of another game.
            self._asker.answer("n")
            return
        if self._patient or self._screen.scene.is_over:
            self._go()
            return
        if self._is_lesson:
            text = yes_no(_("Leave the lesson? Nothing is lost."), True)
            self._menu = SideQuestion((text,), self._go, usual=True)
        else:
            self._menu = leaving(self._screen.names is not None, self._go, self._hand_over)

    def _go(self) -> None:
        self.seat.leave(_("you left"))

    def _interrupt(self) -> None:
        """Ask whether to leave at the first Ctrl-C or Ctrl-D, and leave at the second."""
        self._say("")
        if self._is_over:
            self._quit()
            return
        if self._menu is not None:
            self._go()
            return
        self._quit()
        self._repeat()

    def _wait(self) -> None:
        """Ask for more time for the awaited seats."""
        if self._screen.names is None:
            self._say(_("Nobody else is awaited now."))
        elif self.seat.by_bot:
            self._say(_("A bot plays your seat and never waits longer. Enter or a takes it back."))
        elif not self.seat.request(WaitLonger()):
            self._say(_("One moment, please."))

    def _tell_otherwise(self) -> None:
        """Tell everything in whole sentences from now on, or briefly again, and store which."""
        screen = self._screen
        screen.in_sentences = not screen.in_sentences
        settings.change(sentences=screen.in_sentences)
        told = N_("From now on what happens and the board are told in few words.")
        if screen.in_sentences:
            told = N_("From now on what happens and the board are told in whole sentences.")
        self._say(_(told))

    def _hint(self) -> None:
        self._tell(hint(self.seat.open, self._screen.names, self.seat.is_among_own_bots, MOST))

    def _toggle(self) -> None:
        """Take the seat back from the bot, or ask whether to give the seat to a bot."""
        if self.seat.by_bot:
            self.seat.hand_over(False)
            self._say(_("The seat is yours again."))
        elif self._patient:
            self._hand_over()
        else:
            text = _("Give your seat to a bot? It plays for you until you take it back.")
            self._menu = SideQuestion((yes_no(text, False),), self._hand_over)

    def _hand_over(self) -> None:
        self._let_bot_play(_("A bot plays your seat. Enter or a takes it back."))

    def _let_bot_play(self, words: str) -> None:
        self.seat.hand_over(True)
        self._say(words)

    # Questions

    def takes_only(self, view: rules.View, kind: rules.Kind, choice: rules.Choice) -> bool:
        """Print a choice that is made without a question."""
        text = _("Only one choice is legal and is made for you: {choice}")
        self._say(text.format(choice=choice_names.in_words(view, kind, choice)))
        self._screen.is_confirmed = True  # That it is chosen need not be told again.
        return True

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask the person for a choice."""
        names = self._screen.names_in_game()
        if not self._patient:
            self._asker.forget_old_answers()
        self._orient(view, names)
        choice = await self._asker.ask(view, kind, again, names)
        self._strays = 0
        self._screen.is_confirmed = True
        return choice

    def _orient(self, view: rules.View, names: Names, is_back: bool = False) -> None:
        """Print this seat's own Collectibles once a round, and the whole board if it is back."""
        if view.state.round == self._oriented:
            return
        first, self._oriented = self._oriented == 0, view.state.round
        words = spoken_board if self._screen.in_sentences else board_text
        shows_all = is_back or not self._screen.scene.record
        self._tell(words.board(view, names) if shows_all else words.own(view, names))
        if first:
            self._say(_(FIRST_HINT))

    async def returning(self) -> None:
        """Wait until the player presses Enter to come back."""
        self._say(_("Press Enter to come back to the table."))
        self._back = trio.Event()
        self._asker.hungry.set()
        try:
            await self._back.wait()
        finally:
            self._back = None

    async def again(self, seconds: Seconds) -> bool:
        """Ask for another game. To quit or the end of input means no. The caller ends the wait."""
        if self._has_ended:
            return False
        self._is_over = True
        try:
            if not self._patient:
                self._asker.forget_old_answers()
            words = _("Another game with the same people?")
            if math.isfinite(seconds):
                text = _("Another game with the same people, within {seconds} s?")
                words = text.format(seconds=round(seconds))
            return await self._asker.agree(yes_no(words, True))
        finally:
            self._is_over = False


COMMANDS: Final[dict[str, Callable[[LineWindow], None]]] = {
    "?": LineWindow._help,
    "c": lambda window: window.ticket.copy(),
    "code": lambda window: window.ticket.copy_code(),
    "qr": lambda window: window.ticket.show(),
    "hint": LineWindow._hint,
    "sentences": LineWindow._tell_otherwise,
    "a": LineWindow._toggle,
    **dict.fromkeys(QUIT, LineWindow._quit),
}
"""The commands that can be typed at any time, except for pages. They have no arguments."""
SIGNALS: Final[dict[str, Callable[[LineWindow], None]]] = {
    INTERRUPT: LineWindow._interrupt,
    END: LineWindow._interrupt,
    CONTINUED: LineWindow._repeat,
}
"""The functions for the special values that stand for signals among a terminal's lines."""


def line_window_instead(
    seat: PersonSeat,
    past: updates.Resumed | None,
    kept: Iterable[updates.Update],
    lesson: Names | None = None,
    papers: Iterable[str] = (),
) -> LineWindow:
    """Let a seat go on at the line prompt, since its other window has failed.

    Args:
        past: The game so far, since its events themselves were not kept. None before it.
        kept: The updates about the table itself, in their order.
        lesson: The names of a lesson. None at a table.
        papers: The lines that were shown while the table filled.
    """
    line = LineWindow(seat)
    if lesson is not None:
        line.begin_lesson(lesson)
    for words in papers:
        line.say(words)
    for update in (*kept, *([past] if past is not None else [])):
        line.tell(update)
    seat.move_to(line)
    return line
