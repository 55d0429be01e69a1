"""Whole tables on a virtual clock: delays, losses, partitions, crashes and up to two liars.

Everything follows from the seed. `play(seed)` runs one game and raises `Violation`, with the
seed in its text, when an invariant of `support.sim.invariants` does not hold.
"""

import hashlib
import heapq
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from p2p_hoity.table.playing.awake_clock import AwakeClock
from protocol.consensus import fault_evidence
from protocol.errors import Invalid
from protocol.seat.effects import (
    SEAT_LEFT,
    Broken,
    ChoiceAsked,
    Effect,
    Entered,
    Guilty,
    Job,
    Record,
    ResultFinal,
    Send,
    StepAppended,
)
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames
from protocol.wire.signed_messages import Message
from protocol.wire.signed_notices import Departure
from protocol.wire.table_header import Timeouts
from support.inspection import alter, is_asking, store_of, view_of
from support.machine_table import carried, make_table
from support.sim.departures import Departures, departure_of
from support.sim.endings import TICK as SHORT_TICK
from support.sim.endings import Endings
from support.sim.homes import Homes
from support.sim.invariants import Checker, Violation, content, need, own_statement
from support.sim.lies import LIES, Liar
from support.sim.plan import (
    THINKS,
    Plan,
    Wide,
    draw_plan,
    draw_plan_of_absence,
    draw_plan_of_ending,
)
from support.sim.tricks import TRICKS, rooted, victim
from support.toy_game import ToyGame

TIMEOUTS = Timeouts(choice=12_000, step=8_000, back_off=2_000, cap=16_000)
TICK = 1.0
CALM = 600.0
"""Seconds without any disturbance in which a game must end."""
ASKING = 0.4
"""The most seconds that a frame takes while a seat asks for statements that it forgot."""
OWN = peer_frames.encode_frame(peer_frames.Own())[:2]
LONGEST_JOB = 0.5
"""The most seconds that a job takes where jobs are slow."""
PROMISED = 60.0
"""The same for a game that need not end, since fewer than a quorum are honest."""
ENDED = 120.0
"""The same for a table at whose end liars try to strand somebody: several epochs that fail."""
SETTLED = 2 * TIMEOUTS.cap / 1000
"""Seconds of calm before a seat leaves where links broke: at most two changes of the epoch."""


@dataclass
class Process:
    """The process of one seat: its machine, its disk, its links and whether it runs.

    Attributes:
        machine: The machine.
        disk: The records of its journal.
        up: Whether it runs.
        gone: Whether it will never run again.
        stood_up: Whether its game is over and it serves nobody any more.
        crash_in: The number of effects after which it crashes; None for no crash.
        resume_at: When it resumes, in seconds.
        old: Whether it resumes with an old journal.
        lost: How many records a restored backup lacks; None for no backup.
        links: The seats to which it has a link.
        is_blind: Whether its home was restored from a backup without its knowledge.
        job: The job that it waits for.
        clock: The clock by which it waits.
    """

    machine: SeatMachine
    disk: list[bytes] = field(default_factory=list)
    up: bool = True
    gone: bool = False
    stood_up: bool = False
    crash_in: int | None = None
    resume_at: float = 0.0
    old: bool = False
    lost: int | None = None
    links: set[int] = field(default_factory=set)
    is_blind: bool = False
    job: Job | None = None
    clock: AwakeClock = field(default_factory=AwakeClock)


