"""Silent connections from many addresses at a door, and honest guests with a real round trip.

    python -m soak.silent_connections [host|relay] [CONNECTIONS_A_SECOND] [ROUND_TRIP_MS] [SOURCES]

Everything stays on this machine's loopback; the guests' way there goes through a delaying proxy.
With one source the connections come from the guests' own address. Prints one JSON line: how many
of eight guests got a link by one attempt, and how many within fifteen seconds of attempts.
"""

import itertools
import json
import os
import socket
import subprocess
import sys
from contextlib import suppress

import trio
from support.relays import serve_relay

from p2p_hoity.net.hub import Hub
from p2p_hoity.net.network_errors import NetError
from p2p_hoity.table.task_groups import open_nursery
from protocol.crypto.identities import Identity

GUESTS = 8
LONGEST = 15.0
HOST = Identity(b"h" * 32)


async def serve(kind: str) -> None:
    """The host, and a relay if it waits there; prints what is attacked."""
    hub = Hub(HOST)
    async with trio.open_nursery() as nursery:
        await nursery.start(hub.run)
        if kind == "relay":
            (place,) = await nursery.start(serve_relay, "127.0.0.1", 0)
            await hub.listen_via(place)
        else:
            (place,) = await hub.listen("127.0.0.1", 0)
        print(place, flush=True)
        async for _ in hub.events:
            pass


async def attack(port: int, rate: float, sources: int) -> None:
    """Connections that say nothing, each held until the other side ends it."""
    async with trio.open_nursery() as nursery:
        for number in itertools.count():
            one = number % sources
            nursery.start_soon(_say_nothing, port, f"127.0.{one}.1")
            await trio.sleep(1 / rate)


async def _say_nothing(port: int, source: str) -> None:
    with suppress(OSError), trio.socket.socket() as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        await stream.bind((source, 0))
        await stream.connect(("127.0.0.1", port))
        await stream.recv(1)


async def delay(
    port: int, seconds: float, task_status: trio.TaskStatus[int] = trio.TASK_STATUS_IGNORED
) -> None:
    """A proxy whose every byte takes so long each way."""

    async def pump(source: trio.SocketStream, sink: trio.SocketStream) -> None:
        send, due = trio.open_memory_channel[tuple[float, bytes]](10_000)

        async def deliver() -> None:
            async with due:
                async for when, chunk in due:
                    await trio.sleep_until(when)
                    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                        await sink.send_all(chunk)
            await trio.aclose_forcefully(sink)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(deliver)
            async with send:
                with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                    while chunk := await source.receive_some(65536):
                        await send.send((trio.current_time() + seconds, bytes(chunk)))

    async def one(near: trio.SocketStream) -> None:
        await trio.sleep(3 * seconds)  # what a connection takes before its first byte can come
        hello = await near.receive_some(65536)
        far = await trio.open_tcp_stream("127.0.0.1", port)
        await far.send_all(hello)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pump, near, far)
            nursery.start_soon(pump, far, near)

    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    task_status.started(listener.socket.getsockname()[1])
    await trio.serve_listeners(one, [listener])


async def probe(kind: str, port: int) -> dict[str, int]:
    """Guests, one after the other."""
    first, second = 0, 0
    address = f"{'relay+' if kind == 'relay' else ''}127.0.0.1:{port}"
    for _ in range(GUESTS):
        hub = Hub(Identity(os.urandom(32)))
        async with open_nursery() as nursery:
            await nursery.start(hub.run)
            with trio.move_on_after(LONGEST):
                for attempt in itertools.count():
                    try:
                        await hub.connect([address], HOST.public, 10.0)
                    except NetError:
                        await trio.sleep(min(4.0, 0.25 * 2**attempt))
                        continue
                    first, second = first + (attempt == 0), second + 1
                    break
            nursery.cancel_scope.cancel()
    return {"guests": GUESTS, "at_once": first, "in_15_s": second}


async def main(kind: str, rate: float, trip: float, sources: int) -> None:
    command = [sys.executable, __file__]
    with subprocess.Popen([*command, "serve", kind], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        port = server.stdout.readline().strip().rpartition(":")[2]
        with subprocess.Popen([*command, "attack", port, str(rate), str(sources)]) as strangers:
            async with open_nursery() as nursery:
                far = await nursery.start(delay, int(port), trip / 2000)
                await trio.sleep(2.0)
                told = await probe(kind, far)
                nursery.cancel_scope.cancel()
            strangers.kill()
        server.kill()
    print(json.dumps({"door": kind, "a_second": rate, "trip_ms": trip, "from": sources, **told}))


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["serve"]:
        trio.run(serve, words[1])
    elif words[:1] == ["attack"]:
        trio.run(attack, int(words[1]), float(words[2]), int(words[3]))
    else:
        given = [*words, *["host", "300", "100", "200"][len(words) :]]
        trio.run(main, given[0], float(given[1]), float(given[2]), int(given[3]))
