"""Tell the screen who is connected, in a page or not, who is awaited, and for how long.

A seat is linked if it has a link to this peer. The seats whose input for the step is missing are
awaited. Lengths of time are seconds.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from protocol import SeatMachine, Wait
from protocol.units import Seconds

from ...net.hub import Hub
from ...presentation import screen_updates as updates
from ..seats_in_pages import PageTeller

FIRST: Final[Seconds] = 10.0
"""Seconds until the player is first told who is awaited. Each later pause is twice as long."""
MAX_REMINDER_PAUSE: Final[Seconds] = 60.0
"""Seconds of the longest pause between two notices about who is awaited."""
UNDECIDED: Final[Seconds] = 60.0
"""Seconds after a timeout until the player is told that the seats have not agreed on it yet."""
CONFIRMED: Final[Seconds] = 1.0
"""Seconds after the result in which mostly all other seats have confirmed it."""

Notice = updates.Awaited | updates.Halfway | updates.SeatsTimedOut | updates.Paused


class PresenceTeller:
    """A reporter that tells one screen who is connected, who is awaited, and for how long.

    Attributes:
        _next: How many seconds of waiting make the next notice `Awaited` due. `_pause` moves it on.
        _halfway: The beginning of the wait of which the player was told that half is over.
        _out: What was told after the timeout of the step: the kind of notice, and whether too few
            seats are there. None before the timeout.
        _late_at: The seconds of waiting when it was told that the game goes on without the awaited
            seats. None if the player was not told so, or has been told since that it does not.
    """

    def __init__(
        self, machine: SeatMachine, screen: updates.Screen, hub: Hub, pages: PageTeller
    ) -> None:
        """Make a reporter, before its first update. It lets `pages` tell of seats in pages."""
        self._machine, self._screen, self._hub, self._pages = machine, screen, hub, pages
        self._attendance: updates.Attendance | None = None
        self._second: tuple[int, bytes, int] | None = None
        self._place: tuple[int, bytes] | None = None
        self._over_at: float | None = None
        self._stays_for: set[frozenset[int]] = set()
        self._stays_left = 0.0
        self._look_at_step()

    def _look_at_step(self) -> None:
        """Forget what the screen was told before, if the chain has come to another step."""
        place = (self._machine.tip.step, self._machine.tip.digest)
        if place != self._place:
            self._place = place
            self._next = self._gap = FIRST
            self._halfway: float | None = None
            self._out: tuple[type[updates.SeatsTimedOut | updates.Paused], bool] | None = None
            self._late_at: float | None = None

    def _linked(self) -> set[int]:
        """Return the numbers of the linked seats."""
        ids = self._machine.table.ids
        return {seat for seat, peer in enumerate(ids) if self._hub.linked(peer)}

    def tell(self, now: float) -> None:
        """Show who is connected, if this has changed, and the step's clock once a second."""
        linked, table = self._linked(), self._machine.table
        self._pages.tell({one.id: one.nickname for one in table.header.roster})
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
        self._screen(updates.Clock(seats, wait.waited, left, wait.timeout, count, kind))

    def notify(self, now: float) -> None:
        """Tell the screen who is awaited, if it is time for such a notice."""
        machine, linked = self._machine, self._linked()
        if machine.finished or machine.broken is not None:
            return
        self._look_at_step()
        wait = machine.wait(now)
        word: Notice | None = None
        if not is_silent_itself(machine):
            word = self._due(wait, awaited(machine), muster(machine, linked))
        elif not linked and wait.waited >= self._next:
            # This seat may not sign before others have answered, and it has no link.
            word = updates.Awaited(machine.tip.present - {machine.seat}, wait.waited, 0.0)
        if word is not None:
            self._pause(wait.waited)
            self._screen(word)

    def timed_out(self, now: float) -> None:
        """Tell the screen that the step has timed out, and whether the game goes on or pauses."""
        if is_silent_itself(self._machine):
            return
        self._look_at_step()
        seconds = self._machine.wait(now).waited
        self._pause(seconds)
        self._screen(self._verdict(seconds, muster(self._machine, self._linked())))

    def extended(self, given: bool, now: float) -> None:
        """Tell the screen whether the player's request to wait longer has an effect.

        Args:
            given: Whether the state machine has restarted the timeout of the step.
        """
        machine, left = self._machine, 0.0
        pauses = machine.has_begun and (machine.table.strict or machine.stands_still)
        if given and not pauses:
            self._out, left = None, machine.wait(now).left
        self._screen(updates.Extended(awaited(machine) - {machine.seat}, left))

    def stays(self, now: float) -> None:
        """Tell the screen for whom this seat stays at the table although the result is final.

        The first time is a moment after the result, since mostly nobody is awaited any more then.
        It is told again if other seats are awaited, or if the time is half of what was told.
        """
        self._over_at = now if self._over_at is None else self._over_at
        wait = self._machine.last_wait()
        if wait is None or now - self._over_at < CONFIRMED:
            return
        is_half = FIRST <= wait.left <= self._stays_left / 2
        is_more = wait.left > self._stays_left + CONFIRMED
        # A link that comes and goes brings no seats that were not told before.
        if wait.seats not in self._stays_for or is_half or is_more:
            self._stays_for.add(wait.seats)
            self._stays_left = wait.left
            self._screen(updates.Unconfirmed(wait.seats, wait.left))

    def _pause(self, seconds: float) -> None:
        """Set when the next notice about awaited seats is due, and double the pause after it."""
        self._next, self._gap = seconds + self._gap, min(2 * self._gap, MAX_REMINDER_PAUSE)

    def _due(self, wait: Wait, seats: frozenset[int], count: updates.Muster) -> Notice | None:
        """Return the notice about the awaited seats that is due now, or None.

        Args:
            count: How many seats could go on without them.
        """
        machine, others, before = self._machine, seats - {self._machine.seat}, self._out
        if before is not None or (machine.has_begun and machine.stands_still):
            # Too few are present, or the notice at the timeout may not be true any more.
            word = self._verdict(wait.waited, count)
            if self._out != before and others:
                return word
        if self._late_at is not None and wait.waited >= self._late_at + UNDECIDED:
            self._late_at = None
            return updates.SeatsTimedOut(seats, wait.waited, count, undecided=True)
        alone = machine.must_choose and not machine.table.strict
        # Above 0: after the timeout the player is told of that instead.
        is_half = 0 < wait.left <= wait.timeout / 2 and (others or alone)
        if is_half and self._halfway != wait.since and self._out is None:
            self._halfway = wait.since
            return updates.Halfway(seats, wait.waited, wait.left, count)
        if others and wait.waited >= self._next and not machine.must_choose:
            return updates.Awaited(others, wait.waited, max(0.0, wait.left))
        return None

    def _verdict(
        self, seconds: float, count: updates.Muster
    ) -> updates.SeatsTimedOut | updates.Paused:
        """Return the update that says, after a step's timeout, whether the game goes on or pauses.

        Its kind is stored, so that a later call of `_due` notices a change.
        """
        has_begun = self._machine.has_begun
        kind = updates.SeatsTimedOut if count.goes_on and has_begun else updates.Paused
        if self._out is None or self._out[0] is not kind:
            self._late_at = seconds if kind is updates.SeatsTimedOut else None
        self._out = kind, count.is_short
        return kind(awaited(self._machine), seconds, count)


