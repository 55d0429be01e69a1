"""Tell the screen who is connected, who is awaited, and for how long."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from protocol import SeatMachine, Wait
from protocol.bounds import Seconds

from ..net.hub import Hub
from ..presentation import screen_updates as updates


class PresenceTeller:
    """Tells one screen who is connected, the clock of the open step, and who is awaited."""

    def __init__(self, machine: SeatMachine, screen: updates.Screen, hub: Hub) -> None:
        """Begin with nothing told.

        Args:
            machine: Knows who is present and awaited.
            screen: Is told.
            hub: Knows which seats have a link.
        """
        self._machine, self._screen, self._hub = machine, screen, hub
        self._notices = WaitNotices()
        self._attendance: updates.Attendance | None = None
        self._second: tuple[int, bytes, int] | None = None

    def _linked(self) -> set[int]:
        ids = self._machine.table.ids
        return {seat for seat, peer in enumerate(ids) if self._hub.linked(peer)}

    def tell(self, now: float) -> None:
        """Tell who is connected, if that has changed, and the clock, every second of a step."""
        linked = self._linked()
        found = attendance(self._machine, linked)
        if found != self._attendance:
            self._attendance = found
            self._screen(found)
        machine = self._machine
        seats, wait = awaited(machine), machine.wait(now)
        second = (machine.tip.step, machine.tip.digest, int(wait.waited))
        if not seats or second == self._second or machine.finished or machine.broken is not None:
            return
        self._second = second
        left, count = max(0.0, wait.left), muster(machine, linked)
        kind = machine.tip.want.kind
        self._screen(updates.Clock(seats, wait.waited, left, wait.patience, count, kind))

    def notify(self, now: float) -> None:
        """Tell who is awaited, if a notice is due."""
        self._say(self._notices.look(self._machine, self._linked(), now))

    def timed_out(self, now: float) -> None:
        """Tell that the open step has timed out."""
        self._say(self._notices.run_out(self._machine, self._linked(), now))

    def extended(self, given: bool, now: float) -> None:
        """Tell what came of the player's wish to wait longer."""
        self._say(self._notices.extended(self._machine, given, now))

    def _say(self, word: Word | updates.Extended | None) -> None:
        if word is not None:
            self._screen(word)


def attendance(machine: SeatMachine, linked: Set[int]) -> updates.Attendance:
    """How each seat is there, as seen from this node."""
    return updates.Attendance(
        tuple(_presence(machine, s, linked) for s in range(machine.table.seats))
    )


def _presence(machine: SeatMachine, seat: int, linked: Set[int]) -> updates.Attending:
    if seat in machine.tip.banned:
        return updates.Attending.BANNED
    if seat not in machine.tip.present:
        return updates.Attending.ABSENT
    if seat in machine.away():
        return updates.Attending.LEFT
    return (
        updates.Attending.LINKED
        if seat in linked or seat == machine.seat
        else updates.Attending.UNLINKED
    )


FIRST: Final[Seconds] = 10.0
LONGEST: Final[Seconds] = 60.0
"""Seconds until who is awaited is first said; the pauses after it double up to the longest."""
UNDECIDED: Final[Seconds] = 60.0
"""Seconds after patience has run out until a player is told that the seats have not agreed."""

Word = updates.Awaited | updates.Halfway | updates.PatienceOver | updates.Paused


