"""The keys of a player at one table: a key that is drawn for this table, and the long-lived key.

The key of the table signs everything that a seat signs there, and identifies the seat on links, at
relays and in files. The long-lived key signs only the vouch, a statement that the key of the table
is the player's. It is None if the player does not show it. So nothing in the files of two tables
shows that they have a player in common, and a stolen long-lived key cannot sign for a seat.

SPEC: [H-15], [H-16].
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from protocol import Identity, SeatEntry, Terms, Vouch, table_header, vouches


@dataclass(frozen=True)
class TableKeys:
    """The drawn key and the long-lived key of one player at a table and its rematches."""

    seat: Identity = field(repr=False)
    player: Identity | None = field(default=None, repr=False)

    def consent(self, terms: Terms, nickname: str) -> tuple[SeatEntry, Vouch | None]:
        """Sign a new entry for a roster, and vouch for it if the player does ([H-8], [H-15])."""
        # Fresh, so that an earlier consent to the same terms cannot pass for this one.
        random = os.urandom(32)
        if self.player is None:
            return table_header.sit(terms, self.seat, nickname, random), None
        return vouches.vouched_entry(terms, self.seat, self.player, nickname, random)


def draw_keys(player: Identity | None) -> TableKeys:
    """Draw a key for a new table, and return it together with the player's long-lived key."""
    return TableKeys(Identity(os.urandom(32)), player)


def players(shown: tuple[Vouch | None, ...]) -> tuple[bytes | None, ...]:
    """Return the long-lived keys that the seats have shown, None for a seat without a vouch."""
    return tuple(None if one is None else one.id for one in shown)
