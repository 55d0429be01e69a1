"""Tests of the exchange: what any splice does, done for many sockets in one task."""

import socket
import struct
import sys
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
import trio
import trio.testing
from support.running import running
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Ping, Pong, Request, TextMessage

from p2p_hoity.relay.forwarding import PIECE, Exchange, Splice, _End
from p2p_hoity.web.byte_stream import WebByteStream

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="no epoll, so no exchange")
ROOM = 1 << 16
"""More than the system keeps for one socket of these."""


def streams(pair):
    """Two sockets as streams."""
    for one in pair:
        one.setblocking(False)
    return tuple(trio.SocketStream(trio.socket.from_stdlib_socket(one)) for one in pair)


def sockets():
    """Two connected streams with small buffers."""
    pair = socket.socketpair()
    for one in pair:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, ROOM // 4)
    return streams(pair)


def tcp_sockets():
    """Two streams over TCP."""
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen()
        near = socket.create_connection(door.getsockname())
        far, _ = door.accept()
    return streams((near, far))


@asynccontextmanager
async def exchanging(exchange=None):
    """An exchange, and what splices two people over it."""
    exchange = exchange or Exchange()
    async with running(exchange.run) as nursery:

        def connect(most=1 << 30, early=(b"", b""), make=sockets, other_make=None):
            (one, left), (other, right) = make(), (other_make or make)()
            splice = Splice((left, right), 30, most, early, exchange)
            splice._pump = None  # no task carries for it
            nursery.start_soon(splice.run)
            return one, other, splice

        yield connect


async def read(stream, size):
    found = b""
    while len(found) < size:
        piece = await stream.receive_some(size - len(found))
        assert piece
        found += piece
    return found


async def test_bytes_pass_both_ways_until_an_end_or_its_share_of_bytes_ends():
    async with exchanging() as connect:
        one, other, splice = connect(early=(b"early ", b"before "))
        await one.send_all(b"there")
        assert await read(other, 11) == b"early there"
        await other.send_all(b"and back")
        assert await read(one, 15) == b"before and back"
        await one.aclose()
        assert await other.receive_some() == b""
        assert splice.carried == 26
        one, other, _ = connect(most=10)
        for _ in range(2):
            await one.send_all(bytes(9))
            assert await read(other, 9) == bytes(9)
        assert await other.receive_some() == b""
        one, other, splice = connect(make=tcp_sockets)
        await filled(one, splice)
        one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.socket.close()
        while await other.receive_some():
            pass


async def test_a_splice_in_which_nothing_passes_or_an_end_takes_nothing_is_cut(autojump_clock):
    """[L-34]"""
    async with exchanging() as connect:
        one, other, _ = connect()
        began = trio.current_time()
        assert await one.receive_some() == await other.receive_some() == b""
        assert trio.current_time() - began == pytest.approx(30)
        one, _deaf, _ = connect()
        began = trio.current_time()
        with pytest.raises(trio.BrokenResourceError):
            await one.send_all(bytes(50 * ROOM))
        assert trio.current_time() - began == pytest.approx(30)


async def test_a_slow_reader_slows_who_writes_and_all_comes_in_order():
    """[L-33]"""
    sent = bytes(range(256)) * (16 * ROOM // 256)
    async with exchanging() as connect:
        one, slow, splice = connect()
        quick, reader, _ = connect()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.send_all, sent)
            for _ in range(50):  # the other splice carries as much meanwhile
                await quick.send_all(bytes(PIECE))
                await read(reader, PIECE)
            held = splice.carried
            assert held < len(sent) / 2
            ends = splice._exchange._ends.values()
            assert max(len(end.rest) for end in ends) <= PIECE
            assert await read(slow, len(sent)) == sent
        assert splice.carried == len(sent)
        assert not any(end.rest for end in ends)


async def filled(one, splice):
    """Send until bytes wait at the exchange, which the other end does not take."""
    with trio.CancelScope() as enough:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.send_all, bytes(1000 * ROOM))
            while not any(end.rest for end in splice._exchange._ends.values()):
                await trio.lowlevel.checkpoint()
            enough.cancel()


