"""The ticket at the line prompt: shown, copied to the clipboard, or printed as a QR code."""

from __future__ import annotations

from collections.abc import Sequence

from p2p_hoity.presentation.screen_updates import Moved, OfferedCode, Reached, Update

from ... import printing
from ...words.table_terms import whole
from ...words.translation import N_, _
from .line_screen import LineScreen, Say

EDGE = 2
"""The light border of a QR code, in modules (squares). Some cameras need as much to find it."""
# The ink of the terminal is light, so a blank shows two dark squares.
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""The character for an upper and a lower square of a QR code. True is a dark square."""


def show_qr(ticket: str) -> None:
    """Print a ticket as a QR code, or print that the terminal has no room for it."""
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
    """Copy a text to the clipboard, and print `done`, or that there is no terminal."""
    is_sent = printing.copy(text)
    printing.say(_(done) if is_sent else _("There is no terminal with which to copy it."))


def qr(ticket: str) -> list[str]:
    """Return the QR code of a ticket as lines of text, with two rows of the code in each line."""
    import segno

    # Capitals take less room, and a ticket may be typed in any case.
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


class LineTicket:
    """The commands that copy and show a ticket and its spoken code. `word` is the ticket."""

    def __init__(self, say: Say, screen: LineScreen) -> None:
        self._say, self._screen = say, screen
        self.word: str | None = None

    def follow(self, update: Update) -> None:
        """Take a better ticket from an update that has one."""
        if isinstance(update, Reached | Moved) and update.ticket:
            self.word = update.ticket

    def copy(self) -> None:
        """Copy the ticket to the clipboard."""
        if self.word is None:
            self._say(_("There is no ticket here to copy."))
        else:
            copy(self.word)

    def copy_code(self) -> None:
        """Copy the spoken code to the clipboard."""
        code = self._screen.scene.code
        if isinstance(code, OfferedCode):
            done = N_("The code was sent to your clipboard. Not every terminal accepts it.")
            copy(whole(code), done)
        else:
            self._say(_("There is no code here to copy."))

    def show(self) -> None:
        """Print the ticket as a QR code."""
        if self.word is None:
            self._say(_("There is no ticket here to show."))
        else:
            show_qr(self.word)
