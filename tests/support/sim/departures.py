"""Who leaves for now in a simulated game, and what liars do with what was signed then."""

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
    """The leaves of one simulated table: honest ones, and those a liar signs, forges, replays."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.signed: dict[int, list[Departure]] = world.check.left
        self.heard: dict[int, list[Departure]] = defaultdict(list)

    def plan(self, start: float) -> None:
        """Have people leave, from the moment at which things begin to go wrong."""
        for one in self.world.wide.leaving_seats:
            self.world.at(start + one.start, lambda one=one: self._leave(one))  # type: ignore[misc]

    def _leave(self, one: Absence) -> None:
        """It signs, and goes; or its machine stops before all of that is out."""
        world, process = self.world, self.world.processes[one.seat]
        if not process.up or process.crash_in is not None:
            return
        if process.machine.leave(world.now):
            world.seen["left"] += 1
        process.resume_at, process.old = world.now + one.away, False
        if one.amid is not None:
            process.crash_in = one.amid
        world.collect(one.seat)
        if process.up:
            process.up, process.crash_in = False, None
            process.machine.take()

    def note(self, seat: int, word: Departure) -> None:
        """What somebody sends: its own is signed by it indeed."""
        if word.seat == seat:
            self.signed.setdefault(seat, []).append(word)

    def hear(self, seat: int, word: Departure) -> None:
        """What a liar may show again."""
        if seat in self.world.liars:
            self.heard[seat].append(word)

    def lie(self, seat: int) -> None:
        """Now and then a leave of its own, of another seat, or one that is long past; to some."""
        world, liar = self.world, self.world.liars[seat]
        if "leaves" not in world.wide.ways or world.trouble is None:
            return
        if liar.die.random() < 0.5:
            return
        word = self._false(seat)
        liar.told.append("leave")
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
    """The leave in a frame's bytes."""
    frame = peer_frames.parse_frame(raw)
    return frame if isinstance(frame, Departure) else None