def attendance(machine: SeatMachine, linked: Set[int]) -> updates.Attendance:
    """Return for each seat whether it is linked, unlinked, away, absent or banned."""
    return updates.Attendance(
        tuple(_presence(machine, s, linked) for s in range(machine.table.seats))
    )


def _presence(machine: SeatMachine, seat: int, linked: Set[int]) -> updates.Attending:
    """Return the state of a seat as this peer sees it.

    LEFT means that the seat has announced its departure, ABSENT that the table goes on without it.
    """
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


def is_silent_itself(machine: SeatMachine) -> bool:
    """Return whether the game waits for this seat alone, while this seat may not sign yet.

    A resumed seat first asks the others which of its signed messages they store.
    """
    return machine.is_silent and awaited(machine) == {machine.seat}


def awaited(machine: SeatMachine) -> frozenset[int]:
    """Return the numbers of the awaited seats.

    If too few are present to go on, these are the absent seats that are not banned: the game pauses
    until some of them rejoin.
    """
    tip = machine.tip
    if machine.has_begun and machine.stands_still:
        return frozenset(range(machine.table.seats)) - tip.present - tip.banned
    return machine.awaited()


def muster(machine: SeatMachine, linked: Set[int]) -> updates.Muster:
    """Count the seats that could go on without the awaited seats, as far as this peer knows.

    A seat counts if it is linked, or if its input for this step has arrived through other seats. An
    onlooker has few links, so it counts every present seat.
    """
    table, tip = machine.table, machine.tip
    left = tip.present - (awaited(machine) - {machine.seat})
    if machine.seat is not None:
        left &= {machine.seat} | linked | (tip.want.speakers - machine.awaited())
        left -= frozenset() if machine.has_voice else {machine.seat}
    terms, seats = table.header.terms, awaited(machine)
    gone = seats - {machine.seat} or seats
    others = gone - {machine.seat}
    back = all(tip.absences[seat] < terms.rejoins for seat in gone) or len(left) < terms.quorum
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
        machine.seat is not None and machine.is_bound and not machine.has_begun,
    )
