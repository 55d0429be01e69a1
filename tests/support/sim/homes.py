"""Restored and copied homes in a simulated game: an old copy put back, a second process."""

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
"""Seconds, in the mean, until a seat that comes to the table hears that it sits there already."""


class Homes:
    """Copies of homes at one simulated table."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.whole: set[int] = set()

    def plan(self, start: float) -> None:
        """Have it happen, from the moment at which things begin to go wrong."""
        world, wide = self.world, self.world.wide
        if (back := wide.restored) is not None:
            until = start + back.until
            world.at(start + back.start, lambda: world.crash_soon(back.seat, until, back.lost))
        if (clone := wide.clone) is not None:
            world.at(start + clone.start, lambda: self._clone(clone.seat, clone.lost))

    def put_back(self, seat: int, lost: int) -> int:
        """How many records are in the copy; nobody tells the seat that it is one."""
        disk = self.world.processes[seat].disk
        keep = max(0, len(disk) - lost)
        self.world.seen["put back"] += 1
        if keep < len(disk):
            self.world.seen["rolled back"] += 1
        elif self.world.seen["old journal"] == 0:
            self.whole.add(seat)
        return keep

    def is_known(self, seat: int, keep: int) -> bool:
        """Whether an honest seat that is up holds something that this copy lacks.

        Nobody need tell the seat then that it is one: it asks. (Otherwise its mark tells.)
        """
        world = self.world
        processes = [
            world.processes[s] for s in world.honest() if s != seat and world.processes[s].up
        ]
        mine = (own_statement(raw, world.table) for raw in known(world.processes[seat].disk[keep:]))
        lost = {message.hash for message in mine if message.seat == seat}
        return any(digest in store_of(process.machine) for process in processes for digest in lost)

    def judge(self) -> None:
        """Who came back with all it had signed is bound to nothing more than before."""
        for seat in sorted(self.whole):
            floor = floor_of(self.world.processes[seat].machine)
            old = self.world.seen["old journal"]
            need(old > 0 or floor == 0, f"seat {seat} forgot nothing and is mute below {floor}")

    # A second process of one home.

    def _clone(self, seat: int, lost: int) -> None:
        """Beside the first, while somebody is linked to it: it hears so, and until then is mute."""
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
    """The messages in a journal."""
    records: list[Any] = [codec.decode(record, peer_frames.MAX_FRAME) for record in disk]
    return {record[0] for record in records if record[0]}
