"""Seats that are killed as they write, resumed, and killed again: figures as JSON.

python tests/soak_crashes.py chain [SEATS]      one game, its second seat killed again and again
python tests/soak_crashes.py every [STRIDE] [FIRST] [LAST]   a game for every STRIDE-th write
python tests/soak_crashes.py random [GAMES]     six seats, killed at random instants
"""

from __future__ import annotations

import json
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import terminals
from liar_table import start_script

from p2p_hoity import table
from protocol import verifier

CRASHING = Path(__file__).with_name("crashing_seat.py")
BOT = ("--auto", "--json")


def open_host(path: Path, seats: int) -> tuple[terminals.Terminal, str]:
    """An honest host and its ticket; patience is long, so that a crash makes nobody absent."""
    words = ("--seats", str(seats), "--listen", "127.0.0.1:0", "--no-lan", "--yes", *BOT)
    host = terminals.start(path / "0", "host", *words)
    return host, host.read_until("ticket")["ticket"]


def crash_again(home: Path, first: tuple[str, ...], fuses: list[str]) -> tuple[Any, int]:
    """Start a seat with one fuse after the other until it lives; (terminal, crashes)."""
    words = first
    for crashes, fuse in enumerate([*fuses, "0"]):
        seat = start_script(CRASHING, home, fuse, *words)
        code = seat.end()
        print(f"fuse {fuse}: {code}", file=sys.stderr, flush=True)
        if code != -signal.SIGKILL:
            return seat, crashes
        words = ("resume", *BOT)
    raise AssertionError("killed without a fuse")


def judge(running: list[terminals.Terminal], codes: list[int]) -> dict[str, Any]:
    """Whether all ended well, alike and without a fault."""
    assert codes == [0] * len(codes), (codes, [t.errors()[-400:] for t in running])
    files = [Path(t.last["transcript"]).read_bytes() for t in running]
    report = verifier.verify(files[0], table.read_game)
    assert report.verdict == "ok", report.problem
    assert report.faults == (), report.faults
    accused = [x for t in running for x in t.lines if x.get("type") == "accused"]
    assert accused == []
    return {"same": len(set(files)) == 1, "steps": report.steps, "epochs": report.epochs}


def one_game(path: Path, fuses: list[str], seats: int = 3) -> dict[str, Any]:
    """A game whose last seat is killed at each of these writes in turn."""
    began = time.perf_counter()
    host, ticket = open_host(path, seats)
    guests = [
        terminals.start(path / str(i), "join", ticket, "--yes", *BOT) for i in range(1, seats - 1)
    ]
    seat, crashes = crash_again(path / "crashing", ("join", ticket, "--yes", *BOT), fuses)
    codes = [t.end() for t in (host, *guests)]
    found = judge([host, *guests, seat], [*codes, seat.process.returncode])
    return {**found, "crashes": crashes, "seconds": round(time.perf_counter() - began, 1)}


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
    codes = [t.end() for t in running]
    found = judge(running, codes)
    return {**found, "crashes": crashes, "seconds": round(time.perf_counter() - began, 1)}


def say(**figures: Any) -> None:
    print(json.dumps(figures), flush=True)


def main(words: list[str]) -> None:
    kind, numbers = words[0], [int(word) for word in words[1:]]
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        if kind == "chain":
            fuses = [f"{n}{'torn' if n % 5 == 0 else ''}" for n in range(4, 60)]
            say(kind=kind, **one_game(path, fuses, *numbers))
        elif kind == "every":
            stride, first, last = [*numbers, *(1, 4, 10**6)[len(numbers) :]]
            for number in range(first, last, stride):
                found = one_game(path / str(number), [str(number)])
                say(kind=kind, write=number, **found)
                if not found["crashes"]:
                    break
        else:
            for number in range(numbers[0] if numbers else 5):
                say(
                    kind=kind, game=number, **random_game(path / str(number), random.Random(number))
                )


if __name__ == "__main__":
    main(sys.argv[1:])
