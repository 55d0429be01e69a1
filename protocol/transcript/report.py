"""The verifier's report: what it found in a file, what it checked, and how long it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..chain.state import Node
from ..errors import Place
from .problem import UNREADABLE, Problem

Clock = Callable[[], float]
Verdict = Literal["ok", "fault", "unreadable"]


@dataclass(frozen=True)
class SeatLine:
    """Who sat where."""

    seat: int
    nickname: str
    id: bytes


@dataclass(frozen=True)
class SeatFault:
    """A proven fault of a seat; `step` is where the chain or a base settled it.

    `place` is in the body that is at fault; None where no field of a body is.
    """

    seat: int
    step: int
    code: str
    words: str
    place: Place | None = None


@dataclass(frozen=True)
class Counts:
    """How many of each were checked; every proof once."""

    signatures: int = 0
    keys: int = 0
    shuffles: int = 0
    shares: int = 0
    commitments: int = 0
    openings: int = 0
    escrows: int = 0
    escrow_shares: int = 0
    bases: int = 0


@dataclass(frozen=True)
class Report:
    """What a file holds, as far as it was read, and whether all of it holds.

    `content` and `table` are hex digests; `epochs` the number of the last epoch; `standings`
    (rank, seat) once the end is reached; `timings` seconds per part, by the caller's clock;
    `node` the last point of the chain that was reached: its ancestors are the game.
    """

    verdict: Verdict
    problem: Problem | None
    content: str = ""
    table: str = ""
    seats: tuple[SeatLine, ...] = ()
    steps: int = 0
    epochs: int = 0
    standings: tuple[tuple[int, int], ...] = ()
    faults: tuple[SeatFault, ...] = ()
    counts: Counts = Counts()
    timings: Mapping[str, float] = field(default_factory=dict)
    node: Node | None = None

    @property
    def ok(self) -> bool:
        """Whether the game is over, its end final, and everything in the file holds."""
        return self.verdict == "ok"

    @property
    def unfinished(self) -> bool:
        """Whether all in the file holds but the end is not final."""
        return self.problem is not None and self.problem.code == "not-final"


def verdict_of(problem: Problem | None) -> Verdict:
    """The verdict that a first problem means."""
    if problem is None:
        return "ok"
    return "unreadable" if problem.code in UNREADABLE else "fault"


@dataclass
class Statistics:
    """Counts and times while the verifier runs."""

    clock: Clock | None = None
    counts: Counter[str] = field(default_factory=Counter)
    timings: dict[str, float] = field(default_factory=dict)
    _mark: float = 0.0

    def __post_init__(self) -> None:
        if self.clock is not None:
            self._mark = self.clock()

    def lap(self, part: str) -> None:
        """Add the time since the last lap to a part."""
        if self.clock is not None:
            now = self.clock()
            self.timings[part] = self.timings.get(part, 0.0) + now - self._mark
            self._mark = now
