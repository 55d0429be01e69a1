"""The scene of one peer: the state of its table that screens draw, computed from the updates.

`fold` is a pure function, and a `Scene` is frozen. Screens keep no state of the game themselves.
One step of the protocol may cause many events of the game, which arrive together. While a screen
reveals them part by part, the scene shows the state after the events that are shown so far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any, Final

from protocol import Kind, Table, effects
from protocol.units import Quota

from .. import rules
from ..game_adapter import table_name
from ..net.address_schemes import RELAY_PREFIX
from ..rules import happenings
from . import screen_updates as updates
from .revealed_state import after
from .screen_updates import Attending

HOST: Final = 0
"""The number of the host's seat."""
MOST_TALK: Final[Quota] = 200
"""The most chat messages that a scene keeps."""
Doing = happenings.Sale | happenings.CashStolen


@dataclass(frozen=True)
class Scene:
    """Everything that a peer has been told about its table so far.

    Attributes:
        table: None before its roster is complete.
        seat: None for an onlooker.
        players: The long-lived key of each seat, as in `updates.Started`.
        lobby: The nicknames of those who have sat down, before the roster is complete.
        of_seats: The number of seats of the table.
        steps: The number of the chain's last step.
        stage: The kind of the current step.
        is_clock_of_step: Whether the clock belongs to the current step, not to an earlier one.
        relays: For each nickname whose link goes through a relay, the relay.
        in_pages: The seats whose programs run in pages. None if none was told.
        faults: For each seat that is proven at fault, the code of the fault.
        sealed: The kind of the choice that the player has made and that is not shown yet.
        doings: For each seat what it got in the Auction Hall in this round.
        is_late: Whether this seat was resumed, and has not chosen in an earlier step since. Then
            the other seats may have waited longer than its own clock says.
        is_resumed: Whether this seat was resumed and has had no link to another seat since.
        is_hinted: Whether the player was told what to do about seats that cannot be found.
        is_end_hinted: Whether the player was told that the others may have finished the game.
        standings: None before the end.
        transcript: The path of the transcript of the finished game, or of the proof of a fault.
        announced: What other seats have said of an end of the table, which may yet begin here.
        unconfirmed: The seats for which this seat stays after the result is final, if it does.
        ended: The reason why there is no result.
        wins: How many games each player has won since this program sat down, by nickname. Shared
            first ranks count for each.
        games: The number of those games.
        away_since: The number of events of the game when this seat was made absent. None if it was
            not, or has chosen since it came back.
    """

    table: Table | None = None
    seat: int | None = None
    players: tuple[bytes | None, ...] = ()
    lobby: tuple[str, ...] = ()
    of_seats: int = 0
    code: updates.OfferedCode | updates.NoCode | None = None
    reach: updates.Reached | None = None
    moved: updates.Moved | None = None
    steps: int = 0
    stage: Kind | None = None
    clock: updates.Clock | None = None
    is_clock_of_step: bool = False
    attendance: tuple[Attending, ...] = ()
    relays: Mapping[str, str] = field(default_factory=dict)
    in_pages: updates.InPages | None = None
    faults: Mapping[int, str] = field(default_factory=dict)
    question: updates.Choosing | None = None
    sealed: str | None = None
    view: rules.View | None = None
    doings: Mapping[int, Doing] = field(default_factory=dict)
    record: tuple[rules.Happening, ...] = ()
    talk: tuple[updates.Said, ...] = ()
    is_away: bool = False
    may_rejoin: bool = True
    is_late: bool = False
    is_resumed: bool = False
    is_hinted: bool = False
    is_end_hinted: bool = False
    standings: tuple[rules.Standing, ...] | None = None
    transcript: Path | None = None
    announced: tuple[effects.EndAnnounced, ...] = ()
    unconfirmed: updates.Unconfirmed | None = None
    ended: updates.Ended | None = None
    again: updates.Again | None = None
    wins: Mapping[str, int] = field(default_factory=dict)
    games: int = 0
    away_since: int | None = None

    @property
    def game(self) -> str:
        """The name of the game, 16 hexadecimal digits. Empty before the roster is complete."""
        return "" if self.table is None else table_name(self.table)

    @property
    def is_dealt(self) -> bool:
        """True if the cards are dealt, so that there is a board to show."""
        return self.view is not None and self.view.state.phase is not rules.Phase.DEAL

    @property
    def is_over(self) -> bool:
        """True if the game or the table has ended."""
        return self.standings is not None or self.ended is not None

    @property
    def lost_seats(self) -> list[int]:
        """The seats that this one cannot find, and whose addresses may have changed.

        These are all seats without a link if the host is one of them or no other seat is linked.
        There are none in other cases, and for an onlooker.
        """
        gone = [seat for seat, one in enumerate(self.attendance) if one is Attending.UNLINKED]
        is_cut_off = HOST in gone or Attending.LINKED not in self._others
        return gone if is_cut_off and self.seat is not None else []

    @property
    def is_alone(self) -> bool:
        """True if this seat should have links to other seats but has none. False for an onlooker.

        Seats that are absent, are banned or have announced a departure need no link.
        """
        is_missing = Attending.UNLINKED in self._others and Attending.LINKED not in self._others
        return self.seat is not None and is_missing

    @property
    def _others(self) -> set[Attending]:
        return {one for seat, one in enumerate(self.attendance) if seat != self.seat}


