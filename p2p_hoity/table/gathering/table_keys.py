"""The keys of a player at one table: a key that is drawn for this table, and the long-lived key.

The key of the table signs everything that a seat signs there, and identifies the seat on links, at
relays and in files. The long-lived key signs only the vouch, a statement that the key of the table
is the player's. So nothing in the files of two tables shows that they have a player in common, and
a stolen long-lived key cannot sign for a seat.

SPEC: [H-15], [H-16].
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from protocol import Identity, SeatEntry, Terms, Vouch, table_header, vouches


@dataclass(frozen=True)
class TableKeys:
    """The keys of one player at one table, and at the later tables of the same people.

    Attributes:
        seat: The key that was drawn for the table.
        player: The player's long-lived key, which vouches for (signs) the key of the table. None if
            the player does not show it to the others.
    """

    seat: Identity = field(repr=False)
    player: Identity | None = field(default=None, repr=False)

    def consent(self, terms: Terms, nickname: str) -> tuple[SeatEntry, Vouch | None]:
        """Consent to the terms of a table: sign a new entry for its roster ([H-8], [H-15]).

        Args:
            nickname: The nickname of the player.

        Returns:
            The entry, and the vouch: the signature of the long-lived key over the key of the table.
            The vouch is None if the player does not show its long-lived key.
        """
        random = os.urandom(32)
        if self.player is None:
            return table_header.sit(terms, self.seat, nickname, random), None
        return vouches.vouched_entry(terms, self.seat, self.player, nickname, random)


def draw_keys(player: Identity | None) -> TableKeys:
    """Draw a key for a new table, and return it together with the player's long-lived key.

    Args:
        player: The long-lived key. None if the player does not show this key at the table.

    Returns:
        Both keys.
    """
    return TableKeys(Identity(os.urandom(32)), player)


def players(shown: tuple[Vouch | None, ...]) -> tuple[bytes | None, ...]:
    """Return the long-lived keys that the seats of a table have shown.

    Args:
        shown: For each seat its vouch (the signature of the player's long-lived key over the key of
            the seat), or None.

    Returns:
        The key of each seat, 32 bytes. None for a seat without a vouch.
    """
    return tuple(None if one is None else one.id for one in shown)
