"""The screen of lines. It prints every update as sentences, and shows the table's state on request.

It can also print a ticket as a QR code or copy it to the clipboard.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import View

from ... import printing
from ...words import presence_sentences
from ...words.translation import N_, _
from ...words.update_sentences import REMARKS, FollowedTable, Telling, sentences

EDGE = 2
"""The width of the light border around a QR code, in modules (the squares of the code).

With a narrower border some cameras do not find the code.
"""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""The character for two squares of a QR code, the upper and the lower one. True is a dark square.

The ink of the terminal is light, so a blank shows two dark squares.
"""


def show_qr(ticket: str) -> None:
    """Print a ticket as a QR code, or print that the terminal has no room for it.

    Args:
        ticket: The ticket.
    """
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


def copy(
    text: str,
    done: str = N_("The ticket was sent to your clipboard. Not every terminal accepts it."),
) -> None:
    """Copy a text to the clipboard, if the terminal can, and print whether it did.

    Args:
        text: The text, usually a ticket.
        done: The message to print if the text was sent to the terminal.
    """
    is_sent = printing.copy(text)
    printing.say(_(done) if is_sent else _("There is no terminal with which to copy it."))


def qr(ticket: str) -> list[str]:
    """Return the QR code of a ticket as lines of text, with two rows of the code in each line.

    The ticket is encoded in capitals, which take less room. A ticket may be typed in any case.

    Args:
        ticket: The ticket.

    Returns:
        The lines of block characters.
    """
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
    """Return one line of text for two rows of a QR code, in which True is a dark square."""
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


Say = Callable[[str], None]
"""A function that prints one line."""


class LineScreen(FollowedTable):
    """A screen that prints each update in sentences.

    It also stores the table's state, from which it prints a page when the player asks for one.

    Attributes:
        say: Prints one line.
        is_confirmed: Whether the player has just confirmed a choice, which is then not printed
            again.
        by_bot: Whether a bot plays the seat.
    """

    def __init__(self, say: Say, options: str = "") -> None:
        """Make a screen for a table that still waits for guests.

        Args:
            say: Prints one line.
            options: The options, such as `--plain `, in commands that the screen tells the player
                to type.
        """
        super().__init__()
        self.say = say
        self._options = options
        self.is_confirmed = self.by_bot = False
        self._owes_awaited = False

    @property
    def view(self) -> View | None:
        """The game as this seat may see it."""
        return self.scene.view

    @property
    def typed_game(self) -> str:
        """The words to type after `hoity resume`: options and id of the game. "" before a game."""
        return Telling(self.names, self.scene, self._options).game

    def note(self, words: str) -> None:
        """Print a message that is no part of the game, in brackets.

        Args:
            words: The message.
        """
        self.say(f"  [{words}]")

    def __call__(self, update: updates.Update) -> None:
        """Take in an update and print its sentences.

        Args:
            update: The update.
        """
        before = self.follow(update)
        self._take(update)
        telling = Telling(self.names, before, self._options, self.by_bot, printing.width)
        if isinstance(update, updates.ChoiceTaken) and self.is_confirmed:
            self._owes_awaited, self.is_confirmed = True, False
            return
        tell = self.note if type(update) in REMARKS else self.say
        for line in sentences(update, telling):
            tell(line)

    def _take(self, update: updates.Update) -> None:
        """Handle an update for the line that names the seats that still have to choose.

        This line is printed at most once after each choice of this player, by a `Clock` update. It
        is no longer needed after an event of the game, or a reminder that seats are awaited.
        """
        if isinstance(update, updates.Clock):
            self._tell_awaited(update)
        if isinstance(update, updates.Happened | updates.Awaited | updates.ChoiceTaken):
            self._owes_awaited = False

    def _tell_awaited(self, update: updates.Clock) -> None:
        """After this player's choice, print once which other seats have not chosen yet, if any."""
        self._owes_awaited &= not update.is_opening
        if self.names is None or not self._owes_awaited:
            return
        others = update.awaited - {self.names.mine}
        if others and self.names.mine not in update.awaited:
            who = presence_sentences.awaited(others, self.scene.attendance, self.names)
            self.note(_("sealed; awaited: {who}").format(who=who))
            self._owes_awaited = False
