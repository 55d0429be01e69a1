"""The updates that a peer sends to its screen: one class for each kind of event.

They are about the table and its game, tickets and spoken codes, links, and the relays at which this
peer waits for guests. These fields have the same meaning in most classes:

- `view`: the game as this peer may see it.
- `seats`, `seconds` and `left`: the awaited seats, the seconds for which they have been awaited,
  and the seconds until the step times out.
- `muster`: how many seats could go on without the awaited seats.
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
class ScreenUpdate:
    """An event that a peer tells its screen. Each kind is a subclass, a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


class Joined(ScreenUpdate):
    """The list of those who have sat down, by seat, has changed. The table is not complete yet."""

    names: tuple[str, ...]
    seats: int


class HostAsked(ScreenUpdate):
    """The host's player is being asked whether this guest may sit down."""


class Admitted(ScreenUpdate):
    """The host's player has admitted a guest or not. `yes` is None without an answer in time."""

    nickname: str
    yes: bool | None


class Started(ScreenUpdate):
    """The roster is complete, and the table begins.

    Attributes:
        seat: The number of the own seat. None for an onlooker.
        players: The long-lived key of each seat's player, None for a seat that shows none. Empty if
            these keys are not known, as in a replay.
    """

    table: Table
    seat: int | None
    players: tuple[bytes | None, ...] = ()


class Resumed(ScreenUpdate):
    """A seat was resumed, or an onlooker came, in a game with these events so far."""

    view: rules.View
    items: tuple[rules.Happening, ...] = ()


class Linked(ScreenUpdate):
    """A link is up to the seat with this nickname, or to an onlooker (None).

    `relay` is the relay through which it goes, as `relay+host:port`. It is empty for a direct link.
    """

    name: str | None
    relay: str = ""


class InPages(ScreenUpdate):
    """The seats that say that they play in a page of a browser have changed ([L-90]).

    Attributes:
        servers: The server of the page, such as 'relay.example', by the nickname of the seat.
        seats: How many seats the table has.
        quorum: How many of them can open what is hidden.
        mine: The own nickname. None for an onlooker.
    """

    servers: Mapping[str, str]
    seats: int
    quorum: int
    mine: str | None


class Unlinked(ScreenUpdate):
    """A link is gone to the seat with this nickname, or to an onlooker (None)."""

    name: str | None
    reason: Reason


class ChainGrew(ScreenUpdate):
    """The chain has grown by one step.

    Attributes:
        seconds: The time that it took to check the step's last message.
        final: The number of game events, from the first on, that no change of epoch can replace.
    """

    before: Node
    after: Node
    seconds: float
    final: int = 0


class Happened(ScreenUpdate):
    """New events of the game, with the view after them. `ChainGrew` says which are final."""

    items: tuple[rules.Happening, ...]
    view: rules.View


class Rewound(ScreenUpdate):
    """A change of epoch has replaced all events of the game but the first `kept` ones."""

    epoch: int
    kept: int
    view: rules.View


class Choosing(ScreenUpdate):
    """The player is asked for a choice.

    It is asked `again` if an earlier choice, which others may have seen, no longer counts.
    """

    view: rules.View
    kind: str
    again: bool


class ChoiceTaken(ScreenUpdate):
    """The player's choice was accepted."""

    kind: str
    choice: rules.Choice


