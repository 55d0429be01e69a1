"""The words by which screens and commands show the keys of players and seats."""

from __future__ import annotations

from protocol import fingerprint

from .translation import _


def player_key(key: bytes | None) -> str:
    """Return the words for a player's long-lived key, None for a player who shows none."""
    if key is None:
        return _("shows no key")
    return _("key {key}").format(key=fingerprint(key))


def table_key(key: bytes) -> str:
    """Return the words for a seat's key at one table, which does not tell who the player is."""
    return _("key of this table {key}").format(key=fingerprint(key))
