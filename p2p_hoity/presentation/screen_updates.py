"""The updates that a node tells its screen: frozen events, in the order in which they happen.

They concern the table and its game, tickets and codes, and the relays at which this node waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import dataclass_transform

from protocol import Kind, Node, Table, effects
from protocol.game_interface import Field

from .. import rules
from ..coded_errors import Reason
from ..reachability.advertised_addresses import Scope


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class NodeUpdate:
    """Something that a node tells its screen. Each kind is a class below, a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Joined(NodeUpdate):
    """Who has sat down so far, of how many seats."""

    names: tuple[str, ...]
    seats: int


class HostAsked(NodeUpdate):
    """The host is asked whether this guest may sit down."""


class Admitted(NodeUpdate):
    """The host has let a guest in (`yes`), has refused it, or has said nothing in time (None)."""

    nickname: str
    yes: bool | None


class Started(NodeUpdate):
    """The roster is complete.

    Attributes:
        table: The table.
        seat: The seat of this node. None for an onlooker.
        players: The long-lived key of each seat, None for one that shows none. Empty where the
            vouches are not known, as in a replay.
    """

    table: Table
    seat: int | None
    players: tuple[bytes | None, ...] = ()


class Resumed(NodeUpdate):
    """A seat is taken again in a game that has begun: how it stands, and what has happened."""

    view: rules.View
    items: tuple[rules.Happening, ...] = ()


class Linked(NodeUpdate):
    """A link to another seat is up, or, without a name, to an onlooker; `relay` is the one that it
    goes through, as `relay+host:port`, empty for a direct one."""

    name: str | None
    relay: str = ""


class Unlinked(NodeUpdate):
    """A link to another seat, or to an onlooker, is gone."""

    name: str | None
    reason: Reason


class ChainGrew(NodeUpdate):
    """The chain grew.

    Attributes:
        before: Its tip until now.
        after: Its tip from now on.
        seconds: What checking the last message of the step took.
        final: How many of the happenings told so far, from the first on, nothing can replace.
    """

    before: Node
    after: Node
    seconds: float
    final: int = 0


class Happened(NodeUpdate):
    """These happenings are new, and the game stands so now. `ChainGrew` says which are final."""

    items: tuple[rules.Happening, ...]
    view: rules.View


class Rewound(NodeUpdate):
    """A change of epoch replaced what happened after index `kept`; `view` is how it stands now."""

    epoch: int
    kept: int
    view: rules.View


class Choosing(NodeUpdate):
    """The seat's player is asked; `again` if its earlier choice was seen and is void."""

    view: rules.View
    kind: str
    again: bool


class ChoiceTaken(NodeUpdate):
    """The player's choice was taken."""

    kind: str
    choice: rules.Choice


class ChoiceRefused(NodeUpdate):
    """The rules forbid the player's choice, which is asked again; see
    `protocol.game_interface.IllegalMove`."""

    kind: str
    code: str
    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Muster:
    """Of so many seats so many must agree; `there` are those this node can count on.

    `strict`: an absence only pauses the game. `begun`: the cards are dealt; before that a seat
    that stays silent ends the table. `may_rejoin`: the terms let those awaited come back. `gone`:
    those awaited that have left for now. `unlinked`: others awaited to whom there is no link from
    here just now; they may be heard through others. `thinking`: the rest of those awaited, present
    and linked, without oneself. `is_mute`: this seat may not vote now, because its journal may lack
    what it signed.
    """

    seats: int
    quorum: int
    there: int
    strict: bool = False
    begun: bool = True
    may_rejoin: bool = True
    gone: frozenset[int] = frozenset()
    unlinked: frozenset[int] = frozenset()
    thinking: frozenset[int] = frozenset()
    is_mute: bool = False

    @property
    def is_short(self) -> bool:
        """Whether the game pauses: it needs all seats, or too few are left, those who are still
        thinking counted in."""
        return self.strict or self.there + len(self.thinking) < self.quorum

    @property
    def goes_on(self) -> bool:
        """Whether the game can go on without those awaited."""
        return not self.strict and self.there >= self.quorum


class Awaited(NodeUpdate):
    """Which other seats are awaited, for how many seconds, and what is left of the step timeout."""

    seats: frozenset[int]
    seconds: float
    left: float = 0.0


class Halfway(NodeUpdate):
    """Half of the step timeout for these seats is over; `left` is the rest, in seconds."""

    seats: frozenset[int]
    seconds: float
    left: float
    muster: Muster


class SeatsTimedOut(NodeUpdate):
    """The game goes on without these seats if enough agree; `undecided`: they have not yet."""

    seats: frozenset[int]
    seconds: float
    muster: Muster
    undecided: bool = False


