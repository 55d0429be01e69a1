"""The command `bench`, which measures each part of a game."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, Final

from p2p_hoity.benchmarks import expected_seconds, report
from protocol.measure import Spread
from protocol.units import Seconds

from ..exit_codes import NOT_OK, OK
from ..local.start_of_play import BOTS, NoQuestion, first_question
from ..printing import is_watched, say, standing, write_line
from ..words.translation import N_, _, figures

BEAT: Final[Seconds] = 0.5
"""The time between two updates of the progress that is shown, in seconds."""
STARTS: Final = 3
"""How often the start of `play` is measured, at most."""
START_COST: Final = 28_000
"""What one measured start of `play` takes, in multiplications of a curve point."""
PARTS = {
    "shuffle": N_("shuffle the deck"),
    "prove": N_("prove a shuffle"),
    "verify": N_("verify a shuffle"),
    "verify_first": N_("verify the first shuffle"),
    "prove_shares": N_("prove the shares of a deck"),
    "verify_shares": N_("verify the shares of a deck"),
    "seal_escrow": N_("seal a choice in escrow"),
    "verify_escrow": N_("verify an escrow"),
    "choice_four": N_("one choice of four seats"),
    "deal_six": N_("deal to six seats"),
    "verify_game": N_("verify a whole game of six"),
}
COLUMNS = (N_("median"), N_("low"), N_("high"), N_("raw"), N_("ratio"))
"""The columns of the table, of `FIELDS`."""
FIELDS = ("ms", "low_ms", "high_ms", "raw_ms", "ratio")


def bench(cards: int, rounds: int, as_json: bool) -> int:
    """Measure each part of a game with so many Collectibles `rounds` times, and print the results.

    Return NOT_OK if `play` could not be started.
    """
    starts = min(rounds, STARTS)
    expected = expected_seconds(rounds, time.process_time, starts * START_COST)
    if not as_json:
        text = _("Measuring; this takes about {seconds} s …")
        say(text.format(seconds=max(1, round(expected))))
    with progress(expected):
        found = {
            "clock": "processor",
            **report(cards, rounds, time.process_time),
            "start_of_play": _start(starts),
        }
    if as_json:
        write_line(found)
    else:
        say(*_table(found), *_what_players_feel(found))
    return NOT_OK if "problem" in found["start_of_play"] else OK


def _start(starts: int) -> dict[str, Any]:
    """Return the spread of so many starts of `play`, or instead of it the `problem` in words."""
    found = {"clock": "wall", "bots": BOTS, "rounds": starts}
    try:
        taken = Spread.of([first_question() for _ in range(starts)])
    except NoQuestion as error:
        return {**found, "problem": str(error)}
    return {**found, **taken.milliseconds()}


def _table(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of the parts, below an explanation of the columns."""
    text = _("{cards} Collectibles. Processor time in ms; rounds: {rounds}.")
    yield text.format(**found)
    yield _("Low and high are the shortest and the longest time of all rounds.")
    yield _("Raw operations are the calls of libsodium in a part, timed by themselves.")
    yield _("The ratio is the median divided by the raw operations.")
    names, heads = {part: _(words) for part, words in PARTS.items()}, [_(head) for head in COLUMNS]
    first = max(map(len, names.values()))
    wide = [max(7, len(head)) + 1 for head in heads]

    def line(name: str, cells: Iterable[str]) -> str:
        return f"  {name:<{first}}" + "".join(map(str.rjust, cells, wide))

    yield line("", heads)
    for part, name in names.items():
        yield line(name, [_cell(field, found[part][field]) for field in FIELDS])


def _cell(field: str, value: float | None) -> str:
    """Return a figure of the table; a ratio is None if the clock was too coarse."""
    if value is None:
        return "–"
    return f"{value:.2f}" if field == "ratio" else figures(value)


def _what_players_feel(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what one operation, one choice and the start of `play` take, in sentences."""
    one, (low, high) = (found[name]["multiply"] for name in ("operation_us", "operation_range_us"))
    text = _("One multiplication of a point: {one} µs ({low} to {high}).")
    yield text.format(one=figures(one), low=figures(low), high=figures(high))
    part = found["choice_four"]
    text = _(
        "One choice at a table of {seats}: all seats together compute for {ms} ms ({low} to "
        "{high}). Between computers it also takes {delays} network delays, one for each step."
    )
    yield text.format(seats=part["seats"], delays=part["delays"], **_three(part, 1))
    start = found["start_of_play"]
    if "problem" in start:
        yield start["problem"]
        yield _("To see why, start it yourself: hoity play")
        return
    text = _(
        "From the start of the program to the first question of play with {bots} bots: {ms} s "
        "({low} to {high}), wall time, not processor time."
    )
    yield text.format(bots=start["bots"], **_three(start, 1000))


def _three(row: Mapping[str, Any], divided: int) -> dict[str, str]:
    """Return the median, lowest and highest of a row in words, divided by a number."""
    fields = {"ms": "ms", "low": "low_ms", "high": "high_ms"}
    return {name: figures(row[field] / divided) for name, field in fields.items()}


@contextmanager
def progress(expected: float) -> Iterator[None]:
    """Show on a terminal, from a thread, how much of the expected seconds is over."""
    is_over, began = Event(), time.monotonic()

    def show() -> None:
        while not is_over.wait(BEAT):
            gone = time.monotonic() - began
            part = min(99, int(100 * gone / max(expected, 0.1)))
            standing(_("{part} %, {seconds} s").format(part=part, seconds=int(gone)))

    thread = Thread(target=show, daemon=True)
    if is_watched():
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        if thread.is_alive():
            # Before the line is removed, or the thread could print it again.
            thread.join()
            standing("")
