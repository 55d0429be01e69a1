"""The error of a table that this program cannot play at."""

from __future__ import annotations

from ..coded_errors import CodedError


class PeerError(CodedError):
    """An error that says why a table could not be opened, joined or resumed."""