class Paused(NodeUpdate):
    """The game cannot go on without these seats."""

    seats: frozenset[int]
    seconds: float
    muster: Muster


class Extended(NodeUpdate):
    """This seat waits longer for those, up to `left` seconds; 0: the table waits in any case."""

    seats: frozenset[int]
    left: float


class Attending(StrEnum):
    """How another seat is there, as seen from here; no two of these are the same thing."""

    LINKED = "linked"
    """There is a link to it."""
    UNLINKED = "unlinked"
    """There is none just now; it may be heard through others."""
    LEFT = "left"
    """It has said, signed, that it leaves for now, and nothing since."""
    ABSENT = "absent"
    """The table goes on without it."""
    BANNED = "banned"
    """It was proven at fault."""


class Attendance(NodeUpdate):
    """How each seat is there; told when it changes. One's own seat counts as linked unless it is
    absent or banned."""

    seats: tuple[Attending, ...]


class Clock(NodeUpdate):
    """The clock of the current step, told every second.

    Attributes:
        awaited: The seats whose input is missing, the own seat included.
        waited: Seconds since the step began.
        left: Seconds until the step times out at this node.
        timeout: Seconds of the whole step timeout.
        muster: How many seats there are of the quorum that would go on.
        kind: The kind of the step.
    """

    awaited: frozenset[int]
    waited: float
    left: float
    timeout: float
    muster: Muster
    kind: Kind | None = None

    @property
    def is_opening(self) -> bool:
        """Whether all have sealed, and what they sealed is confirmed and opened."""
        return self.kind in (Kind.BARRIER, Kind.REVEAL)


class Said(NodeUpdate):
    """Someone talks: a seat, or an onlooker (None) by the name `who`.

    `words` is plain text, or the number of one of the phrases that every language has. `is_own`:
    this node's player has said it.
    """

    seat: int | None
    who: str
    words: str | int
    is_own: bool = False


class Crowded(NodeUpdate):
    """All seats of the table have their fill of onlookers; this one tries again."""


class Unsaid(NodeUpdate):
    """This player's words were not said, and why."""

    reason: Reason


class Again(NodeUpdate):
    """Who wants another game with the same people; who has refused, is gone, or said nothing."""

    willing: frozenset[int]
    unwilling: frozenset[int]


class Away(NodeUpdate):
    """This very seat was declared absent; `may_rejoin`: it may come back now ([E-31])."""

    may_rejoin: bool = True


class Rejoined(NodeUpdate):
    """This very seat is present again; it sits out until the next round."""


class Accused(NodeUpdate):
    """A seat was proven at fault: `code` is one of `protocol.fault_codes.FAULTS`."""

    seat: int
    code: str


class GameOver(NodeUpdate):
    """The game is over and its result final."""

    table: Table
    node: Node
    standings: tuple[rules.Standing, ...]
    transcript: Path | None


class Ended(NodeUpdate):
    """The table ended without a result.

    Attributes:
        code: That of `protocol.seat.effects.Broken`, or `session.access.TWO_ROSTERS`.
        seat: The seat that the code is about, if any.
        by: The seat that ended the table and announced this code. None if this node found it.
    """

    code: str
    seat: int | None
    by: int | None = None


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


class OfferedCode(NodeUpdate):
    """A code that gives the ticket to one guest, for so many seconds, and the relay that it is for;
    `after`: how the one before it has ended."""

    code: str = field(repr=False)
    relay: str
    seconds: float
    after: CodeEnd | None


class NoCode(NodeUpdate):
    """There is no code now."""

    reason: Reason


class Reached(NodeUpdate):
    """From where the host's ticket works; why, why not further, and what to do. `ticket`: the one
    to give from now on, if it is not the one that was shown."""

    scope: Scope
    reasons: tuple[Reason, ...]
    ticket: str = field(default="", repr=False)


class Moved(NodeUpdate):
    """A seat was taken again elsewhere, and not everybody finds it: the ticket to give to the
    others, from where it works, why, and what to do."""

    scope: Scope
    reasons: tuple[Reason, ...]
    ticket: str = field(repr=False)


class RelayState(NodeUpdate):
    """A relay ('host:port') does not let this node wait there, and why; it is asked again and
    again. With None it does so again."""

    relay: str
    why: Reason | None


class TicketTaken(NodeUpdate):
    """A ticket was handed to this game: the seat of this nickname is dialled where it says, too."""

    name: str


Update = NodeUpdate | effects.JournalDoubted | effects.SigningEnded | effects.SeatLeft
Screen = Callable[[Update], None]
"""Shows one update after the other."""
