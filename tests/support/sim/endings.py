"""Tables that end as the program ends them, while liars try to strand somebody.

Here links take a fixed time and may break, what is on its way in a broken link is lost, a seat may
sleep through a while, and each seat leaves as soon as the program would, whatever the others do.
The liars withhold their last inputs, show them to one seat only, and request epochs for which they
sign no promise. A seat that waits for ever is found at the end of the game.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol.chain.chain_state import Kind
from protocol.wire import signed_messages
from protocol.wire.signed_messages import EpochRequest, Message, StepInput
from support.machine_table import carried

if TYPE_CHECKING:
    from support.sim.tables import World

TICK = 0.2
"""Seconds between two ticks of a machine, as in the program."""


@dataclass(frozen=True)
class Nap:
    """A seat that neither hears nor does anything for a while."""

    seat: int
    start: float
    seconds: float


@dataclass(frozen=True)
class Crash:
    """An honest seat that crashes, and resumes from its journal without the last `lost` records."""

    seat: int
    start: float
    away: float
    lost: int


@dataclass(frozen=True)
class Absent:
    """An honest seat that is down until the others have made it absent, and back at the end.

    step: How many steps of the game itself it takes part in.
    late: The seconds after which it is back, once the first of the others is at the last step.
    """

    seat: int
    step: int
    late: float


@dataclass(frozen=True)
class Ending:
    """What happens once the last inputs of liars alone are lacking, in seconds from there.

    delay: What each link takes, one way.
    favoured: The seat to which the liars show their last inputs, and when: `shown`.
    told: When the others are shown them too, with a second version and a request; None for never.
    parted: For how long the favoured seat has no link with another honest one; 0.0 for never.
    nap: An honest seat that sleeps.
    crash: An honest seat that crashes.
    absent: An honest seat that is absent.
    """

    delay: float
    favoured: int
    shown: float
    told: float | None
    parted: float
    nap: Nap | None = None
    crash: Crash | None = None
    absent: Absent | None = None


def draw_ending(seed: str, honest: list[int], timeouts: float) -> Ending:
    """Return an ending drawn from a seed; `timeouts` is that of the last step, in seconds."""
    die = random.Random(f"ending {seed}")
    favoured = die.choice(honest)
    nap, crash = None, None
    if die.random() < 0.2:
        start, away = die.uniform(0.0, timeouts), die.choice([0.5, 2.0, 4.0])
        crash = Crash(die.choice(honest), start, away, die.choice([0, 0, 1, 5]))
    if die.random() < 0.2:
        nap = Nap(die.choice(honest), die.uniform(0.0, timeouts), die.choice([0.5, 2.0, 5.0]))
    if die.random() < 0.5:  # just before the step times out for the others
        shown = timeouts - die.uniform(0.0, 0.5)
        return Ending(die.choice([0.01, 0.05, 0.2]), favoured, shown, None, 0.0, nap, crash)
    delay, parted = die.choice([0.05, 0.15, 0.3]), die.uniform(1.0, timeouts)
    told = die.uniform(0.0, parted)
    return Ending(delay, favoured, die.uniform(0.0, parted), told, parted, nap, crash)


def draw_absence(seed: str, honest: list[int], timeouts: float) -> Ending:
    """Return an ending to which an absent seat comes back, beside liars if there are any."""
    die = random.Random(f"absence {seed}")
    delay, seat = die.choice([0.05, 0.15, 0.3]), die.choice(honest)
    # Within the few frames of an end without liars, or any time before those that liars delay.
    late = die.uniform(0.0, die.choice([4 * delay, 1.0, timeouts]))
    favoured = die.choice([other for other in honest if other != seat])
    absent = Absent(seat, die.randrange(1, 8), late)
    return Ending(delay, favoured, die.uniform(0.0, timeouts), None, 0.0, absent=absent)


class Endings:
    """The end of one simulated table."""

    def __init__(self, world: World, ending: Ending) -> None:
        self.world, self.ending = world, ending
        self.began: float | None = None
        self.last_inputs: dict[int, Message] = {}
        self._is_back = False
        self.left_behind: set[int] = set()

    # What the simulator asks

    def look(self) -> None:
        """Begin once every honest seat waits for the last inputs of the liars only."""
        world, ending = self.world, self.ending
        self._look_for_absence()
        here = (seat for seat in world.honest() if world.processes[seat].up)
        if self.began is not None or not all(map(self._waits_for_liars, here)):
            return
        self.began = world.now
        world.at(world.now + ending.shown, self._show)
        if ending.told is not None:
            world.at(world.now + ending.told, self._tell)
        if ending.crash is not None:
            world.at(world.now + ending.crash.start, lambda: self._crash(ending.crash))

    def _look_for_absence(self) -> None:
        """Take the absent seat away at its step, and bring it back when the others end."""
        world, absent = self.world, self.ending.absent
        if absent is None or self._is_back:
            return
        process = world.processes[absent.seat]
        if process.up:
            if process.machine.tip.step > world.table.first_step + absent.step:
                process.resume_at = math.inf
                world.crash(absent.seat)
            return
        others = [world.processes[seat].machine for seat in world.honest() if seat != absent.seat]
        if any(machine.tip.want.kind is Kind.RESULT for machine in others):
            process.resume_at, self._is_back = world.now + absent.late, True

    def is_cut(self, a: int, b: int) -> bool:
        """Return whether the link of two honest seats is broken now."""
        if self.began is None or self.world.plan.liars & {a, b}:
            return False
        is_over = self.world.now >= self.began + self.ending.parted
        return self.ending.favoured in (a, b) and not is_over

    def note_leaving(self, seat: int) -> None:
        """Note which absent seat lacks its end when a seat leaves that is linked with it."""
        absent, process = self.ending.absent, self.world.processes[seat]
        if absent is not None and absent.seat in process.links:
            other = self.world.processes[absent.seat]
            if other.up and not other.machine.finished:
                self.left_behind.add(absent.seat)

    def may_lack_end(self, seat: int) -> bool:
        """Return whether a seat was away until nobody was there who could tell it its end."""
        absent = self.ending.absent
        return absent is not None and absent.seat == seat and seat not in self.left_behind

    def sleeps_until(self, seat: int) -> float:
        """Return when a seat wakes up; a time that is past if it is awake."""
        nap = self.ending.nap
        if nap is None or nap.seat != seat or self.began is None:
            return 0.0
        start = self.began + nap.start
        return start + nap.seconds if self.world.now >= start else 0.0

    def holds_back(self, seat: int, message: Message) -> bool:
        """Keep a liar's last input, and all that it signs or passes on then but own requests."""
        machine = self.world.processes[seat].machine
        statement = message.statement
        if machine.tip.want.kind is not Kind.RESULT:
            return False
        if message.seat == seat and isinstance(statement, StepInput):
            self.last_inputs.setdefault(seat, message)
        return message.seat != seat or not isinstance(statement, EpochRequest)

    def _crash(self, crash: Crash) -> None:
        process = self.world.processes[crash.seat]
        if process.up:
            process.resume_at, process.lost = self.world.now + crash.away, crash.lost
            self.world.crash(crash.seat)

    # What the liars do

    def _show(self) -> None:
        for seat, message in sorted(self.last_inputs.items()):
            self.world.post(seat, self.ending.favoured, carried(message), True)

    def _tell(self) -> None:
        for seat, message in sorted(self.last_inputs.items()):
            step_input = message.statement
            if not isinstance(step_input, StepInput):
                continue
            others = set(self.world.honest()) - {self.ending.favoured}
            for statement in (
                StepInput(step_input.epoch, step_input.step, step_input.on, b"other"),
                step_input,
                EpochRequest(1),
            ):
                made = signed_messages.sign(
                    self.world.who[seat], self.world.table.id, seat, statement
                )
                for other in sorted(others):
                    self.world.post(seat, other, carried(made), True)

    def _waits_for_liars(self, seat: int) -> bool:
        machine = self.world.processes[seat].machine
        is_last = machine.tip.want.kind is Kind.RESULT
        return is_last and machine.awaited() <= self.world.plan.liars
