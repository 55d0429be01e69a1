"""Writes the table of docs/adversity.md from real runs.

python -m soak.liars [CODE …]
"""

import sys
import tempfile
from pathlib import Path

from support.liars import table
from support.liars.plots import PLOTS


def row(code: str) -> str:
    """One line: the code, how it was provoked, and what an honest player read."""
    with tempfile.TemporaryDirectory() as name:
        seen = table.play(Path(name), code)
    assert (0, code) in seen.accused, seen
    verdicts = {v["verdict"] for v in seen.verdicts}
    faults = {f["code"] for v in seen.verdicts for f in v["faults"]}
    codes = ", ".join(f"`{one}`" for one in sorted(faults))
    found = f"`ok`, fault {codes}" if verdicts == {"ok"} else "no game, no file"
    lines = "<br>".join(dict.fromkeys(seen.screen))
    return f"| `{code}` | {PLOTS[code].how} | {lines} | {found} |"


if __name__ == "__main__":
    for code in sys.argv[1:] or PLOTS:
        print(row(code), flush=True)
