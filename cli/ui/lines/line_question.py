"""The questions, pages and chat commands of the line prompt.

A choice is asked with its options, answered by a line, and confirmed. `t WORDS` sends a chat
message, `t 3` sends the phrase with the number 3, and `m NAME` mutes a player.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.presentation.screen_updates import Said
from p2p_hoity.table.playing.player_requests import PlayerRequest, Talk

from ...printing import width
from ...words import board_text, chat_phrases, choice_names, rules_text, spoken_board
from ...words.card_names import Names
from ...words.choice_names import NoAnswer, Query
from ...words.happening_sentences import rounds_of
from ...words.presence_sentences import ROUND_LOST
from ...words.recap_sentences import recap
from ...words.translation import N_, _, listed, yes_no, yes_or_no
from ..screen_options import Box
from .line_screen import LineScreen
from .stdin_lines import STRAYS

HELP: Final = (
    N_(
        "Choose by number or by words, as in 2, castle, thief 10. y or Enter confirms, n "
        "chooses again."
    ),
    N_("p picks an exhibit of your own: by letters (p AABB), years (p 1623 1874) or numbers of i."),
    N_("b board, b NAME one seat in sentences · h hands of Action cards · l log"),
    N_("recap tells the last round, what happened while you were away, and the octagons ahead"),
    N_("i names of Collectibles, i B1649 that one · proofs: what was proven so far"),
    N_("r the rules in one screen, as `hoity rules` prints them"),
    N_("sentences has everything told in whole sentences, for the ear, or briefly again"),
    N_("hint shows what the hard bot would do; against your own bots only"),
    N_("wait gives the awaited players more time before the game may go on without them"),
    N_("a gives your seat to a bot, and takes it back · q leaves; the game can be resumed"),
    N_(
        "An octagon, such as 4/2, says how far exhibits move: the best one 4 fields, the "
        "second-best 2. The octagon at the leading figure counts."
    ),
)
WATCH_HELP: Final = (
    N_("b board, b NAME one seat in sentences · h hands of Action cards · l log"),
    N_("recap tells the last round, what happened while you were away, and the octagons ahead"),
    N_("i names of Collectibles, i B1649 that one · proofs: what was proven so far"),
    N_("r the rules in one screen, as `hoity rules` prints them"),
    N_("sentences has everything told in whole sentences, for the ear, or briefly again"),
    N_("q leaves; nobody has to wait for you"),
)
YES_OR_NO: Final = N_("Please answer y or n.")
WAIT: Final = frozenset({"w", "wait", "esperar", "warten"})
QUIT: Final = frozenset({"q", "quit", "exit", "salir", "ende"})
HOST_HELP: Final = N_("c copies the ticket · qr shows it as a QR code · code copies the code")
FIRST_HINT: Final = N_(
    "b shows the board, r the rules, sentences tells all in sentences, ? what else you can type."
)
PROOFS: Final = 20
"""The most lines on the page of proofs."""


def key_of(word: str) -> str:
    """Return the command that a word in small letters means, or the word itself for none."""
    return KEYS.get(word, word)


PAGES: Final = frozenset({"b", "h", "i", "l", "r", "proofs", "recap"})
"""The commands that open a page. An onlooker may use them too."""


def page(screen: LineScreen, word: str, rest: str) -> Iterable[str] | None:
    """Return the lines of the page that a word and the words after it open, None if there is none.

    Pages can be opened at any time. `word` is in small letters.
    """
    key, names, view = key_of(word), screen.names, screen.view
    if key not in PAGES or (rest and key not in ("i", "b")):
        return None
    if key == "proofs":
        found = list(screen.proofs)[-PROOFS:] or [_("Nothing is proven yet.")]
        return [f"  {line}" for line in found]
    if key == "r" and names is not None:
        return rules_text.lines(names.edition, width())
    if key == "l":
        rounds = [] if names is None else rounds_of(names, screen.scene.record)
        return [line for lines in rounds[-2:] for line in lines]
    if view is None or names is None:
        return [_("The cards are not dealt yet.")]
    if key == "recap":
        return recap(screen.scene, names, screen.in_sentences) or [_("No round has begun yet.")]
    if key == "i":
        return board_text.named(names, rest) if rest else board_text.pieces(view, names)
    if key == "h":
        return board_text.hands(view, names)
    if rest:
        return _of_seat(view, names, rest)
    told = spoken_board.board if screen.in_sentences else board_text.board
    return told(view, names)


def _of_seat(view: rules.View, names: Names, word: str) -> list[str]:
    """Return what is known of the seat that a word names, or which seats there are."""
    named = [names.short(seat) for seat in range(view.state.seats)]
    name = _meant(word, named)
    if name is None:
        text = _("Nobody here has the name {name}. The seats are: {seats}")
        return [text.format(name=word, seats=listed(named))]
    return spoken_board.of_seat(view, names, named.index(name))


SPELLED: Final = {
    "?": ("help", "hilfe", "ayuda"),
    "b": ("board", "spielplan", "tablero"),
    "h": ("hands", "karten", "cartas"),
    "i": ("pieces", "names", "stücke", "namen", "piezas", "nombres"),
    "l": ("log", "verlauf", "registro"),
    "r": ("rules", "regeln", "reglas"),
    "proofs": ("beweise", "pruebas"),
    "recap": ("rückblick", "resumen"),
    "hint": ("tipp", "pista"),
    "sentences": ("sentence", "sätze", "frases"),
}
"""For each command the words of every language that players may type in place of it."""
KEYS: Final = {word: key for key, words in SPELLED.items() for word in words}


class Asker:
    """The questions to a person at the line prompt. `hungry` is set while an answer is awaited."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._answers = Box[str]()
        self.hungry = trio.Event()
        self._asking = 0  # A cancelled question may end after the next one has begun.
        self._open: tuple[str, ...] = ()

    @property
    def is_asking(self) -> bool:
        """True if a question is open."""
        return self._asking > 0

    def repeat(self) -> None:
        """Print the open question again."""
        for line in self._open:
            self._say(line)

    def answer(self, line: str) -> None:
        """Give a typed line to the open question, as a possible answer."""
        # A new event, so that the next line of a pipe waits until something is asked again.
        self.hungry = trio.Event()
        self._answers.put(line)

    def forget_old_answers(self) -> None:
        """Drop lines that were typed before the question could be seen."""
        self._answers.empty()

    async def agree(self, question: str, silent: bool | None = True) -> bool:
        """Ask for a yes or a no. An empty line means `silent`, and if that is None no answer.

        The letters that answer it are part of the question.
        """
        self._asking += 1
        try:
            self._put(question)
            return await self._confirmed(_(YES_OR_NO), silent)
        finally:
            self._asking -= 1

    async def ask(
        self, view: rules.View, kind: rules.Kind, again: bool, names: Names
    ) -> rules.Choice:
        """Ask the person for a choice until the person confirms it."""
        self._asking += 1
        try:
            if again:
                self._say(_("This choice has to be made again, since the step is repeated."))
            while True:
                answers = [
                    await self._question(q, view, kind)
                    for q in choice_names.questions(view, kind, names)
                ]
                choice = choice_names.together(kind, answers)
                text = _("{choice}? No undo: Enter or y confirms, n chooses again.")
                self._put(text.format(choice=choice_names.sealing(view, kind, choice, names)))
                if await self._confirmed():
                    return choice
        finally:
            self._asking -= 1

    async def _confirmed(self, otherwise: str = "", silent: bool | None = True) -> bool:
        """Wait for a yes or a no. After any other line print `otherwise`, and the question again.

        An empty line that is no answer only prints the question again.
        """
        while True:
            line = await self._heard()
            answer = yes_or_no(line, silent)
            if answer is not None:
                return answer
            if otherwise and line.strip():
                self._say(otherwise)
            self.repeat()

    async def _question(self, question: Query, view: rules.View, kind: rules.Kind) -> rules.Choice:
        """Ask one of the questions that make up a choice, until the answer is valid."""
        # Nothing else can be taken from this exhibit.
        if len(question.options) == 1 and kind == "theft":
            return question.options[0].value
        self._put(*_asked(question))
        while True:
            line = await self._heard()
            try:
                return choice_names.read(line, question, view, kind)
            except NoAnswer as why:
                if line.strip():  # Enter alone asks to hear the question again.
                    self._say(str(why))
                self.repeat()

    def _put(self, *lines: str) -> None:
        """Print the lines of a question, and store them so that `repeat` can print them again."""
        self._open = lines
        self.repeat()

    async def _heard(self) -> str:
        """Wait for the next line that may be an answer."""
        self.hungry.set()
        return await self._answers.next()


