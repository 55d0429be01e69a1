"""Measures what a change of epoch costs that a seat makes necessary, early and late in a game.

    python bench/epoch_bench.py [--seats 6] [--steps 100,200,300,360] [--delay MS]

Plays Hoity Toity with legal moves drawn at random, all seats in this process on a virtual clock.
After each number of steps it stops one seat for good, and counts the bytes of all frames from the
first epoch promise to the next step of the others. Prints one JSON object for each number of
steps: megabytes on all links, megabytes that the busiest seat sends, the seconds that these take
at 1 Mbit/s, the delays of a link that the change takes without them, and the bytes by which the
file of the game is longer.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from given_numbers import whole
from support.inspection import view_of
from support.machine_table import QUICK, MachineTable
from verify_bench import seated

from protocol.chain.chain_state import Table
from protocol.consensus.followed_chain import FollowedChain
from protocol.crypto.identities import Identity
from protocol.wire.signed_messages import EpochPromise

LINE = 125_000
"""The bytes a second of a line of 1 Mbit/s."""


class CountedTable(MachineTable):
    """A table that counts the bytes that each seat sends, from the first epoch promise on.

    As a link does, it sends no message again before the other end can have told that it lacks it
    (SPEC, [L-24]).
    """

    def __init__(self, table: Table, who: list[Identity], choose: Any, delay: float) -> None:
        super().__init__(table, who, choose)
        self.delay = lambda seat, other: delay
        self.sent, self.began = Counter[int](), 0.0
        self._read_at, self._both_ways = dict[tuple[int, int, bytes], float](), 2 * delay

    def carry(self, seat: int, other: int, frame: bytes) -> None:
        message = self.message(frame)
        if message is not None:
            if self._read_at.get((seat, other, frame), 0.0) > self.now:
                return
            self._read_at[seat, other, frame] = self.now + self._both_ways
            if not self.began and isinstance(message.statement, EpochPromise):
                self.began = self.now
        if self.began and self.places[other].alive:
            self.sent[seat] += len(frame)
        super().carry(seat, other, frame)

    def chains(self) -> list[FollowedChain]:
        """Return what the seats follow that are still there."""
        return [view_of(place.machine) for place in self.places if place.alive]

    def step(self) -> int:
        """Return the lowest step that a seat has reached."""
        return min(chain.tip.step for chain in self.chains())


def measure(seats: int, step: int, delay: float) -> dict[str, Any]:
    """Return the figures of one change of epoch after so many steps."""
    table, who, choose, _game_of = seated("hoity", seats, None, QUICK)
    room = CountedTable(table, who, choose, delay)
    room.start()
    if not room.go(lambda: room.step() >= step, 10_000.0):
        raise SystemExit(f"epoch_bench.py: a game of {seats} seats has ended before step {step}")
    room.leave(seats - 1)
    first, old = room.machine().transcript(), view_of(room.machine()).epoch

    def is_over() -> bool:
        return all(c.epoch > old and c.tip.step > c.base.step for c in room.chains())

    if not room.go(is_over, 600.0):
        raise SystemExit("epoch_bench.py: the epoch does not change")
    most = max(room.sent.values())
    return {
        "seats": seats,
        "step": step,
        "all_links_mb": round(room.sent.total() / 1e6, 3),
        "busiest_seat_mb": round(most / 1e6, 3),
        "seconds_at_1_mbit": round(most / LINE, 1),
        "delays": round((room.now - room.began) / delay, 1),
        "file_kb": round((len(room.machine().transcript()) - len(first)) / 1e3, 1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures for each number of steps."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seats", type=whole(3, 6), default=6)
    parser.add_argument("--steps", default="100,200,300,360")
    parser.add_argument("--delay", type=whole(1, 10_000), default=50, help="ms one way")
    args = parser.parse_args(arguments)
    try:
        steps = [whole(1, 10_000)(word) for word in args.steps.split(",")]
    except argparse.ArgumentTypeError as error:
        parser.error(f"argument --steps: {error}")
    for step in steps:
        print(json.dumps(measure(args.seats, step, args.delay / 1000)), flush=True)


if __name__ == "__main__":
    main()
