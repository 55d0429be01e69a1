"""Show how a cheat is caught: `python3 tasks.py liars [--rows] [CODE ...]`.

For each fault code a table of real processes is played at which one seat cheats. `--rows` prints
the rows of the table in docs/adversity.md instead.
"""

import argparse
import sys
import tempfile
import textwrap
from pathlib import Path

from support.liars import table
from support.liars.plots import PLOTS


def played(code: str) -> table.Seen:
    """Play at a table at which seat 1 cheats so; check that it was named with this code."""
    with tempfile.TemporaryDirectory() as name:
        seen = table.play(Path(name), code)
    if (0, code) not in seen.accused:
        raise SystemExit(f"Nobody named the cheater ({code}): {seen}")
    return seen


def shown(code: str) -> str:
    """Return what happened at the table, for people."""
    seen, plot = played(code), PLOTS[code]
    lines = [f"One of {plot.seats} seats cheats: it {plot.how}.", "", "An honest player reads:"]
    lines += [f"  {line}" for line in dict.fromkeys(seen.screen)]
    if seen.verdicts:
        verdict = seen.verdicts[0]
        lines += ["", "hoity verify says of the finished game:", f"  {verdict['verdict']}"]
        lines += [
            f"  seat {f['seat'] + 1} cheated in step {f['step']}: {f['words']} ({f['code']})"
            for f in verdict["faults"]
        ]
    return "\n".join([*lines, ""])


def row(code: str) -> str:
    """Return one row of the table: the code, how it was provoked, and what was verified."""
    seen = played(code)
    verdicts = {v["verdict"] for v in seen.verdicts}
    codes = ", ".join(sorted({f"`{f['code']}`" for v in seen.verdicts for f in v["faults"]}))
    found = f"`ok`, fault {codes}" if verdicts == {"ok"} else "no game, a file that proves it"
    return f"| `{code}` | {PLOTS[code].how} | {found} |"


def main(words: list[str]) -> None:
    """Play at one table for each code that is named, or for all.

    Raises:
        SystemExit: if a code is none, or help was asked for.
    """
    known = f"Codes: {', '.join(PLOTS)}."
    epilog = textwrap.fill(known, break_on_hyphens=False)
    whole = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(None, None, __doc__, epilog, formatter_class=whole)
    parser.add_argument("codes", nargs="*", metavar="CODE", help="only these cheats; else all")
    parser.add_argument("--rows", action="store_true", help="print rows of docs/adversity.md")
    asked = parser.parse_args(words)
    if unknown := set(asked.codes) - set(PLOTS):
        raise SystemExit(f"No such code: {', '.join(sorted(unknown))}. {known}")
    for code in asked.codes or PLOTS:
        print(row(code) if asked.rows else shown(code), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
