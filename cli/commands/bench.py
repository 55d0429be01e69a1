"""The command `bench`, which measures each part of a game."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from p2p_hoity.benchmarks import expected_seconds, report
from protocol.bounds import Seconds

from ..exit_codes import OK
from ..printing import is_watched, say, standing, write_line
from ..words.translation import N_, _, figures

BEAT: Final[Seconds] = 0.5
"""The time between two updates of the progress that is shown, in seconds."""
PARTS = {
    "shuffle": N_("shuffle the deck"),
    "prove": N_("prove a shuffle"),
    "verify": N_("verify a shuffle"),
    "verify_first": N_("verify the first shuffle"),
    "prove_shares": N_("prove the shares of a deck"),
    "verify_shares": N_("verify the shares of a deck"),
    "seal_escrow": N_("seal a choice in escrow"),
    "verify_escrow": N_("verify an escrow"),
    "deal_six": N_("deal to six seats, all in one"),
    "verify_game": N_("verify a whole game of six"),
}


def bench(cards: int, rounds: int, as_json: bool) -> int:
    """Measure how long each part of a game takes, and print the results.

    Args:
        cards: The number of Collectibles in the deck.
        rounds: How often each part is measured.
        as_json: Whether to print a JSON object instead of words.

    Returns:
        The exit code.
    """
    expected = expected_seconds(rounds, time.process_time)
    if not as_json:
        text = _("Measuring; this takes about {seconds} s …")
        say(text.format(seconds=max(1, round(expected))))
    with progress(expected):
        found = report(cards, rounds, time.process_time)
    if as_json:
        write_line(found)
        return OK
    say(_("{cards} Collectibles; times in ms: part, whole, raw operations, ratio").format(**found))
    for part, words in PARTS.items():
        row = found[part]
        whole, raw = figures(row["ms"]), figures(row["raw_ms"])
        say(f"  {_(words):<34} {whole:>9} {raw:>9} {row['ratio']:>7.2f}")
    one = found["operation_us"]["multiply"]
    say(_("One multiplication of a point: {one} µs.").format(one=figures(one)))
    return OK


@contextmanager
def progress(expected: float) -> Iterator[None]:
    """Show on a terminal how much of the expected time is over, from a thread of its own.

    Args:
        expected: The expected duration, in seconds.

    Yields:
        Nothing. The progress is shown until the context ends.
    """
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
            thread.join()
            standing("")
