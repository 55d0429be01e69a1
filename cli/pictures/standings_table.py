"""The standings in the picture of a game: a row for each seat, with its field and last exhibit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p_hoity.rules import Piece, happenings

from ..words.card_names import colour
from ..words.translation import _, count, listed
from .colours import DIM, GOLD, GOLD_INK, INK, PANEL, RULE
from .path_chart import badge
from .picture_facts import PictureFacts
from .svg_drawing import SERIF, Drawing, cut

MARGIN: Final = 44.0
"""The room at the left and at the right of the picture."""
INNER: Final = 1112.0
"""The width of the picture between its margins."""
RIGHT: Final = MARGIN + INNER
RANK, NAME, FIELD, EXHIBIT = MARGIN + 8, MARGIN + 44, MARGIN + 388, MARGIN + 490
"""Where the columns begin."""
ROW: Final = 66.0
"""The height of a row of which everything fits on one line."""
CARD, CARD_HEIGHT, GAP = 46.0, 44.0, 6.0
"""The width and height of a piece, and the room between two."""
A_LINE: Final = int((RIGHT - EXHIBIT + GAP) // (CARD + GAP))
"""The number of pieces on a line."""


def draw_standings(drawing: Drawing, facts: PictureFacts, y: float) -> float:
    """Draw a row for each seat. Return where they end."""
    heading(drawing, _("Standings") if facts.standings else _("So far"), y)
    drawing.text((FIELD, y), _("Field"), 14, DIM)
    if facts.standings:
        drawing.text((EXHIBIT, y), _("Last exhibit"), 14, DIM)
    y += 16
    ranks = {line.seat: line.rank for line in facts.standings}
    exhibits = {
        item.seat: sorted(item.pieces, key=lambda piece: (piece.letter or "", piece.year or 0))
        for item in facts.record
        if isinstance(item, happenings.FinalExhibit)
    }
    for seat in facts.order:
        rank, exhibit = ranks.get(seat), exhibits.get(seat, [])
        lines = max(1, -(-len(exhibit) // A_LINE))
        height = ROW + (lines - 1) * (CARD_HEIGHT + GAP)
        if rank == 1:
            drawing.rectangle((MARGIN, y), (INNER, height), GOLD, opacity=0.3)
        _seat(drawing, facts, y + ROW / 2, seat)
        if rank is not None:
            at = (RANK + 12, y + 42)
            drawing.text(at, str(rank), 26, INK, "middle", bold=True, family=SERIF)
            _exhibit(drawing, y + 11, exhibit)
        y += height
        drawing.line([(MARGIN, y), (RIGHT, y)], RULE)
    return y


def heading(drawing: Drawing, words: str, y: float) -> None:
    """Draw the heading of a part of the picture."""
    drawing.text((MARGIN, y), words, 20, INK, bold=True, family=SERIF)


def _seat(drawing: Drawing, facts: PictureFacts, y: float, seat: int) -> None:
    """Draw the name of a seat with its look, and its field."""
    path, look = facts.paths[seat], facts.looks[seat]
    badge(drawing, (NAME + 11, y), look)
    drawing.line([(NAME + 30, y), (NAME + 74, y)], look.ink, 2.8, look.dashes)
    x, room = NAME + 86, FIELD - NAME - 94
    whole, note = facts.names.nicknames[seat], _note(facts, seat)
    words = cut(whole, room, 17, bold=True)
    drawing.text((x, y - 1), words, 17, INK, bold=True, whole=whole)
    drawing.text((x, y + 18), cut(note, room, 14), 14, DIM, whole=note)
    drawing.text((FIELD, y + 9), str(path.end), 26, INK, bold=True, family=SERIF)
    gained = path.end - path.fields[-1]
    if gained:
        drawing.text((FIELD + 42, y + 7), f"{path.fields[-1]} + {gained}", 14, DIM)


def _note(facts: PictureFacts, seat: int) -> str:
    """Return the colour of a seat, and whether it was banned or has missed rounds."""
    path = facts.paths[seat]
    notes = [colour(facts.setup.colours[seat])]
    missed = len(path.missed)
    if path.banned is not None:
        notes.append(_("banned"))
    elif missed:
        text = count("absent in {number} round", "absent in {number} rounds", missed)
        notes.append(text.format(number=missed))
    return listed(notes)


def _exhibit(drawing: Drawing, y: float, pieces: Sequence[Piece]) -> None:
    """Draw the pieces of an exhibit, on as many lines as they need."""
    if not pieces:
        drawing.text((EXHIBIT, y + 27), _("no exhibit"), 14, DIM)
    for place, piece in enumerate(pieces):
        line, column = divmod(place, A_LINE)
        _card(drawing, EXHIBIT + column * (CARD + GAP), y + line * (CARD_HEIGHT + GAP), piece)


def _card(drawing: Drawing, x: float, y: float, piece: Piece) -> None:
    """Draw a piece with its letter and its year."""
    drawing.rectangle((x, y), (CARD, CARD_HEIGHT), PANEL, RULE, radius=5)
    drawing.text((x + CARD / 2, y + 20), piece.letter or "?", 17, GOLD_INK, "middle", True, SERIF)
    drawing.text((x + CARD / 2, y + 37), str(piece.year or "?"), 13, INK, "middle")
