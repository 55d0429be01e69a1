"""Times the verification of a whole game against the raw cost of the group operations in it.

    python bench/verify_bench.py [--game toy|hoity] [--seats 6] [--cards 51] [--rounds 5] [--busy]

Plays a game back to back with every seat in this process, then verifies its file. `--cards` is for
the toy game: Hoity Toity has its own. Prints JSON: seconds to play, bytes of the file, seconds to
verify (median, lowest and highest of the rounds, kept sums forgotten each time), a table of part,
whole, raw and ratio, for the whole file by cores; the operations counted, those among them that
repeat another with the same operands, the seconds all operations and the distinct ones cost by
themselves, and the ratios.

All seconds are processor time of this process, with one exception: the rows `file` of the table
compare several cores, so their `whole` is wall time, on one core too. `clock` says it in each row.
Wall time tells something only where nothing else runs. `load` is how many processes ran or waited
for a core in the minute before; `--busy` leaves these rows out.
"""

import argparse
import json
import os
import platform
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(1, str(Path(__file__).parent.parent / "tests"))

from given_numbers import whole
from support.machine_table import MachineTable, identity, seat_at, toy_choice
from support.toy_game import ToyGame

from p2p_hoity import worker_processes
from protocol.chain import cards, chain_state
from protocol.chain.chain_state import Table
from protocol.crypto.identities import Identity
from protocol.game_interface import Layout
from protocol.measure import RAW
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verifier import GameOf, verify
from protocol.wire.table_header import Terms, Timeouts, default_quorum

Chooser = Callable[[SeatMachine, ChoiceAsked], Any]


MOST_CARDS, USUAL_CARDS = 128, 51


class WideToy(ToyGame):
    """The toy game with as many cards as a real one."""

    def __init__(self, seats: int, cards: int) -> None:
        super().__init__(seats, rounds=6)
        self.layout = Layout(cards, self.layout.hands, self.layout.tops)


def toy(seats: int, cards: int | None) -> tuple[Any, GameOf, Chooser]:
    """(the game's value in the terms, how to bind it, who chooses)."""
    least, cards = ToyGame(seats, rounds=6).layout.cards, cards or USUAL_CARDS
    if cards < least:
        raise SystemExit(
            f"verify_bench.py: the toy game of {seats} seats needs {least} to {MOST_CARDS} cards, "
            f"not {cards}"
        )
    return (("toy", 1),), lambda terms: WideToy(terms.seats, cards), toy_choice


def hoity(seats: int, cards: int | None) -> tuple[Any, GameOf, Chooser]:
    """The same of Hoity Toity, with legal moves drawn at random; SystemExit if cards are given."""
    from p2p_hoity import rules
    from p2p_hoity.editions.load_edition import load
    from p2p_hoity.game_adapter import game_value, read_game

    edition, draw = load("uberplay-2004"), random.Random(1)
    if cards is not None:
        raise SystemExit(
            "verify_bench.py: --cards is for --game toy. Hoity Toity has its own "
            f"{len(edition.collectibles)} cards: leave out --cards"
        )

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        view = rules.view(asked.node.state.state, machine.seat or 0, machine.hand())
        kind: Any = asked.kind
        options = view.legal(kind)
        return draw.choice(options[:5]) if options else None

    return game_value(edition, "surprise" if seats == 2 else None), read_game, choose


GAMES = {"toy": toy, "hoity": hoity}


def seated(
    name: str, seats: int, cards: int | None, timeouts: Timeouts
) -> tuple[Table, list[Identity], Chooser, GameOf]:
    """(the table, who sits there, who chooses, how to bind the game)."""
    value, game_of, choose = GAMES[name](seats, cards)
    host = identity(0).public
    terms = Terms(host, b"n" * 32, value, seats, default_quorum(seats), timeouts)
    return *seat_at(terms, game_of), choose, game_of


def play(name: str, seats: int, cards: int | None) -> tuple[bytes, GameOf, float]:
    """(the file, how to bind its game, seconds to play)."""
    table, who, choose, game_of = seated(name, seats, cards, Timeouts())
    room = MachineTable(table, who, choose)
    start = time.process_time()
    room.start()
    room.run(until=2)
    return room.places[0].machine.transcript(), game_of, time.process_time() - start


def forget() -> None:
    """Empty what is kept between verifications."""
    for kept in (chain_state.public_key_share_of, chain_state.total_key_share, cards._open):
        kept.cache_clear()


@contextmanager
def counted() -> Iterator[dict[str, Counter[Any]]]:
    """Counts the calls of libsodium by operation and operands while it is open."""
    calls: dict[str, Counter[Any]] = {name: Counter() for name in RAW}
    originals = {name: getattr(*where) for name, where in RAW.items()}

    def counting(name: str) -> Callable[..., Any]:
        def call(*operands: Any) -> Any:
            calls[name][operands] += 1
            return originals[name](*operands)

        return call

    for name, where in RAW.items():
        setattr(*where, counting(name))
    try:
        yield calls
    finally:
        for name, where in RAW.items():
            setattr(*where, originals[name])


