"""The prompt of the line screen: a person's questions and answers, line by line.

Leaving the table, and giving the seat to a bot, take a second answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.net.peer_link import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.player_interface import BotPlayer, Player, WaitLonger, Wish
from p2p_hoity.table.rematch import ANSWER
from protocol import effects

from ...exit_codes import USAGE, Trouble
from ...words import board_text
from ...words.card_names import Names
from ...words.choice_names import MOST, hint
from ...words.presence_sentences import ROUND_LOST
from ...words.translation import _, yes_or_no
from ..screen_interface import Box
from .line_question import FIRST_HINT, MOST_WISHES, Asker, LineTalk, Pages, Withdrawn, key_of
from .line_screen import LineScreen
from .stdin_lines import CONTINUED, END, INTERRUPT, STRAYS

LEAVE: Final = frozenset({"1", "leave", "salir", "gehen", "verlassen"})
BOT: Final = frozenset({"2", "bot"})
STAY: Final = frozenset({"3", "stay", "quedarme", "bleiben"})

Act = Callable[[], None]


@dataclass(frozen=True)
class SideQuestion:
    """A question beside the game; `answers` gives what an answer does, None if it is none."""

    lines: tuple[str, ...]
    answers: Callable[[str], Act | None]


def nothing() -> None:
    """What staying does."""


def leaving(has_begun: bool, leave: Act, bot: Act) -> SideQuestion:
    """Whether to leave for now, to let a bot play on, or to stay; before the game there is no seat
    that a bot could have."""
    if not has_begun:
        return SideQuestion(
            (_("Leave the table? No game has begun: your seat would be gone. y leaves, n stays"),),
            lambda line: _yes(line, leave),
        )
    lines = (
        _("Leave the table?"),
        "  1  " + _("leave for now; take your seat again any time"),
        "     " + _(ROUND_LOST),
        "  2  " + _("let a bot play on in your seat"),
        "  3  " + _("stay"),
    )

    def answers(line: str) -> Act | None:
        word = line.strip().lower()
        if word in BOT:
            return bot
        if word in LEAVE:
            return leave
        return nothing if word in STAY else _yes(word, leave)

    return SideQuestion(lines, answers)


def _yes(line: str, act: Act) -> Act | None:
    """The act for a yes, nothing for a no or an empty line."""
    said = yes_or_no(line, silent=False)
    return None if said is None else act if said else nothing


WEIGHTY: Final = (
    updates.Halfway,
    updates.PatienceOver,
    updates.Paused,
    updates.Extended,
    effects.LeftForNow,
    updates.Accused,
    updates.Moved,
    updates.TicketTaken,
)
"""News after which an open question is said again."""
BREAKING_IN: Final = (
    updates.Linked,
    updates.Unlinked,
    updates.RelayState,
    *WEIGHTY,
)
"""News that come while a person may be typing, and stand on a line of their own."""
WAIT: Final = frozenset({"w", "wait", "esperar", "warten"})
QUIT: Final = frozenset({"q", "quit", "exit", "salir", "ende"})


class SeatPrompt:
    """A player who is asked in lines; also answers commands while nothing is asked."""

    def __init__(
        self,
        screen: LineScreen,
        lines: trio.MemoryReceiveChannel[str],
        leave: Callable[[str], None],
        bot: Player | None = None,
        autopilot: bool = False,
        patient: bool = False,
        stands_in: bool = False,
    ) -> None:
        """`leave` is called with the reason when the player quits or the input ends: it has the
        others told.

        `patient`: the lines come from a file or a pipe, so each waits until something is asked, and
        nothing is asked twice; what a person types before the question is no answer to it.

        `stands_in`: a bot plays if the input ends before the first answer.
        """
        self._screen = screen
        self._say = screen.say
        self._lines = lines
        self._leave = leave
        self._bot = bot or BotPlayer()
        self.autopilot = autopilot
        self.pages = Pages(screen)
        self._asker = Asker(screen)
        self._patient = patient
        self._stands_in = stands_in
        self._oriented = 0
        self._menu: SideQuestion | None = None
        self._back: trio.Event | None = None
        self._wishes = Box[Wish](MOST_WISHES)
        self.talk = LineTalk(self._say, self._wishes)
        self._is_over = self._has_ended = False
        self.has_hints = False
        self._asked: tuple[rules.View, rules.Kind] | None = None
        self._strays = 0
        self.is_lesson = False

    # What is typed.

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async for line in self._lines:
            await self._hear(line)
        self._has_ended = True
        if self._stands_in and not self.autopilot:
            self._let_bot_play(_("The input has ended: a bot plays your seat."))
            return
        await self._until_asked()
        if self._is_over:
            self._asker.answer("n")
        elif not self.autopilot:
            self._leave(_("the input has ended"))

    async def _hear(self, line: str) -> None:
        if line in SIGNALS:
            SIGNALS[line](self)
            return
        self._count_stray()
        if self._menu is not None:
            act = self._menu.answers(line)
            if act is not None:
                self._menu = None
                act()
            if act is None or act is nothing:
                self._repeat()
        elif line.lower() in WAIT:
            self._wait()
        elif not self.talk.takes(line):
            await self._until_asked()
            if not self._command(line):
                await self._answer(line)

    def _count_stray(self) -> None:
        """A line that is not known to be part of a choice yet; Trouble after too many of them."""
        self._strays += 1
        if not self._patient or self._strays <= STRAYS:
            return
        if self.is_lesson:
            words = _("{number} lines of the input have made no choice.")
            raise Trouble(words.format(number=STRAYS), USAGE)
        words = _("{number} lines of the input have made no choice; --auto lets a bot play")
        reason, game = words.format(number=STRAYS), self._screen.typed_game
        kept = _("{reason}. The game is kept; take your seat again with: hoity resume {game}")
        none = _("{reason}; no game had begun.")
        raise Trouble((kept if game else none).format(reason=reason, game=game), USAGE)

    async def _until_asked(self) -> None:
        if self._patient and not self.autopilot:
            await self._asker.hungry.wait()

    def _command(self, line: str) -> bool:
        word, _space, rest = line.strip().partition(" ")
        word = key_of(word.lower())
        if word == "" and self.autopilot and not self._asker.is_asking:
            word = "a"
        if word in COMMANDS and not rest:
            COMMANDS[word](self, rest)
        elif not self.pages.answers(word, rest.strip()):
            return False
        self._repeat()
        return True

    def _repeat(self) -> None:
        """Say again what is open: a question beside the game, the way back, or a choice."""
        if self._menu is not None:
            for line in self._menu.lines:
                self._say(line)
        elif self.autopilot:
            return
        elif self._back is not None:
            self._say(_("Press Enter to come back to the table."))
        elif self._asker.is_asking:
            self._asker.repeat()

    async def _answer(self, line: str) -> None:
        if self._back is not None and not self.autopilot:
            self._asker.hungry = trio.Event()
            self._back.set()
        elif self._asker.is_asking:
            self._stands_in = False
            await self._asker.take(line)
        elif line:
            self._say(_("Nothing is asked of you now. ? helps."))

    # Leaving, waiting, and the bot.

    def _quit(self, rest: str = "") -> None:
        """Ask what leaving means; a file that says so leaves. At the end it means no other game."""
        if self._is_over:
            self._asker.answer("n")
            return
        if self._patient:
            self._go()
            return
        begun = self._screen.names is not None
        if self.is_lesson:
            text = _("Leave the lesson? Nothing is lost. y leaves, n stays")
            self._menu = SideQuestion((text,), lambda line: _yes(line, self._go))
        else:
            self._menu = leaving(begun, self._go, self._hand_over)

    def _go(self) -> None:
        self._leave(_("you left"))

    def _interrupt(self) -> None:
        """Ctrl-C, or the end of the input at a terminal: what leaving means; the second time go."""
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
        if self._screen.names is None:
            self._say(_("Nobody else is awaited now."))
        elif self.autopilot:
            self._say(_("A bot plays your seat and never waits longer. Enter or a takes it back."))
        elif not self._wishes.put(WaitLonger()):
            self._say(_("One moment, please."))

    def _hint(self, rest: str) -> None:
        """What the hard bot would do at the open choice."""
        for line in hint(self._asked, self._screen.names, self.has_hints, MOST):
            self._say(line)

    def _toggle(self, rest: str) -> None:
        if self.autopilot:
            self.autopilot = False
            self._say(_("The seat is yours again."))
        elif self._patient:
            self._hand_over()
        else:
            text = _("Give your seat to a bot? It plays for you until you take it back. y or n")
            self._menu = SideQuestion((text,), lambda line: _yes(line, self._hand_over))

    def _hand_over(self) -> None:
        self._let_bot_play(_("A bot plays your seat. Enter or a takes it back."))

    def _let_bot_play(self, words: str) -> None:
        self.autopilot = True
        self._say(words)
        self._asker.withdraw()
        if self._back is not None:
            self._back.set()

    def tell(self, update: updates.Update) -> None:
        """Have the screen tell an update, on a line of its own if a question is open.

        What a person has half typed still counts: the terminal keeps it.
        """
        news = isinstance(update, BREAKING_IN)
        if isinstance(update, updates.Unlinked) and update.reason.code == LinkCode.REPLACED:
            news = False  # the link only made room for a better one to the same peer
        asks = self._asker.is_asking or self._back is not None
        breaks_in = news and asks and not self.autopilot
        if breaks_in:
            self._say("")
        self._screen.by_bot = self.autopilot
        if not isinstance(update, updates.Said) or self.talk.hears(update):
            self._screen(update)
        if isinstance(update, updates.Resumed) and self._screen.names is not None:
            self._orient(update.view, self._screen.names)
        if breaks_in and isinstance(update, WEIGHTY):
            self._repeat()

    # The player.

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Ask, confirm, and give the choice; the bot's if the seat is handed over."""
        if self.autopilot or self._screen.names is None:
            return await self._bot.choose(view, kind, again)
        try:
            return await self._ask(view, kind, again, self._screen.names)
        except Withdrawn:
            return await self._bot.choose(view, kind, again)

    async def _ask(
        self, view: rules.View, kind: rules.Kind, again: bool, names: Names
    ) -> rules.Choice:
        only = None if again else self._asker.only(view, kind, names)
        if only is not None:
            return only
        if not self._patient:
            self._asker.forget_old_answers()
        self._orient(view, names)
        self._asked = view, kind
        try:
            choice = await self._asker.ask(view, kind, again, names)
        finally:
            self._asked = None
        self._strays = 0
        self._screen.is_confirmed = True
        return choice

    def _orient(self, view: rules.View, names: Names) -> None:
        """Before a round's first question: one's own Collectibles; on taking a seat again: all."""
        if view.state.round == self._oriented:
            return
        first, self._oriented = self._oriented == 0, view.state.round
        for line in (
            board_text.own(view, names) if self._screen.log else board_text.board(view, names)
        ):
            self._say(line)
        if first:
            self._say(_(FIRST_HINT))

    async def agree(self, question: str) -> bool:
        """Ask for a yes or a no before there is a game."""
        try:
            return await self._asker.agree(question)
        except Withdrawn:
            return True

    async def admit(self, question: str) -> bool:
        """Ask whether a guest may sit down, for as long as it takes; a bare Enter says nothing."""
        while True:
            self._asker.forget_old_answers()
            try:
                return await self._asker.agree(question, silent=None)
            except Withdrawn:
                continue

    async def returning(self) -> None:
        """Wait for Enter, or return at once if the bot has the seat."""
        if self.autopilot:
            return
        self._say(_("Press Enter to come back to the table."))
        self._back = trio.Event()
        self._asker.hungry.set()
        try:
            await self._back.wait()
        finally:
            self._back = None

    async def wish(self) -> Wish:
        """To wait longer or to talk, each time the player says so."""
        return await self._wishes.next()

    async def again(self) -> bool:
        """Ask; whoever types nothing more, or quits, wants no other game."""
        if self._has_ended:
            return False
        self._is_over = True
        try:
            if not self._patient:
                self._asker.forget_old_answers()
            words = _("Another game with the same people? y/n, within {seconds} s")
            return await self.agree(words.format(seconds=round(ANSWER)))
        finally:
            self._is_over = False


COMMANDS: Final[dict[str, Callable[[SeatPrompt, str], None]]] = {
    "?": lambda prompt, rest: prompt.pages.help(rest),
    "c": lambda prompt, rest: prompt.pages.copy(rest),
    "code": lambda prompt, rest: prompt.pages.code(rest),
    "qr": lambda prompt, rest: prompt.pages.qr(rest),
    "hint": SeatPrompt._hint,
    "a": SeatPrompt._toggle,
    **dict.fromkeys(QUIT, SeatPrompt._quit),
}
"""What can be typed at any time, besides the pages; nothing stands behind it."""
SIGNALS: Final[dict[str, Callable[[SeatPrompt], None]]] = {
    INTERRUPT: SeatPrompt._interrupt,
    END: SeatPrompt._interrupt,
    CONTINUED: SeatPrompt._repeat,
}
"""What a terminal tells beside lines."""
