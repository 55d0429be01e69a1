"""What a screen is told all the time: how each seat is there, and the clock of the open step."""

from __future__ import annotations

from collections.abc import Set

from protocol import Machine

from .updates import Attendance, Clock, Presence, Screen
from .waiting import awaited, muster


class PresenceTeller:
    """Tells one screen of attendance when it changes, and of the clock every second."""

    def __init__(self, machine: Machine, screen: Screen) -> None:
        """Nothing has been told yet."""
        self._machine, self._screen = machine, screen
        self._attendance: Attendance | None = None
        self._second: tuple[int, bytes, int] | None = None

    def tell(self, linked: Set[int], now: float) -> None:
        """Tell how each seat is there, if that has changed, and the clock, if another second of the
        open step has begun; `linked` are the seats with a link."""
        self._tell_attendance(linked)
        self._tell_clock(linked, now)

    def _tell_attendance(self, linked: Set[int]) -> None:
        found = attendance(self._machine, linked)
        if found != self._attendance:
            self._attendance = found
            self._screen(found)

    def _tell_clock(self, linked: Set[int], now: float) -> None:
        machine = self._machine
        seats, wait = awaited(machine), machine.wait(now)
        second = (machine.tip.step, machine.tip.digest, int(wait.waited))
        if not seats or second == self._second or machine.finished or machine.broken is not None:
            return
        self._second = second
        left, count = max(0.0, wait.left), muster(machine, linked)
        kind = machine.tip.want.kind
        self._screen(Clock(seats, wait.waited, left, wait.patience, count, kind))


def attendance(machine: Machine, linked: Set[int]) -> Attendance:
    """How each seat is there, as seen from this node."""
    return Attendance(tuple(_presence(machine, s, linked) for s in range(machine.table.seats)))


def _presence(machine: Machine, seat: int, linked: Set[int]) -> Presence:
    if seat in machine.tip.banned:
        return Presence.BANNED
    if seat not in machine.tip.present:
        return Presence.ABSENT
    if seat in machine.away():
        return Presence.LEFT
    return Presence.LINKED if seat in linked or seat == machine.seat else Presence.UNLINKED
