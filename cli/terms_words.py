"""What a table asks of those who sit down: its terms and its three bounds in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from p2p_hoity.rules import Edition
from p2p_hoity.table import HoityToity
from protocol.header import Terms
from protocol.identity import fingerprint

from .card_words import listed
from .lingo import N_, _, count

RECONSTRUCTIBLE = frozenset({N_("years"), N_("names"), N_("cash"), N_("thieves"), N_("track")})


VARIANTS: Final = {
    "surprise": N_("Surprise: Place and Action are chosen together."),
    "confrontation": N_(
        "Confrontation: odd rounds in the Auction Hall, even rounds in the Castle;"
        " only an Action is chosen."
    ),
}
"""What each variant for two seats changes, in the terms as in the rules."""


def describe(terms: Terms, game: HoityToity, names: Sequence[str]) -> list[str]:
    """Everything someone should know before sitting down."""
    return [
        _("Host: key {fingerprint}").format(fingerprint=fingerprint(terms.host)),
        _("Seats: {seats}; seated so far: {who}").format(seats=terms.seats, who=listed(names)),
        *edition_lines(game.edition, game.variant or ""),
        *bounds(terms),
        *absence(terms),
    ]


def edition_lines(edition: Edition, variant: str = "") -> list[str]:
    """The edition and its switches; a variant says itself when Actions are chosen."""
    switches = edition.switches
    lines = [
        _("Edition: {name}, {size} Collectibles").format(
            name=edition.name, size=len(edition.collectibles)
        ),
        _(VARIANTS[variant])
        if variant
        else _("The Castle's Actions are chosen after the sale.")
        if switches.action_choice == "staged"
        else _("All Actions are chosen at once, before the sale."),
        _("A Detective may be played in the Auction Hall.")
        if switches.detective_in_hall
        else _("No Detective in the Auction Hall."),
        _("A Detective's rank is taken after the Exhibits have moved.")
        if switches.detective_rank == "after"
        else _("A Detective's rank is taken before the Exhibits move."),
    ]
    if edition.reconstructed:
        what = listed(_(part) for part in edition.reconstructed)
        lines.append(_("Reconstructed, not printed in the sources: {what}").format(what=what))
    return lines


def bounds(terms: Terms) -> list[str]:
    """Quorum, secrecy, progress and no fork, with this table's numbers."""
    n, t = terms.seats, terms.quorum
    return [
        _("Quorum: {quorum} of {seats}").format(quorum=t, seats=n),
        count(
            "Secrecy: not even {number} seat on its own sees a hidden card or choice.",
            "Secrecy: even {number} seats that plot together see no hidden card or choice.",
            t - 1,
        ).format(number=t - 1),
        _progress(n - t),
        _one_history(max(0, 2 * t - n - 1)),
        _(
            "Whoever is your only path to the others can see your reveal first while he cuts you"
            " off: link to more than one seat."
        ),
    ]


def _progress(gone: int) -> str:
    if not gone:
        return _("Progress: the game needs every seat; while one is gone, it pauses.")
    return count(
        "Progress: the game goes on while {number} seat is gone.",
        "Progress: the game goes on while {number} seats are gone.",
        gone,
    ).format(number=gone)


def _one_history(liars: int) -> str:
    if not liars:
        return _("One history: a single liar can split the table, but the proof of it remains.")
    return count(
        "One history: {number} lying seat cannot split the table.",
        "One history: up to {number} lying seats cannot split the table.",
        liars,
    ).format(number=liars)


def absence(terms: Terms) -> list[str]:
    """What happens to those who do not answer."""
    if terms.strict:
        return [_("Every seat is needed: an absence pauses the game until the seat is back.")]
    text = _(
        "Absent: after {choice} s without a choice ({step} s for other steps) the others may"
        " declare a seat absent; it sits out and may come back. Absent is not cheating."
    )
    patience = terms.patience
    return [text.format(choice=patience.choice // 1000, step=patience.step // 1000)]


def as_json(terms: Terms, game: HoityToity, names: Sequence[str]) -> dict[str, Any]:
    """The same for a program."""
    switches = game.edition.switches
    return {
        "host": fingerprint(terms.host),
        "seats": terms.seats,
        "quorum": terms.quorum,
        "edition": game.edition.name,
        "variant": game.variant,
        "switches": {
            "action_choice": switches.action_choice,
            "detective_in_hall": switches.detective_in_hall,
            "detective_rank": switches.detective_rank,
        },
        "secrecy": terms.quorum - 1,
        "progress": terms.seats - terms.quorum,
        "no_fork": max(0, 2 * terms.quorum - terms.seats - 1),
        "patience_seconds": terms.patience.choice / 1000,
        "seated": list(names),
    }
