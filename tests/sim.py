"""Whole tables on a virtual clock: delays, losses, partitions, crashes and up to two liars.

Everything follows from the seed. `play(seed)` runs one game and raises `Violation`, with the
seed in its text, when an invariant of `sim_check` does not hold.
"""

from __future__ import annotations

import hashlib
import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from room import make_table
from sim_check import Checker, Violation, need, own_statement
from sim_lies import LIES, Liar
from toy_game import ToyGame

from protocol import frames
from protocol.effects import Asked, Effect, Entered, Finished, Guilty, Record, Send, Stepped
from protocol.errors import Invalid
from protocol.header import Patience
from protocol.machine import Machine
from protocol.messages import Message

PATIENCE = Patience(choice=12_000, step=8_000, grace=2_000, cap=16_000)
TICK = 1.0
CALM = 600.0
"""Seconds without any disturbance in which a game must end."""
HALTED = 60.0
"""The same for a game that need not end, since fewer than a quorum are honest."""


@dataclass(frozen=True)
class Plan:
    """What one game is made of; drawn from its seed."""

    seed: str
    seats: int
    quorum: int
    liars: frozenset[int]
    lies: tuple[str, ...]
    delay: float
    loss: float
    doubles: float
    unordered: bool
    partitions: tuple[tuple[float, float, frozenset[int]], ...]
    crashes: tuple[tuple[float, float, int, bool], ...]
    slow: frozenset[int]
    vanish: tuple[int, float] | None
    calm_from: float
    calm_setup: bool

    @property
    def quiet(self) -> bool:
        """No disturbance but the liar: nobody honest may be made absent."""
        disturbed = self.partitions or self.crashes or self.slow or self.loss
        return not disturbed and self.vanish is None and self.delay <= 0.3


def draw_plan(
    seed: str, seats: int | None = None, liar: bool | None = None, two: bool = False
) -> Plan:
    """A plan from a seed; `seats` and `liar` narrow it; `two`: a second seat lies too."""
    die = random.Random(f"plan {seed}")
    n = seats or die.choice([2, 3, 3, 4, 4, 4, 5, 5, 6])
    quorum = {2: 2, 3: 2, 4: 3, 5: 4, 6: 4}[n]
    if n > 2 and die.random() < 0.05:
        quorum = n
    strict = quorum == n
    lying = die.random() < 0.6 if liar is None else liar
    who = die.randrange(n) if lying and not strict else None
    names = tuple(die.sample(sorted(LIES), die.choice([1, 1, 2, 3]))) if who is not None else ()
    end = die.choice([5.0, 20.0, 60.0])
    wild = die.random() < 0.7
    vanish = _vanish(die, n, quorum, who, end)
    current = strict or vanish is not None
    return Plan(
        seed,
        n,
        quorum,
        _liars(seed, n, who, two),
        names,
        die.choice([0.02, 0.1, 0.3, 1.0, 3.0]) if wild else 0.1,
        die.choice([0.0, 0.0, 0.1, 0.3]) if wild else 0.0,
        die.choice([0.0, 0.2]),
        wild and die.random() < 0.3,
        _partitions(die, n, end) if wild else (),
        _crashes(die, n, end, current) if wild else (),
        frozenset(die.sample(range(n), 1)) if wild and die.random() < 0.15 else frozenset(),
        vanish,
        end + 40.0,
        die.random() < 0.9,
    )


def _liars(seed: str, n: int, who: int | None, two: bool) -> frozenset[int]:
    if who is None or not two:
        return frozenset(() if who is None else (who,))
    others = [seat for seat in range(n) if seat != who]
    return frozenset({who, random.Random(f"second {seed}").choice(others)})


def _partitions(die: random.Random, n: int, end: float) -> Any:
    found = []
    for _ in range(die.choice([0, 0, 1, 1, 2])):
        start = die.uniform(0.5, end)
        side = frozenset(die.sample(range(n), die.randint(1, n - 1)))
        found.append((start, start + die.choice([3.0, 12.0, 30.0]), side))
    return tuple(found)


def _crashes(die: random.Random, n: int, end: float, current: bool) -> Any:
    """Crashes with the journal; at most one seat comes back with an old one, as if absent."""
    found = []
    for _ in range(die.choice([0, 0, 1, 1, 2, 3])):
        start = die.uniform(0.5, end)
        old = die.random() < 0.3 and not current and not any(c[3] for c in found)
        found.append((start, start + die.choice([0.1, 3.0, 25.0]), die.randrange(n), old))
    return tuple(found)


