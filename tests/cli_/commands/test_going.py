"""Leaving from outside of the screen: the event, the first Ctrl-C, and what stays ignored."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from cli.commands import take_seat
from cli.commands.options import OutputOptions, SeatOptions
from cli.commands.take_seat import Going, new_sitting
from cli.local.ending_signals import ENDING_SIGNALS, LATEST, interrupted
from p2p_hoity.table.playing.player_interface import (
    BotPlayer,
    LeaveForNow,
    PlayerRequest,
    WaitLonger,
)

ALL = (*ENDING_SIGNALS, *[getattr(signal, name) for name in ("SIGHUP",) if hasattr(signal, name)])


@pytest.fixture(autouse=True)
def hangups() -> Iterator[None]:
    """A closed terminal ends this program, even where `nohup` has that ignored."""
    if not hasattr(signal, "SIGHUP"):
        yield
        return
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


class Wishful(BotPlayer):
    """A bot whose player wishes what it is told."""

    def __init__(self) -> None:
        super().__init__()
        self.tell, self.told = trio.open_memory_channel[PlayerRequest](1)

    async def next_request(self) -> PlayerRequest:
        return await self.told.receive()


async def test_a_player_wishes_as_before_until_it_goes(autojump_clock: Any) -> None:
    player, going = Wishful(), trio.Event()
    both, wishes = Going(player, going), list[PlayerRequest]()
    await player.tell.send(WaitLonger())
    assert await both.next_request() == WaitLonger()

    async def hear() -> None:
        wishes.append(await both.next_request())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(hear)
        await trio.sleep(60)
        assert wishes == []
        going.set()
    assert wishes == [LeaveForNow()]
    player.tell.send_nowait(WaitLonger())  # a request that waits is not lost
    assert await player.next_request() == WaitLonger()
    assert await both.next_request() == LeaveForNow()
    assert await both.again() is True


@pytest.mark.parametrize("number", ALL)
async def test_the_first_interrupt_leaves_and_the_next_is_the_systems(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasons, alarms = list[str](), list[int]()
    monkeypatch.setattr(signal, "alarm", alarms.append, raising=False)
    before = signal.getsignal(number)
    async with trio.open_nursery() as nursery:
        await nursery.start(interrupted, reasons.append)
        assert signal.getsignal(number) is not before
        os.kill(os.getpid(), number)
        while not reasons:
            await trio.sleep(0)
    assert reasons == ["Interrupted"]
    assert alarms == ([] if number in ENDING_SIGNALS else [LATEST])
    assert signal.getsignal(number) is before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no terminal is closed there")
async def test_what_a_closed_terminal_is_told_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The very next line of the program writes there already, before trio hears of anything."""
    monkeypatch.setattr(signal, "alarm", lambda seconds: None)
    controller, terminal = os.openpty()
    kept = os.dup(2)
    os.dup2(terminal, 2)
    os.close(terminal)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, lambda reason: None)
            os.close(controller)
            with pytest.raises(OSError, match="Input/output error"):
                os.write(2, b"lost")
            os.kill(os.getpid(), signal.SIGHUP)
            assert os.write(2, b"thrown away") == 11
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@pytest.mark.parametrize("numbers", [*((number,) for number in ALL), ALL])
async def test_where_one_or_all_of_them_are_ignored_they_stay_so(numbers: tuple[int, ...]) -> None:
    reasons: list[str] = []
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(interrupted, reasons.append)
            for number in numbers:
                os.kill(os.getpid(), number)
            await trio.testing.wait_all_tasks_blocked()
            if numbers != ALL:  # else nothing is awaited
                nursery.cancel_scope.cancel()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert reasons == []


@pytest.mark.parametrize("others", [True, False])
async def test_a_hired_bot_whose_host_is_gone_tells_the_others(
    others: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def closed() -> None:
        return

    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(take_seat, "until_closed", closed)
    bot = new_sitting(
        SeatOptions(auto=True, until_eof=True, name="Ada"), OutputOptions(as_json=True)
    )
    if others:
        bot._begin(3)
    await bot._until_closed()
    assert bot.left == "the input has ended"
    assert bot._going.is_set() is others
    assert bot._scope.cancel_called is not others
