"""Addresses as typed: where a table listens and which relays it waits at, checked as written."""

from __future__ import annotations

from collections.abc import Sequence

from p2p_hoity.net.addresses import parse_address
from p2p_hoity.net.ticket import MOST_RELAYS
from p2p_hoity.tables import Lan, Reach

from ..trouble import USAGE, Trouble
from ..words.lingo import _


def listening(text: str) -> tuple[str, int]:
    """(host, port) of --listen, host "" for every address of this machine, port 0 for a free one;
    Trouble or AddressError if it is no such place."""
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or int(port[:6]) > 65535:
        words = _("--listen is HOST:PORT, as in 0.0.0.0:4646, not {text}.")
        raise Trouble(words.format(text=repr(text)), USAGE)
    if not host:
        return "", int(port)
    address = parse_address(text, lowest_port=0)
    return address.host, address.port


def reach_of(listen: str, relays: Sequence[str] | None = None, lan: Lan = Lan.OFF) -> Reach:
    """How a table is reached; Trouble or AddressError (usage, both) before anything is opened."""
    listening(listen)
    found = tuple(str(parse_address(relay)) for relay in relays or ())
    if len(found) > MOST_RELAYS:
        words = _("A table has room for {most} relays, not {number}.")
        raise Trouble(words.format(most=MOST_RELAYS, number=len(found)), USAGE)
    return Reach(listen, found, lan)
