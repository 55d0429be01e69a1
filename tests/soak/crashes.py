"""Seats that are killed as they write, resumed, and killed again: figures as JSON lines.

    python -m soak.crashes every FILE [STRIDE] [FIRST]   a game for every STRIDE-th cut
    python -m soak.crashes chain FILE [CUTS] [SEATS]     one game, killed without end
    python -m soak.crashes random FILE [GAMES]           six seats, killed at random instants

The lines are added to FILE; `every` leaves out the cuts that have theirs already. What a cut is
says `support.crashing_seat`. CUTS are those of one life after the other, `1,2` unless told
otherwise: a record half written, then that record whole, so that every record costs two lives.
"""

from __future__ import annotations

import itertools
import json
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from support import crashing_seat, forked_seat, terminals, wire_tap
from support.liars.table import start_script

from p2p_hoity import game_port
from p2p_hoity.tables import seating
from protocol.transcript import format, verifier

CRASHING = Path(crashing_seat.__file__)
BOT = ("--auto", "--json")
Start = Callable[..., terminals.Terminal]
"""Starts a seat in a home: (home, cut, *words)."""


def as_script(home: Path, *words: str) -> terminals.Terminal:
    """A seat in a Python of its own."""
    return start_script(CRASHING, home, *words)


def open_host(path: Path, seats: int, start: Start) -> tuple[terminals.Terminal, str]:
    """An honest host and its ticket; patience is long, so that a crash makes nobody absent."""
    words = ("--seats", str(seats), "--patience", str(crashing_seat.LONG // 1000), "--yes", *BOT)
    host = start(path / "0", "0", "host", "--listen", "127.0.0.1:0", "--lan", "off", *words)
    return host, host.read_until("ticket")["ticket"]


def crash_again(
    home: Path, first: tuple[str, ...], cuts: Iterable[int], start: Start
) -> tuple[terminals.Terminal, int]:
    """Start a seat with one cut after the other until it lives; (terminal, crashes)."""
    words = first
    for crashes, cut in enumerate(itertools.chain(cuts, [0])):
        seat = start(home, str(cut), *words)
        code = seat.end()
        if code != -signal.SIGKILL:
            return seat, crashes
        words = ("resume", *BOT)
    raise AssertionError("killed without a cut")


def judge(running: list[terminals.Terminal], codes: list[int]) -> dict[str, Any]:
    """Whether all ended well, alike, without a fault, and with one statement an identity."""
    assert codes == [0] * len(codes), (codes, [t.errors()[-400:] for t in running])
    files = [Path(t.last["transcript"]).read_bytes() for t in running]
    assert len(set(files)) == 1, "the transcripts differ"
    report = verifier.verify(files[0], game_port.read_game)
    assert report.verdict == "ok", report.problem
    assert report.faults == (), report.faults
    accused = [x for t in running for x in t.lines if x.get("type") == "accused"]
    assert accused == []
    return {"steps": report.steps, "epochs": report.epochs, **hear(running, files[0])}


def hear(running: list[terminals.Terminal], file: bytes) -> dict[str, int]:
    """What the taps of all seats say of the last one's statements; none was made twice."""
    content = format.read(format.open_file(file)).content
    bound = seating.bind_raw(content.header)
    found = wire_tap.gather([t.home / wire_tap.FILE for t in running], bound)
    assert found.said_twice() == [], found.said_twice()
    names = [entry.nickname for entry in bound.header.roster]
    return found.figures(names.index("crashing"))


def one_game(
    path: Path, cuts: Iterable[int], seats: int = 3, start: Start = as_script
) -> dict[str, Any]:
    """A game whose last seat is killed at each of these cuts in turn."""
    began = time.perf_counter()
    host, ticket = open_host(path, seats, start)
    guests = [start(path / str(i), "0", "join", ticket, "--yes", *BOT) for i in range(1, seats - 1)]
    try:
        words = ("join", ticket, "--yes", "--name", "crashing", *BOT)
        seat, crashes = crash_again(path / "crashing", words, cuts, start)
        codes = [t.end() for t in (host, *guests)]
        found = judge([host, *guests, seat], [*codes, seat.process.returncode])
    finally:
        for terminal in (host, *guests):
            terminal.process.kill()
    return {"crashes": crashes, **found, "seconds": round(time.perf_counter() - began, 1)}


def random_game(path: Path, die: random.Random) -> dict[str, Any]:
    """Six seats; at random instants a random guest is killed and resumed at once."""
    began = time.perf_counter()
    running = terminals.open_table(path, 6)
    crashes = 0
    while running[0].process.poll() is None and crashes < 8:
        running[0].read_until("round", None) if crashes == 0 else time.sleep(die.uniform(0.2, 3))
        number = die.randrange(6)
        if running[number].process.poll() is not None:
            break
        running[number].process.kill()
        running[number].process.wait()
        home = running[number].home
        if not list(home.glob("journals/*.journal")):
            break
        running[number] = terminals.start(home, "resume", *BOT)
        crashes += 1
    files = terminals.finish(running)
    report = verifier.verify(files[0], game_port.read_game)
    assert len(set(files)) == 1, "the transcripts differ"
    assert (report.verdict, report.faults) == ("ok", ()), (report.problem, report.faults)
    seconds = round(time.perf_counter() - began, 1)
    return {"crashes": crashes, "steps": report.steps, "epochs": report.epochs, "seconds": seconds}


def every(file: Path, stride: int = 1, first: int = crashing_seat.FIRST) -> None:
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
        found = one_game(path, cuts, seats, forked_seat.start)
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
    forked_seat.read_the_program()
    if kind == "every":
        every(file, *map(int, rest))
    elif kind == "chain":
        cuts = [int(cut) for cut in (rest[0] if rest else "1,2").split(",")]
        lives = itertools.chain([crashing_seat.FIRST], itertools.cycle(cuts))
        say(file, kind="chain", cuts=cuts, **tried(lives, int(rest[1]) if rest[1:] else 3))
    else:
        for number in range(int(rest[0]) if rest else 5):
            with tempfile.TemporaryDirectory() as name:
                say(file, kind="random", **random_game(Path(name), random.Random(number)))


if __name__ == "__main__":
    main(sys.argv[1:])
