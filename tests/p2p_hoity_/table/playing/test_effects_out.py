"""Tests of what one seat does and tells: on disk first, then out, then to the screen."""

import socket
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from support.cli_stage import referee
from support.journals import fresh, read
from support.limits import LIMIT
from support.running import running
from trio.testing import MockClock

from p2p_hoity.game_adapter import Play
from p2p_hoity.net.channel import Channel
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.noise import Ciphers, CipherState
from p2p_hoity.net.peer_link import Link
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.rules import happenings
from p2p_hoity.table.playing.effects_out import TURNS, EffectsOut, GameReporter, JournalKeeper
from protocol import effects
from protocol.seat.effects import Send
from protocol.wire import peer_frames

SEATS, ONLOOKER, STRANGER = (b"ada", b"bob"), b"eve", b"zoe"
TOLD = peer_frames.encode_frame(peer_frames.Carry(b"a message"))
QUESTION = peer_frames.encode_frame(peer_frames.Own())

STATE = referee(3, 1).state


class Recorder:
    """Hub, access, machine and marks in one: what was done, in its order."""

    ids = SEATS

    def __init__(self, known: Iterable[bytes]) -> None:
        self.table, self.done = self, list[Any]()
        self.passes_on_to = frozenset(known).__contains__

    def links(self) -> frozenset[bytes]:
        return frozenset((*SEATS, ONLOOKER, STRANGER))

    def post(self, peer: bytes, data: bytes, once: bool = False) -> bool:
        self.done.append(peer)
        return True

    def settle(self) -> None:
        self.done.append("on disk")


def outgoing(goes_to: Iterable[bytes] = (*SEATS, ONLOOKER)) -> tuple[EffectsOut, Recorder]:
    it: Any = Recorder(goes_to)
    return EffectsOut(it, it, it, it, it, it, it, it.done.append, float), it


def test_what_is_recorded_is_on_disk_before_it_is_posted_to_whom_it_is_for() -> None:
    out, it = outgoing()
    out.send(Send(TOLD))
    assert it.done[0] == "on disk"
    assert set(it.done[1:]) == {*SEATS, ONLOOKER}
    out, it = outgoing()
    out.send(Send(QUESTION, asks=True))
    assert set(it.done[1:]) == set(SEATS)
    out, it = outgoing()
    out.send(Send(TOLD, but=frozenset(SEATS)))
    assert it.done == [ONLOOKER]


async def turns_of(out: EffectsOut) -> int:
    """How many turns of the loop it takes to let out what was posted."""
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    async with running(count):
        await out.wait_until_sent()
    return turns


async def test_who_has_said_nothing_does_not_wait() -> None:
    out, _ = outgoing(goes_to=())
    assert await turns_of(out) == 0
    out.send(Send(TOLD))
    assert await turns_of(out) == 0
    out.send(Send(QUESTION, asks=True))
    assert await turns_of(out) > 0
    assert await turns_of(out) == 0


async def test_what_is_posted_on_an_idle_link_is_out_after_these_turns() -> None:
    ours, theirs = socket.socketpair()
    near, far = (trio.SocketStream(trio.socket.from_stdlib_socket(one)) for one in (ours, theirs))
    keys = CipherState(bytes(32)), CipherState(bytes(32))
    async with running() as nursery:
        link = Link(Channel(near, Ciphers(*keys, bytes(64))), Limits())
        nursery.start_soon(link.run, trio.lowlevel.checkpoint, trio.sleep_forever)
        for _ in range(20):  # tasks have their turns in random order
            await trio.testing.wait_all_tasks_blocked()
            link.post(b"said")
            for _ in range(TURNS):
                await trio.lowlevel.checkpoint()
            assert theirs.recv(1 << 16), "nothing is out"
    await trio.aclose_forcefully(far)


def node(*rounds: int, past: Play | None = None, convictions: tuple[Any, ...] = ()) -> Any:
    """Return a node of the chain at which these rounds have begun, one after the other."""
    play = past or Play(STATE.but(news=()))
    for number in rounds:
        play = play.then(STATE.but(news=(happenings.RoundBegan(number, (0, 1, 2), (), None),)))
    return SimpleNamespace(state=play, step=9, convictions=convictions)