class World:
    """One simulated table."""

    def __init__(self, plan: Plan, rounds: int = 1, slow_jobs: bool = False) -> None:
        self.plan, self.slow_jobs = plan, slow_jobs
        self.job_die = random.Random(f"jobs {plan.seed}")
        game = ToyGame(plan.seats, rounds)
        self.table, self.who = make_table(game, plan.seats, plan.quorum, TIMEOUTS)
        self.die = random.Random(f"world {plan.seed}")
        self.now, self.count = 0.0, 0
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.last: dict[tuple[int, int], float] = {}
        self.check = Checker(self.table, plan.liars)
        self.seen: Counter[str] = Counter()
        self.trouble: float | None = None
        self.processes = [Process(self.build(seat)) for seat in range(plan.seats)]
        self.liars = {seat: self._liar(seat) for seat in sorted(plan.liars)}
        self.wide = plan.wide or Wide()
        self.check.is_wide = plan.wide is not None
        self.homes = Homes(self)
        self.departures = Departures(self)
        self.endings = None if plan.ending is None else Endings(self, plan.ending)
        self.answered: Counter[int] = Counter()

    def _liar(self, seat: int) -> Liar:
        name = self.plan.seed if seat == min(self.plan.liars) else f"{self.plan.seed} {seat}"
        die = random.Random(f"liar {name}")
        rate = die.choice([0.1, 0.4, 1.0])
        if self.plan.wide is not None and "roots" in self.plan.wide.ways:
            seats, quorum = self.plan.seats, self.plan.quorum
            alter(self.processes[seat].machine, polynomial=rooted(die, seat, seats, quorum))
        return Liar(seat, self.processes[seat].machine, self.who[seat], die, rate)

    def build(self, seat: int) -> SeatMachine:
        """Return a machine with the same long-lived secrets and fresh randomness."""
        secret = hashlib.sha256(f"secret{seat}".encode()).digest()
        fresh = random.Random(f"rng {self.plan.seed} {seat} {self.now}").randbytes
        if self.now == 0.0:
            fresh = random.Random(f"setup {seat}").randbytes
        return SeatMachine(self.table, fresh, seat, self.who[seat], secret)

    def start_machine(self, seat: int) -> None:
        """Start a machine, which offloads expensive checks where jobs are slow."""
        machine = self.processes[seat].machine
        if self.slow_jobs:
            machine.hand_out()
        machine.start(self.time(seat))

    # Time.

    def time(self, seat: int) -> float:
        """Return the time by which a seat's machine waits, in seconds, as its driver has it."""
        return self.processes[seat].clock.time(self.now)

    def at(self, when: float, what: Callable[[], None]) -> None:
        self.count += 1
        heapq.heappush(self.events, (when, self.count, what))

    def run(self) -> None:
        for seat in range(self.plan.seats):
            self.at(self.die.random() * 0.1, lambda s=seat: self._start(s))  # type: ignore[misc]
            self.at(TICK * (1 + self.die.random()), lambda s=seat: self._tick(s))  # type: ignore[misc]
        if not self.plan.calm_setup:
            self._trouble(0.0)
        calm = CALM if len(self.honest()) >= self.plan.quorum else PROMISED
        calm = calm if self.endings is None else ENDED
        while self.events and not self.done():
            self.now, _, what = heapq.heappop(self.events)
            if self.trouble is None and all(h.machine.has_begun for h in self.processes):
                self._trouble(self.now)
            if self._is_calm_since(calm):
                break
            what()
        self._judge_end()

    def _trouble(self, start: float) -> None:
        """Schedule all disturbances of the plan, from this time on."""
        self.trouble = start
        for when, until, seat, old in self.plan.crashes:
            end = start + until
            self.at(start + when, lambda s=seat, u=end, o=old: self._plan_crash(s, u, o))  # type: ignore[misc]
        if self.plan.vanish:
            who, when = self.plan.vanish
            self.at(start + when, lambda: self._vanish(who))
        if self.wide.silent is not None and self.plan.liars:
            self.at(start + self.wide.silent, lambda: self._vanish(min(self.plan.liars)))
        self.homes.plan(start)
        self.departures.plan(start)

    @property
    def calm(self) -> bool:
        """Whether the network behaves."""
        return self.trouble is None or self._is_calm_since(0.0)

    def _is_calm_since(self, seconds: float) -> bool:
        return self.now >= (self.trouble or 0.0) + self.plan.calm_from + seconds

    def _start(self, seat: int) -> None:
        self.start_machine(seat)
        self._look(seat)
        self.collect(seat)

    def _tick(self, seat: int) -> None:
        process = self.processes[seat]
        if process.gone or process.stood_up:
            return
        if self._wakes(seat) > self.now:
            self.at(self._wakes(seat), lambda: self._tick(seat))
            return
        if process.up:
            if self.calm:
                process.crash_in = None  # a crash that no effect has triggered is dropped
            self._look(seat)
            self._ask_rejoin(process.machine)
            process.machine.tick(self.time(seat))
            self.collect(seat)
            if seat in self.liars:
                self.departures.lie(seat)
            elif process.up and self._may_stand_up(process.machine):
                if self.endings is not None:
                    self.endings.note_leaving(seat)
                process.up, process.stood_up = False, True
        elif self.now >= process.resume_at:
            self._resume(seat)
        tick = TICK if self.endings is None else SHORT_TICK
        self.at(self.now + tick, lambda: self._tick(seat))

    def _wakes(self, seat: int) -> float:
        return 0.0 if self.endings is None else self.endings.sleeps_until(seat)

    def _ask_rejoin(self, machine: SeatMachine) -> None:
        node = machine.tip
        if machine.has_begun and machine.seat not in node.present | node.banned:
            machine.ask_rejoin(self.time(machine.seat))

    def honest(self) -> list[int]:
        """Return the honest seats that are there at the end."""
        return [s for s, h in enumerate(self.processes) if s not in self.plan.liars and not h.gone]

    def _may_stand_up(self, machine: SeatMachine) -> bool:
        """Return whether a seat may leave, as its driver decides.

        Where links break and seats go, the network must have been calm for a while: by [E-19] a
        seat that comes back after a step timeout may find nobody.
        """
        ended = machine.finished and machine.may_leave()
        settled = self.trouble is not None and self._is_calm_since(SETTLED)
        return ended and (self.endings is not None or self.plan.is_linked or settled)

    def done(self) -> bool:
        """Whether every honest seat has stood up, or can do nothing more."""
        processes = [self.processes[s] for s in self.honest()]
        return all(p.stood_up or (p.up and p.machine.broken) for p in processes)

    # Crash and resume.

    def _vanish(self, seat: int) -> None:
        self.processes[seat].up, self.processes[seat].gone = False, True

    def _plan_crash(self, seat: int, until: float, old: bool) -> None:
        process = self.processes[seat]
        if process.up and seat not in self.plan.liars:
            process.crash_in, process.resume_at, process.old = self.die.randrange(6), until, old

    def crash_soon(self, seat: int, until: float, lost: int) -> None:
        """Let a seat crash at one of its next effects, and resume with a restored backup."""
        process = self.processes[seat]
        if process.up and process.crash_in is None:
            process.crash_in, process.resume_at, process.old = self.die.randrange(6), until, False
            process.lost = lost

    def crash(self, seat: int) -> None:
        """Let a seat's process end at once."""
        process = self.processes[seat]
        process.up, process.crash_in = False, None
        self.seen["crash"] += 1
        process.machine.take()

    def _resume(self, seat: int) -> None:
        process = self.processes[seat]
        process.machine, process.clock = self.build(seat), AwakeClock()
        keep, certain = len(process.disk), False
        if process.old:
            keep = self.die.randrange(keep + 1)
            self.seen["old journal"] += 1
        elif process.lost is not None:
            keep = self.homes.put_back(seat, process.lost)
            process.is_blind = self.homes.is_known(seat, keep)
            certain, process.lost = keep < len(process.disk) and not process.is_blind, None
        del process.disk[keep:]
        process.machine.restore(list(process.disk))
        if process.old or certain:
            process.machine.be_cautious(certain)
        for node in view_of(process.machine).path.values():
            self.check.secrets.note_due(node)
        process.old, process.up = False, True
        self.start_machine(seat)
        self._lose_links(seat)
        self._look(seat)
        self.collect(seat)

    # Links.

    def reach(self, a: int, b: int) -> bool:
        """Return whether frames of one seat reach the other now."""
        if self.endings is not None and self.endings.is_cut(a, b):
            return False
        return self.calm or self._is_asking(a, b) or not self.cut(a, b)

    def _is_asking(self, a: int, b: int) -> bool:
        """Return whether one of two honest seats asks for statements that it forgot unawares.

        With links to liars alone it could never learn of them. So it reaches the honest seats, and
        hears from them within one back-off.
        """
        if self.plan.liars & {a, b}:
            return False
        pair = (self.processes[a], self.processes[b])
        return any(process.is_blind and is_asking(process.machine) for process in pair)

    def _lose_links(self, seat: int) -> None:
        """Drop the links from before a crash, with all frames on their way in them."""
        self.processes[seat].links.clear()
        for other, process in enumerate(self.processes):
            self.last.pop((seat, other), None)
            self.last.pop((other, seat), None)
            if seat in process.links:
                process.links.discard(seat)
                process.machine.link_down(self.table.ids[seat], self.time(other))

    def _look(self, seat: int) -> None:
        """Tell a machine which of its links came up or broke."""
        process, ids = self.processes[seat], self.table.ids
        others = (o for o in range(self.plan.seats) if o != seat and self.processes[o].up)
        now = {other for other in others if self.reach(seat, other)}
        for other in sorted(process.links - now):
            process.machine.link_down(ids[other], self.time(seat))
        for other in sorted(now - process.links):
            self.last.pop((seat, other), None)  # a new link: nothing is on its way in it
            process.machine.link_up(ids[other], self.time(seat))
        process.links = now

    # Jobs.

    def _look_for_job(self, seat: int, process: Process) -> None:
        """Let a new job of a machine end after some time. Frames still reach it meanwhile."""
        job, machine = process.machine.job, process.machine
        if process.up and job is not None and job is not process.job:
            process.job = job
            when = self.now + self.job_die.random() * LONGEST_JOB
            self.at(when, lambda: self._end_job(seat, machine, job))

    def _end_job(self, seat: int, machine: SeatMachine, job: Job) -> None:
        process = self.processes[seat]
        if process.up and process.machine is machine:
            self.seen["jobs"] += 1
            machine.finish(job, job.run(), self.time(seat))
            self.collect(seat)

    # Effects.

    def collect(self, seat: int, surely: bool = False) -> None:
        process = self.processes[seat]
        self._look_for_job(seat, process)
        while process.up and (found := process.machine.take()):
            for index, effect in enumerate(found):
                if process.crash_in == index:
                    self.crash(seat)
                    return
                self._effect(seat, process, effect, surely)
        if process.up and seat not in self.plan.liars:
            if process.crash_in is not None:
                process.crash_in = 0 if process.crash_in < 2 else process.crash_in - 2
            self.check.watch(seat, process.machine)
            if self.endings is not None:
                self.endings.look()

    def _effect(self, seat: int, process: Process, effect: Effect, surely: bool) -> None:
        match effect:
            case Record(data):
                process.disk.append(data)
            case Send():
                self._send(seat, process, effect, surely)
            case ChoiceAsked():
                self._ask(seat, effect)
            case Guilty(other, code) if seat not in self.plan.liars:
                self.check.found_guilty(seat, other, code)
                self.seen[code] += 1
            case Entered(_, node) if seat not in self.plan.liars:
                self.seen["epoch"] += 1
                self.check.secrets.note_due(node)
            case StepAppended(_, node) if seat not in self.plan.liars:
                self.check.secrets.note_due(node)
            case ResultFinal():
                process.machine.sync(None)
                self.seen["finished"] += 1
            case Broken(code, other) if code == SEAT_LEFT and seat not in self.plan.liars:
                need(other in self.check.left, f"seat {seat} reports that seat {other} has left")
                self.seen["ended by a departure"] += 1

    def _ask(self, seat: int, asked: ChoiceAsked) -> None:
        think = self.die.random() * 0.5
        if seat in self.plan.slow and not self.calm:
            think = self.die.choice([1.0, 10.0, 30.0])
        if seat in self.wide.thinkers and not self.calm:
            think = self.die.random() * THINKS
        self.at(self.now + think, lambda: self._choose(seat))

    def _choose(self, seat: int) -> None:
        process = self.processes[seat]
        if process.up and process.machine.must_choose:
            game: Any = self.table.game
            choices = game.choices(process.machine.tip.want.name, seat)
            process.machine.choose(self.die.choice(choices), self.time(seat))
            self.collect(seat)

    # Frames.

    def _send(self, seat: int, process: Process, send: Send, surely: bool) -> None:
        frame = peer_frames.parse_frame(send.frame)
        if send.peer is not None:
            self.answered[seat] += len(send.frame)
        if isinstance(frame, peer_frames.Carry):
            message = own_statement(frame.message, self.table)
            if seat in self.plan.liars:
                self._lie(seat, message, send)
                return
            if message.seat == seat:
                self.check.signed_by(process.machine, message)
        elif seat in self.plan.liars and "mute" in self.wide.ways:
            return
        if (word := departure_of(send.frame)) is not None:
            self.departures.note(seat, word)
        for other in self._receivers(seat, send):
            self.post(seat, other, send.frame, surely or isinstance(frame, peer_frames.Told))

    def _receivers(self, seat: int, send: Send) -> list[int]:
        ids = self.table.ids
        others = (o for o in range(self.plan.seats) if o != seat and ids[o] not in send.but)
        return [o for o in others if send.peer is None or ids[o] == send.peer]

    def _lie(self, seat: int, message: Message, send: Send) -> None:
        """Send a liar's lies for its own statements. It may withhold what it forwards."""
        if self.endings is not None and self.endings.holds_back(seat, message):
            return
        liar = self.liars[seat]
        to = frozenset(self._receivers(seat, send))
        may_lie = bool(self.plan.lies) and send.peer is None and self.trouble is not None
        if send.peer is not None and "mute" in self.wide.ways:
            return
        if message.seat != seat:
            liar.heard.append(message)
            if "withhold" in self.plan.lies and liar.die.random() < liar.rate:
                return
            parts = [(message, to)]
        elif may_lie and liar.die.random() < liar.rate:
            name = "rubbish" if self._may_waste(liar) else liar.die.choice(self.plan.lies)
            liar.told.append(name)
            parts = CATALOGUE[name](liar, message)
        elif "withhold" in self.plan.lies or "whisper" in self.plan.lies:
            parts = [(message, to if send.peer is None else frozenset())]
        else:
            parts = [(message, to)]
        for part, who in parts:
            frame = carried(part)
            for other in who:
                self.post(seat, other, frame, False)

    def _may_waste(self, liar: Liar) -> bool:
        """Return whether a liar can still fill the stores of others, which it does first."""
        epoch = view_of(liar.machine).epoch
        return "rubbish" in self.plan.lies and epoch > 0 and epoch not in liar.wasted

    def cut(self, a: int, b: int) -> bool:
        since = self.now - (self.trouble or 0.0)
        for start, end, side in self.plan.partitions:
            if start <= since < end and (a in side) != (b in side) and not self.plan.liars & {a, b}:
                return True
        return self._cut_by_liar(a, b) or self.wide.hub not in (None, a, b)

    def _cut_by_liar(self, a: int, b: int) -> bool:
        """Return whether a liar has cut this link for now."""
        if "cut" not in self.wide.ways:
            return False
        seed, seats = self.plan.seed, self.plan.seats
        return any(
            victim(seed, liar, self.now, seats) == other
            for liar, other in ((a, b), (b, a))
            if liar in self.plan.liars
        )

    def post(self, seat: int, other: int, frame: bytes, surely: bool) -> None:
        calm = self.calm
        if not self.reach(seat, other):
            return
        if self.endings is not None:
            when = max(self.now + self.endings.ending.delay, self.last.get((seat, other), 0.0))
            self.last[seat, other] = when
            self.at(when, lambda: self._deliver(seat, other, frame))
            return
        if not calm and not surely and self.die.random() < self.plan.loss:
            return
        copies = 1 + (self.die.random() < self.plan.doubles)
        for _ in range(copies):
            wait = self.die.expovariate(1 / (0.1 if calm else self.plan.delay))
            when = self.now + min(wait, ASKING if self._is_asking(seat, other) else 20.0)
            if surely or not self.plan.unordered:
                when = max(when, self.last.get((seat, other), 0.0) + 1e-6)
            self.last[seat, other] = max(when, self.last.get((seat, other), 0.0))
            self.at(when, lambda: self._deliver(seat, other, frame))

    def _deliver(self, seat: int, other: int, frame: bytes) -> None:
        process = self.processes[other]
        if self.endings is not None and self.endings.is_cut(seat, other):
            return
        if self._wakes(other) > self.now:
            self.at(self._wakes(other), lambda: self._deliver(seat, other, frame))
            return
        if not process.up:
            return
        self.answered[other] = 0
        if isinstance(word := peer_frames.parse_frame(frame), Departure):
            self.departures.hear(other, word)
        try:
            process.machine.receive(frame, self.time(other), self.table.ids[seat])
        except Invalid as error:
            need(seat in self.plan.liars, f"seat {other} refuses a frame of honest {seat}: {error}")
            self.seen[error.code] += 1
        self.collect(other, surely=frame[:2] == OWN)
        if other not in self.plan.liars:
            self.check.answered(other, self.answered[other])

    # The end.

    def _judge_end(self) -> None:
        machines = [self.processes[s].machine for s in self.honest()]
        if any(not m.has_begun for m in machines):
            self._judge_no_start(machines)
            return
        for seat in self.honest():
            self.check.watch(seat, self.processes[seat].machine)
        if self._must_end():
            stuck = [m.seat for m in machines if not (m.finished or self._may_lack_end(m))]
            need(not stuck, f"seats {stuck} have not finished: {[m.tip for m in machines]}")
        if self.check.forked:
            is_provable = self.plan.liars & self.check.guilty or self._found_later()
            need(bool(is_provable), "a fork without a provable fault")
        elif all(m.finished for m in machines):
            tips = {tuple(content(m.tip)) for m in machines}
            need(len(tips) == 1, "the ends differ")
        self._judge_answers(machines)
        self.check.judge_looks([m.tip for m in machines])
        self.check.judge_reveals([m.tip for m in machines])
        self.homes.judge()
        self.seen["absences"] += sum(
            max(m.tip.absences[s] for m in machines) for s in self.honest()
        )
        if self.plan.quiet and len(self.plan.liars) <= self.plan.seats - self.plan.quorum:
            for m in machines:
                gone = {one.seat for one in self.wide.leaving_seats}
                here = (s for s in self.honest() if s not in gone)
                absent = [s for s in here if m.tip.absences[s]]
                need(not absent, f"honest seats {absent} were made absent on a quiet table")

    def _may_lack_end(self, machine: SeatMachine) -> bool:
        return self.endings is not None and self.endings.may_lack_end(machine.seat or 0)

    def _judge_answers(self, machines: list[SeatMachine]) -> None:
        """Check that a seat that comes back with nothing gets an answer within the bound."""
        ask = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))
        for m in machines if self.plan.wide is not None else []:
            m.take()
            peer = self.table.ids[(m.seat or 0) - 1]
            m.receive(ask, self.now, peer)
            sent = [e.frame for e in m.take() if isinstance(e, Send) and e.peer == peer]
            self.check.answered(m.seat or 0, sum(map(len, sent)))

    def _judge_no_start(self, machines: list[SeatMachine]) -> None:
        disturbed = self.plan.liars or self.wide.leaving_seats or not self.plan.quiet
        need(bool(disturbed), "a quiet table without a liar did not begin")
        self.seen["not begun"] += 1

    def _must_end(self) -> bool:
        here = len(self.honest())
        if self.check.forked:
            return False
        rolled_back = (self.seen["old journal"] > 0) + (self.seen["rolled back"] > 0)
        if rolled_back and not all(h.machine.has_begun for h in self.processes):
            return False
        # A seat with an old journal counts as absent until an epoch begins without it.
        return here - rolled_back >= self.plan.quorum

    def _found_later(self) -> set[int]:
        """Return the seats that all stored messages of honest seats together prove at fault."""
        every = [m for s in self.honest() for m in store_of(self.processes[s].machine)]
        hashes: dict[tuple[int, ...], set[bytes]] = {}
        for message in every:
            hashes.setdefault((message.seat, *message.identity), set()).add(message.hash)
        found = {seat for (seat, *_), several in hashes.items() if len(several) > 1}
        promises = [m for m in every if m.seat in self.plan.liars]
        for a in promises:
            for b in promises:
                if fault_evidence.against_promise(a, b, self.table.first_step):
                    found.add(a.seat)
        return found


