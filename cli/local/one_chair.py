"""A lock by table and key: one terminal at a time sits at a table with the key of one folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage import private_files
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import open_private, private_folder

from ..trouble import USAGE, Trouble
from ..words.lingo import _


@contextmanager
def only_one(home: Home, ticket: Ticket) -> Iterator[None]:
    """Hold this key's place at the table; Trouble if another terminal has it.

    To the host a second link of one key is the first one dialled anew: the terminal that sat
    there would lose its seat.
    """
    path = private_folder(home.path) / f"{ticket.terms.hex()[:16]}.joining"
    with open_private(path, "ab") as file:
        if not private_files.hold(file):
            words = _(
                "Another terminal sits at this table with your key ({path}). Play there; for a"
                " second seat give this terminal a key of its own: HOITY_HOME=FOLDER hoity join"
                " TICKET"
            )
            raise Trouble(words.format(path=home.identity), USAGE)
        try:
            yield
        finally:
            with suppress(OSError):  # some systems keep a file while it is open
                path.unlink()
