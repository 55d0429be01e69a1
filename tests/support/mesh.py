"""Cables of one length between all: `python -m support.mesh SECONDS NAMESPACE ADDRESS ...`.

A TUN device in each; what goes into one comes out later of the one with its address. Each packet
costs half of what it does over two cables of `support.slow_wire`, which can be slow in more ways:
where all is measured on a few cores, the cables should take little of them.
"""

import os
import select
import socket
import sys
import time
from collections import deque
from contextlib import suppress

from support.slow_wire import tun


def main(delay: float, *ends: str) -> None:
    ways = {
        socket.inet_aton(address): tun(namespace, "wan")
        for namespace, address in zip(ends[::2], ends[1::2], strict=True)
    }
    print('{"wire": true}', flush=True)
    devices, under_way = list(ways.values()), deque[tuple[float, int, bytes]]()
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for device in select.select(devices, [], [], wait)[0]:
            packet = os.read(device, 65536)
            if (to := ways.get(packet[16:20])) is not None:
                under_way.append((time.monotonic() + delay, to, packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, to, packet = under_way.popleft()
            with suppress(OSError):  # the device is down
                os.write(to, packet)


if __name__ == "__main__":
    main(float(sys.argv[1]), *sys.argv[2:])
