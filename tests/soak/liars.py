"""Show how a cheat is caught: `python -m soak.liars [--rows] [CODE ...]`.

For each fault code a table of real processes is played at which one seat cheats. `--rows` prints
the rows of the table in docs/adversity.md instead.
"""

import sys
import tempfile
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
    """Return one row of the table: the code, how it was provoked, what was read and verified."""
    seen = played(code)
    verdicts = {v["verdict"] for v in seen.verdicts}
    codes = ", ".join(sorted({f"`{f['code']}`" for v in seen.verdicts for f in v["faults"]}))
    found = f"`ok`, fault {codes}" if verdicts == {"ok"} else "no game, no file"
    return f"| `{code}` | {PLOTS[code].how} | {'<br>'.join(dict.fromkeys(seen.screen))} | {found} |"


def main(words: list[str]) -> None:
    """Play at one table for each code that is named, or for all."""
    codes = [word for word in words if word != "--rows"]
    if unknown := set(codes) - set(PLOTS):
        raise SystemExit(f"No such code: {', '.join(sorted(unknown))}. Codes: {', '.join(PLOTS)}")
    for code in codes or PLOTS:
        print(row(code) if "--rows" in words else shown(code), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
