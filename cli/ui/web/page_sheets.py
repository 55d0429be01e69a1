"""The pages of text, and what came of saving a picture, as messages for a window."""

from __future__ import annotations

from collections.abc import Callable

from p2p_hoity.presentation import window_messages as windows
from p2p_hoity.presentation.window_messages import StyledText

from ...table_view.desk import Desk
from ...table_view.sheets import sheet
from ...table_view.stage import Stage
from ...words.table_terms import page_link
from ...words.translation import _
from ..saved_picture import save_picture
from .window_requests import SheetName


def page_sheet(
    name: SheetName, stage: Stage, desk: Desk, ticket: str, page: str = ""
) -> windows.Sheet:
    """Return a page of text, with the ticket on the pages where it is looked for.

    Args:
        page: The URL of the page, as `page_link` takes it.
    """
    if name in ("ticket", "link"):
        found = ticket if name == "ticket" else page_link(ticket, page) or ""
        none = () if found else (_line(_("Nothing yet."), "dim"),)
        title = _("Ticket") if name == "ticket" else _("Link")
        return windows.Sheet(name, title, none, *_given(found))
    title, told = sheet(name, stage, desk)
    lines = tuple(
        tuple(StyledText(words, style.lstrip("*")) for words, style in one.texts) for one in told
    )
    shown = ticket if name == "links" and stage.scene.moved is not None else ""
    return windows.Sheet(name, title, lines or (_line(_("Nothing yet."), "dim"),), *_given(shown))


def _line(words: str, style: str) -> tuple[StyledText, ...]:
    return (StyledText(words, style),)


def _given(words: str) -> tuple[str | None, str | None, int]:
    """Return a ticket or a link with its QR code as the path of a picture, and its size."""
    if not words:
        return None, None, 0
    import segno

    # Capitals take less room, and a ticket may be typed in any case.
    is_link = "://" in words
    rows = segno.make_qr(words if is_link else words.upper(), error="l").matrix
    dark = ((x, y) for y, row in enumerate(rows) for x, is_dark in enumerate(row) if is_dark)
    return words, "".join(f"M{x},{y}h1v1h-1z" for x, y in dark), len(rows)


def saved_picture(stage: Stage, save: Callable[[str, str], str]) -> windows.Saved:
    """Save a picture of the game that is over, and return what came of it."""
    return windows.Saved(save_picture(stage, save) or _("Nothing yet."))