def _asked(question: Query) -> list[str]:
    """Return the lines of a question: one for each option, with what it would bring."""
    lines, before = [question.words], ""
    for number, option in enumerate(question.options, 1):
        told = f"  {number}  {option.words}"
        if option.note:
            told += ": " + (_("the same") if option.note == before else option.note)
        lines.append(told)
        before = option.note
    return lines


def too_many_strays(is_lesson: bool, game: str) -> str:
    """Return why the program ends if too many lines of a file or pipe were no choice.

    `game` is what to type after `hoity resume`, "" if no game has begun.
    """
    if is_lesson:
        return _("Lines of the input that were no choice: {number}.").format(number=STRAYS)
    words = _("too many lines of the input ({number}) were no choice; with --auto a bot plays")
    kept = _("{reason}. The game is not lost. Take your seat again with: hoity resume {game}")
    none = _("{reason}; no game had begun.")
    return (kept if game else none).format(reason=words.format(number=STRAYS), game=game)


STAY: Final = frozenset({"1", "stay", "quedarme", "bleiben"})
LEAVE: Final = frozenset({"2", "leave", "salir", "gehen", "verlassen"})
BOT: Final = frozenset({"3", "bot"})

Act = Callable[[], None]


def nothing() -> None:
    """Do nothing. This is the action of an answer that means to stay at the table."""


