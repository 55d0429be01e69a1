"""The numbers of mailboxes. A mailbox connects a host and a guest at a relay."""

from __future__ import annotations

from typing import Final

NUMBER: Final = 4
"""Bytes of the number of a mailbox, big-endian ([K-6])."""
MOST_NUMBER: Final = 999_999_999
"""The highest number that a relay gives to a mailbox: all nines, as numbers grow by a digit."""
