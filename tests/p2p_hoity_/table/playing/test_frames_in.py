"""Tests of the intake of frames: while a job runs the loop is free, and frames keep their order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
import trio
from support.limits import LIMIT
from support.running import running

from p2p_hoity.coded_errors import because
from p2p_hoity.net.hub import Frame, Hub, LinkDown
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.table.playing import frames_in, rate_limit
from p2p_hoity.table.playing.effects_out import EffectsOut
from p2p_hoity.table.playing.frame_kinds import kind_of
from p2p_hoity.table.playing.frames_in import MOST_FRAMES, EarlyEvents, FramesIn
from p2p_hoity.table.playing.rate_limit import RateLimit
from protocol import Invalid, SeatMachine
from protocol.seat.effects import Job
from protocol.wire import peer_frames

A, B = b"a" * 32, b"b" * 32
SYNC = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))

LIAR, HONEST = b"l" * 32, b"h" * 32


def say(word: bytes) -> bytes:
    """A frame that goes round."""
    return peer_frames.encode_frame(peer_frames.Carry(word))


@dataclass
class Table:
    """Who sits at it."""

    ids: tuple[bytes, ...] = (A, B)


@dataclass
class Machinery:
    """In place of a machine: what it was given, in order; a frame with `heavy` in it is a job."""

    heard: list[tuple[bytes, bytes]] = field(default_factory=list)
    job: Job | None = None
    tip: object = field(default_factory=object)
    table: Table = field(default_factory=Table)
    hands_out: bool = False
    moves: bool = False
    finished: list[Any] = field(default_factory=list)

    def hand_out(self) -> None:
        self.hands_out = True

    def receive(self, data: bytes, now: float, peer: bytes) -> None:
        if b"garbage" in data:
            raise Invalid("bad-frame", "garbage")
        self.heard.append((peer, data))
        if b"heavy" in data and self.hands_out:
            self.job = Job(lambda: data, lambda given: None)

    def finish(self, job: Job, given: Any, now: float) -> None:
        assert job is self.job
        self.job = None
        self.finished.append(given)
        if self.moves:
            self.tip = object()


@dataclass
class Links:
    """In place of a hub: whom it dropped, and whom it gave a rest."""

    dropped: list[bytes] = field(default_factory=list)
    rested: list[bytes] = field(default_factory=list)

    def drop(self, peer: bytes, reason: object) -> None:
        self.dropped.append(peer)

    def rest(self, peer: bytes, seconds: float) -> None:
        self.rested.append(peer)


class Effects:
    """In place of the effects of a machine: whether it has a job, and how long a step took."""

    def __init__(self, machine: Machinery) -> None:
        self.machine, self.due, self.seconds = machine, trio.Event(), 0.0

    def carry_out(self) -> None:
        if self.machine.job is not None:
            self.due.set()

    async def wait_for_job(self) -> None:
        while self.machine.job is None:
            self.due = trio.Event()
            await self.due.wait()

    def decided_in(self, seconds: float) -> None:
        self.seconds = seconds


class Bench:
    """An intake of frames whose jobs end when a test says so."""

    def __init__(self) -> None:
        self.machine, self.hub, self.limit = Machinery(), Links(), RateLimit(())
        self.may_end = trio.Event()
        self.under_way = 0
        self.effects = Effects(self.machine)
        self.intake = FramesIn(
            cast(SeatMachine, self.machine),
            cast(Hub, self.hub),
            self.limit,
            trio.current_time,
            cast(EffectsOut, self.effects),
            self.off_loop,
        )

    async def off_loop(self, run: Callable[[], Any]) -> Any:
        self.under_way += 1
        await self.may_end.wait()
        return run()

    def hear(self, peer: bytes, data: bytes) -> None:
        self.intake.receive(peer, data, kind_of(data))
        self.effects.carry_out()

    def end_jobs(self) -> None:
        self.may_end.set()


@pytest.fixture
async def bench(nursery: trio.Nursery) -> Bench:
    made = Bench()
    nursery.start_soon(made.intake.run)
    return made


async def settle() -> None:
    await trio.testing.wait_all_tasks_blocked()


async def test_without_a_job_a_frame_goes_on_and_garbage_costs_its_link(bench: Bench) -> None:
    bench.hear(A, say(b"light"))
    assert bench.machine.heard == [(A, say(b"light"))]
    bench.hear(A, say(b"heavy"))
    bench.hear(B, say(b"garbage"))
    bench.end_jobs()
    await settle()
    assert bench.hub.dropped == [B]


async def test_what_goes_round_waits_for_a_job_and_keeps_its_order(bench: Bench) -> None:
    bench.hear(A, say(b"heavy"))
    for number in range(5):
        bench.hear(B if number % 2 else A, say(b"%d" % number))
    await settle()
    assert bench.under_way == 1
    assert bench.machine.heard == [(A, say(b"heavy"))]
    bench.end_jobs()
    await settle()
    order = [(B if number % 2 else A, say(b"%d" % number)) for number in range(5)]
    assert bench.machine.heard[1:] == order


async def test_a_job_among_those_that_wait_stops_the_rest_again(bench: Bench) -> None:
    bench.hear(A, say(b"heavy 1"))
    bench.hear(B, say(b"heavy 2"))
    bench.hear(A, say(b"light"))
    await settle()
    bench.end_jobs()
    await settle()
    assert bench.machine.finished == [say(b"heavy 1"), say(b"heavy 2")]
    assert [data for _, data in bench.machine.heard][-1] == say(b"light")


async def test_a_question_is_answered_meanwhile_behind_what_its_link_said(bench: Bench) -> None:
    bench.hear(A, say(b"heavy"))
    bench.hear(A, say(b"light"))
    bench.hear(A, SYNC)
    bench.hear(B, SYNC)
    assert bench.machine.heard[1:] == [(B, SYNC)]
    bench.end_jobs()
    await settle()
    assert bench.machine.heard[2:] == [(A, say(b"light")), (A, SYNC)]


async def test_no_more_is_read_than_there_is_room_for(bench: Bench, nursery: trio.Nursery) -> None:
    bench.hear(A, say(b"heavy"))
    large = say(bytes(frames_in.ROOM // 4))
    went_on = trio.Event()

    async def read_on() -> None:
        await bench.intake.wait_for_room()
        went_on.set()

    for _ in range(4):
        await bench.intake.wait_for_room()
        bench.hear(B, large)
    nursery.start_soon(read_on)
    await settle()
    assert not went_on.is_set()
    bench.end_jobs()
    await settle()
    assert went_on.is_set()


@pytest.mark.parametrize(("moves", "rested"), [(False, [A]), (True, [])])
async def test_a_job_is_charged_to_who_brought_it_if_it_led_nowhere(
    bench: Bench, moves: bool, rested: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames_in, "_timed", lambda run: (run(), 2 * rate_limit.PROCESSOR[0]))
    bench.machine.moves = moves
    bench.hear(A, say(b"heavy"))
    bench.hear(B, say(b"light"))
    bench.end_jobs()
    await settle()
    assert bench.hub.rested == rested
    assert (bench.effects.seconds > 0) is moves


async def test_a_job_broken_off_decides_nothing_and_none_leaves_the_loop_unasked() -> None:
    bench = Bench()
    async with running(bench.intake.run):
        bench.hear(A, say(b"heavy"))
        await settle()
        assert bench.under_way == 1
    assert bench.machine.finished == []
    machine = Machinery()
    FramesIn(
        cast(SeatMachine, machine), cast(Hub, Links()), RateLimit(()), float, cast(EffectsOut, None)
    )  # type: ignore[arg-type]
    assert not machine.hands_out


async def test_the_loop_is_free_while_a_thread_weighs() -> None:
    """With a real thread: the job waits for something that only the loop can bring about."""
    machine, beat = Machinery(), trio.Event()
    loop_was_free = []

    def run() -> bytes:
        trio.from_thread.run(beat.wait)
        loop_was_free.append(True)
        return b""

    effects = Effects(machine)
    both = FramesIn(
        cast(SeatMachine, machine),
        cast(Hub, Links()),
        RateLimit(()),
        trio.current_time,
        cast(EffectsOut, effects),
        trio.to_thread.run_sync,
    )
    with trio.fail_after(LIMIT):
        async with running(both.run):
            machine.job = Job(run, lambda given: None)
            effects.carry_out()
            await trio.sleep(0.01)
            beat.set()
            while not machine.finished:
                await trio.sleep(0.001)
    assert loop_was_free


def test_a_node_that_sends_without_end_takes_no_room_from_another() -> None:
    early = EarlyEvents()
    for _ in range(4 * MOST_FRAMES):
        early.keep(Frame(LIAR, b"junk"))
    shown, down = Frame(HONEST, b"its table"), LinkDown(LIAR, because(LinkCode.CLOSED))
    early.keep(shown)
    early.keep(down)
    assert len(early.events) == MOST_FRAMES + 2
    assert early.events[-2:] == [shown, down]