CATALOGUE = {**LIES, **TRICKS}


def _told(world: World) -> list[str]:
    lies = [name for liar in world.liars.values() for name in liar.told]
    return lies + [way for way in world.wide.ways if world.plan.liars]


def play(
    seed: str,
    seats: int | None = None,
    liar: bool | None = None,
    rounds: int = 1,
    two: bool = False,
    wide: bool = False,
    only: str | None = None,
    slow_jobs: bool = False,
    ending: bool = False,
    absence: bool = False,
) -> Counter[str]:
    """Run one game, and return counts of what was seen in it, by name.

    Args:
        seed: All is drawn from it.
        seats: The number of seats, if it is not to be drawn.
        liar: Whether one seat lies, if that is not to be drawn.
        rounds: The rounds of the game.
        two: Whether a second seat lies too.
        wide: Whether the game may have all of the wide catalogue.
        only: The only entry of the wide catalogue that the game has.
        slow_jobs: Whether expensive checks are offloaded and take some time.
        ending: Whether, instead of all that, liars try to strand a seat at the end
            (`support.sim.endings`).
        absence: Whether, instead of all that, an absent seat comes back to the end.

    Raises:
        Violation: An invariant does not hold. The text names the seed.
    """
    if ending:
        plan = draw_plan_of_ending(seed, TIMEOUTS.step / 1000)
    elif absence:
        plan = draw_plan_of_absence(seed, TIMEOUTS.step / 1000)
    else:
        plan = draw_plan(seed, seats, liar, two, wide, only)
    world = World(plan, rounds, slow_jobs)
    try:
        world.run()
    except Exception as error:
        told = Counter(_told(world))
        raise Violation(f"seed {seed!r}: {error!r}; {plan}; told {dict(told)}") from error
    world.seen["games"] += 1
    world.seen["kB in the largest answers"] += world.check.largest // 1000
    for name in _told(world):
        world.seen[f"lie {name}"] += 1
    return world.seen