class ChoiceRefused(ScreenUpdate):
    """The player's choice breaks the rule of this code of `IllegalMove`. It is asked for again."""

    kind: str
    code: str
    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Muster:
    """The number of seats that could go on without the awaited seats, beside the quorum.

    Attributes:
        there: The seats that could go on without the awaited seats, as far as is known here.
        strict: Whether the table needs all of its seats, so that an absence only pauses the game.
        begun: Whether the cards are dealt. Before that a silent seat ends the table.
        may_rejoin: Whether the terms allow the awaited seats to rejoin.
        gone: The awaited seats that have announced a departure.
        unlinked: The awaited seats that have no link here and have announced nothing. They may be
            reached through other seats.
        thinking: The awaited seats that are linked and present, without the own one.
        is_mute: Whether this seat may not vote now, because its journal may lack messages that it
            has signed.
        has_confirmed: Whether the game has not begun here, and may begin without this seat if it
            leaves, because it has confirmed the deck.
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
    has_confirmed: bool = False

    @property
    def is_short(self) -> bool:
        """True if the game pauses without the awaited seats.

        Awaited seats whose players are still thinking count as there.
        """
        return self.strict or self.there + len(self.thinking) < self.quorum

    @property
    def goes_on(self) -> bool:
        """True if the game can go on without the awaited seats."""
        return not self.strict and self.there >= self.quorum


class Awaited(ScreenUpdate):
    """A reminder that other seats are awaited."""

    seats: frozenset[int]
    seconds: float
    left: float = 0.0


class Halfway(ScreenUpdate):
    """Half of the step timeout is over."""

    seats: frozenset[int]
    seconds: float
    left: float
    muster: Muster


class SeatsTimedOut(ScreenUpdate):
    """The step has timed out, and the game goes on without the awaited seats if a quorum agrees.

    It is `undecided` if no quorum has agreed even some time after the timeout.
    """

    seats: frozenset[int]
    seconds: float
    muster: Muster
    undecided: bool = False


class Paused(ScreenUpdate):
    """The game cannot go on without the awaited seats."""

    seats: frozenset[int]
    seconds: float
    muster: Muster


class Extended(ScreenUpdate):
    """This seat waits longer for others, as its player wished. `left` is 0 without a limit."""

    seats: frozenset[int]
    left: float


class Attending(StrEnum):
    """The state of another seat, as this peer sees it."""

    LINKED = "linked"
    UNLINKED = "unlinked"
    """There is no link to the seat now. It may be reached through other seats."""
    LEFT = "left"
    """The seat has announced a departure and has sent nothing since."""
    ABSENT = "absent"
    """The table goes on without the seat."""
    BANNED = "banned"
    """The seat was proven at fault."""


class Attendance(ScreenUpdate):
    """The state of seats has changed. The own seat is linked unless it is absent or banned."""

    seats: tuple[Attending, ...]


class Clock(ScreenUpdate):
    """The clock of the current step, sent once each second.

    Attributes:
        awaited: The seats whose input is missing, the own one included.
        waited: The seconds since the step began.
        left: The seconds until the step times out here.
        timeout: The seconds of the whole step timeout.
    """

    awaited: frozenset[int]
    waited: float
    left: float
    timeout: float
    muster: Muster
    kind: Kind | None = None

    @property
    def is_opening(self) -> bool:
        """True if all choices are sealed, and the current step confirms or opens them."""
        return self.kind in (Kind.BARRIER, Kind.REVEAL)


class Said(ScreenUpdate):
    """A chat message.

    Attributes:
        seat: The seat of the author. None for an onlooker.
        who: The nickname of the seat, or the name shown for an onlooker.
        words: Plain text, or the number of a phrase that every language has.
        is_own: Whether the player here has sent it.
    """

    seat: int | None
    who: str
    words: str | int
    is_own: bool = False


class Crowded(ScreenUpdate):
    """Every seat has as many onlookers as it accepts. This onlooker tries again after some time."""


class Unsaid(ScreenUpdate):
    """A chat message of this player was not sent."""

    reason: Reason


class Again(ScreenUpdate):
    """The answers about another game. Unwilling seats have refused, are gone, or were silent."""

    willing: frozenset[int]
    unwilling: frozenset[int]


class Away(ScreenUpdate):
    """The own seat was made absent. It may or may not rejoin now ([E-31])."""

    may_rejoin: bool = True


class Rejoined(ScreenUpdate):
    """The own seat is present again. It takes part from the next round on."""


class Accused(ScreenUpdate):
    """A seat was proven at fault, with one of the codes of `protocol.fault_codes.FAULTS`."""

    seat: int
    code: str


class GameOver(ScreenUpdate):
    """The game is over, and its result is final.

    Attributes:
        node: The chain's last node.
        transcript: The path of the transcript. None if none was written.
        awaited: The seats that have not confirmed the result yet, so that this seat still stays at
            the table ([E-19]).
        left: The most seconds for which it stays if nothing changes.
    """

    table: Table
    node: Node
    standings: tuple[rules.Standing, ...]
    transcript: Path | None
    awaited: frozenset[int] = frozenset()
    left: float = 0.0


class Unconfirmed(ScreenUpdate):
    """A reminder that this seat still stays at the table although the result is final ([E-19]).

    Attributes:
        seats: The seats that have not confirmed the result. Empty if a change of epoch that bans a
            faulty seat is awaited.
        left: The most seconds for which it stays if nothing changes.
    """

    seats: frozenset[int]
    left: float


class Ended(ScreenUpdate):
    """The table has ended without a result.

    Attributes:
        code: The code of `protocol.seat.effects.Broken`, or `end_codes.TWO_ROSTERS`.
        seat: The seat that the code is about, if any.
        by: The seat that ended the table and announced this code. None if it was found here.
    """

    code: str
    seat: int | None
    by: int | None = None


class ProofSaved(ScreenUpdate):
    """A fault has ended the table before the game, and a file that proves it was saved."""

    transcript: Path


class CodeEnd(StrEnum):
    """Why a spoken code, by which a guest gets the ticket, is not valid any more."""

    USED = "used"
    WRONG = "wrong"
    """Somebody has tried wrong words, or broke off the attempt, so the code was withdrawn."""
    OLD = "old"
    """The time of the code was over."""
    LOST = "lost"
    """The link to the relay was lost."""


class OfferedCode(ScreenUpdate):
    """The host has a new spoken code, with which one guest can get the ticket.

    Attributes:
        relay: The 'host:port' of the relay at which the code works.
        seconds: The seconds for which the code is valid.
        after: The reason why the code before it is not valid any more. None for the first code.
    """

    # Not in `repr`, and so in no log: whoever reads the code gets the ticket.
    code: str = field(repr=False)
    relay: str
    seconds: float
    after: CodeEnd | None


class NoCode(ScreenUpdate):
    """The host has no spoken code now, so a guest cannot get the ticket by a code."""

    reason: Reason


class Reached(ScreenUpdate):
    """The places from which the host's ticket works.

    Attributes:
        reasons: Sentences about these places, about why the ticket works from no others, and about
            what the host can do.
        ticket: The ticket to hand out from now on. Empty if the one that was shown is still right.
    """

    scope: Scope
    reasons: tuple[Reason, ...]
    # Not in `repr`, and so in no log: the ticket lets in whoever has it.
    ticket: str = field(default="", repr=False)


class Moved(ScreenUpdate):
    """This seat was resumed at an address where some seats do not find it without this ticket."""

    scope: Scope
    reasons: tuple[Reason, ...]
    ticket: str = field(repr=False)


class RelayState(ScreenUpdate):
    """A relay ('host:port') has stopped accepting this peer, which asks it again and again.

    If `why` is None, it accepts this peer again.
    """

    relay: str
    why: Reason | None


class TicketTaken(ScreenUpdate):
    """A ticket was given with a new address of the seat of that name, which is dialled now, too."""

    name: str


Update = (
    ScreenUpdate
    | effects.JournalDoubted
    | effects.SigningEnded
    | effects.SeatLeft
    | effects.EndAnnounced
)
Screen = Callable[[Update], None]
"""A function that shows one update after the other."""
