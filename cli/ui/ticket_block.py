"""A host's ticket as it is shown: a block of its own, a copy for the clipboard, and a QR code."""

from __future__ import annotations

from collections.abc import Sequence

from .. import printing
from ..words.translation import INSTALLED, _

EDGE = 2
"""Light modules around a QR code: fewer and some cameras do not find it."""
BLOCKS = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
"""Two modules of one column, dark or not, as a character whose ink is light."""


def block(ticket: str) -> list[str]:
    """The ticket with what it is for, apart from all else."""
    words = _("TICKET  give it to the others; they type: {hoity} join TICKET")
    return [
        "",
        words.format(hoity=INSTALLED),
        "",
        ticket,
        "",
    ]


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
