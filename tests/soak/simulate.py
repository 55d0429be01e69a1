"""Many simulated games: `python -m soak.simulate --games 10000 --seed NAME [--real]`.

With the whole catalogue of lies and mishaps, or `--only` one of it; `--keep-going` counts what
fails by kind.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import time
from collections import Counter

from support.sim.cheap import cheap_blocks, shared_nodes
from support.sim.invariants import Violation
from support.sim.tables import play

from protocol.seat import weighing


def _play(seed: str, args: argparse.Namespace) -> Counter[str]:
    wide, jobs = not args.plain, args.slow_jobs
    if jobs:
        weighing.HEAVY = 0  # the bodies of a toy game are all small
    if args.two:
        return play(seed, 5, True, two=True, wide=wide, only=args.only, slow_jobs=jobs)
    return play(
        seed, args.seats, False if args.honest else None, wide=wide, only=args.only, slow_jobs=jobs
    )


def _kind(violation: Violation) -> str:
    """What did not hold, without seed and numbers: equal for equal failures."""
    text = str(violation).split(": ", 1)[-1].split("; Plan", 1)[0]
    return re.sub(r"[0-9]+", "N", text.split("Message(", 1)[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", default="soak")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seats", type=int)
    parser.add_argument("--honest", action="store_true", help="no liar")
    parser.add_argument("--two", action="store_true", help="two liars of five seats")
    parser.add_argument("--plain", action="store_true", help="without the wide catalogue")
    parser.add_argument("--only", help="one thing of the wide catalogue, in every game")
    parser.add_argument("--real", action="store_true", help="the real curve and signatures")
    parser.add_argument("--slow-jobs", action="store_true", help="what takes long goes on beside")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds a game may take")
    args = parser.parse_args()
    seen: Counter[str] = Counter()
    failed, began = [], time.time()
    kinds: Counter[str] = Counter()
    with shared_nodes() if args.real else cheap_blocks(shared=not args.slow_jobs):
        for number in range(args.first, args.first + args.games):
            seed = f"{args.seed}-{number}"
            faulthandler.dump_traceback_later(args.limit, exit=True)
            try:
                seen += _play(seed, args)
            except Violation as violation:
                print("FAILED", str(violation)[:1500], flush=True)
                failed.append(seed)
                kinds[_kind(violation)] += 1
                if not args.keep_going:
                    break
            if (number + 1) % 250 == 0:
                print(f"{seen['games']} games, {len(failed)} failed", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{seen['games']} games in {time.time() - began:.0f} s, {len(failed)} failed: {failed}")
    for kind, count in kinds.most_common():
        print(f"  FAILED {count} times: {kind}")
    for name, count in sorted(seen.items()):
        print(f"  {name}: {count}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