def reporter_at(tip: Any) -> tuple[GameReporter, list[Any]]:
    """Return a reporter whose screen knows all up to a node, and what it is told from then on."""
    told: list[Any] = []
    machine: Any = SimpleNamespace(tip=tip, seat=0, hand=dict, final_step=lambda: 8)
    return GameReporter(machine, told.append), told


def test_a_base_that_drops_steps_is_told_as_taken_back_and_then_what_it_holds() -> None:
    before = node(1)
    tip = node(2, 3, past=before.state)
    reporter, told = reporter_at(tip)
    reporter.entered(1, node(4, past=before.state), [(2, "bad-share")])
    accused, rewound, happened = told
    assert accused == updates.Accused(2, "bad-share")
    assert (rewound.epoch, rewound.kept) == (1, 1)
    assert [item.round for item in happened.items] == [4]


def test_a_base_that_keeps_every_step_is_told_only_by_what_is_new() -> None:
    tip = node(1, 2)
    reporter, told = reporter_at(tip)
    reporter.entered(1, tip, [])
    assert told == []
    guilty = SimpleNamespace(seat=1, code="equivocation")
    for _again in range(2):
        reporter.tell(node(past=tip.state, convictions=(guilty,)))
    assert told == [updates.Accused(1, "equivocation")]


def test_of_a_chain_that_was_not_told_only_what_it_shares_with_the_told_one_is_final() -> None:
    first, second = node(1), node(1, 2)
    tip = node(2, 3, past=first.state)
    other = node(4, 5, past=first.state)
    reporter, _ = reporter_at(tip)
    for final, count in ((tip, 3), (first, 1), (other, 1), (second, 0)):
        reporter._machine.tip.before = {9: final}.get  # type: ignore[method-assign, assignment]
        assert reporter.final() == count


@pytest.mark.parametrize("is_due", [True, False])
def test_what_a_change_of_epoch_asks_no_more_is_closed(is_due: bool) -> None:
    stopped: list[bool] = []
    here: Any = SimpleNamespace(
        _game_reporter=SimpleNamespace(entered=lambda *given: None),
        tell_own_presence=lambda base: None,
        _machine=SimpleNamespace(must_choose=is_due),
        _questions=SimpleNamespace(stop=lambda: stopped.append(True)),
    )
    EffectsOut.tell(here, effects.Entered(1, cast(Any, None), frozenset()))
    assert bool(stopped) is not is_due


@pytest.mark.parametrize(
    ("effect", "update"),
    [
        (effects.JournalDoubted(), effects.JournalDoubted()),
        (effects.SigningEnded(), effects.SigningEnded()),
    ],
)
def test_a_seat_that_goes_on_with_an_old_copy_is_told_so(effect: Any, update: Any) -> None:
    shown: list[Any] = []
    here: Any = SimpleNamespace(_screen=shown.append)
    EffectsOut.tell(here, effect)
    assert shown == [update]


def current(path: Path, passphrase: str | None = None) -> bool:
    return read(path, passphrase)[0]


async def test_the_keeper_sets_the_mark_soon_after_and_before_it_ends(tmp_path: Path) -> None:
    book = fresh(tmp_path / "home")
    keeper, begun = JournalKeeper(book), book.mark.read_bytes()
    async with running(keeper.run):
        for record in (b"one", b"two"):
            book.append(record)
            keeper.settle()
            assert book.mark.read_bytes() == begun
            with trio.fail_after(LIMIT):
                while book.mark.read_bytes() == begun:
                    await trio.sleep(0.01)
            begun = book.mark.read_bytes()
    book.close()
    assert current(book.path)


class Parts:
    """All parts that effects are carried out with; what is called there is written down."""

    def __init__(self, *pending: Any) -> None:
        self.done: list[Any] = []
        self.pending = [list(pending)]
        self.job: Any = None
        self.seat, self.may_rejoin, self.must_choose = 0, True, False
        self.table = SimpleNamespace(ids=SEATS)
        self.passes_on_to = frozenset(SEATS).__contains__

    def take(self) -> list[Any]:
        """Return the effects of the machine, those of each call by themselves."""
        return self.pending.pop(0) if self.pending else []

    def links(self) -> frozenset[bytes]:
        """Return one link."""
        return frozenset(SEATS[:1])

    def post(self, peer: bytes, data: bytes, once: bool = False) -> bool:
        """Note the frame."""
        self.done.append(data)
        return True

    def final(self) -> int:
        """Return a number of final events."""
        return 7

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.done.append((name, *given))


