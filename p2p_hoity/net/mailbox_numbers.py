"""The numbers of mailboxes. A mailbox connects a host and a guest at a relay."""

from __future__ import annotations

from typing import Final

NUMBER: Final = 4
"""Bytes of the number of a mailbox, big-endian."""
MOST_NUMBER: Final = 999_999_999
"""The highest number that a relay gives to a mailbox."""