class Beat(updates.Happened):
    """Some of the events of one step, which a screen shows together in one part of a reveal.

    Attributes:
        view: The game after the whole step.
        left: The number of parts of the same step that follow this one.
    """

    left: int = 0


def fold(scene: Scene, update: updates.Update) -> Scene:
    """Return the scene after an update, which is the same object if nothing changes in it."""
    change = CHANGES.get(type(update))
    return scene if change is None else change(scene, update)


# The table


def _started(scene: Scene, update: updates.Started) -> Scene:
    """Return the scene of a new table, with what outlives the old one, such as the chat."""
    return Scene(
        table=update.table,
        seat=update.seat,
        players=update.players,
        lobby=scene.lobby,
        of_seats=scene.of_seats,
        reach=scene.reach,
        attendance=(Attending.LINKED,) * update.table.seats,
        relays=scene.relays,
        in_pages=scene.in_pages,
        talk=scene.talk,
        wins=scene.wins,
        games=scene.games,
    )


def _stepped(scene: Scene, update: updates.ChainGrew) -> Scene:
    """Return the scene at the step after one that is complete."""
    node = update.after
    # All seats come to the step after one in which this seat has chosen at about the same time.
    is_late = scene.is_late and scene.sealed is None
    return replace(
        scene, steps=node.step, stage=node.want.kind, is_clock_of_step=False, is_late=is_late
    )


def _linked(scene: Scene, update: updates.Linked) -> Scene:
    """Return the scene after a new link to a seat, with its relay."""
    if update.name is None:
        return scene
    relays = {**scene.relays, update.name: update.relay.removeprefix(RELAY_PREFIX)}
    return replace(scene, relays=relays, is_resumed=False)


def _awaited(scene: Scene, update: updates.Awaited) -> Scene:
    """Return the scene after a reminder, with a note of the hints that come with it."""
    told = scene.is_end_hinted or (scene.is_resumed and scene.is_alone)
    return replace(scene, is_hinted=bool(scene.lost_seats), is_end_hinted=told)


# The game


def _resumed(scene: Scene, update: updates.Resumed) -> Scene:
    """Return the scene of a resumed seat, with the game as it stands and all of its events."""
    # It is late, since the other seats may have waited for this one before it was resumed.
    doings = _doings({}, update.items)
    return replace(
        scene, is_late=True, is_resumed=True, record=update.items, doings=doings, view=update.view
    )


