"""Times the building blocks against the raw cost of the group operations they do.

    python bench/crypto_bench.py [--cards 51] [--rounds 9]

Prints JSON: microseconds of each group operation, and for shuffle, prove, verify and shares
the milliseconds (median), the operations counted while they run, the milliseconds those
operations cost by themselves in the same run, and the ratio of the two.
"""

import argparse
import json
import time

from p2p_hoity.benchmarks import report


def main() -> None:
    """Read the command line, print the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cards", type=int, default=51)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    print(json.dumps(report(arguments.cards, arguments.rounds, time.process_time), indent=2))


if __name__ == "__main__":
    main()
