"""Pages of the line prompt, shown on demand: board, hands, names, log, rules, proofs and help."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from p2p_hoity import rules

from ..printing import width
from ..words import board_text, rules_text, ticket_sentences
from ..words.card_names import Names
from ..words.translation import N_, _
from . import ticket_block
from .line_screen import SeatScreen
from .line_talk import HELP as TALK_HELP

HELP: Final = (
    N_("A number or its words choose, as in 2, castle, thief 10; y or Enter confirms, n does not."),
    N_("p picks an exhibit of your own: by letters (p AABB), years (p 1623 1874) or numbers of i."),
    N_("b board · h hands of Action cards · i names of Collectibles (i B1649: that one) · l log"),
    N_("r the rules in one screen, as `hoity rules` prints them · proofs: what was proven so far"),
    N_("hint shows what the hard bot would do; against your own bots only"),
    N_("wait gives who is awaited longer before the game may go on without them"),
    N_("a gives your seat to a bot, and takes it back · q leaves; the game can be resumed"),
    N_(
        "An octagon, as in 4/2, says how far exhibits move: the best 4 fields, the second-best 2."
        " The octagon where the leading figure stands counts."
    ),
)
HOST_HELP: Final = N_("c copies the ticket · qr shows it as a QR code · code copies the code")
FIRST_HINT: Final = N_("b shows the board, r the rules, ? what else you can type.")
PROOFS: Final = 20
"""Lines about proofs that one look shows."""


def key_of(word: str) -> str:
    """The key that a word, in small letters, stands for; any other word as it is."""
    return KEYS.get(word, word)


class Pages:
    """What a person may look at any time, whether asked or not."""

    def __init__(self, screen: SeatScreen) -> None:
        self._screen = screen
        self._say = screen.say
        self.ticket: str | None = None

    def help(self, rest: str) -> None:
        """What can be typed."""
        for line in HELP + TALK_HELP:
            self._say(_(line))
        if self.ticket is not None:
            self._say(_(HOST_HELP))

    def board(self, rest: str) -> None:
        """The table on one screen."""
        self._show(board_text.board)

    def hands(self, rest: str) -> None:
        """All Action cards."""
        self._show(board_text.hands)

    def names(self, rest: str) -> None:
        """One's own Collectibles and those in the windows by name; or those called so."""
        if rest:
            self._show(lambda view, names: board_text.named(view, names, rest))
        else:
            self._show(board_text.pieces)

    def _show(self, page: Callable[[rules.View, Names], list[str]]) -> None:
        if self._screen.view is None or self._screen.names is None:
            self._say(_("The cards are not dealt yet."))
            return
        for line in page(self._screen.view, self._screen.names):
            self._say(line)

    def rules(self, rest: str) -> None:
        """The rules of this table's edition."""
        if self._screen.names is None:
            self._say(_("The cards are not dealt yet."))
            return
        for line in rules_text.lines(self._screen.names.edition, width()):
            self._say(line)

    def log(self, rest: str) -> None:
        """This round and the one before it in full sentences."""
        for line in self._screen.log.recent():
            self._say(line)

    def proofs(self, rest: str) -> None:
        """The latest of what was proven."""
        found = self._screen.proofs[-PROOFS:]
        for line in found or [_("Nothing is proven yet.")]:
            self._say(f"  {line}")

    def copy(self, rest: str) -> None:
        """The ticket to the clipboard."""
        if self.ticket is None:
            self._say(_("There is no ticket here to copy."))
        else:
            ticket_block.copy(self.ticket)

    def code(self, rest: str) -> None:
        """The code to the clipboard."""
        code = self._screen.code
        if code is None:
            self._say(_("There is no code here to copy."))
        else:
            ticket_block.copy_code(ticket_sentences.whole(code))

    def qr(self, rest: str) -> None:
        """The ticket as a QR code."""
        if self.ticket is None:
            self._say(_("There is no ticket here to show."))
        else:
            ticket_block.show_qr(self.ticket)

    def answers(self, word: str, rest: str) -> bool:
        """Whether this word opens a page; then it is shown."""
        key = key_of(word)
        page = PAGES.get(key)
        if page is None or (rest and key not in WITH_REST):
            return False
        page(self, rest)
        return True


PAGES: Final[dict[str, Callable[[Pages, str], None]]] = {
    "b": Pages.board,
    "h": Pages.hands,
    "i": Pages.names,
    "l": Pages.log,
    "r": Pages.rules,
    "proofs": Pages.proofs,
}
"""The pages that an onlooker may see too."""
SPELLED: Final = {
    "?": ("help", "hilfe", "ayuda"),
    "b": ("board", "spielplan", "tablero"),
    "h": ("hands", "karten", "cartas"),
    "i": ("pieces", "names", "stücke", "namen", "piezas", "nombres"),
    "l": ("log", "verlauf", "registro"),
    "r": ("rules", "regeln", "reglas"),
    "proofs": ("beweise", "pruebas"),
    "hint": ("tipp", "pista"),
}
"""Words of every language that one may try in the place of a key."""
KEYS: Final = {word: key for key, words in SPELLED.items() for word in words}
WITH_REST: Final = frozenset({"i"})
"""Those that something may stand behind."""
