"""Times the building blocks against the raw cost of the group operations they do.

    python bench/crypto_bench.py [--cards 51] [--rounds 9]

Prints JSON, in processor time of this one process: microseconds of each group operation, and for
shuffle, prove, verify and shares the milliseconds (median, lowest and highest of the rounds), the
operations counted while they run, the milliseconds those operations cost by themselves in the same
run, and the ratio of the two. The same as `hoity bench --json`, but for the start of `play`.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from given_numbers import whole

from p2p_hoity.benchmarks import report


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cards", type=whole(24, 128), default=51)
    parser.add_argument("--rounds", type=whole(1, 99), default=9)
    arguments = parser.parse_args(words)
    print(json.dumps(report(arguments.cards, arguments.rounds, time.process_time), indent=2))


if __name__ == "__main__":
    main()
