"""A table in memory whose links take time and keep their order, and whose seats stand up.

Whoever may stand up does so at once, as the driver has it, and is not there for the others any
more. One seat is a liar's: it never stands up, its says may be held back, and it says more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

from protocol.chain.state import Kind
from protocol.seat.effects import Finished, Send
from protocol.wire import frames, messages
from protocol.wire.header import Patience
from protocol.wire.messages import Say, Statement
from support.room import Room, make_table, toy_choice
from support.toy_game import ToyGame

TICK = 0.2


class TimedRoom(Room):
    """`delay` (seconds, from seat to seat), `cut` and `held_back` say what becomes of a frame;
    `stood_up` is when each seat went."""

    def __init__(self, seats: int, patience: Patience, liar: int) -> None:
        self.liar = liar
        self.stood_up: dict[int, float] = {}
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count, self._last = 0, dict[tuple[int, int], float]()
        table, who = make_table(ToyGame(seats, 1), seats, patience=patience)
        super().__init__(table, who, toy_choice)

    def delay(self, seat: int, other: int) -> float:
        """Seconds from one to the other."""
        return 0.01

    def cut(self, seat: int, other: int) -> bool:
        """Whether their link is broken."""
        return False

    def held_back(self, seat: int, other: int, frame: bytes) -> bool:
        """Whether this frame never leaves."""
        return False

    def seen(self, seat: int, other: int, frame: bytes) -> None:
        """A frame is about to leave."""

    def start(self) -> None:
        """One seat after the other, so that they do not all ask in the same moment."""
        for seat, place in enumerate(self.places):
            self.now = 0.3 * seat
            place.machine.start(self.now)
        for seat in range(len(self.places)):
            self.link(seat)
            self.collect(seat)

    def collect(self, seat: int) -> None:
        """As the driver does, a seat tells all at once that it has the end."""
        place = self.places[seat]
        before = sum(isinstance(one, Finished) for one in place.heard)
        super().collect(seat)
        if sum(isinstance(one, Finished) for one in place.heard) > before:
            place.machine.sync(None)
            super().collect(seat)

    def post(self, seat: int, send: Send) -> None:
        """Over the links there are, each in its order."""
        ids = self.table.ids
        for other, to in enumerate(ids):
            if other != seat and to not in send.but and send.peer in (None, to):
                self._put(seat, other, send.frame)

    def _put(self, seat: int, other: int, frame: bytes) -> None:
        self.seen(seat, other, frame)
        if not self.held_back(seat, other, frame) and not self.cut(seat, other):
            self._carry(seat, other, frame)

    def _carry(self, seat: int, other: int, frame: bytes) -> None:
        when = max(self.now + self.delay(seat, other), self._last.get((seat, other), 0.0))
        self._last[seat, other] = when
        self.at(when, lambda: self._arrive(seat, other, frame))

    def _arrive(self, seat: int, other: int, frame: bytes) -> None:
        place = self.places[other]
        if place.alive and not self.cut(seat, other):
            place.machine.receive(frame, self.now, self.table.ids[seat])
            self.collect(other)

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Have something happen."""
        self._count += 1
        heapq.heappush(self._events, (when, self._count, what))

    def go(self, until: Callable[[], bool], most: float) -> bool:
        """Time passes until this holds, or so many seconds; whether it holds."""
        end = self.now + most
        while self.now < end and not until():
            goal = self.now + TICK
            while self._events and self._events[0][0] <= goal and not until():
                self.now, _, what = heapq.heappop(self._events)
                what()
            self.now = max(self.now, goal)
            self._tick()
        return until()

    def _tick(self) -> None:
        for seat, place in enumerate(self.places):
            machine = place.machine
            if not place.alive:
                continue
            if seat != self.liar and machine.may_leave() and machine.all_have_end():
                self._stand_up(seat)
            else:
                machine.tick(self.now)
                self.collect(seat)

    def _stand_up(self, seat: int) -> None:
        self.stood_up[seat] = self.now
        self.places[seat].alive = False
        for other in range(len(self.places)):
            self.at(self.now + self.delay(seat, other), lambda other=other: self.down(other, seat))

    def down(self, seat: int, other: int) -> None:
        """A seat loses its link with another."""
        if seat != other and self.places[seat].alive:
            self.places[seat].machine.link_down(self.table.ids[other], self.now)
            self.collect(seat)

    def up(self, seat: int, other: int) -> None:
        """The link is there again, if both are."""
        if self.places[seat].alive and self.places[other].alive:
            self.places[seat].machine.link_up(self.table.ids[other], self.now)
            self.collect(seat)

    def lie(self, to: int, statement: Statement) -> None:
        """The liar signs this and shows it to one seat, whatever else is held back."""
        made = messages.sign(self.who[self.liar], self.table.id, self.liar, statement)
        self._carry(self.liar, to, frames.encode_frame(frames.Carry(made.encode())))

    def all_honest_have_end(self) -> bool:
        """Whether every seat but the liar's holds a final end."""
        return all(p.machine.finished for s, p in enumerate(self.places) if s != self.liar)

    def is_over(self) -> bool:
        """Whether they do, and have stood up."""
        return self.all_honest_have_end() and len(self.stood_up) == len(self.places) - 1

    def last_say(self) -> Say | None:
        """What the liar's machine has said of `result`."""
        core = self.places[self.liar].machine.core
        said = (m.statement for m in core.store.by_seat(self.liar))
        found = (s for s in said if isinstance(s, Say) and s.step == core.tip.step)
        return next(found, None) if core.tip.want.kind is Kind.RESULT else None


def is_said(frame: bytes) -> bool:
    """Whether this frame carries a message."""
    return isinstance(frames.parse_frame(frame), frames.Carry)


def is_asked(frame: bytes) -> bool:
    """Whether it asks for what is lacking."""
    return isinstance(frames.parse_frame(frame), frames.Sync)
