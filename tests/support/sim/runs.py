"""Simulated games of a long run, each by its number, on whichever machine."""

import faulthandler
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from unittest import mock

from protocol.seat import offload
from support.sim.cheap import cheap_blocks, shared_nodes
from support.sim.invariants import Violation
from support.sim.setups import play_setup
from support.sim.tables import play

ONE_AT_A_TIME = Lock()
"""A lock, since the building blocks are replaced in the whole process while a game runs."""


@dataclass(frozen=True)
class Run:
    """The options that all games of a run share; `soak.simulate` explains them."""

    seed: str
    seats: int | None = None
    honest: bool = False
    two: bool = False
    plain: bool = False
    only: str | None = None
    real: bool = False
    slow_jobs: bool = False
    ending: bool = False
    absence: bool = False
    setup: bool = False
    disturbed: bool = False
    limit: float = 120.0

    def name(self, number: int) -> str:
        """Return the seed of this game."""
        return f"{self.seed}-{number}"

    def game(self, number: int) -> tuple[Counter[str], str]:
        """Play a game, and return its counts and the text of its violation, if there was one.

        A game beyond the limit ends the process.
        """
        with ONE_AT_A_TIME, self._blocks(), _limited(self.limit):
            try:
                return self._play(self.name(number)), ""
            except Violation as violation:
                return Counter(), str(violation)

    def _play(self, seed: str) -> Counter[str]:
        wide, jobs = not self.plain, self.slow_jobs
        if self.setup:
            return play_setup(seed, self.disturbed)
        if self.ending or self.absence:
            return play(seed, ending=self.ending, absence=self.absence)
        if self.two:
            return play(seed, 5, True, two=True, wide=wide, only=self.only, slow_jobs=jobs)
        liar = False if self.honest else None
        return play(seed, self.seats, liar, wide=wide, only=self.only, slow_jobs=jobs)

    @contextmanager
    def _blocks(self) -> Iterator[None]:
        heavy = 0 if self.slow_jobs else offload.HEAVY  # the bodies of a toy game are all small
        blocks = shared_nodes() if self.real else cheap_blocks(shared=not self.slow_jobs)
        with mock.patch.object(offload, "HEAVY", heavy), blocks:
            yield


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
