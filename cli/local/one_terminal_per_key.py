"""A lock by which a key is used at a table by one terminal of this computer only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from p2p_hoity.net.ticket import Ticket
from p2p_hoity.storage.home import Home

from ..exit_codes import USAGE, Trouble
from ..words.translation import _


@contextmanager
def only_one(home: Home, ticket: Ticket) -> Iterator[None]:
    """Ensure that only this terminal uses the player's key at a table, while the context lasts.

    Raises:
        Trouble: If another terminal is already at the table with this key.
    """
    path = home.path / f"{ticket.terms.hex()[:16]}.joining"
    # The host would take a second terminal with the same key for the first one, which would lose
    # its seat.
    held = home.files.lock(path)
    if held is None:
        words = _(
            "Another terminal is at this table with your key ({path}). Play there. For a second "
            "seat, give this terminal a key of its own: HOITY_HOME=FOLDER hoity join TICKET"
        )
        raise Trouble(words.format(path=home.identity), USAGE)
    with closing(held):
        try:
            yield
        finally:
            # While it is locked, or the file of another terminal's lock might be removed.
            with suppress(OSError):  # Some systems cannot remove a file that is open.
                home.files.remove(path)
