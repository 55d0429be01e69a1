"""Tickets, codes and relays in words: how others reach a seat, and find it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from p2p_hoity.presentation.screen_updates import Code, CodeEnd, Moved, Reached, RelayState

from .error_sentences import sentence
from .translation import INSTALLED, N_, _, span


def reach_lines(update: Reached | Moved) -> list[str]:
    """From where it works, why not further, and what to do: a line each."""
    return [sentence(reason) for reason in update.reasons]


def moved() -> str:
    """Return why a player is shown a ticket in the middle of a game."""
    return _(
        "You are elsewhere than when the game began, and not everybody finds you. Give this ticket"
        " to those who do not:"
    )


def if_moved(who: str) -> str:
    """Return what to do about seats that are elsewhere now, perhaps."""
    words = _(
        "Has {who} come back at another address? Ask for the ticket that {hoity} resume shows"
        " there, and type hoity join TICKET in a second terminal, or here after leaving."
    )
    return words.format(who=who, hoity=INSTALLED)


def if_finished(game: str) -> str:
    """Return what to do about a game that was resumed and in which nobody is found.

    Args:
        game: The game as it stands behind `hoity resume`.
    """
    words = _(
        "They may have finished without you. Ask one of them for the file of the game, leave, and"
        " type: hoity resume {game} --from FILE. Or save what you have: hoity resume {game} --claim"
    )
    return words.format(game=game)


def alone_lines(relays: Sequence[str], by_proxy: bool, was_shown: bool = False) -> list[str]:
    """Return what each party learns of a player who is reached through relays alone.

    Args:
        relays: Those that are used.
        by_proxy: Whether they are dialled by a proxy.
        was_shown: Whether the others were told an address when the game began.
    """
    words = _(
        "You are reached through a relay alone ({relays}), and dial nothing else. The relay learns"
        " your address, with whom you are linked, when, and how many bytes pass; not a word of it."
    )
    if by_proxy:
        words = _(
            "You are reached through a relay alone ({relays}), and dial nothing else. The relay"
            " learns your proxy's address, with whom you are linked, when, and how many bytes pass;"
            " not a word of it."
        )
    others = _("The others learn that you use this relay, and no address of yours.")
    if was_shown:
        others = _(
            "This game began without --relay-only: the others were told the address that you had"
            " then. They learn no other one from now on."
        )
    return [words.format(relays=", ".join(relays)), others]


def of_relay(update: RelayState) -> str:
    """Return whether a relay lets this seat wait there, and what that means."""
    if update.why is None:
        words = _("The relay {relay} lets you wait there again: others reach you through it.")
        return words.format(relay=update.relay)
    words = _(
        "The relay {relay} does not let you wait there ({why}). It is asked again and again; who"
        " reaches you directly does not need it."
    )
    return words.format(relay=update.relay, why=sentence(update.why))


def taken(name: str) -> str:
    """Return that a ticket was handed to this game."""
    return _("A fresh ticket: {name} is dialled where it says, too.").format(name=name)


AFTER: Final = {
    CodeEnd.USED: N_("A guest has the ticket by the code; here is another."),
    CodeEnd.WRONG: N_(
        "Somebody tried the code with wrong words, or broke off: it is burned. Here is another."
    ),
    CodeEnd.OLD: N_("The time of the code is over; here is another."),
    CodeEnd.LOST: N_("There is a relay again, and another code: the last one is worth nothing."),
}


def whole(code: Code) -> str:
    """Return the code with its relay: what a guest types who keeps no relay, or another."""
    return f"{code.code}@{code.relay}"


def invitation(code: Code) -> list[str]:
    """Return what became of the last code, the one there is now, and what it is good for."""
    told = [] if code.after is None else [_(AFTER[code.after])]
    words = _("CODE  {code}  say it to one of the others, who types: {hoity} join {whole}")
    told.append(words.format(code=code.code, hoity=INSTALLED, whole=whole(code)))
    time = span(round(code.seconds * 1000))
    return [*told, _("It is good for one guest and one try, for {time}.").format(time=time)]


def block(ticket: str) -> list[str]:
    """Return the lines of a ticket and what it is for, apart from everything else."""
    words = _("TICKET  give it to the others; they type: {hoity} join TICKET")
    return ["", words.format(hoity=INSTALLED), "", ticket, ""]