def carrying_out(*pending: Any) -> tuple[EffectsOut, Parts]:
    it: Any = Parts(*pending)
    return EffectsOut(it, it, it, it, it, it, it, it.done.append, lambda: 5.0), it


def test_records_come_first_then_frames_and_what_is_told_in_the_end() -> None:
    left = effects.SeatLeft(1)
    out, it = carrying_out(left, Send(TOLD), effects.Record(b"one"), effects.Record(b"two"))
    it.pending += [[], [Send(QUESTION), effects.StepTimedOut(frozenset({1}), 9)]]
    out.carry_out()
    assert it.done == [
        ("append", b"one"),
        ("append", b"two"),
        ("settle",),
        TOLD,
        left,
    ]
    out.carry_out()
    assert it.done[5:] == [("settle",), QUESTION, ("timed_out", 5.0)]


async def test_whoever_waits_for_a_job_is_told_of_it(autojump_clock: MockClock) -> None:
    out, it = carrying_out()
    with trio.move_on_after(1) as waited:
        await out.wait_for_job()
    assert waited.cancelled_caught
    async with running(out.wait_for_job) as nursery:
        await trio.testing.wait_all_tasks_blocked()
        it.job = "proofs"
        out.carry_out()
        with trio.fail_after(1):
            await trio.testing.wait_all_tasks_blocked()
        assert not nursery.child_tasks
    with trio.fail_after(1):
        await out.wait_for_job()


def test_a_step_is_told_with_the_time_it_took_and_a_result_ends_all_questions() -> None:
    before, after = node(1), node(1, 2)
    step = effects.StepAppended(before, after)
    out, it = carrying_out()
    out.decided_in(0.25)
    out.tell(step)
    assert it.done == [updates.ChainGrew(before, after, 0.25, 7), ("tell", after)]
    out, it = carrying_out()
    out.tell(effects.ChoiceAsked(before, "place", True))
    out.tell(effects.ResultFinal(before))
    assert it.done == [("ask", "place", True), ("close",), ("sync", None)]


@pytest.mark.parametrize(
    ("broken", "accused"),
    [
        (effects.Broken("bad-share", 2), True),
        (effects.Broken("bad-share", 2, by=1), False),
        (effects.Broken("seat-left", 2), False),
        (effects.Broken("bad-share"), False),
    ],
)
def test_an_end_without_a_result_accuses_only_who_was_found_at_fault_here(
    broken: effects.Broken, accused: bool
) -> None:
    out, it = carrying_out()
    out.tell(broken)
    ended = updates.Ended(broken.code, broken.seat, broken.by)
    assert it.done == [("close",), *[("accuse", 2, "bad-share")] * accused, ended]
    assert out.broken is broken


def test_the_own_absence_is_told_once_and_asked_back_only_if_one_may_come_back() -> None:
    out, it = carrying_out()
    here, away = SimpleNamespace(present={0, 1}), SimpleNamespace(present={1})
    it.may_rejoin = False
    for base in (here, away, away):
        out.tell_own_presence(base)  # type: ignore[arg-type]
    assert it.done == [("ask_to_return", False), updates.Away(False)]
    it.done.clear()
    it.may_rejoin = True
    out.tell_own_presence(away)  # type: ignore[arg-type]
    out.tell_own_presence(here)  # type: ignore[arg-type]
    assert it.done == [
        ("ask_to_return", True),
        updates.Away(True),
        ("close",),
        updates.Rejoined(),
    ]
    it.seat, it.done = None, []
    out.tell_own_presence(away)  # type: ignore[arg-type]
    assert it.done == []


def test_without_a_journal_nothing_is_kept(tmp_path: Path) -> None:
    nothing = JournalKeeper(None)
    nothing.append(b"one")
    nothing.settle()
    nothing.close()
    nothing.remove()
    book = fresh(tmp_path / "home")
    keeper = JournalKeeper(book)
    keeper.append(b"one")
    keeper.settle()
    assert b"one" in book.path.read_bytes()
    keeper.remove()
    assert not book.path.exists()
    assert keeper.journal is None
