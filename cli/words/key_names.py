"""The words by which screens and commands show the keys of players and seats."""

from __future__ import annotations

from protocol import fingerprint

from .translation import _


def player_key(key: bytes | None) -> str:
    """Return the words for a player's long-lived key.

    Args:
        key: The public key, 32 bytes. None if the player shows none.

    Returns:
        The words, with the fingerprint.
    """
    if key is None:
        return _("shows no key")
    return _("key {key}").format(key=fingerprint(key))


def table_key(key: bytes) -> str:
    """Return the words for the key that a seat uses at one table only.

    This key does not tell who the player is.

    Args:
        key: The public key, 32 bytes.

    Returns:
        The words, with the fingerprint.
    """
    return _("key of this table {key}").format(key=fingerprint(key))
