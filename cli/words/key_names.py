"""The keys of a player and of a seat in words: light enough for commands that load no screen."""

from __future__ import annotations

from protocol import fingerprint

from .translation import _


def player_key(key: bytes | None) -> str:
    """Return by which long-lived key a player is known.

    Args:
        key: The key, 32 bytes. None if the player shows none.
    """
    if key is None:
        return _("shows no key")
    return _("key {key}").format(key=fingerprint(key))


def table_key(key: bytes) -> str:
    """Return the key of a seat that was drawn for its table, and tells nothing of its player."""
    return _("key of this table {key}").format(key=fingerprint(key))
