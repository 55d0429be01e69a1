"""Seats that are killed as they write, resumed, and killed again: figures as JSON lines.

    python -m soak.crashes every FILE [STRIDE] [FIRST]   a game for every STRIDE-th cut
    python -m soak.crashes chain FILE [CUTS] [SEATS]     one game, killed without end
    python -m soak.crashes random FILE [GAMES]           six seats, killed at random instants

The lines are added to FILE; `every` leaves out the cuts that have theirs already. What a cut is
says `support.seat`. CUTS are those of one life after the other, `1,2` unless told otherwise: a
record half written, then that record whole, so that every record costs two lives.
"""

import itertools
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from support import wire_tap
from support.process_table import ProcessTable
from support.seat import FIRST_RECORD
from support.terminals import GUEST, LISTEN, Terminal

from p2p_hoity.game_adapter import bind_raw
from protocol.transcript import transcript_format

FULL = "uberplay-2004"


def crash_again(table: ProcessTable, number: int, cuts: Iterable[int]) -> int:
    """Start a seat with one cut after the other until it lives; how often it crashed."""
    tap, words = table.habits[number], ("join", table.ticket, *LISTEN, *GUEST)
    for crashes, cut in enumerate(itertools.chain(cuts, [0])):
        table.habits = {**table.habits, number: (*tap, f"cut={cut}")}
        if table.start(number, *words).end() != -signal.SIGKILL:
            return crashes
        words = ("resume", "--auto", "--json")
    raise AssertionError("killed without a cut")


def hear(table: ProcessTable, last: Terminal) -> dict[str, int]:
    """What the taps of all seats say of one's statements; none was made twice."""
    content = transcript_format.read(transcript_format.open_file(last.transcript)).content
    bound = bind_raw(content.header)
    found = wire_tap.gather(table.path.glob("*.wire"), bound)
    assert found.signed_twice() == [], found.signed_twice()
    return found.figures(last.seen("table")[0]["seat"])


def one_game(path: Path, cuts: Iterable[int], seats: int = 3, edition: str = "") -> dict[str, Any]:
    """A game whose last seat is killed at each of these cuts in turn."""
    taps = {number: (f"tap={path / str(number)}.wire",) for number in range(seats)}
    with ProcessTable(path, seats, taps, edition=edition) as table:
        for number in range(1, seats - 1):
            table.join(number)
        crashes = crash_again(table, seats - 1, cuts)
        found = table.judge()
        return {"crashes": crashes, **found, **hear(table, table.running[seats - 1])}


def random_game(path: Path, die: random.Random) -> dict[str, Any]:
    """Six seats; at random instants a random one is killed and resumed at once."""
    with ProcessTable(path, 6, edition=FULL) as table:
        table.fill()
        table.running[0].read_until("round", None)
        for crashes in range(9):
            number = die.randrange(6)
            killed = table.running[number]
            if crashes == 8 or killed.process.poll() is not None:
                break
            killed.kill()
            if not list(killed.home.glob("journals/*.journal")):
                break
            table.resume(number)
            time.sleep(die.uniform(0.2, 3))
        return {"crashes": crashes, **table.judge()}


def every(file: Path, stride: int = 1, first: int = FIRST_RECORD) -> None:
    """A game for every cut that has no line in the file yet, until three in a row come after the
    end: games differ in length."""
    lines = file.read_text().splitlines() if file.exists() else []
    done = {line["cut"] for line in map(json.loads, lines) if "wrong" not in line}
    beyond = 0
    for cut in itertools.count(first, stride):
        if cut not in done:
            found = tried([cut], 3)
            say(file, kind="every", cut=cut, **found)
            beyond = beyond + 1 if found.get("crashes") == 0 else 0
        if beyond == 3:
            break


def tried(cuts: Iterable[int], seats: int) -> dict[str, Any]:
    """The figures of a game, or what was wrong with it and where its files are."""
    path = Path(tempfile.mkdtemp(prefix="hoity-crashes-"))
    try:
        found = one_game(path, cuts, seats, FULL)
    except (AssertionError, OSError, ValueError, LookupError) as error:
        return {"wrong": f"{type(error).__name__}: {error}"[:2000], "home": str(path)}
    shutil.rmtree(path)
    return found


def say(file: Path, **figures: Any) -> None:
    """Add a line to the file and show it."""
    line = json.dumps(figures)
    print(line, flush=True)
    with file.open("a") as opened:
        opened.write(line + "\n")


def main(words: list[str]) -> None:
    """One of the three kinds of run."""
    if len(words) < 2 or words[0] not in ("every", "chain", "random"):
        sys.exit(__doc__)
    kind, file, rest = words[0], Path(words[1]), words[2:]
    if kind == "every":
        every(file, *map(int, rest))
    elif kind == "chain":
        cuts = [int(cut) for cut in (rest[0] if rest else "1,2").split(",")]
        lives = itertools.chain([FIRST_RECORD], itertools.cycle(cuts))
        say(file, kind="chain", cuts=cuts, **tried(lives, int(rest[1]) if rest[1:] else 3))
    else:
        for number in range(int(rest[0]) if rest else 5):
            with tempfile.TemporaryDirectory() as name:
                say(file, kind="random", **random_game(Path(name), random.Random(number)))


if __name__ == "__main__":
    main(sys.argv[1:])
