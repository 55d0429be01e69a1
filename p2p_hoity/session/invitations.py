"""What a screen is told of tickets, of codes, and of the relays at which this node waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ..errors import Reason
from ..reachability.advertised_addresses import Scope


class CodeEnd(StrEnum):
    """How a code has ended."""

    USED = "used"
    """A guest has the ticket by it."""
    WRONG = "wrong"
    """Somebody tried it with other words, or broke off: it is burned."""
    OLD = "old"
    """Its time was over."""
    LOST = "lost"
    """The relay at which it was waited was lost."""


@dataclass(frozen=True)
class Code:
    """A code that gives the ticket to one guest, for so many seconds, and the relay that it is for;
    `after`: how the one before it has ended."""

    code: str = field(repr=False)
    relay: str
    seconds: float
    after: CodeEnd | None


@dataclass(frozen=True)
class NoCode:
    """There is no code now."""

    reason: Reason


@dataclass(frozen=True)
class Reached:
    """From where the host's ticket works; why, why not further, and what to do. `ticket`: the one
    to give from now on, if it is not the one that was shown."""

    scope: Scope
    reasons: tuple[Reason, ...]
    ticket: str = field(default="", repr=False)


@dataclass(frozen=True)
class Moved:
    """A seat was taken again elsewhere, and not everybody finds it: the ticket to give to the
    others, from where it works, why, and what to do."""

    scope: Scope
    reasons: tuple[Reason, ...]
    ticket: str = field(repr=False)


@dataclass(frozen=True)
class RelayState:
    """A relay ('host:port') does not let this node wait there, and why; it is asked again and
    again. With None it does so again."""

    relay: str
    why: Reason | None


@dataclass(frozen=True)
class TicketTaken:
    """A ticket was handed to this game: the seat of this nickname is dialled where it says, too."""

    name: str