@dataclass(frozen=True)
class SideQuestion:
    """A question that is no part of the game, such as whether to leave, answered with yes or no.

    `act` is called for yes. `bot` gives the seat to a bot, and is None if that is no possible
    answer. `usual` is what an empty line means.
    """

    lines: tuple[str, ...]
    act: Act
    bot: Act | None = None
    usual: bool = False

    @property
    def hint(self) -> str:
        """What is told after a line that is no answer."""
        return _(YES_OR_NO) if self.bot is None else _("Please answer 1, 2 or 3.")

    def answer(self, line: str) -> Act | None:
        """Return what to call for a line: `act`, `bot` or `nothing`. None if it is no answer."""
        word = line.strip().lower()
        if self.bot is not None and word in BOT:
            return self.bot
        if self.bot is not None and word in LEAVE | STAY:
            return self.act if word in LEAVE else nothing
        said = yes_or_no(word, silent=self.usual)
        return None if said is None else self.act if said else nothing


def leaving(has_begun: bool, leave: Act, bot: Act) -> SideQuestion:
    """Return the question whether to leave for now, to let a bot play on, or to stay."""
    # Before the game no bot can be given the seat.
    if not has_begun:
        words = _("Leave the table? No game has begun, so you would lose your seat.")
        return SideQuestion((yes_no(words, False),), leave)
    lines = (
        _("Leave the table?"),
        "  1  " + _("stay at the table"),
        "  2  " + _("leave for now; take your seat again any time"),
        "     " + _(ROUND_LOST),
        "  3  " + _("let a bot play on in your seat"),
    )
    return SideQuestion(lines, leave, bot)


TALK, MUTE = "t", "m"
TALK_HELP: Final = (
    N_("t WORDS says something to the table, t NUMBER says a phrase; t lists the phrases"),
    N_("m NAME hides what somebody says from you alone, and shows it again"),
)


class LineTalk:
    """The chat commands of the line prompt, and the players who are muted.

    `others` returns the names of the other seats and of all onlookers who have said something.
    """

    def __init__(
        self,
        say: Callable[[str], None],
        request: Callable[[PlayerRequest], bool],
        others: Callable[[], Sequence[str]],
    ) -> None:
        self._say, self._request, self._others = say, request, others
        self._muted: set[str] = set()

    def mute(self, names: Iterable[str]) -> None:
        """Hide the chat messages of these nicknames from now on."""
        self._muted.update(names)

    def takes(self, line: str) -> bool:
        """Run a chat command, `t` to talk or `m` to mute. Return False if the line is none."""
        command, _space, rest = line.partition(" ")
        if command.lower() == TALK:
            self._talk(rest.strip())
        elif command.lower() == MUTE:
            self._turn(rest.strip())
        else:
            return False
        return True

    def _turn(self, word: str) -> None:
        """Mute or hear again whom a word names, or list the muted ones if it is empty."""
        others = self._others()
        name = _meant(word, (*others, *self._muted))
        if not word:
            self._say(_("Muted: {who}").format(who=listed(sorted(self._muted))))
        elif name is None:
            text = _("Nobody here has the name {name}. The others are: {others}")
            self._say(text.format(name=word, others=listed(others)))
        elif name in self._muted:
            self._muted.remove(name)
            self._say(_("{who} is heard again.").format(who=name))
        else:
            self._muted.add(name)
            self._say(_("{who} is muted for you.").format(who=name))

    def _talk(self, words: str) -> None:
        """Send a chat message, or list the ready-made phrases if `words` is empty."""
        if not words:
            for line in chat_phrases.listed():
                self._say(line)
        else:
            self._request(Talk(chat_phrases.meant(words)))

    def hears(self, said: Said) -> bool:
        """Return whether a chat message is to be shown, because its author is not muted."""
        return said.who not in self._muted


def _meant(word: str, names: Iterable[str]) -> str | None:
    """Return the name that a word is, or the only one that it begins in any case, or None."""
    known = list(dict.fromkeys(names))
    begun = [name for name in known if name.casefold().startswith(word.casefold())]
    return word if word in known else begun[0] if len(begun) == 1 and word else None
