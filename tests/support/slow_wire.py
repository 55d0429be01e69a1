"""A cable between two network namespaces that takes its time: `python -m support.slow_wire ...`.

A TUN device in each; what goes into one comes out of the other later, at most so many bytes a
second, each packet late by its own lot, and some never. The kernel of a small machine has no
`netem`, which would do the same.
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import struct
import time
from dataclasses import dataclass, field

from support.fork_server import enter

TUNSETIFF, TUN_WITHOUT_HEAD = 0x400454CA, 0x0001 | 0x1000


def tun(namespace: str, name: str) -> int:
    """Return the file of a TUN device that stands in a namespace."""
    enter(namespace)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), TUN_WITHOUT_HEAD))
    return device


@dataclass
class Way:
    """One direction: packets under way, in the order in which they come out."""

    out: int
    args: argparse.Namespace
    waiting: list[tuple[float, int, bytes]] = field(default_factory=list)
    number: int = 0
    free: float = 0.0
    last: float = 0.0

    def take(self, packet: bytes, now: float) -> None:
        """A packet goes in, unless it is lost or the queue is full."""
        args = self.args
        if random.random() < args.loss or len(self.waiting) > 1000:
            return
        self.free = max(self.free, now)
        if args.rate:
            self.free += len(packet) / args.rate
        due = self.free + args.delay + random.uniform(0, args.jitter)
        if not args.unordered:
            due = self.last = max(due, self.last)
        self.number += 1
        heapq.heappush(self.waiting, (due, self.number, packet))

    def give(self, now: float) -> None:
        """What is due comes out."""
        while self.waiting and self.waiting[0][0] <= now:
            packet = heapq.heappop(self.waiting)[2]
            try:
                os.write(self.out, packet)
            except OSError:
                return  # the device is down

    def wait(self, now: float) -> float:
        """Seconds until the next is due."""
        return max(0.0, self.waiting[0][0] - now) if self.waiting else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ends", nargs=4, metavar="NAMESPACE DEVICE NAMESPACE DEVICE")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds one way")
    parser.add_argument("--jitter", type=float, default=0.0, help="seconds more, at most")
    parser.add_argument("--rate", type=float, default=0.0, help="bytes a second; 0: any")
    parser.add_argument("--loss", type=float, default=0.0, help="share of packets")
    parser.add_argument("--unordered", action="store_true")
    args = parser.parse_args()
    one, two = tun(*args.ends[:2]), tun(*args.ends[2:])
    print('{"wire": true}', flush=True)
    ways = {one: Way(two, args), two: Way(one, args)}
    while True:
        now = time.monotonic()
        ready, _, _ = select.select(list(ways), [], [], min(way.wait(now) for way in ways.values()))
        for device in ready:
            try:
                packet = os.read(device, 65536)
            except OSError:
                continue
            ways[device].take(packet, time.monotonic())
        for way in ways.values():
            way.give(time.monotonic())


if __name__ == "__main__":
    main()
