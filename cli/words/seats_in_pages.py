"""The words about seats whose programs run in pages of a browser."""

from __future__ import annotations

import re
from collections.abc import Mapping

from p2p_hoity.presentation.screen_updates import InPages

from .translation import _, listed


def page_lines(update: InPages, before: InPages | None = None) -> list[str]:
    """Return a line for each server, or for those whose seats have changed since `before`."""
    known: Mapping[str, str] = {} if before is None else before.servers
    told = []
    for server in dict.fromkeys(map(_host, update.servers.values())):
        who = _of(server, update.servers)
        if who != _of(server, known) and who != [update.mine]:
            told.append(_one_server(server, who, update))
    return told


def _host(server: str) -> str:
    """Return the host of a server: whoever runs it has all of its ports."""
    return re.sub(r":[0-9]+\Z", "", server).rstrip(".")


def _of(server: str, servers: Mapping[str, str]) -> list[str]:
    """Return the nicknames of the seats whose page is of a server, given by its host."""
    return [name for name, other in servers.items() if _host(other) == server]


def _one_server(server: str, who: list[str], update: InPages) -> str:
    """Return what whoever runs a server could do with the seats in its pages."""
    if len(who) == 1:
        words = _(
            "{who} plays in a page of {server}. Whoever runs this server could change the page, "
            "and then see the cards of this seat and play for it."
        )
        return words.format(who=who[0], server=server)
    words = _(
        "{number} of {seats} seats play in pages of {server}: {who}. Whoever runs this server "
        "could change the pages, and then play for all of these seats."
    )
    told = words.format(number=len(who), seats=update.seats, server=server, who=listed(who))
    return " ".join((told, *_dangers(len(who), update.seats, update.quorum)))


def _dangers(number: int, seats: int, quorum: int) -> list[str]:
    """Return which promises of SPEC, section 12.1, so many seats in one hand can break."""
    if number >= quorum:
        return [_("They are enough to see every hidden card and choice.")]
    told = []
    if number > seats - quorum:
        told.append(_("They are enough to stop the game."))
    if number > 2 * quorum - seats - 1:
        told.append(_("They are enough to split the table, but the proof of it remains."))
    return told
