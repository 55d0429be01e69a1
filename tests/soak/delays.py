"""What distance costs: `python -m soak.delays [--seats N] [--delay MS] [--strict]`.

A game of real processes in namespaces of their own, as far from each other as said; then each kind
of step as a multiple of the delay one way, and what is left over. Needs root and nftables.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from pathlib import Path

from support import namespaces, terminals

BOT = ("--auto", "--yes", "--json", "--lan", "off", "--no-again", "--no-map")


def game(seats: int, delay: float, quorum: int | None) -> list[terminals.Terminal]:
    """One whole game; all terminals, at their end."""
    folder = Path(tempfile.mkdtemp(prefix="hoity-delays-"))
    with namespaces.internet("--delay", str(delay / 2)) as net:
        machines = [net.machine(f"m{n}", f"8.0.{n}.1/8") for n in range(seats)]
        words = ["--seats", str(seats), *(["--quorum", str(quorum)] if quorum else [])]
        listen = ("--listen", "8.0.0.1:4000")
        host = machines[0].hoity(folder / "0", "host", *words, *listen, *BOT)
        ticket = host.read_until("ticket")["ticket"]
        running = [host]
        for number, machine in enumerate(machines[1:], 1):
            listen = ("--listen", f"8.0.{number}.1:4000")
            guest = machine.hoity(
                folder / str(number), "join", ticket, *listen, *BOT[:3], "--no-again", "--no-map"
            )
            running.append(guest)
        terminals.finish(running)
        return running


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
    took: dict[str, list[float]] = defaultdict(list)
    seat, last = running[-1], 0.0
    steps = [
        (at, line)
        for at, line in zip(seat.came, seat.lines, strict=True)
        if line.get("type") == "stepped"
    ]
    choices, begun = [], 0.0
    for at, line in steps:
        took[line["kind"]].append(1000 * (at - last) if last else 0.0)
        if line["kind"] == "seal":
            begun = last
        if line["kind"] == "reveal":
            choices.append(1000 * (at - begun))
        last = at
    print(
        f"deal, keys and shuffle included: {1000 * (next(at for at, line in steps if line['kind'] == 'deal') - steps[0][0]):.0f} ms from the first step; sealed choice: median {statistics.median(choices):.1f} ms = {statistics.median(choices) / args.delay:.3f} delays, {len(choices)} of them"
    )
    print(f"{args.seats} seats, {args.delay:.0f} ms one way" + (", strict" * args.strict))
    for kind, times in took.items():
        middle = statistics.median(times)
        print(f"  {kind:10} {len(times):4} times, median {middle:7.1f} ms, over the delay "
              f"{middle - args.delay:6.1f}, most {max(times):7.1f}")  # fmt: skip
    print(json.dumps({kind: [round(t, 1) for t in times] for kind, times in took.items()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
