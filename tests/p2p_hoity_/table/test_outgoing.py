"""What one node says: on disk first, to whom it is for, and out before anything else is done."""

import os
import socket
from collections.abc import Iterable
from functools import partial
from typing import Any

import trio
import trio.testing
from support.running import running

from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.peer_link import Link
from p2p_hoity.net.secure_channel import credentials, secure_from, secure_to
from p2p_hoity.table.playing.effects_out import TURNS, EffectsOut
from protocol.seat.effects import Send
from protocol.wire import peer_frames

SEATS, ONLOOKER, STRANGER = (b"ada", b"bob"), b"eve", b"zoe"
TOLD = peer_frames.encode_frame(peer_frames.Carry(b"a message"))
QUESTION = peer_frames.encode_frame(peer_frames.Own())


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
    async with running(partial(secure_from, far, credentials(os.urandom(32)))) as nursery:
        stream, _, _ = await secure_to(near, None)
        link = Link(stream, Limits())
        nursery.start_soon(link.run, trio.lowlevel.checkpoint, trio.sleep_forever)
        for _ in range(20):  # tasks have their turns in random order
            await trio.testing.wait_all_tasks_blocked()
            link.post(b"said")
            for _ in range(TURNS):
                await trio.lowlevel.checkpoint()
            assert theirs.recv(1 << 16), "nothing is out"
    await trio.aclose_forcefully(far)
