"""What distance costs: `python -m soak.delays [--seats N] [--delay MS] [--strict]`.

A game of real processes in namespaces of their own, as far from each other as said; then each kind
of step as a multiple of the delay one way, and what is left over. Needs root and nftables.
"""

import argparse
import itertools
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from support import namespaces, terminals
from support.process_table import ProcessTable


def game(seats: int, delay: float, quorum: int | None) -> list[terminals.Terminal]:
    """Play one whole game; all terminals, at their end."""
    folder = Path(tempfile.mkdtemp(prefix="hoity-delays-"))
    options = ("--quorum", str(quorum)) if quorum else ()
    table = ProcessTable(folder, seats, options=options, edition="uberplay-2004")
    table.timeouts = ""
    table.ways = {n: ("--listen", f"8.0.{n}.1:4000", "--no-again") for n in range(seats)}
    with namespaces.internet() as net:
        table.machines = net.mesh(delay, *(f"8.0.{n}.1" for n in range(seats)))
        with table:
            table.fill()
            table.judge()
    return list(table.running.values())


def choices(stepped: Sequence[tuple[float, str]]) -> list[float]:
    """How long each sealed choice took, from the step before it to the one in which it is shown.

    Args:
        stepped: When the steps of one seat were over, and their kinds.
    """
    found, begun = [], 0.0
    for (before, _), (at, kind) in itertools.pairwise(stepped):
        begun = before if kind == "seal" else begun
        if kind == "reveal":
            found.append(at - begun)
    return found


def report(seat: terminals.Terminal, delay: float) -> None:
    """How long each kind of step took at one seat, by when it told; times in ms."""
    stepped = [
        (1000 * at, line["kind"])
        for at, line in zip(seat.came, seat.lines, strict=True)
        if line.get("type") == "step"
    ]
    took: dict[str, list[float]] = defaultdict(list)
    for (before, _), (at, kind) in itertools.pairwise(stepped):
        took[kind].append(at - before)
    dealt = next(at for at, kind in stepped if kind == "deal") - stepped[0][0]
    found = choices(stepped)
    middle = statistics.median(found)
    print(f"  from the first step to the deal: {dealt:.0f} ms = {dealt / delay:.2f} delays")
    print(f"  a sealed choice: {middle:.1f} ms = {middle / delay:.3f} delays, of {len(found)}")
    for kind, times in took.items():
        middle, most = statistics.median(times), max(times)
        print(f"  {kind:10} {len(times):4} times, median {middle:7.1f} ms, most {most:7.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--delay", type=float, default=100.0, help="ms one way")
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    if lacking := namespaces.why_not():
        print(lacking)
        return 1
    running = game(args.seats, args.delay / 1000, args.seats if args.strict else None)
    print(f"{args.seats} seats, {args.delay:.0f} ms one way" + ", strict" * args.strict)
    report(running[-1], args.delay)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
