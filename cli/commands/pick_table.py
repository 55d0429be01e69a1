"""Which table of this LAN to sit down at: picked from a list, or by its host's nickname."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import trio

from p2p_hoity.confusable_names import twins
from p2p_hoity.net.lan_discovery import Announcement, browse
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.table.spoken_codes import is_code
from protocol import fingerprint, table_header
from protocol.bounds import Seconds

from ..exit_codes import INTERRUPTED, USAGE, Trouble
from ..local.player_setup import answer
from ..printing import say
from ..words.translation import _

LOOK: Final[Seconds] = 3.0
"""Seconds for which announcements are listened for."""
LIKE_A_TICKET: Final = re.compile(r"hoity\d", re.IGNORECASE)
AGAIN: Final = frozenset({"r", ""})
LEAVE: Final = frozenset({"q", "quit", "exit", "n"})


def is_nickname(word: str) -> bool:
    """Whether this is meant as a host's nickname, and not as a ticket."""
    return 0 < len(word) <= table_header.MAX_NICKNAME and LIKE_A_TICKET.match(word) is None


def by_nickname(nickname: str) -> str:
    """The ticket of the one table that this host announces; asked for if several look like it, or
    if the table is closed. Trouble if there is none."""
    found = [table for table in _look() if twins(table.name, nickname)]
    if not found:
        words = _("There is no table of {name} on this LAN; hoity tables lists those there are.")
        raise Trouble(words.format(name=nickname), USAGE)
    if len(found) == 1 and found[0].name == nickname:
        return _ticket_of(found[0])
    say(_("These tables are of that name, or of one that looks like it:"))
    return _picked(found)


def from_list() -> str:
    """The ticket of the table that a person picks."""
    return _picked(_look())


def _look() -> list[Announcement]:
    say(_("Looking for tables on this LAN …"))
    return trio.run(browse, LOOK)


def _picked(tables: Sequence[Announcement]) -> str:
    _list(tables)
    while True:
        said = answer(_("Its number, a ticket, a code, r to look again, or q to leave: "))
        if said.lower() in LEAVE:
            raise Trouble(_("You sat down nowhere."), INTERRUPTED)
        if said.lower() in AGAIN:
            tables = _look()
            _list(tables)
        elif said.isdecimal() and 1 <= int(said) <= len(tables):
            return _ticket_of(tables[int(said) - 1])
        elif LIKE_A_TICKET.match(said) or is_code(said):
            return said
        else:
            say(_("No table has that number."))


def _list(tables: Sequence[Announcement]) -> None:
    for number, table in enumerate(tables, 1):
        say(f"  {number}  {_told(table)}")
    if not tables:
        say(_("No open table on this LAN. Open one with: hoity host"))


def _told(table: Announcement) -> str:
    text = _("{host}: {joined} of {seats} seated, takes the host's ticket")
    key = ""
    if table.ticket:
        text = _("{host} (key {key}): {joined} of {seats} seated, open to all")
        key = fingerprint(decode_ticket(table.ticket).host_id)
    return text.format(host=table.name, key=key, joined=table.joined, seats=table.seats)


def _ticket_of(table: Announcement) -> str:
    """The one announced; that of a closed table is pasted."""
    if table.ticket:
        return table.ticket
    words = _("The table of {host} takes a ticket. Ask {host} for it, and paste it here: ")
    while not (said := answer(words.format(host=table.name))):
        pass
    return said