class WaitNotices:
    """Watches the first incomplete step of one machine; `linked` are the seats with a link."""

    def __init__(self) -> None:
        """Nothing has been said yet."""
        self._begin(None)

    def _begin(self, place: tuple[int, bytes] | None) -> None:
        self._place = place
        self._next = self._gap = FIRST
        self._halfway: float | None = None
        self._out: tuple[type[updates.PatienceOver] | type[updates.Paused], bool] | None = None
        self._late_at: float | None = None

    def look(self, machine: SeatMachine, linked: Set[int], now: float) -> Word | None:
        """What is to be said at this moment, if anything."""
        if machine.finished or machine.broken is not None:
            return None
        place = (machine.tip.step, machine.tip.digest)
        if place != self._place:
            self._begin(place)
        seats = awaited(machine)
        others = seats - {machine.seat}
        wait = machine.wait(now)
        seconds = wait.waited
        if is_silent_itself(machine):
            # This seat must hear all others before it may speak again, and it hears nobody.
            if linked or seconds < self._next:
                return None
            self._pause(seconds)
            return updates.Awaited(machine.tip.present - {machine.seat}, seconds, 0.0)
        word: Word | None = self._pausing(machine, seats, linked, seconds)
        word = word or self._undecided(machine, seats, linked, seconds)
        word = word or self._half(machine, seats, linked, wait)
        if word is None and others and seconds >= self._next and not machine.must_choose:
            word = updates.Awaited(others, seconds, max(0.0, wait.left))
        if word is not None:
            self._pause(seconds)
        return word

    def _pause(self, seconds: float) -> None:
        self._next, self._gap = seconds + self._gap, min(2 * self._gap, LONGEST)

    def run_out(
        self, machine: SeatMachine, linked: Set[int], now: float
    ) -> updates.PatienceOver | updates.Paused | None:
        """Patience has run out: the game goes on without them, or pauses."""
        if is_silent_itself(machine):
            return None
        place = (machine.tip.step, machine.tip.digest)
        if place != self._place:
            self._begin(place)
        seconds = machine.wait(now).waited
        self._pause(seconds)
        return self._verdict(machine, linked, seconds)

    def extended(self, machine: SeatMachine, given: bool, now: float) -> updates.Extended:
        """What came of the player's wish to wait longer."""
        others = awaited(machine) - {machine.seat}
        pauses = machine.has_begun and (machine.table.strict or machine.stands_still)
        if pauses or not given:
            return updates.Extended(others, 0.0)
        self._out = None
        return updates.Extended(others, machine.wait(now).left)

    def _pausing(
        self, machine: SeatMachine, seats: frozenset[int], linked: Set[int], seconds: float
    ) -> updates.PatienceOver | updates.Paused | None:
        """Too few are present, or what was said when patience ran out does not hold any more."""
        if self._out is None and not (machine.has_begun and machine.stands_still):
            return None
        before = self._out
        word = self._verdict(machine, linked, seconds)
        return word if self._out != before and seats - {machine.seat} else None

    def _verdict(
        self, machine: SeatMachine, linked: Set[int], seconds: float
    ) -> updates.PatienceOver | updates.Paused:
        count = muster(machine, linked)
        kind = updates.PatienceOver if count.goes_on and machine.has_begun else updates.Paused
        if self._out is None or self._out[0] is not kind:
            self._late_at = seconds if kind is updates.PatienceOver else None
        self._out = kind, count.is_short
        return kind(awaited(machine), seconds, count)

    def _undecided(
        self, machine: SeatMachine, seats: frozenset[int], linked: Set[int], seconds: float
    ) -> updates.PatienceOver | None:
        """Tell once that the seats have not agreed, long after the patience has run out."""
        if self._late_at is None or seconds < self._late_at + UNDECIDED:
            return None
        self._late_at = None
        return updates.PatienceOver(seats, seconds, muster(machine, linked), undecided=True)

    def _half(
        self, machine: SeatMachine, seats: frozenset[int], linked: Set[int], wait: Wait
    ) -> updates.Halfway | None:
        alone = machine.must_choose and not machine.table.strict
        due = 0 < wait.left <= wait.patience / 2 and (seats - {machine.seat} or alone)
        if not due or self._halfway == wait.since or self._out is not None:
            return None
        self._halfway = wait.since
        return updates.Halfway(seats, wait.waited, wait.left, muster(machine, linked))


def is_silent_itself(machine: SeatMachine) -> bool:
    """Whether only this very seat is awaited, while it may not speak: that has its own words, and
    no choice of the player would end it."""
    return machine.is_silent and awaited(machine) == {machine.seat}


def awaited(machine: SeatMachine) -> frozenset[int]:
    """Who has to speak; with too few present, who has to come back."""
    tip = machine.tip
    if machine.has_begun and machine.stands_still:
        return frozenset(range(machine.table.seats)) - tip.present - tip.banned
    return machine.awaited()


def muster(machine: SeatMachine, linked: Set[int]) -> updates.Muster:
    """How many of the seats it takes would be left without those awaited, as seen from here.

    A seat without a link may be there all the same, behind others: it counts if it has spoken in
    this step. An onlooker, who has few links, counts every present seat.
    """
    table, tip = machine.table, machine.tip
    left = tip.present - (awaited(machine) - {machine.seat})
    if machine.seat is not None:
        left &= {machine.seat} | linked | (tip.want.speakers - machine.awaited())
        left -= frozenset() if machine.has_voice else {machine.seat}
    terms, seats = table.header.terms, awaited(machine)
    gone = seats - {machine.seat} or seats
    others = gone - {machine.seat}
    back = all(tip.absences[seat] < terms.returns for seat in gone) or len(left) < terms.quorum
    here = linked if machine.seat is not None else gone
    away = machine.away() & gone
    return updates.Muster(
        table.seats,
        terms.quorum,
        len(left),
        table.strict,
        machine.has_begun,
        back,
        away,
        others - away - here,
        (others & here & tip.present) - away,
        machine.seat is not None and machine.has_begun and not machine.has_voice,
    )