def raw_seconds(calls: dict[str, Counter[Any]], distinct: bool) -> float:
    """What the same calls cost by themselves, each distinct one once or as often as made."""
    spent = 0.0
    for name, operands in calls.items():
        call = getattr(*RAW[name])
        every = list(operands) if distinct else list(operands.elements())
        start = time.process_time()
        for one in every:
            call(*one)
        spent += time.process_time() - start
    return spent


def costs(calls: dict[str, Counter[Any]]) -> dict[str, float]:
    """The mean seconds of each operation, by itself."""
    found = {}
    for name, operands in calls.items():
        spent = raw_seconds({name: operands}, False)
        found[name] = spent / max(1, operands.total())
    return found


def raw_parts(data: bytes, game_of: GameOf, each: dict[str, float]) -> dict[str, float]:
    """What the operations of each part cost by themselves: a clock that they alone move on."""
    with counted() as calls:

        def clock() -> float:
            return sum(each[op] * found.total() for op, found in calls.items())

        return dict(verify(data, game_of, clock).timings)


def over_cores(data: bytes, game_of: GameOf, number: int, rounds: int) -> float:
    """Seconds to verify by so many cores, processes begun and ended each time (median).

    Wall time: processor time would not fall with more cores.
    """
    times = []
    for _ in range(rounds):
        forget()
        start = time.perf_counter()
        with worker_processes.process_pool(number) as submit:
            if not verify(data, game_of, None, submit).ok:
                raise SystemExit("verify_bench.py: the file does not verify")
        times.append(time.perf_counter() - start)
    return median(times)


def ratio(taken: float, raw: float) -> float | None:
    """How many times `raw` it took; None if the clock is too coarse to see `raw`."""
    return round(taken / raw, 3) if raw else None


def row(part: str, number: int, clock: str, taken: float, raw: float) -> dict[str, Any]:
    """One line of the table: seconds in all, seconds of the operations alone, and their ratio."""
    found = {"part": part, "cores": number, "clock": clock, "whole": round(taken, 4)}
    return {**found, "raw": round(raw, 4), "ratio": ratio(taken, raw)}


def table(
    data: bytes,
    game_of: GameOf,
    found: dict[str, float],
    raw: dict[str, float],
    rounds: int,
    most: int,
) -> list[dict[str, Any]]:
    """Part, whole, raw and ratio side by side: the parts on one core, the file by cores, up to the
    most. What the operations cost alone on several cores is taken as divided among them evenly."""
    rows = [row(part, 1, "processor", found[part], raw.get(part, 0.0)) for part in found]
    alone = sum(raw.values())
    files = range(1, most + 1)
    taken = partial(over_cores, data, game_of, rounds=rounds)
    return rows + [row("file", n, "wall", taken(n), alone / n) for n in files]


def measure(name: str, seats: int, cards: int | None, rounds: int, busy: bool) -> dict[str, Any]:
    """All figures."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    data, game_of, played = play(name, seats, cards)
    times, parts = [], list[dict[str, float]]()
    for _ in range(rounds):
        forget()
        start = time.process_time()
        report = verify(data, game_of, time.process_time)
        times.append(time.process_time() - start)
        parts.append(dict(report.timings))
        if not report.ok:
            raise SystemExit(f"verify_bench.py: the file does not verify: {report.problem}")
    forget()
    with counted() as calls:
        verify(data, game_of)
    everything = median(raw_seconds(calls, False) for _ in range(rounds))
    distinct = median(raw_seconds(calls, True) for _ in range(rounds))
    parted = {part: median(p[part] for p in parts) for part in parts[0]}
    raw = raw_parts(data, game_of, costs(calls))
    python, cores = platform.python_version(), worker_processes.core_count()
    return {
        "machine": f"{platform.machine()}, {cores} cores, Python {python}",
        "clock": "processor; wall in the rows of the table that say so",
        "load": load,
        "game": name,
        "seats": seats,
        "steps": report.steps,
        "bytes": len(data),
        "play_seconds": round(played, 3),
        "rounds": rounds,
        "verify_seconds": round(median(times), 4),
        "verify_lowest": round(min(times), 4),
        "verify_highest": round(max(times), 4),
        "table": table(data, game_of, parted, raw, rounds, 0 if busy else cores),
        "checked": vars(report.counts),
        "operations": {op: found.total() for op, found in calls.items()},
        "repeated": {op: found.total() - len(found) for op, found in calls.items()},
        "raw_seconds": round(everything, 4),
        "raw_distinct_seconds": round(distinct, 4),
        "ratio": ratio(median(times), everything),
        "ratio_distinct": ratio(median(times), distinct),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the options, prints the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--game", choices=GAMES, default="toy")
    parser.add_argument("--seats", type=whole(2, 6), default=6)
    parser.add_argument("--cards", type=whole(1, MOST_CARDS))
    parser.add_argument("--rounds", type=whole(1, 99), default=5)
    parser.add_argument("--busy", action="store_true", help="do not compare cores by wall time")
    chosen = parser.parse_args(arguments)
    found = measure(chosen.game, chosen.seats, chosen.cards, chosen.rounds, chosen.busy)
    json.dump(found, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
