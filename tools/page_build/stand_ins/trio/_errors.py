"""The errors of trio. None of them is an error of the system, as `TimeoutError` is."""

from __future__ import annotations

import asyncio

Cancelled = asyncio.CancelledError


class TooSlowError(Exception):
    """An error: `fail_after` has cancelled its block."""


class WouldBlock(Exception):
    """An error: a channel is full, or empty."""


class EndOfChannel(Exception):
    """An error: nothing more comes, because the other end of the channel was closed."""


class ClosedResourceError(Exception):
    """An error: this end was closed here."""


class BrokenResourceError(Exception):
    """An error: the other end is gone."""
