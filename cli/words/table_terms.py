"""The words for the terms of a table, and for the ways to reach it.

The terms include the edition and the guarantees of a table. The ways to reach it are its ticket,
its spoken codes and its relays.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from p2p_hoity.game_adapter import HoityToity
from p2p_hoity.installation import download_place
from p2p_hoity.net.address_schemes import Scheme
from p2p_hoity.net.addresses import relay_address
from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.presentation.screen_updates import CodeEnd, Moved, OfferedCode, Reached
from p2p_hoity.shell_words import command
from protocol import Terms, fingerprint

from .edition_text import edition_lines
from .error_sentences import sentence
from .translation import INSTALLED, N_, _, count, listed, span

EXCEPTIONS: Final = N_(
    "Two exceptions to secrecy: in a split table cheaters see what either part opens, and two"
    " cheaters together can, at the price of a ban, learn one Collectible that is about to be"
    " turned up."
)


@dataclass(frozen=True)
class TableOffer:
    """A table as it is offered to those who may sit down.

    Attributes:
        names: The nicknames of those who sit there already.
        host: The host's long-lived public key. None if the host shows none.
        notes: More that a player should know, such as whom a page has to trust.
    """

    terms: Terms
    game: HoityToity
    names: tuple[str, ...]
    host: bytes | None = None
    notes: tuple[str, ...] = ()


def describe(offer: TableOffer) -> list[str]:
    """Return lines with everything that a player should know before sitting down at a table."""
    terms, game, seated = offer.terms, offer.game, listed(offer.names)
    return [
        _host(offer.host),
        _("Seats: {seats}; seated so far: {who}").format(seats=terms.seats, who=seated),
        *edition_lines(game.edition, game.variant or ""),
        *bounds(terms),
        *absence(terms),
        onlookers(terms.watched),
    ]


def _host(key: bytes | None) -> str:
    if key is None:
        return _("Host: shows no key, so nothing here tells who it is.")
    return _("Host: key {fingerprint}").format(fingerprint=fingerprint(key))


def onlookers(watched: bool) -> str:
    """Return the sentence about whether the game may be watched ([L-63])."""
    if watched:
        return _("Onlookers: whoever has the ticket may watch; they see what all seats see.")
    return _("Onlookers: none; the host lets nobody watch this table.")


def bounds(terms: Terms) -> list[str]:
    """Return the guarantees of a table: how many seats may plot, be gone, or lie without harm."""
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
            "If you are linked with one seat only, it can see your choice before the others and "
            "cut you off. Connect to more than one."
        )
        found.append(words)
    return found


def _progress(gone: int) -> str:
    """Return the line about how many seats may be gone while the game goes on."""
    if not gone:
        return _("Progress: the game needs every seat; while one is gone, it pauses.")
    return count(
        "Progress: the game goes on while {number} seat is gone.",
        "Progress: the game goes on while {number} seats are gone.",
        gone,
    ).format(number=gone)


def _one_history(liars: int) -> str:
    """Return the line about how many liars cannot make honest seats follow different histories."""
    if not liars:
        return _("One history: a single liar can split the table, but the proof of it remains.")
    return count(
        "One history: {number} lying seat cannot split the table.",
        "One history: up to {number} lying seats cannot split the table.",
        liars,
    ).format(number=liars)


def absence(terms: Terms) -> list[str]:
    """Return lines about what happens to a seat that does not answer in time."""
    if terms.strict:
        return [_("Every seat is needed: an absence pauses the game until the seat is back.")]
    text = _(
        "Absent: after {choice} without a choice ({step} for other steps) the others may declare a"
        " seat absent, and it sits out. {back} Absent is not cheating."
    )
    patience = terms.timeouts
    words = {"choice": span(patience.choice), "step": span(patience.step)}
    return [text.format(back=_back(terms.rejoins), **words)]


def _back(returns: int) -> str:
    """Return the sentence about how often an absent seat may come back."""
    if not returns:
        return _("It cannot come back, unless the game cannot go on without it.")
    return count(
        "It may come back {number} time.", "It may come back up to {number} times.", returns
    ).format(number=returns)


def reach_lines(update: Reached | Moved) -> list[str]:
    """Return a line for each reason: who can reach the table, who cannot, and what one can do."""
    return [sentence(reason) for reason in update.reasons]


def moved() -> str:
    """Return the sentences to show above the new ticket of a player whose address has changed."""
    return _(
        "Your address has changed since the game began, and not everybody can reach you. Give "
        "this ticket to those who cannot:"
    )


def if_moved(who: str) -> str:
    """Return what to do about seats that may have another address now."""
    words = _(
        "Has {who} come back at another address? Ask for the ticket that {hoity} resume shows"
        " there, and type hoity join TICKET in a second terminal, or here after leaving."
    )
    return words.format(who=who, hoity=INSTALLED)


def if_finished(game: str) -> str:
    """Return what to do in a resumed game if no other seat can be reached.

    Args:
        game: The id of the game as typed after `hoity resume`.
    """
    words = _(
        "They may have finished without you. Ask one of them for the file of the game, leave, and"
        " type: hoity resume {game} --from FILE. Or save what you have: hoity resume {game} --claim"
    )
    return words.format(game=game)


def alone_lines(relays: Sequence[str], by_proxy: bool, was_shown: bool = False) -> list[str]:
    """Return lines about what others learn of a player who can be reached only through relays.

    Args:
        was_shown: Whether the others were told an address when the game began.
    """
    words = _(
        "You can be reached through a relay alone ({relays}), and your program connects to "
        "nothing else. The relay learns your address, with whom you are linked, when, and how "
        "many bytes pass. It cannot read them."
    )
    if by_proxy:
        words = _(
            "You can be reached through a relay alone ({relays}), and your program connects to "
            "nothing else. The relay learns your proxy's address, with whom you are linked, "
            "when, and how many bytes pass. It cannot read them."
        )
    others = _("The others learn that you use this relay, and no address of yours.")
    if was_shown:
        others = _(
            "This game began without --relay-only, so the others know the address that you had "
            "then. They learn no other address from now on."
        )
    return [words.format(relays=", ".join(relays)), others]


AFTER: Final = {
    CodeEnd.USED: N_("A guest got the ticket with the code. Here is the next code."),
    CodeEnd.WRONG: N_(
        "Somebody tried the code with wrong words, or gave up: it is used up. Here is the "
        "next code."
    ),
    CodeEnd.OLD: N_("The code has expired. Here is the next one."),
    CodeEnd.LOST: N_(
        "The relay works again. Here is the next code, since the last one is no longer valid."
    ),
}


def whole(code: OfferedCode) -> str:
    """Return `CODE@HOST:PORT`, for a guest whose program does not use this relay by default."""
    return f"{code.code}@{code.relay}"


def invitation(code: OfferedCode) -> list[str]:
    """Return lines with a spoken code, how long this code is valid, and how the last code ended."""
    told = [] if code.after is None else [_(AFTER[code.after])]
    words = _("CODE  {code}  say it to one of the others, who types: {command}")
    typed = command(INSTALLED, "join", whole(code))
    told.append(words.format(code=code.code, command=typed))
    time = span(round(code.seconds * 1000))
    return [*told, _("It works for one guest and one attempt, within {time}.").format(time=time)]


def page_link(ticket: str, page: str = "") -> str | None:
    """Return the address at which a page leads to the table of a ticket.

    It is None for no ticket, and if the host waits at no relay that is reached by WebSocket.
    Whether the relay serves a page, nobody knows here.

    Args:
        page: The URL of the host's own page. "" without one.
    """
    if page and ticket:
        return f"{page}#{ticket}"
    with suppress(TicketError):
        for relay in map(relay_address, decode_ticket(ticket).relay):
            if relay.is_web:
                scheme = "https" if relay.scheme is Scheme.WSS else "http"
                return f"{scheme}://{relay.web_authority}/#{ticket}"
    return None


def for_newcomers(ticket: str = "") -> list[str]:
    """Return the lines that a host sends, with the ticket, to a friend without the program."""
    if link := page_link(ticket):
        words = _("If the relay serves a page, a friend without the program opens this link:")
        return [words, f"  {link}"]
    place, join = download_place(), command(INSTALLED, "join", "TICKET")
    told = [_("To a friend who does not have the program yet, send also:")]
    if place:
        told.append("  " + _("Get the program from {place}").format(place=place))
        return [*told, "  " + _("In a terminal, type: {command}").format(command=join)]
    words = _("You need Python 3.11 or newer and the folder of the program, which I send you too.")
    line = _("In a terminal in this folder, type: {command}")
    typed = command("python3", "tasks.py", INSTALLED, "join", "TICKET")
    return [*told, f"  {words}", "  " + line.format(command=typed)]


def block(ticket: str) -> list[str]:
    """Return lines with a ticket and what to do with it, and blank lines around the ticket."""
    words = _("TICKET  give it to the others; they type: {hoity} join TICKET")
    return ["", words.format(hoity=INSTALLED), "", ticket, ""]
