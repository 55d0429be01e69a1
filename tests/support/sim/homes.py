"""Restored and copied homes in a simulated game: a backup restored, a second process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from protocol.seat.effects import Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, peer_frames
from support.inspection import floor_of, store_of
from support.sim.invariants import need, own_statement

if TYPE_CHECKING:
    from support.sim.tables import World

HANDSHAKE = 0.3
"""Mean seconds until a second process of a seat is told that the seat is at the table already."""


class Homes:
    """Copies of homes at one simulated table."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.whole: set[int] = set()

    def plan(self, start: float) -> None:
        """Schedule all of it, from the start of the disturbances on."""
        world, wide = self.world, self.world.wide
        if (one := wide.restored) is not None:
            until = start + one.until
            world.at(start + one.start, lambda: world.crash_soon(one.seat, until, one.lost))
        if (clone := wide.clone) is not None:
            world.at(start + clone.start, lambda: self._clone(clone.seat, clone.lost))

    def put_back(self, seat: int, lost: int) -> int:
        """Return the number of records in the backup. Nobody tells the seat that it is one."""
        disk = self.world.processes[seat].disk
        keep = max(0, len(disk) - lost)
        self.world.seen["backup restored"] += 1
        if keep < len(disk):
            self.world.seen["rolled back"] += 1
        elif self.world.seen["old journal"] == 0:
            self.whole.add(seat)
        return keep

    def is_known(self, seat: int, keep: int) -> bool:
        """Return whether an honest seat that is up stores a message that this backup lacks.

        The seat then learns by its own question that its journal is old. Otherwise its mark shows
        it.
        """
        world = self.world
        processes = [
            world.processes[s] for s in world.honest() if s != seat and world.processes[s].up
        ]
        mine = (own_statement(raw, world.table) for raw in known(world.processes[seat].disk[keep:]))
        lost = {message.hash for message in mine if message.seat == seat}
        return any(digest in store_of(process.machine) for process in processes for digest in lost)

    def judge(self) -> None:
        """Check that a seat that resumed with all it had signed has no floor."""
        for seat in sorted(self.whole):
            floor = floor_of(self.world.processes[seat].machine)
            old = self.world.seen["old journal"]
            need(old > 0 or floor == 0, f"seat {seat} forgot nothing and is mute below {floor}")

    # A second process of one home.

    def _clone(self, seat: int, lost: int) -> None:
        """Start a second process beside the first. It must sign nothing before it is told of it."""
        world, process = self.world, self.world.processes[seat]
        others = (s for s, one in enumerate(world.processes) if s != seat and one.up)
        if not process.up or process.gone or not any(world.reach(seat, s) for s in others):
            return
        copy = process.disk[: max(0, len(process.disk) - lost)]
        twin = world.build(seat)
        twin.restore(copy)
        told = world.now + min(world.die.expovariate(1 / HANDSHAKE), world.plan.delay, 1.5)
        twin.start(world.now)
        world.seen["clone"] += 1
        self._live(seat, twin, known(copy), told)

    def _live(self, seat: int, twin: SeatMachine, mine: set[bytes], told: float) -> None:
        world = self.world
        for effect in twin.take():
            if isinstance(effect, Send):
                self._check(seat, effect.frame, mine)
        if world.now < told:
            twin.tick(world.now)
            world.at(world.now + 0.25, lambda: self._live(seat, twin, mine, told))

    def _check(self, seat: int, raw: bytes, mine: set[bytes]) -> None:
        frame = peer_frames.parse_frame(raw)
        if isinstance(frame, peer_frames.Carry):
            message = own_statement(frame.message, self.world.table)
            fresh = message.seat == seat and frame.message not in mine
            need(not fresh, f"a second process of seat {seat} signs {message}")


def known(disk: list[bytes]) -> set[bytes]:
    """Return the messages in a journal."""
    records: list[Any] = [codec.decode(record, peer_frames.MAX_FRAME) for record in disk]
    return {record[0] for record in records if record[0]}
