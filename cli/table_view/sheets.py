"""The pages of text that a person opens beside the table, as paragraphs for any screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation.screen_updates import Attending
from p2p_hoity.presentation.window_messages import StyledText

from ..words import choice_names, rules_text
from ..words.card_names import grid
from ..words.chat_phrases import spoken
from ..words.recap_sentences import recap
from ..words.seats_in_pages import page_lines
from ..words.table_terms import if_finished, if_moved, moved, reach_lines
from ..words.translation import N_, _
from .desk import Desk, is_muted
from .question_menu import BEST
from .seats import author_of, name_of, seat_style
from .stage import Stage, keys_of


@dataclass(frozen=True)
class Paragraph:
    """Texts that follow each other. `hanging` stands before its second and further lines."""

    texts: tuple[StyledText, ...]
    hanging: str = ""


def sheet(name: str, stage: Stage, desk: Desk) -> tuple[str, list[Paragraph]]:
    """Return the title and the paragraphs of a page, which has none if there is nothing yet."""
    title, write = SHEETS[name]
    return _(title), list(write(stage, desk))


def one(words: str, style: str = "plain", hanging: str = "") -> Paragraph:
    """Return a paragraph of one style."""
    return Paragraph((StyledText(words, style),), hanging)


def _all(told: Iterable[str], first: str = "", hanging: str = "") -> list[Paragraph]:
    return [one(first + words, hanging=hanging) for words in told]


BLANK: Final = one("")
Write = Callable[[Stage, Desk], Iterable[Paragraph]]


def _pieces(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page of all Collectibles that lie in the windows or belong to a seat."""
    view, names = stage.scene.view, stage.names
    if view is None or names is None:
        return []
    found, told = grid(view), list[Paragraph]()
    for top in found.tops:
        words = _("Window {number}: {piece}").format(
            number=top.window + 1, piece=names.piece(view.piece(top.slot))
        )
        told.append(one(words, "title", "  "))
    for row in found.rows:
        told.append(one(name_of(stage, row.seat), seat_style(stage, row.seat)))
        for mark in (mark for cell in row.cells for mark in cell):
            words = "  " + names.piece(view.piece(mark.slot))
            told.append(one(words + (" *" if mark.is_secret else ""), hanging="    "))
        if row.unknown:
            words = _("  and {number} that only its owner sees").format(number=row.unknown)
            told.append(one(words, "dim"))
    if view.seat is not None:
        told.append(one(_("* secret: only you see it"), "dim"))
    return told


def _log(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page of the log, with the chat above it."""
    heard = [said for said in stage.scene.talk if not is_muted(desk, said)]
    told = [one(_("Talk"), "title")] if heard else []
    for said in heard:
        told.append(one(f"» {author_of(stage, said)}: {spoken(said.words)}", hanging="» "))
    if heard:
        told.append(BLANK)
    return [*told, *_all(stage.log, hanging="  ")]


def _recap(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page with the last round in brief."""
    return [] if stage.names is None else _all(recap(stage.scene, stage.names), hanging="    ")


def _rules(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the rules of the edition that is played, or of the usual one before a game."""
    edition = load() if stage.names is None else stage.names.edition
    return _all(rules_text.paragraphs(edition))


def _proofs(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page of proofs, or of a replay the whole verdict on its file."""
    return [*_all(desk.checked, hanging="    "), *_all(stage.proofs, "✓ ", "  ")]


LINKS: Final = {
    Attending.LINKED: N_("linked"),
    Attending.UNLINKED: N_("link lost: reached through others, if at all"),
    Attending.LEFT: N_("left for now"),
    Attending.ABSENT: N_("absent"),
    Attending.BANNED: N_("banned for cheating"),
}


def _links(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page with the link to each seat and the fingerprint of its key."""
    scene = stage.scene
    if scene.table is None:
        return []
    told = []
    servers = {} if scene.in_pages is None else scene.in_pages.servers
    for seat, (nickname, key) in enumerate(keys_of(scene)):
        texts = [StyledText(f"{nickname}: ", seat_style(stage, seat))]
        if seat == scene.seat:
            texts.append(StyledText(_("you") + "  ", "plain"))
        elif scene.attendance:  # A replay has no links.
            texts.append(StyledText(_(LINKS[scene.attendance[seat]]) + "  ", "plain"))
            relay = scene.relays.get(nickname, "")
            if relay and scene.attendance[seat] is Attending.LINKED:
                through = _("through the relay {relay}").format(relay=relay)
                texts.append(StyledText(through + "  ", "plain"))
        if server := servers.get(nickname):
            inside = _("in a page of {server}").format(server=server)
            texts.append(StyledText(inside + "  ", "plain"))
        told.append(Paragraph((*texts, StyledText(key, "dim"))))
    pages = () if scene.in_pages is None else page_lines(scene.in_pages)
    warned = [found for words in pages for found in (BLANK, one(words))]
    return [*told, *warned, *_lost(stage), *_own_ticket(stage)]


def _lost(stage: Stage) -> list[Paragraph]:
    """Return advice about seats that are not linked, such as how to reach them elsewhere."""
    seats = stage.scene.lost_seats
    if not seats or stage.names is None:
        return []
    told = [if_moved(stage.names.seats(seats))] if stage.scene.moved is None else []
    # The others may have finished the game while this seat was away.
    if stage.scene.is_resumed and stage.scene.is_alone:
        told.append(if_finished(stage.scene.game))
    return [found for words in told for found in (BLANK, one(words, "warn"))]


def _own_ticket(stage: Stage) -> list[Paragraph]:
    """Return the ticket of this seat's new address, if the seat has moved."""
    found = stage.scene.moved
    return [] if found is None else [BLANK, *_all((moved(), found.ticket, *reach_lines(found)))]


def _advice(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the page with the hard bot's choice, or with the reason why there is no hint."""
    asked = stage.scene.question
    if desk.lesson is not None:
        found = [_(choice_names.NOT_LEARNING)]
    else:
        open_choice = None if asked is None else (asked.view, asked.kind)
        found = choice_names.hint(open_choice, stage.names, desk.has_hints, BEST)
    return _all(found, hanging=" " * 7)


def _numbers(stage: Stage, desk: Desk) -> list[Paragraph]:
    """Return the guarantees. While the table fills, the ticket and the terms stand above them."""
    papers = (*desk.papers, "") if stage.scene.table is None and desk.papers else ()
    return _all((*papers, *desk.numbers), hanging="  ")


SHEETS: Final[Mapping[str, tuple[str, Write]]] = {
    "pieces": (N_("Pieces"), _pieces),
    "log": (N_("Log"), _log),
    "recap": (N_("What has happened"), _recap),
    "rules": (N_("Rules"), _rules),
    "proofs": (N_("Proofs"), _proofs),
    "links": (N_("Links and keys"), _links),
    "advice": (N_("Hint"), _advice),
    "numbers": (N_("What this table promises"), _numbers),
}
"""The title and the function of every page, by name."""
