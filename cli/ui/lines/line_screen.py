"""The screen of lines: every update becomes sentences, and the latest view is kept.

A host's ticket is also shown as a block of lines or as a QR code, or copied to the clipboard.
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
"""The light modules around a QR code. With fewer, some cameras do not find it."""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""The character for two modules, one above the other. Its ink is light, and True is dark."""


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
        done: The message if it was sent to the terminal.
    """
    is_sent = printing.copy(text)
    printing.say(_(done) if is_sent else _("There is no terminal with which to copy it."))


def qr(ticket: str) -> list[str]:
    """Return the QR code of a ticket, with two rows of modules in each line.

    Capital letters alone take less room, and a ticket is read the same in capitals.

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
    """Return the characters for two rows of modules."""
    return "".join(BLOCKS[pair] for pair in zip(above, below, strict=True))


Say = Callable[[str], None]
"""A function that prints one line."""


class LineScreen(FollowedTable):
    """A screen that prints each update in sentences, and keeps the scene and the names for pages.

    Attributes:
        say: Prints one line.
        is_confirmed: Whether the player has just confirmed a choice, which is then not printed
            again.
        by_bot: Whether a bot plays the seat.
    """

    def __init__(self, say: Say, options: str = "") -> None:
        """Begin before the table is complete.

        Args:
            say: Prints one line.
            options: The options before the id of a game in the commands that are shown.
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
        """The id of the game as typed after `hoity resume`. "" before the game has begun."""
        return Telling(self.names, self.scene, self._options).game

    def note(self, words: str) -> None:
        """Print a message that is no part of the game.

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
        """Store what this screen alone needs of an update."""
        if isinstance(update, updates.Clock):
            self._tell_awaited(update)
        if isinstance(update, updates.Happened | updates.Awaited | updates.ChoiceTaken):
            self._owes_awaited = False

    def _tell_awaited(self, update: updates.Clock) -> None:
        """Print once after a choice who is awaited, unless this seat was the last to seal."""
        self._owes_awaited &= not update.is_opening
        if self.names is None or not self._owes_awaited:
            return
        others = update.awaited - {self.names.mine}
        if others and self.names.mine not in update.awaited:
            who = presence_sentences.awaited(others, self.scene.attendance, self.names)
            self.note(_("sealed; awaited: {who}").format(who=who))
            self._owes_awaited = False
