"""One hub as a process: waits at a relay or calls there, and prints its links as JSON lines.

`python -m support.lone_hub SEED RELAY [PEER]`; SEED is a number, PEER the seed of whom it calls.
Whoever is linked is sent twenty frames a second, and what comes is counted.
"""

import json
import sys
import time

import trio

from p2p_hoity.net.hub import Frame, Hub, LinkDown, LinkUp
from protocol import Identity


def identity(seed: str) -> Identity:
    return Identity(bytes([int(seed)]) * 32)


def say(**what: object) -> None:
    print(json.dumps({**what, "at": round(time.time() % 1000, 2)}), flush=True)


async def talk(hub: Hub) -> None:
    number = 0
    while True:
        await trio.sleep(0.05)
        for peer in hub.links():
            number += hub.post(peer, b"%d" % number)


async def main(seed: str, relay: str, peer: str | None = None) -> None:
    hub = Hub(identity(seed))
    async with trio.open_nursery() as nursery:
        await nursery.start(hub.run)
        where = await hub.listen_via(relay)
        say(relay=where)
        if peer is not None:
            hub.dial(where, identity(peer).public)
        nursery.start_soon(talk, hub)
        heard = 0
        async for event in hub.events:
            match event:
                case LinkUp():
                    say(linked=event.address, relayed=event.via_relay, heard=heard)
                case LinkDown():
                    say(lost=str(event.reason.code), heard=heard)
                case Frame():
                    heard += 1
                    if heard % 50 == 0:
                        say(heard=heard)


if __name__ == "__main__":
    trio.run(main, *sys.argv[1:])
