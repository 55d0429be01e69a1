"""Tests of a host who lets in each guest: one question at a time, and an answer that stays."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.cases import ends_in
from support.player_table import Caller, PlayerTable, hosted

from p2p_hoity.coded_errors import Reason
from p2p_hoity.net.hub import LinkUp
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.gathering.host_table import (
    ADMISSION_TIMEOUT,
    MOST_REMEMBERED,
    MOST_WAITING,
    AdmissionQueue,
)
from p2p_hoity.table.gathering.lobby import Ask, Offer, Pending, Refusal, Refuse, SeatedNames, Sit
from p2p_hoity.table.peer_error import PeerError
from protocol import Identity


@dataclass
class Host:
    """A player who answers each question when a test wants it."""

    asked: list[tuple[str, bytes]] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    _send: Any = None
    _answers: Any = None

    def __post_init__(self) -> None:
        self._send, self._answers = trio.open_memory_channel[bool](200)

    async def admit(self, nickname: str, guest: bytes) -> bool:
        self.asked.append((nickname, guest))
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            return bool(await self._answers.receive())
        finally:
            self.open -= 1

    def say(self, yes: bool) -> None:
        self._send.send_nowait(yes)

    async def is_asked(self, number: int) -> None:
        """Wait until it has been asked so often."""
        while len(self.asked) < number:
            await trio.sleep(0.1)


class Guarded:
    """A table whose host is asked, and guests who speak the lobby by hand."""

    def __init__(self, table: PlayerTable, host: Host, call: Any) -> None:
        self.table, self.host, self._call = table, host, call

    async def come(self, name: str, identity: Identity | None = None) -> Caller:
        """Return a guest with the ticket that sits down."""
        caller: Caller = await self._call(identity)
        await caller.next(LinkUp)
        caller.say(Ask(caller.proof(self.table.ticket)))
        await caller.next(Offer)
        caller.sit(self.table, name)
        return caller

    async def go(self, caller: Caller, seconds: float) -> None:
        """Let a guest lose its link, and so many seconds pass."""
        caller.hub.drop(caller.host, Reason("gone"))
        await trio.sleep(seconds)

    def names(self) -> tuple[str, ...]:
        """Return who sits."""
        return tuple(self.table.guests[0].heard(updates.Joined)[-1].names)

    async def until_seated(self, name: str) -> None:
        """Wait until this guest sits beside the host."""
        await self.table.until(lambda: self.names() == ("P0", name))


@asynccontextmanager
async def guarded(path: Path, seats: int) -> AsyncIterator[Guarded]:
    table, host = PlayerTable(path, seats), Host()
    table.admit = host.admit
    async with hosted(table) as call:
        yield Guarded(table, host, call)


async def refusal(caller: Caller) -> Refusal:
    return Refusal((await caller.next(Refuse)).reason)


async def test_a_guest_waits_for_the_hosts_word_and_sits_down(tmp_path: Path) -> None:
    async with guarded(tmp_path, 3) as door:
        guest = await door.come("Bob")
        await guest.next(Pending)
        await trio.sleep(100)
        assert door.names() == ("P0",)
        assert door.host.asked == [("Bob", None)]
        door.host.say(True)
        while (await guest.next(SeatedNames)).names != ("P0", "Bob"):
            pass
        await door.until_seated("Bob")
        assert door.table.guests[0].heard(updates.Admitted) == [updates.Admitted("Bob", True)]


async def test_who_is_refused_stays_refused_and_the_host_is_not_asked_again(tmp_path: Path) -> None:
    who = Identity(os.urandom(32))
    async with guarded(tmp_path, 3) as door:
        guest = await door.come("Bob", who)
        door.host.say(False)
        assert await refusal(guest) is Refusal.DENIED
        for name in ("Bob", "Rob"):
            await door.go(guest, 2)
            guest = await door.come(name, who)
            assert await refusal(guest) is Refusal.DENIED
        assert len(door.host.asked) == 1
        assert door.names() == ("P0",)


async def test_silence_sends_a_guest_away_who_may_come_again(tmp_path: Path) -> None:
    who = Identity(os.urandom(32))
    async with guarded(tmp_path, 3) as door:
        guest = await door.come("Bob", who)
        await guest.next(Pending)
        began = trio.current_time()
        assert await refusal(guest) is Refusal.UNHEARD
        assert ADMISSION_TIMEOUT - 2 < trio.current_time() - began < ADMISSION_TIMEOUT + 2
        assert door.table.guests[0].heard(updates.Admitted) == [updates.Admitted("Bob", None)]
        await door.go(guest, 2)
        guest = await door.come("Bob", who)
        await door.host.is_asked(2)
        door.host.say(True)
        await door.until_seated("Bob")


async def test_a_flood_of_guests_is_one_question_at_a_time(tmp_path: Path) -> None:
    async with guarded(tmp_path, 3) as door:
        crowd = [await door.come(f"G{number}") for number in range(MOST_WAITING + 4)]
        for late in crowd[-4:]:
            assert await refusal(late) is Refusal.FULL
        for number, guest in enumerate(crowd[:MOST_WAITING], 1):
            await door.host.is_asked(number)
            assert len(door.host.asked) == number
            door.host.say(False)
            assert await refusal(guest) is Refusal.DENIED
        assert door.host.most_open == 1


async def test_a_crowd_from_one_machine_keeps_no_guest_of_another_out() -> None:
    """However many are refused: the next question is about who comes from elsewhere."""
    host = Host()
    queue = AdmissionQueue(host.admit)
    decided: list[tuple[bytes, bool | None]] = []
    sit = Sit([], ())

    def name(number: int) -> bytes:
        return number.to_bytes(32, "big")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run, lambda peer, _, answer: decided.append((peer, answer)))
        for number in range(100):
            while len(queue.waiting) < MOST_WAITING:
                assert queue.wait(name(1000 * number + len(queue.waiting)), "S", sit, "a") is None
            assert queue.wait(name(1000 * number + 999), "S", sit, "a") == name(1000 * number + 999)
            await host.is_asked(number + 1)
            host.say(False)
            await trio.testing.wait_all_tasks_blocked()
        await host.is_asked(101)
        queue.wait(name(999_999), "S", sit, "a")
        turned_away = queue.wait(b"f" * 32, "Friend", sit, "b")
        assert turned_away not in (None, b"f" * 32, queue._asking)
        assert turned_away not in queue.waiting
        host.say(False)
        await host.is_asked(102)
        assert host.asked[-1] == ("Friend", None)
        host.say(True)
        await trio.testing.wait_all_tasks_blocked()
        assert decided[-1] == (b"f" * 32, True)
        nursery.cancel_scope.cancel()


async def test_only_the_latest_refusals_are_remembered() -> None:
    host = Host()
    queue = AdmissionQueue(host.admit)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(queue.run, lambda *_: None)
        for number in range(MOST_REMEMBERED + 1):
            queue.wait(number.to_bytes(32, "big"), "S", Sit([], ()), "a")
            host.say(False)
            await host.is_asked(number + 1)
            await trio.testing.wait_all_tasks_blocked()
        shut = [number.to_bytes(32, "big") in queue.denied for number in range(MOST_REMEMBERED + 1)]
        assert shut == [False, *[True] * MOST_REMEMBERED]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("back", ["after the answer", "before the answer"])
@pytest.mark.parametrize("nickname", ["Bob", "Rob"])
async def test_a_guest_that_reconnects_sits_down_under_the_nickname_that_the_host_admitted(
    tmp_path: Path, back: str, nickname: str
) -> None:
    """Started again, it knows nothing of an earlier consent, and would take no roster with it."""
    who = Identity(os.urandom(32))
    async with guarded(tmp_path, 3) as door:
        guest = await door.come("Bob", who)
        await door.host.is_asked(1)
        await door.go(guest, 1)
        if back == "before the answer":
            await door.come(nickname, who)
            await trio.sleep(1)
            door.host.say(True)
        else:
            door.host.say(True)
            await trio.sleep(1)
            assert door.names() == ("P0",)
            await door.come(nickname, who)
        if nickname != "Bob":
            await door.host.is_asked(2)
            assert door.names() == ("P0",)
            door.host.say(True)
        await door.until_seated(nickname)
        assert [name for name, _ in door.host.asked] == list(dict.fromkeys(["Bob", nickname]))


async def test_a_refused_guest_gets_no_second_question_by_another_nickname(tmp_path: Path) -> None:
    who = Identity(os.urandom(32))
    async with guarded(tmp_path, 3) as door:
        guest = await door.come("Bob", who)
        await door.host.is_asked(1)
        await door.go(guest, 1)
        guest = await door.come("Rob", who)
        await guest.next(Pending)
        door.host.say(False)
        assert await refusal(guest) is Refusal.DENIED
        assert len(door.host.asked) == 1


async def test_who_still_waits_when_the_table_is_full_is_told(tmp_path: Path) -> None:
    async with guarded(tmp_path, 2) as door:
        assert await refusal(await door.come("P0")) is Refusal.NAME  # which is no question
        assert door.host.asked == []
        await door.come("Bob")
        late = await door.come("Late")
        await late.next(Pending)
        door.host.say(True)
        assert await refusal(late) is Refusal.FULL


async def test_a_whole_game_of_guests_that_the_host_admits(tmp_path: Path) -> None:
    table, host = PlayerTable(tmp_path, 2), Host()
    table.admit = host.admit
    host.say(True)
    await table.play()
    assert host.asked == [("P1", table.guests[1].me.identity.public)]
    assert table.guests[1].heard(updates.HostAsked)
    assert all(guest.outcome and guest.outcome.standings for guest in table.guests)


@pytest.mark.parametrize(("yes", "code"), [(False, "host-refused"), (None, "host-did-not-answer")])
async def test_a_guest_not_let_in_is_told_why(yes: bool | None, code: str, tmp_path: Path) -> None:
    async with guarded(tmp_path, 2) as door:
        if yes is not None:
            door.host.say(yes)
        await ends_in(PeerError, code, door.table.join(1))