def _vanish(
    die: random.Random, n: int, quorum: int, liar: int | None, end: float
) -> tuple[int, float] | None:
    spare = n - quorum - (liar is not None)
    if spare < 1 or die.random() < 0.7:
        return None
    return die.choice([s for s in range(n) if s != liar]), die.uniform(0.5, end)


@dataclass
class House:
    """One seat's machine, its disk and whether it is running."""

    machine: Machine
    disk: list[bytes] = field(default_factory=list)
    up: bool = True
    gone: bool = False
    crash_in: int | None = None
    resume_at: float = 0.0
    old: bool = False


class World:
    """One simulated table."""

    def __init__(self, plan: Plan, rounds: int = 1) -> None:
        self.plan = plan
        game = ToyGame(plan.seats, rounds)
        self.table, self.who = make_table(game, plan.seats, plan.quorum, PATIENCE)
        self.die = random.Random(f"world {plan.seed}")
        self.now, self.count = 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.last: dict[tuple[int, int], float] = {}
        self.check = Checker(self.table, plan.liars)
        self.seen: Counter[str] = Counter()
        self.trouble: float | None = None
        self.houses = [House(self.build(seat)) for seat in range(plan.seats)]
        self.liars = {seat: self._liar(seat) for seat in sorted(plan.liars)}

    def _liar(self, seat: int) -> Liar:
        name = self.plan.seed if seat == min(self.plan.liars) else f"{self.plan.seed} {seat}"
        die = random.Random(f"liar {name}")
        rate = die.choice([0.1, 0.4, 1.0])
        return Liar(seat, self.houses[seat].machine, self.who[seat], die, rate)

    def build(self, seat: int) -> Machine:
        """A machine with the same long-lived secrets and fresh randomness."""
        secret = hashlib.sha256(f"secret{seat}".encode()).digest()
        fresh = random.Random(f"rng {self.plan.seed} {seat} {self.now}").randbytes
        if self.now == 0.0:
            fresh = random.Random(f"setup {seat}").randbytes
        return Machine(self.table, fresh, seat, self.who[seat], secret)

    # Time.

    def at(self, when: float, what: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.events, (when, self.count, what))

    def run(self) -> None:
        for seat in range(self.plan.seats):
            self.at(self.die.random() * 0.1, lambda s=seat: self._start(s))  # type: ignore[misc]
            self.at(TICK * (1 + self.die.random()), lambda s=seat: self._tick(s))  # type: ignore[misc]
        if not self.plan.calm_setup:
            self._trouble(0.0)
        calm = CALM if len(self.honest()) >= self.plan.quorum else HALTED
        while self.events and not self.done():
            self.now, _, what = heapq.heappop(self.events)
            if self.trouble is None and all(h.machine.has_begun for h in self.houses):
                self._trouble(self.now)
            if self.now > (self.trouble or 0.0) + self.plan.calm_from + calm:
                break
            what()
        self._judge_end()

    def _trouble(self, start: float) -> None:
        """From here on things go wrong, until they are calm again."""
        self.trouble = start
        for when, until, seat, old in self.plan.crashes:
            end = start + until
            self.at(start + when, lambda s=seat, u=end, o=old: self._plan_crash(s, u, o))  # type: ignore[misc]
        if self.plan.vanish:
            who, when = self.plan.vanish
            self.at(start + when, lambda: self._vanish(who))

    @property
    def calm(self) -> bool:
        """Whether the network behaves."""
        return self.trouble is None or self.now >= self.trouble + self.plan.calm_from

    def _start(self, seat: int) -> None:
        self.houses[seat].machine.start(self.now)
        self._link(seat)
        self.collect(seat)

    def _tick(self, seat: int) -> None:
        house = self.houses[seat]
        if house.gone:
            return
        if house.up:
            self._ask_back(house.machine)
            house.machine.tick(self.now)
            self.collect(seat)
        elif self.now >= house.resume_at:
            self._resume(seat)
        self.at(self.now + TICK, lambda: self._tick(seat))

    def _ask_back(self, machine: Machine) -> None:
        node = machine.tip
        if machine.has_begun and machine.seat not in node.present | node.banned:
            machine.ask_back(self.now)

    def honest(self) -> list[int]:
        """Honest seats that are there at the end."""
        return [s for s, h in enumerate(self.houses) if s not in self.plan.liars and not h.gone]

    def done(self) -> bool:
        machines = [self.houses[s].machine for s in self.honest()]
        return all(m.broken or (m.finished and m.may_leave()) for m in machines) and all(
            self.houses[s].up for s in self.honest()
        )

    # Crash and resume.

    def _vanish(self, seat: int) -> None:
        self.houses[seat].up, self.houses[seat].gone = False, True

    def _plan_crash(self, seat: int, until: float, old: bool) -> None:
        house = self.houses[seat]
        if house.up and seat not in self.plan.liars:
            house.crash_in, house.resume_at, house.old = self.die.randrange(6), until, old

    def _crash(self, seat: int) -> None:
        house = self.houses[seat]
        house.up, house.crash_in = False, None
        self.seen["crash"] += 1
        house.machine.take()

    def _resume(self, seat: int) -> None:
        house = self.houses[seat]
        house.machine = self.build(seat)
        keep = len(house.disk)
        if house.old:
            keep = self.die.randrange(keep + 1)
            self.seen["old journal"] += 1
        del house.disk[keep:]
        house.machine.restore(list(house.disk))
        if house.old:
            house.machine.be_cautious()
        for node in house.machine.view.path.values():
            self.check.secrets.note_due(node)
        house.old, house.up = False, True
        house.machine.start(self.now)
        self._link(seat)
        self.collect(seat)

    def _link(self, seat: int) -> None:
        for other, peer in enumerate(self.table.ids):
            if other != seat and not self.houses[other].gone:
                self.houses[seat].machine.link_up(peer, self.now)

    # Effects.

    def collect(self, seat: int, surely: bool = False) -> None:
        house = self.houses[seat]
        while house.up and (found := house.machine.take()):
            for index, effect in enumerate(found):
                if house.crash_in == index:
                    self._crash(seat)
                    return
                self._effect(seat, house, effect, surely)
        if house.up and seat not in self.plan.liars:
            if house.crash_in is not None:
                house.crash_in = 0 if house.crash_in < 2 else house.crash_in - 2
            self.check.watch(seat, house.machine)

    def _effect(self, seat: int, house: House, effect: Effect, surely: bool) -> None:
        match effect:
            case Record(data):
                house.disk.append(data)
            case Send():
                self._send(seat, house, effect, surely)
            case Asked():
                self._ask(seat, effect)
            case Guilty(other, code, _) if seat not in self.plan.liars:
                self.check.found_guilty(seat, other, code)
                self.seen[code] += 1
            case Entered(_, node) if seat not in self.plan.liars:
                self.seen["epoch"] += 1
                self.check.secrets.note_due(node)
            case Stepped(_, node) if seat not in self.plan.liars:
                self.check.secrets.note_due(node)
            case Finished():
                self.seen["finished"] += 1

    def _ask(self, seat: int, asked: Asked) -> None:
        think = self.die.random() * 0.5
        if seat in self.plan.slow and not self.calm:
            think = self.die.choice([1.0, 10.0, 30.0])
        self.at(self.now + think, lambda: self._choose(seat))

    def _choose(self, seat: int) -> None:
        house = self.houses[seat]
        if house.up and house.machine.must_choose:
            choices = self.table.game.choices(house.machine.tip.want.name, seat)
            house.machine.choose(self.die.choice(choices), self.now)
            self.collect(seat)

    # Frames.

    def _send(self, seat: int, house: House, send: Send, surely: bool) -> None:
        frame = frames.parse_frame(send.frame)
        if isinstance(frame, frames.Carry):
            message = own_statement(frame.message, self.table)
            if seat in self.plan.liars:
                self._lie(seat, message, send)
                return
            if message.seat == seat:
                self.check.signed_by(house.machine, message)
        for other in self._receivers(seat, send):
            self._post(seat, other, send.frame, surely or isinstance(frame, frames.Told))

    def _receivers(self, seat: int, send: Send) -> list[int]:
        ids = self.table.ids
        others = (o for o in range(self.plan.seats) if o != seat and ids[o] != send.but)
        return [o for o in others if send.peer is None or ids[o] == send.peer]

    def _lie(self, seat: int, message: Message, send: Send) -> None:
        """The liar's own statements go through a lie; what it forwards it may keep to itself."""
        liar = self.liars[seat]
        to = frozenset(self._receivers(seat, send))
        if message.seat != seat:
            liar.heard.append(message)
            if "withhold" in self.plan.lies and liar.die.random() < liar.rate:
                return
            parts = [(message, to)]
        elif send.peer is None and self.trouble is not None and liar.die.random() < liar.rate:
            name = liar.die.choice(self.plan.lies)
            liar.told.append(name)
            parts = LIES[name](liar, message)
        elif "withhold" in self.plan.lies or "whisper" in self.plan.lies:
            parts = [(message, to if send.peer is None else frozenset())]
        else:
            parts = [(message, to)]
        for part, who in parts:
            frame = frames.encode_frame(frames.Carry(part.encode()))
            for other in who:
                self._post(seat, other, frame, False)

    def _cut(self, a: int, b: int) -> bool:
        since = self.now - (self.trouble or 0.0)
        for start, end, side in self.plan.partitions:
            if start <= since < end and (a in side) != (b in side):
                return not self.plan.liars & {a, b}
        return False

    def _post(self, seat: int, other: int, frame: bytes, surely: bool) -> None:
        calm = self.calm
        if not calm and (self._cut(seat, other) and not surely):
            return
        if not calm and not surely and self.die.random() < self.plan.loss:
            return
        copies = 1 + (self.die.random() < self.plan.doubles)
        for _ in range(copies):
            wait = self.die.expovariate(1 / (0.1 if calm else self.plan.delay))
            when = self.now + min(wait, 20.0)
            if surely or not self.plan.unordered:
                when = max(when, self.last.get((seat, other), 0.0) + 1e-6)
            self.last[seat, other] = max(when, self.last.get((seat, other), 0.0))
            self.at(when, lambda: self._deliver(seat, other, frame))

    def _deliver(self, seat: int, other: int, frame: bytes) -> None:
        house = self.houses[other]
        if not house.up:
            return
        try:
            house.machine.receive(frame, self.now, self.table.ids[seat])
        except Invalid as error:
            need(seat in self.plan.liars, f"seat {other} refuses a frame of honest {seat}: {error}")
            self.seen[error.code] += 1
        parsed = frame[:2]
        self.collect(other, surely=parsed == frames.encode_frame(frames.Own())[:2])

    # The end.

    def _judge_end(self) -> None:
        machines = [self.houses[s].machine for s in self.honest()]
        if any(not m.has_begun for m in machines):
            self._judge_no_start(machines)
            return
        for seat in self.honest():
            self.check.watch(seat, self.houses[seat].machine)
        if self._must_end():
            stuck = [m.seat for m in machines if not m.finished]
            need(not stuck, f"seats {stuck} have not finished: {[m.tip for m in machines]}")
        if self.check.forked:
            need(self._liar_provable(), "a fork without a provable fault")
        elif all(m.finished for m in machines):
            tips = {content_digest(m) for m in machines}
            need(len(tips) == 1, "the ends differ")
        self.check.judge_looks([m.tip for m in machines])
        if self.plan.quiet and len(self.plan.liars) <= self.plan.seats - self.plan.quorum:
            for m in machines:
                absent = [s for s in self.honest() if m.tip.absences[s]]
                need(not absent, f"honest seats {absent} were made absent on a quiet table")

    def _judge_no_start(self, machines: list[Machine]) -> None:
        disturbed = bool(self.plan.liars) or not self.plan.quiet
        need(disturbed, "a quiet table without a liar did not begin")
        self.seen["not begun"] += 1

    def _must_end(self) -> bool:
        here = len(self.honest())
        if self.check.forked:
            return False
        rolled_back = self.seen["old journal"] > 0
        if rolled_back and not all(h.machine.has_begun for h in self.houses):
            return False
        # A seat whose journal was old counts as absent until an epoch opens without it.
        return here - rolled_back >= self.plan.quorum

    def _liar_provable(self) -> bool:
        return bool(self.plan.liars & self.check.guilty) or bool(self._found_later())

    def _found_later(self) -> set[int]:
        """Whom all honest messages together prove at fault."""
        from protocol import evidence

        every = [m for s in self.honest() for m in self.houses[s].machine.store]
        found = {seat for seat, _, _ in evidence.two_statements(every)}
        halts = [m for m in every if m.seat in self.plan.liars]
        for a in halts:
            for b in halts:
                if evidence.against_halt(a, b, self.table.first_step):
                    found.add(a.seat)
        return found


def content_digest(machine: Machine) -> tuple[bytes, ...]:
    """All slots of the chain, links left out."""
    node, found = machine.tip, []
    while node.parent is not None:
        if node.slots is not None:
            found.append(node.digest)
        node = node.parent
    return tuple(found)


def _told(world: World) -> list[str]:
    return [name for liar in world.liars.values() for name in liar.told]


def play(
    seed: str,
    seats: int | None = None,
    liar: bool | None = None,
    rounds: int = 1,
    two: bool = False,
) -> Counter[str]:
    """Run one game; what was seen in it, by name. Violation names the seed."""
    plan = draw_plan(seed, seats, liar, two)
    world = World(plan, rounds)
    try:
        world.run()
    except Exception as error:
        told = Counter(_told(world))
        raise Violation(f"seed {seed!r}: {error!r}; {plan}; told {dict(told)}") from error
    world.seen["games"] += 1
    for name in _told(world):
        world.seen[f"lie {name}"] += 1
    return world.seen
