"""A run of the mutants: a simulated game or one test of the suite must kill each of them.

What kills a mutant stands behind its name in `tests/protocol_/seat/killed_mutants.txt`: a test in
`tests/protocol_`, or "setup" and the seed of a simulated setup, or "game", the seed of a simulated
game, and the one lie of its wide catalogue that it is about. `python -m support.mutant_run` (in
`tests`, with the checkout on the path) prints the line of each mutant that is killed; `--write`
leaves only those in the file. Names of mutants narrow the run. `--games 500` looks for seeds that
kill them instead.
"""

import argparse
import io
import os
from contextlib import redirect_stdout
from typing import Final

import pytest

from support.mutants import MUTANTS, Mutant, planted
from support.paths import ROOT, TESTS
from support.sampling import NIGHTLY
from support.sim.cheap import cheap_blocks
from support.sim.invariants import Violation
from support.sim.setups import play_setup
from support.sim.tables import play

LIST: Final = TESTS / "protocol_" / "seat" / "killed_mutants.txt"


def main() -> int:
    """Run the mutants and print, or write, which are killed by what."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--games", type=int)
    parser.add_argument("--seed", default="mutant")
    parser.add_argument("--only", help="one thing of the wide catalogue, in every game")
    arguments = parser.parse_args()
    os.environ[NIGHTLY] = "1"  # tests that the quick suite samples must all be there
    chosen = [one for one in MUTANTS if not arguments.name or one.name in arguments.name]
    if arguments.games is not None:
        for one in chosen:
            print(f"{one.name}: {_seed_of(one, arguments.seed, arguments.games, arguments.only)}")
        return 0
    lines = [line_of(one) for one in chosen if is_killed(one)]
    if arguments.write:
        LIST.write_text("".join(f"{line}\n" for line in lines))
    print("\n".join(lines))
    return 0


def killers() -> dict[str, str]:
    """Return by the name of each mutant what kills it."""
    return dict(line.split(": ", 1) for line in LIST.read_text().splitlines())


def line_of(mutant: Mutant) -> str:
    """Return the line of a killed mutant."""
    return f"{mutant.name}: {killers()[mutant.name]}"


def _seed_of(mutant: Mutant, seed: str, games: int, only: str | None) -> str:
    """Return the first of so many games that kills the mutant."""
    with planted(mutant):
        killers = (" ".join(["game", f"{seed}-{n}", *filter(None, [only])]) for n in range(games))
        return next(filter(_fails_in_game, killers), f"not killed in {games} games")


def is_killed(mutant: Mutant) -> bool:
    """Return whether its killer passes under the rules as they are, and fails with the mutant."""
    killer = killers()[mutant.name]
    fails = _fails_in_game if killer.startswith(("game ", "setup ")) else _fails_in_test
    if fails(killer):
        return False
    with planted(mutant):
        return fails(killer)


def _fails_in_game(killer: str) -> bool:
    kind, seed, *only = killer.split()
    with cheap_blocks():
        try:
            if kind == "setup":
                play_setup(seed)
            else:
                play(seed, only=only[0] if only else None)
        except Violation:
            return True
    return False


def _fails_in_test(killer: str) -> bool:
    """Run one test in this process. Raises RuntimeError unless it ran."""
    arguments = ["-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    with redirect_stdout(io.StringIO()) as printed:
        code = pytest.main([*arguments, str(TESTS / "protocol_" / killer)])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise RuntimeError(f"{killer} did not run:\n{printed.getvalue()}")
    return code is pytest.ExitCode.TESTS_FAILED


if __name__ == "__main__":
    raise SystemExit(main())