def _happened(scene: Scene, update: updates.Happened) -> Scene:
    """Return the scene after events of the game. Later parts of a reveal do not change it yet."""
    view = update.view
    if isinstance(update, Beat) and update.left and scene.view is not None:
        shown, own = reduce(after, update.items, scene.view.state), scene.view.private
        view = rules.view(shown, view.seat, dict((*own, *view.private)))
    # The state after the whole step decides what is still sealed, even during a reveal.
    due, state = rules.expected(update.view.state), update.view.state
    owes = isinstance(due, rules.Seal) and due.kind == scene.sealed and scene.seat in due.seats
    sealed = (
        scene.sealed if owes or scene.seat in state.sealed else None
    )  # The choice is shown now.
    doings, record = _doings(scene.doings, update.items), (*scene.record, *update.items)
    return replace(scene, view=view, doings=doings, record=record, sealed=sealed)


def _doings(before: Mapping[int, Doing], items: Sequence[rules.Happening]) -> Mapping[int, Doing]:
    """Return what each seat has got in the Auction Hall this round, after some events."""
    found = dict(before)
    for item in items:
        match item:
            case happenings.RoundBegan():
                found.clear()
            case happenings.Sale() | happenings.CashStolen():
                found[item.seat] = item
    return found


def _over(scene: Scene, update: updates.GameOver) -> Scene:
    """Return the scene after a game with a result, which counts for the tally."""
    roster = update.table.header.roster
    first = [roster[line.seat].nickname for line in update.standings if line.rank == 1]
    return replace(
        scene,
        standings=update.standings,
        transcript=update.transcript,
        question=None,
        sealed=None,
        wins={**scene.wins, **{name: scene.wins.get(name, 0) + 1 for name in first}},
        games=scene.games + 1,
    )


def _rewound(scene: Scene, update: updates.Rewound) -> Scene:
    """Return the scene after a change of epoch that took back the latest events of the game."""
    record = scene.record[: update.kept]
    # From the whole record: what the lost events replaced is not known any more.
    doings = _doings({}, record)
    return replace(scene, question=None, doings=doings, record=record, view=update.view)


CHANGES: Final[Mapping[type[Any], Callable[[Scene, Any], Scene]]] = {
    updates.Joined: lambda scene, update: replace(scene, lobby=update.names, of_seats=update.seats),
    updates.OfferedCode: lambda scene, update: replace(scene, code=update),
    updates.NoCode: lambda scene, update: replace(scene, code=update),
    updates.Reached: lambda scene, update: replace(scene, reach=update),
    updates.Moved: lambda scene, update: replace(scene, moved=update, is_hinted=True),
    updates.Started: _started,
    updates.ChainGrew: _stepped,
    updates.Clock: lambda scene, update: replace(scene, clock=update, is_clock_of_step=True),
    updates.Attendance: lambda scene, update: replace(scene, attendance=update.seats),
    updates.Linked: _linked,
    updates.InPages: lambda scene, update: replace(scene, in_pages=update),
    updates.Awaited: _awaited,
    updates.Said: lambda scene, update: replace(scene, talk=(*scene.talk, update)[-MOST_TALK:]),
    updates.Accused: lambda scene, update: replace(
        scene, faults={**scene.faults, update.seat: update.code}
    ),
    updates.Resumed: _resumed,
    updates.Happened: _happened,
    Beat: _happened,
    updates.Rewound: _rewound,
    updates.Choosing: lambda scene, update: replace(
        scene, question=update, sealed=None, view=update.view
    ),
    updates.ChoiceTaken: lambda scene, update: replace(
        scene, question=None, sealed=update.kind, away_since=None
    ),
    updates.Away: lambda scene, update: replace(
        scene,
        is_away=True,
        question=None,
        may_rejoin=update.may_rejoin,
        away_since=len(scene.record),
    ),
    updates.Rejoined: lambda scene, update: replace(scene, is_away=False),
    updates.GameOver: _over,
    effects.EndAnnounced: lambda scene, update: replace(
        scene, announced=(*scene.announced, update)
    ),
    updates.Ended: lambda scene, update: replace(scene, ended=update, question=None, sealed=None),
    updates.ProofSaved: lambda scene, update: replace(scene, transcript=update.transcript),
    updates.Unconfirmed: lambda scene, update: replace(scene, unconfirmed=update),
    updates.Again: lambda scene, update: replace(scene, again=update, unconfirmed=None),
}
"""For each kind of update the function that changes a scene. Other updates leave it as it is."""
