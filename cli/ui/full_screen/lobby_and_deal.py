"""The screens that ask nothing: while the table fills, and at the deal."""

from __future__ import annotations

from collections.abc import Sequence

from p2p_hoity.presentation import screen_updates as updates

from ...table_view.deal import PROMISES, progress, step_words, warnings
from ...table_view.seats import seat_style
from ...table_view.stage import Stage, keys_of
from ...words import rules_text, table_terms
from ...words.error_sentences import sentence
from ...words.seats_in_pages import page_lines
from ...words.translation import _
from .seats_and_pieces import marks_of
from .styled_lines import Line, broken, fit, paragraphs, text

BAR = 40


def lobby(stage: Stage, width: int, papers: Sequence[str]) -> list[Line]:
    """Return the screen while the table fills: its seats, and below them the lines `papers`."""
    seated = _("Seated {number} of {seats}").format(
        number=len(stage.scene.lobby), seats=stage.scene.of_seats
    )
    lines = [text(" " + seated, "title")] if stage.scene.of_seats else []
    for number, name in enumerate(stage.scene.lobby, 1):
        lines.append(text(f"   {number}  {name}", "bright"))
    for number in range(len(stage.scene.lobby) + 1, stage.scene.of_seats + 1):
        lines.append(text(f"   {number}  …", "dim"))
    if stage.lobby_note:
        lines += broken(" " + stage.lobby_note, width - 1, "bright", "   ")
    if stage.scene.in_pages is not None:
        lines += paragraphs(page_lines(stage.scene.in_pages), width - 1, hanging=" ")
    lines += [Line(), *_code(stage.scene.code, width)]
    return [*lines, *paragraphs(papers, width - 1)]


def _code(code: updates.OfferedCode | updates.NoCode | None, width: int) -> list[Line]:
    """Return the lines with the code that the host can speak to a guest, or why there is none."""
    if code is None:
        return []
    if isinstance(code, updates.NoCode):
        return [*paragraphs([sentence(code.reason)], width - 1), Line()]
    *after, invitation, life = table_terms.invitation(code)
    copies = _("{life} d copies it.").format(life=life)
    lines = [*paragraphs(after, width - 1), *paragraphs([invitation], width - 1, "title")]
    return [*lines, *paragraphs([copies], width - 1), Line()]


def deal(stage: Stage, width: int) -> list[Line]:
    """Return the screen during the deal: its progress, and the key of each seat."""
    table = stage.scene.table
    if table is None:
        return []
    done, total = progress(stage.scene, table.seats)
    filled = round(BAR * done / total)
    bar = text(" " + "█" * filled, "title").add("░" * (BAR - filled), "rule")
    bar.add(f" {done}/{total}", "dim")
    lines = [text(" " + _("The cards are shuffled by every seat in turn."), "title"), bar]
    if words := step_words(stage):
        lines.append(text("   " + words, "bright"))
    lines.append(Line())
    keys = keys_of(stage.scene)
    marks = marks_of([nickname for nickname, _key in keys])
    for seat, (mark, (nickname, key)) in enumerate(zip(marks, keys, strict=True)):
        line = text(f"   {mark} ", seat_style(stage, seat)).add(fit(nickname, 16), "bright")
        lines.append(line.add(key, "dim").within(width))
    lines.append(Line())
    lines += paragraphs(warnings(stage), width - 1, "warn", hanging=" ")
    return lines + paragraphs(map(_, PROMISES), min(width - 1, 90), "dim", hanging=" ")


def ten_lines(stage: Stage, width: int) -> list[Line]:
    """Return the lines of the page with the rules in brief."""
    if stage.names is None:
        return []
    return [text(words, "plain") for words in rules_text.lines(stage.names.edition, width)]
