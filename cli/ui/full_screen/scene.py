"""The scene: what is on the table and around it, as far as this seat has been told.

The parts of the screen are drawn from it and from nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from p2p_hoity import rules
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import Presence
from p2p_hoity.rules import happenings, partway
from protocol import Kind, Table, fingerprint
from protocol.bounds import Quota

from ...words import brief_sentences, happening_sentences
from ...words.card_names import Names
from ...words.translation import _
from ..lines.line_screen import SeatScreen
from .staging import Heard, Remark, beats, pause

LOG, TALK, PROOFS = 400, 200, 400
"""Lines that are kept of each."""
MOST_BEATS: Final[Quota] = 16
"""Beats that may wait: as many as a full round of six has."""


@dataclass(frozen=True)
class Spoken:
    """One thing that was said, by a seat or, without a seat, an onlooker; `at` is how many lines
    the log had."""

    seat: int | None
    who: str
    words: str | int
    at: int
    is_own: bool


class _Teller(SeatScreen):
    """Tells updates in words; a remark stands in the log as it is."""

    def note(self, words: str) -> None:
        """A remark."""
        self.say(words)


class Scene:
    """Hears updates in their order; reveals come beat by beat, and what is asked waits for them."""

    def __init__(self, staged: bool = True) -> None:
        """`staged`: reveals wait for `advance`; else everything is shown at once."""
        self.staged = staged
        self.log: deque[str] = deque(maxlen=LOG)
        self.proofs: deque[str] = deque(maxlen=PROOFS)
        self.talk: deque[Spoken] = deque(maxlen=TALK)
        self.told = 0
        self.alarm: str | None = None
        self.table: Table | None = None
        self.seat: int | None = None
        self.lobby: tuple[str, ...] = ()
        self.of_seats = 0
        self.lobby_note = ""
        self.code: updates.Code | updates.NoCode | None = None
        self.steps = 0
        self.stage: Kind | None = None
        self.clock: updates.Clock | None = None
        self.is_clock_of_step = False
        self.attendance: tuple[Presence, ...] = ()
        self.relays: dict[str, str] = {}
        self.moved: updates.Moved | None = None
        self.faults: dict[int, str] = {}
        self.question: updates.Choosing | None = None
        self.sealed: str | None = None
        self.view: rules.View | None = None
        self.doings: dict[int, str] = {}
        self.beat: tuple[str, ...] = ()
        self.record: list[rules.Happening] = []
        self.is_away = self.is_late = False
        self.may_return = True
        self.standings: tuple[rules.Standing, ...] | None = None
        self.transcript: Path | None = None
        self.ended: updates.Ended | None = None
        self.again: updates.Again | None = None
        self._teller = _Teller(self._say)
        self._queue: deque[Heard] = deque()

    # What the teller has.

    @property
    def names(self) -> Names | None:
        """What seats and pieces are called; None before the table is complete."""
        return self._teller.names

    @property
    def table_name(self) -> str:
        """The name of the game, once the table is complete."""
        return self._teller.table_name

    @property
    def is_resumed(self) -> bool:
        """Whether the seat was taken again, and has found nobody so far."""
        return self._teller.is_resumed

    @property
    def is_dealt(self) -> bool:
        """Whether there is a board to show."""
        return self.view is not None and self.view.state.phase is not rules.Phase.DEAL

    @property
    def is_over(self) -> bool:
        """Whether the game or the table has ended."""
        return self.standings is not None or self.ended is not None

    def _say(self, words: str) -> None:
        self.told += 1
        self.log.append(words)

    def begin_lesson(self, names: Names) -> None:
        """A game without a table: who sits there."""
        self._teller.names, self.seat = names, names.mine

    @property
    def past(self) -> updates.Resumed | None:
        """How it stands and what has happened, with what waits to be revealed."""
        waiting = [one for one in self._queue if isinstance(one, updates.Happened)]
        view = waiting[-1].view if waiting else self.view
        items = (*self.record, *(item for one in waiting for item in one.items))
        return None if view is None else updates.Resumed(view, items)

    # Hearing.

    def hear(self, update: Heard) -> None:
        """Take one update, or keep it until the reveal before it is over."""
        if isinstance(update, updates.Started):
            self.hurry()  # what waits is of the game before
        if self.is_revealing or (self.staged and isinstance(update, updates.Happened)):
            if isinstance(update, QUEUED) and not self._is_catching_up:
                self._queue.extend(_parts(update))
                return
            if isinstance(update, (*QUEUED, updates.Rewound)):
                self.hurry()
        self._take(update)
        if isinstance(update, updates.Happened):
            self.beat = ()  # at once, without a reveal

    def withdraw(self, view: rules.View | None = None) -> None:
        """What is asked on this view, or on any, and waits behind a reveal, is asked no more."""
        self._queue = deque(
            one
            for one in self._queue
            if not isinstance(one, updates.Choosing) or (view is not None and one.view is not view)
        )

    @property
    def _is_catching_up(self) -> bool:
        """Whether so much has happened that nobody wants to see it step by step."""
        return self.is_away or len(self._queue) > MOST_BEATS

    def advance(self) -> float:
        """Show the next beat; for how many seconds it stays. 0 when nothing is left."""
        while self._queue:
            update = self._queue.popleft()
            self._take(update)
            seconds = pause(update.items) if isinstance(update, updates.Happened) else 0.0
            if seconds and self.beat:
                return seconds
        self.beat = ()
        return 0.0

    def hurry(self) -> None:
        """Show all that waits."""
        while self._queue:
            self._take(self._queue.popleft())
        self.beat = ()

    @property
    def is_revealing(self) -> bool:
        """Whether beats are shown or wait."""
        return bool(self._queue or self.beat)

    def _take(self, update: Heard) -> None:
        if isinstance(update, updates.Stepped):
            self._stepped(update)
            return
        before = len(self.log)
        if type(update) not in WORDLESS:
            self._teller(update)  # type: ignore[arg-type]  # a remark is wordless
        hear = HEARERS.get(type(update))
        if hear is not None:
            hear(self, update)
        if isinstance(update, updates.Happened):
            new = len(self.log) - before
            self.beat = tuple(self.log)[-new:] if new > 0 and self.staged else ()

    # One method for each update that leaves more than a line.

    def _joined(self, update: updates.Joined) -> None:
        self.lobby, self.of_seats = update.names, update.seats

    def _noted(self, update: updates.HostAsked | updates.Admitted | updates.RelayState) -> None:
        self.lobby_note = self.log[-1]

    def _coded(self, update: updates.Code | updates.NoCode) -> None:
        self.code = update

    def _started(self, update: updates.Started) -> None:
        self.table, self.seat = update.table, update.seat
        self.attendance = (Presence.LINKED,) * update.table.seats
        self.steps, self.stage, self.code = 0, None, None
        self.clock = self.question = self.sealed = self.ended = self.again = None
        self.standings = self.transcript = None
        self.view, self.doings, self.beat = None, {}, ()
        self.record, self.faults, self.moved = [], {}, None
        self.may_return = True
        self.is_away = self.is_late = False

    def _stepped(self, update: updates.Stepped) -> None:
        self.steps, self.stage = update.after.step, update.after.want.kind
        self.is_clock_of_step = False
        if self.names is not None:
            words = happening_sentences.proved(update.before, update.seconds, self.names)
            if words:
                self.proofs.append(words)

    def _resumed(self, update: updates.Resumed) -> None:
        """What happened before is in the log, and what of it this round is beside the seats. Until
        this seat has chosen, the others have counted for longer than it has."""
        self.is_late = True
        self.record = list(update.items)
        for item in update.items:
            self._note_doing(item)
        for words in brief_sentences.story(self.names, update.items) if self.names else ():
            self._say(words)
        self.view = update.view

    def _happened(self, update: updates.Happened) -> None:
        for item in update.items:
            self.record.append(item)
            self._note_doing(item)
        self.view = self._so_far(update)
        due, state = rules.expected(update.view.state), update.view.state
        owes = isinstance(due, rules.Seal) and due.kind == self.sealed and self.seat in due.seats
        if not owes and self.seat not in state.sealed:
            self.sealed = None  # what was sealed is shown now

    def _so_far(self, update: updates.Happened) -> rules.View:
        """How the game stands once this part of a step is shown: a step that has been shown as a
        whole has the view that was told with it."""
        if self.view is None:
            return update.view
        state = self.view.state
        for item in update.items:
            state = partway.after(state, item)
        is_whole = partway.has_arrived(state, update.view.state)
        return update.view if is_whole else replace(self.view, state=state)

    def _note_doing(self, item: rules.Happening) -> None:
        match item:
            case happenings.RoundBegan():
                self.doings = {}
            case happenings.Sale(seat, paid, _window, took):
                self.doings[seat] = f"{paid.number}→{took.letter}{took.year}"
            case happenings.CashStolen(seat, _thief, _owner, cash):
                self.doings[seat] = f"+{cash.number}"

    def _rewound(self, update: updates.Rewound) -> None:
        self.question, self.doings = None, {}
        del self.record[update.kept :]
        for item in self.record:
            self._note_doing(item)
        self.view = update.view

    def _choosing(self, update: updates.Choosing) -> None:
        self.question, self.sealed = update, None
        self.view = update.view

    def _chosen(self, update: updates.Chosen) -> None:
        self.question, self.sealed, self.is_late = None, update.kind, False

    def _said(self, update: updates.Said) -> None:
        self.talk.append(Spoken(update.seat, update.who, update.words, self.told, update.is_own))

    def _clocked(self, update: updates.Clock) -> None:
        self.clock, self.is_clock_of_step = update, True

    def _linked(self, update: updates.Linked) -> None:
        if update.name is not None:
            self.relays[update.name] = update.relay.removeprefix("relay+")

    def _moved(self, update: updates.Moved) -> None:
        self.moved = update
        self._say(_("Not everybody finds you where you are now: p shows a ticket for them."))
        self._say(update.ticket)  # without a frame around it, so that it can be marked and copied

    def _attending(self, update: updates.Attendance) -> None:
        self.attendance = update.seats

    def _accused(self, update: updates.Accused) -> None:
        self.faults[update.seat] = update.code
        self.alarm = self.log[-1] if self.log else None

    def _away(self, update: updates.Away) -> None:
        self.withdraw()
        self.is_away, self.question = True, None
        self.may_return = update.may_return

    def _returned(self, update: updates.Returned) -> None:
        self.is_away = False

    def _finished(self, update: updates.Finished) -> None:
        self.standings, self.transcript = update.standings, update.transcript
        self.question = self.sealed = None

    def _ended(self, update: updates.Ended) -> None:
        self.ended, self.question, self.sealed = update, None, None

    def _remarked(self, remark: Remark) -> None:
        self._say(remark.words)

    def _asked_again(self, update: updates.Again) -> None:
        self.again = update


def _parts(update: Heard) -> list[Any]:
    return list(beats(update)) if isinstance(update, updates.Happened) else [update]


def keys_of(table: Table) -> list[tuple[str, str]]:
    """(nickname, fingerprint) of every seat."""
    return [(entry.nickname, fingerprint(entry.id)) for entry in table.header.roster]


QUEUED: Final = (
    updates.Happened,
    updates.Choosing,
    updates.Chosen,
    updates.Finished,
    updates.Ended,
    Remark,
)
"""What waits while a reveal is shown."""
WORDLESS: Final = frozenset(
    {
        updates.Reached,
        updates.Moved,
        updates.Stepped,
        updates.Clock,
        updates.Attendance,
        updates.Awaited,
        updates.Halfway,
        updates.Said,
        updates.Again,
        Remark,
    }
)
"""Updates that are shown in a place of their own and leave no line."""
HEARERS: Final[Mapping[type[Any], Callable[[Scene, Any], None]]] = {
    updates.Joined: Scene._joined,
    updates.HostAsked: Scene._noted,
    updates.Admitted: Scene._noted,
    updates.RelayState: Scene._noted,
    updates.Code: Scene._coded,
    updates.NoCode: Scene._coded,
    updates.Started: Scene._started,
    updates.Resumed: Scene._resumed,
    updates.Happened: Scene._happened,
    updates.Rewound: Scene._rewound,
    updates.Choosing: Scene._choosing,
    updates.Chosen: Scene._chosen,
    updates.Said: Scene._said,
    updates.Clock: Scene._clocked,
    updates.Attendance: Scene._attending,
    updates.Linked: Scene._linked,
    updates.Moved: Scene._moved,
    updates.Accused: Scene._accused,
    updates.Away: Scene._away,
    updates.Returned: Scene._returned,
    updates.Finished: Scene._finished,
    updates.Ended: Scene._ended,
    updates.Again: Scene._asked_again,
    Remark: Scene._remarked,
}
"""A method for each update that leaves more than a line."""
