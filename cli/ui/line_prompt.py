"""The plain prompt: a person's seat as questions and answers, line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.net.link import LinkCode
from p2p_hoity.session import updates
from p2p_hoity.session.player import BotPlayer, Player, WaitLonger, Wish

from ..printing import width
from ..trouble import USAGE, Trouble
from ..words import board, rules_text
from ..words.cards import Names
from ..words.choices import Question, in_words, own_slots, questions, together
from ..words.lingo import N_, _
from . import line_answers
from .line_screen import SeatScreen
from .line_talk import HELP as TALK_HELP
from .line_talk import LineTalk, Wishes
from .stdin_lines import STRAYS

HELP: Final = (
    N_("A number chooses; Enter or y confirms, n chooses again."),
    N_("b the board, h all hands of Action cards, l the log, ? this help"),
    N_("r the rules in one screen, as `hoity rules` prints them"),
    N_("a hands the seat to a bot, and takes it back"),
    N_("wait gives who is awaited longer before the game may go on without them"),
    N_("q leaves; the game can be resumed"),
    N_(
        "An octagon, as in 4/2, says how far exhibits move: the best 4 fields, the second-best 2."
        " The octagon where the leading figure stands counts."
    ),
)
FIRST_HINT: Final = N_("b shows the board, r the rules, ? what else you can type.")
HANDED_OVER: Final = "\0handed over"
"""Put among the answers when the seat is handed to the bot in the middle of a question."""
WEIGHTY: Final = (
    updates.Halfway,
    updates.Late,
    updates.Paused,
    updates.Extended,
    updates.LeftForNow,
    updates.Accused,
)
"""News after which an open question is said again."""
BREAKING_IN: Final = (updates.Linked, updates.Unlinked, *WEIGHTY)
"""News that come while a person may be typing, and stand on a line of their own."""
WAIT: Final = frozenset({"w", "wait", "esperar", "warten"})


def _is_replaced(update: updates.Update) -> bool:
    """Whether a link only made room for a better one to the same peer."""
    return isinstance(update, updates.Unlinked) and update.reason.code == LinkCode.REPLACED


class Withdrawn(Exception):
    """The seat was handed over while a question was open."""


class SeatPrompt:
    """A player who is asked in lines; also answers commands while nothing is asked."""

    def __init__(
        self,
        screen: SeatScreen,
        lines: trio.MemoryReceiveChannel[str],
        leave: Callable[[str], None],
        bot: Player | None = None,
        autopilot: bool = False,
        patient: bool = False,
    ) -> None:
        """`leave` is called with the reason when the player quits or the input ends.

        `patient`: the lines come from a file or a pipe, so each waits until something is asked;
        what a person types before the question is no answer to it.
        """
        self._screen = screen
        self._say = screen.say
        self._lines = lines
        self._leave = leave
        self._bot = bot or BotPlayer()
        self.autopilot = autopilot
        self._send, self._answers = trio.open_memory_channel[str](64)
        self._patient = patient
        self._hungry = trio.Event()
        self._asking = 0  # a cancelled question may end after the next one has begun
        self._oriented = 0
        self._open_question: tuple[str, ...] = ()
        self._back: trio.Event | None = None
        self._wishes = Wishes()
        self.talk = LineTalk(self._say, self._wishes)
        self._is_over = self._has_ended = False
        self._strays = 0

    # What is typed.

    async def listen(self) -> None:
        """Hear every line until the input ends."""
        async for line in self._lines:
            self._count_stray()
            if line.lower() in WAIT:
                self._wait()
                continue
            if self.talk.takes(line):
                continue
            await self._until_asked()
            if not self._command(line):
                await self._answer(line)
        self._has_ended = True
        await self._until_asked()
        if self._is_over:
            self._send.send_nowait("n")
        elif not self.autopilot:
            self._leave(_("the input has ended"))

    def _count_stray(self) -> None:
        """A line that is not known to be part of a choice yet; Trouble after too many of them."""
        self._strays += 1
        if not self._patient or self._strays <= STRAYS:
            return
        words = _("{number} lines of the input have made no choice; --auto lets a bot play")
        reason, game = words.format(number=STRAYS), self._screen.table_name
        kept = _("{reason}. The game is kept; take your seat again with: hoity resume {game}")
        none = _("{reason}; no game had begun.")
        raise Trouble((kept if game else none).format(reason=reason, game=game), USAGE)

    async def _until_asked(self) -> None:
        if self._patient and not self.autopilot:
            await self._hungry.wait()

    def _command(self, line: str) -> bool:
        word = line.lower()
        if word == "" and self.autopilot and not self._asking:
            word = "a"
        if word not in COMMANDS:
            return False
        COMMANDS[word](self)
        if (self._asking or self._back is not None) and not self.autopilot:
            self._repeat()
        return True

    def _repeat(self) -> None:
        if self._back is not None:
            self._say(_("Press Enter to come back to the table."))
            return
        for asked in self._open_question:
            self._say(asked)

    async def _answer(self, line: str) -> None:
        if self._back is not None and not self.autopilot:
            self._hungry = trio.Event()
            self._back.set()
        elif self._asking:
            self._hungry = trio.Event()
            await self._send.send(line)
        elif line:
            self._say(_("Nothing is asked of you now. ? helps."))

    def _quit(self) -> None:
        if self._is_over:
            self._send.send_nowait("n")
        else:
            self._leave(_("you left"))

    def _wait(self) -> None:
        if self._screen.names is None:
            self._say(_("Nobody else is awaited now."))
        elif self.autopilot:
            self._say(_("A bot plays your seat and never waits longer. Enter or a takes it back."))
        else:
            self._wishes.put(WaitLonger())

    def _help(self) -> None:
        for line in HELP + TALK_HELP:
            self._say(_(line))

    def _board(self) -> None:
        self._show(board.board)

    def _hands(self) -> None:
        self._show(board.hands)

    def _show(self, page: Callable[[rules.View, Names], list[str]]) -> None:
        if self._screen.view is None or self._screen.names is None:
            self._say(_("The cards are not dealt yet."))
            return
        for line in page(self._screen.view, self._screen.names):
            self._say(line)

    def _rules(self) -> None:
        if self._screen.names is None:
            self._say(_("The cards are not dealt yet."))
            return
        for line in rules_text.lines(self._screen.names.edition, width()):
            self._say(line)

    def _log(self) -> None:
        for line in self._screen.log:
            self._say(line)

    def _toggle(self) -> None:
        self.autopilot = not self.autopilot
        if not self.autopilot:
            self._say(_("The seat is yours again."))
            return
        self._say(_("A bot plays your seat. Enter or a takes it back."))
        if self._asking:
            self._send.send_nowait(HANDED_OVER)
        if self._back is not None:
            self._back.set()

    def tell(self, update: updates.Update) -> None:
        """Have the screen tell an update, on a line of its own if a question is open.

        What a person has half typed still counts: the terminal keeps it.
        """
        news = isinstance(update, BREAKING_IN) and not _is_replaced(update)
        asks = bool(self._asking) or self._back is not None
        breaks_in = news and asks and not self.autopilot
        if breaks_in:
            self._say("")
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

    async def agree(self, question: str) -> bool:
        """Ask for a yes or a no before there is a game."""
        self._asking += 1
        try:
            self._put(question)
            return await self._confirmed(question)
        except Withdrawn:
            return True
        finally:
            self._asking -= 1

    async def returning(self) -> None:
        """Wait for Enter, or return at once if the bot has the seat."""
        if self.autopilot:
            return
        self._say(_("Press Enter to come back to the table."))
        self._back = trio.Event()
        self._hungry.set()
        try:
            await self._back.wait()
        finally:
            self._back = None

    async def wish(self) -> Wish:
        """To wait longer or to talk, each time the player types so."""
        return await self._wishes.next()

    async def again(self) -> bool:
        """Ask; whoever types nothing more, or quits, wants no other game."""
        if self._has_ended:
            return False
        self._is_over = True
        try:
            if not self._patient:
                self._forget_old_answers()
            return await self.agree(_("Another game with the same people? y/n"))
        finally:
            self._is_over = False

    async def _ask(
        self, view: rules.View, kind: rules.Kind, again: bool, names: Names
    ) -> rules.Choice:
        only = self._only(view, kind, names)
        if only is not None and not again:
            return only
        if not self._patient:
            self._forget_old_answers()
        self._orient(view, names)
        self._asking += 1
        try:
            if again:
                self._say(_("This choice has to be made again: the step begins afresh."))
            return await self._until_confirmed(view, kind, names)
        finally:
            self._asking -= 1

    def _orient(self, view: rules.View, names: Names) -> None:
        """Before a round's first question: one's own Collectibles; on taking a seat again: all."""
        if view.state.round == self._oriented:
            return
        first, self._oriented = self._oriented == 0, view.state.round
        for line in board.own(view, names) if self._screen.log else board.board(view, names):
            self._say(line)
        if first:
            self._say(_(FIRST_HINT))

    def _forget_old_answers(self) -> None:
        while True:
            try:
                self._answers.receive_nowait()
            except trio.WouldBlock:
                return

    def _only(self, view: rules.View, kind: rules.Kind, names: Names) -> rules.Choice | None:
        legal = view.legal(kind)
        if kind == "exhibit" and len(own_slots(view)) > 3:
            return None
        if len(legal) != 1:
            return None
        text = _("Only one choice is legal and is made for you: {choice}")
        self._say(text.format(choice=in_words(view, kind, legal[0], names)))
        return legal[0]

    async def _until_confirmed(
        self, view: rules.View, kind: rules.Kind, names: Names
    ) -> rules.Choice:
        while True:
            answers = [
                await self._question(q, view, kind, names) for q in questions(view, kind, names)
            ]
            choice = together(kind, answers)
            text = _("You choose {choice}. There is no undo. Enter or y confirms, n chooses again.")
            self._put(text.format(choice=in_words(view, kind, choice, names)))
            if await self._confirmed():
                self._strays = 0
                return choice

    async def _confirmed(self, otherwise: str = "") -> bool:
        """A yes or a no; to anything else `otherwise` is said, or what a choice's answers are."""
        while True:
            answer = line_answers.yes_or_no(await self._heard())
            if answer is not None:
                return answer
            self._say(otherwise or _("Enter or y confirms, n chooses again."))

    async def _question(
        self, question: Question, view: rules.View, kind: rules.Kind, names: Names
    ) -> rules.Choice:
        if len(question.options) == 1 and kind == "theft":
            return question.options[0].value
        self._put(question.words, *line_answers.offered(question, view, kind, names))
        while True:
            answer = line_answers.read(await self._heard(), question, view, kind, self._say)
            if answer is not None:
                return answer

    def _put(self, *lines: str) -> None:
        """Say a question, and keep it to be said again after a command."""
        self._open_question = lines
        self._repeat()

    async def _heard(self) -> str:
        self._hungry.set()
        line = await self._answers.receive()
        if line == HANDED_OVER:
            raise Withdrawn
        return line


COMMANDS: Final[dict[str, Callable[[SeatPrompt], None]]] = {
    "?": SeatPrompt._help,
    "b": SeatPrompt._board,
    "h": SeatPrompt._hands,
    "l": SeatPrompt._log,
    "r": SeatPrompt._rules,
    "a": SeatPrompt._toggle,
    "q": SeatPrompt._quit,
}
"""What can be typed at any time."""