async def test_who_takes_nothing_is_heard_all_the_same(monkeypatch):
    """[L-33] And costs the exchange no more turns than it says words."""
    turns, act = [], _End.act
    monkeypatch.setattr(_End, "act", lambda *args: (turns.append(1), act(*args)))
    async with exchanging() as connect:
        one, deaf, splice = connect()
        await filled(one, splice)
        before = len(turns)
        for _ in range(10):
            await deaf.send_all(b"still here")
            assert await read(one, 10) == b"still here"
        assert len(turns) - before <= 20


async def test_ends_that_were_closed_already_end_the_splice_and_are_let_go():
    exchange = Exchange()
    (_, left), (_, right) = sockets(), sockets()
    right.socket.close()
    assert await exchange.carry(Splice((left, right), 30, 1), (b"early", b""))
    assert exchange._ends == {}
    (_, left), (_, right) = sockets(), sockets()
    async with running(partial(exchange.carry, Splice((left, right), 30, 1), (b"", b""))):
        await trio.testing.wait_all_tasks_blocked()
        assert exchange._ends
        left.socket.close()
    assert exchange._ends == {}


async def test_where_the_system_has_none_splices_run_as_tasks(monkeypatch):
    monkeypatch.setattr(sys, "platform", "another")
    exchange = Exchange()
    await exchange.run()
    ends = sockets()
    assert not await exchange.carry(Splice(ends, 30, 1), (b"", b""))
    (one, left), (other, right) = sockets(), sockets()
    async with running(Splice((left, right), 30, 1 << 20, exchange=exchange).run):
        await one.send_all(b"through")
        assert await read(other, 7) == b"through"


# Ends that came by WebSocket.


def web_sockets():
    """Two connected streams with small buffers, which speak in messages."""
    near, far = sockets()
    client, server = WSConnection(ConnectionType.CLIENT), WSConnection(ConnectionType.SERVER)
    server.receive_data(client.send(Request(host="a", target="/")))
    assert list(server.events())
    client.receive_data(server.send(AcceptConnection()))
    assert list(client.events())
    return WebByteStream(near, client), WebByteStream(far, server)


MIXED = [(web_sockets, sockets), (sockets, web_sockets), (web_sockets, web_sockets)]


@pytest.mark.parametrize(("make", "other_make"), MIXED)
async def test_bytes_pass_between_ends_of_both_doors(make, other_make):
    sent = bytes(range(256)) * (8 * ROOM // 256)
    async with exchanging() as connect:
        one, other, splice = connect(early=(b"early ", b""), make=make, other_make=other_make)
        await one.send_all(b"there")
        assert await read(other, 11) == b"early there"
        for sender, receiver in ((one, other), (other, one)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(sender.send_all, sent)
                await trio.sleep(0.01)
                assert await read(receiver, len(sent)) == sent
        assert splice.carried == 11 + 2 * len(sent)
        await one.aclose()
        assert await other.receive_some() == b""


async def test_pings_are_answered_and_carried_nowhere():
    async with exchanging() as connect:
        one, other, splice = connect(make=web_sockets)
        socket_ = one.messages._socket
        await one.below.send_all(socket_.send(Ping(b"?")) + one.messages.pack(b"content"))
        assert await read(other, 7) == b"content"
        socket_.receive_data(bytes(await one.below.receive_some()))
        (pong,) = socket_.events()
        assert (type(pong), bytes(pong.payload)) == (Pong, b"?")
        assert splice.carried == 7


@pytest.mark.parametrize("event", [TextMessage("words"), CloseConnection(1000)])
async def test_what_carries_no_bytes_ends_the_pair(event):
    async with exchanging() as connect:
        one, other, _ = connect(make=web_sockets)
        await one.below.send_all(one.messages._socket.send(event))
        assert await other.receive_some() == b""


async def test_who_asks_for_answers_and_reads_none_is_cut():
    async with exchanging() as connect:
        one, other, _ = connect(make=web_sockets, other_make=sockets)
        asked = one.messages._socket.send(Ping(bytes(125))) + one.messages.pack(b"x")

        async def ask():
            with suppress(trio.BrokenResourceError):
                while True:
                    await one.below.send_all(asked)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask)
            with trio.fail_after(20):
                while await other.receive_some():
                    pass
