"""Many simulated games: `python -m soak.simulate --games 10000 --seed NAME [--real]`.

With the whole catalogue of lies and mishaps, or `--only` one of it, or `--ending`: tables whose
seats leave as the program does, while liars try to strand one, or `--absence`: an absent seat
comes back to such an end. Or `--setup`: tables at which a liar tries to part the others before the
game. `--keep-going` counts what fails by kind.
`--dask SCHEDULER` has the games played by the workers of a cluster, which have this checkout; what
is told is the same.
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields

from support.sim.runs import Run

from p2p_hoity.dask_cluster import in_order
from p2p_hoity.worker_processes import ProcessEnded

ENDED = "The process that played it ended: "


def _kind(violation: str) -> str:
    """What did not hold, without seed and numbers: equal for equal failures."""
    text = violation.split(": ", 1)[-1].split("; Plan", 1)[0]
    return re.sub(r"[0-9]+", "N", text.split("Message(", 1)[0])


def games(run: Run, numbers: range, scheduler: str | None) -> Iterator[tuple[Counter[str], str]]:
    """What came of each game, in their order."""
    if not scheduler:
        yield from map(run.game, numbers)
        return
    found = in_order(scheduler, run.game, numbers)
    for number, one in zip(numbers, found, strict=True):
        yield (Counter(), ENDED + run.name(number)) if isinstance(one, ProcessEnded) else one


def _parser() -> argparse.ArgumentParser:
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
    parser.add_argument("--ending", action="store_true", help="liars strand a seat at the end")
    parser.add_argument("--absence", action="store_true", help="an absent seat is back at the end")
    parser.add_argument("--setup", action="store_true", help="a liar parts seats before the game")
    parser.add_argument("--disturbed", action="store_true", help="--setup with cuts and crashes")
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds a game may take")
    parser.add_argument("--dask", metavar="SCHEDULER", help="tcp://HOST:PORT of a Dask cluster")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays what the command line says; 1 if anything did not hold."""
    args = _parser().parse_args(arguments)
    run = Run(**{field.name: getattr(args, field.name) for field in fields(Run)})
    numbers = range(args.first, args.first + args.games)
    seen: Counter[str] = Counter()
    failed, began = [], time.time()
    kinds: Counter[str] = Counter()
    for number, (counts, violation) in zip(numbers, games(run, numbers, args.dask), strict=True):
        seen += counts
        if violation:
            print("FAILED", violation[:1500], flush=True)
            failed.append(run.name(number))
            kinds[_kind(violation)] += 1
            if not args.keep_going:
                break
        if (number + 1) % 250 == 0:
            print(f"{number + 1 - args.first} games, {len(failed)} failed", flush=True)
    played, took = seen["games"] + seen["setups"], time.time() - began
    print(f"{played} games in {took:.0f} s, {len(failed)} failed: {failed}")
    for kind, count in kinds.most_common():
        print(f"  FAILED {count} times: {kind}")
    for name, count in sorted(seen.items()):
        print(f"  {name}: {count}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
