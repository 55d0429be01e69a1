"""Departures in a simulated game: seats that leave for now, and liars that forge and replay."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_notices import Departure
from support.inspection import view_of
from support.sim.plan import Absence

if TYPE_CHECKING:
    from support.sim.tables import World


class Departures:
    """The departures at one simulated table: honest ones, and those that liars sign or replay."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.signed: dict[int, list[Departure]] = world.check.left
        self.heard: dict[int, list[Departure]] = defaultdict(list)

    def plan(self, start: float) -> None:
        """Schedule the honest departures, from the start of the disturbances on."""
        for one in self.world.wide.leaving_seats:
            self.world.at(start + one.start, lambda one=one: self._leave(one))  # type: ignore[misc]

    def _leave(self, one: Absence) -> None:
        """Let a seat sign its departure and go, or stop its machine before all of that is sent."""
        world, process = self.world, self.world.processes[one.seat]
        if not process.up or process.crash_in is not None:
            return
        if process.machine.depart(world.now):
            world.seen["left"] += 1
        process.resume_at, process.old = world.now + one.away, False
        if one.amid is not None:
            process.crash_in = one.amid
        world.collect(one.seat)
        if process.up:
            process.up, process.crash_in = False, None
            process.machine.take()

    def note(self, seat: int, word: Departure) -> None:
        """Note a departure that a seat sends, if it is the seat's own."""
        if word.seat == seat:
            self.signed.setdefault(seat, []).append(word)

    def hear(self, seat: int, word: Departure) -> None:
        """Note a departure that a liar receives and may replay."""
        if seat in self.world.liars:
            self.heard[seat].append(word)

    def lie(self, seat: int) -> None:
        """Let a liar now and then send a departure: its own, a forged one or an old one."""
        world, liar = self.world, self.world.liars[seat]
        if "false-departures" not in world.wide.ways or world.trouble is None:
            return
        if liar.die.random() < 0.5:
            return
        word = self._false(seat)
        liar.told.append("departure")
        for other in sorted(liar.die.choice([liar.others, liar.some()])):
            world.post(seat, other, peer_frames.encode_frame(word), False)

    def _false(self, seat: int) -> Departure:
        liar = self.world.liars[seat]
        view, die, table = view_of(liar.machine), liar.die, self.world.table.id
        heard = self.heard[seat]
        kind = die.choice(["own", "own", "forged", "replayed"])
        if kind == "replayed" and heard:
            return die.choice(heard)
        node = die.choice([view.tip, view.tip, view.base])
        whose = seat if kind != "forged" else die.choice(sorted(liar.others))
        number = die.choice([1, 2, 3, 253, 254, die.randrange(1, 255)])
        epoch = view.epoch + die.choice([0, 0, 0, 1])
        step = node.step + die.choice([0, 0, 1, 5])
        word = signed_notices.sign_notice(
            liar.who, table, signed_notices.Departure(whose, number, epoch, step, node.digest)
        )
        self.note(seat, word)
        return word


def departure_of(raw: bytes) -> Departure | None:
    """Return the departure in the bytes of a frame, if it is one."""
    frame = peer_frames.parse_frame(raw)
    return frame if isinstance(frame, Departure) else None
