"""What a table asks of those who sit down: its terms and its three bounds in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from p2p_hoity.game_adapter import HoityToity
from protocol import Terms, fingerprint

from . import editions
from .card_names import listed
from .translation import N_, _, count, span

EXCEPTIONS: Final = N_(
    "Two exceptions to secrecy: in a split table cheaters see what either part opens, and two"
    " cheaters together can, at the price of a ban, learn one Collectible that is about to be"
    " turned up."
)


def describe(
    terms: Terms, game: HoityToity, names: Sequence[str], watched: bool = True
) -> list[str]:
    """Everything someone should know before sitting down; `watched`: onlookers are let in."""
    return [
        _("Host: key {fingerprint}").format(fingerprint=fingerprint(terms.host)),
        _("Seats: {seats}; seated so far: {who}").format(seats=terms.seats, who=listed(names)),
        *editions.edition_lines(game.edition, game.variant or ""),
        *bounds(terms),
        *absence(terms),
        onlookers(watched),
    ]


def onlookers(watched: bool) -> str:
    """Whether the game may be watched."""
    if watched:
        return _("Onlookers: whoever has the ticket may watch; they see what all seats see.")
    return _("Onlookers: none; the host lets nobody watch this table.")


def bounds(terms: Terms) -> list[str]:
    """Quorum, secrecy, progress and no fork, with this table's numbers."""
    n, t = terms.seats, terms.quorum
    liars = max(0, 2 * t - n - 1)
    found = [
        _("Quorum: {quorum} of {seats}").format(quorum=t, seats=n),
        count(
            "Secrecy: not even {number} seat on its own sees a hidden card or choice.",
            "Secrecy: even {number} seats that plot together see no hidden card or choice.",
            t - 1,
        ).format(number=t - 1),
        _progress(n - t),
        _one_history(liars),
    ]
    if not terms.strict:
        found.append(_(EXCEPTIONS))
    if not liars:
        words = _(
            "If your only link is with one seat, it can see your reveal before the others and cut"
            " you off: link with more than one."
        )
        found.append(words)
    return found


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
        "Absent: after {choice} without a choice ({step} for other steps) the others may declare a"
        " seat absent, and it sits out. {back} Absent is not cheating."
    )
    patience = terms.patience
    words = {"choice": span(patience.choice), "step": span(patience.step)}
    return [text.format(back=_back(terms.returns), **words)]


def _back(returns: int) -> str:
    if not returns:
        return _("It cannot come back unless the game stands still without it.")
    return count(
        "It may come back {number} time.", "It may come back up to {number} times.", returns
    ).format(number=returns)


def as_json(
    terms: Terms, game: HoityToity, names: Sequence[str], watched: bool = True
) -> dict[str, Any]:
    """The same for a program."""
    switches = game.edition.switches
    return {
        "host": fingerprint(terms.host),
        "seats": terms.seats,
        "quorum": terms.quorum,
        **editions.as_json(game.edition),
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
        "step_seconds": terms.patience.step / 1000,
        "returns": terms.returns,
        "watched": watched,
        "seated": list(names),
    }
