"""What the verifier found in a file, what it checked, and why it refused the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ..chain.chain_state import Conviction, Node
from ..errors import FieldPlace
from ..wire.table_header import SeatEntry

UNREADABLE: Final[dict[str, str]] = {
    "empty": "there is nothing in the file",
    "too-large": "the file is too large for a game",
    "torn": "the file ends in the middle",
    "wrong-magic": "the file is not a transcript",
    "other-version": "the file has another version. If it is version 2, read it with hoity 0.1",
}
"""Codes of files that were not read at all."""

FILE_FAULTS: Final[dict[str, str]] = {
    **UNREADABLE,
    "bad-encoding": "the bytes are not the only valid encoding of their value",
    "bad-form": "a part of the file is malformed",
    "bad-header": "the header is invalid",
    "bad-game": "the terms name a game that this program does not know",
    "missing-signature": "the signature of a seat's input is missing",
    "bad-signature": "a signature is invalid for what the file says",
    "bad-epoch": "something is signed for an epoch that the file does not reach",
    "bad-message": "a message is malformed",
    "bad-order": "the evidence is not in the required order",
    "incomplete-step": (
        "a seat has given no input to a step, and the file does not show that it was absent"
    ),
    "unjustified-absence": (
        "the file does not show the change of epoch that makes the seat absent here"
    ),
    "unjustified-fault": (
        "the file does not show the change of epoch that finds the seat at fault here"
    ),
    "unjustified-reconfiguration": (
        "the file does not show the change of epoch that changes who is present here"
    ),
    "missing-evidence": "a message that a change of epoch needs is missing in the file",
    "bad-base": "a base does not follow from its epoch promises, or is not the base of the chain",
    "void": "two bases of one epoch are committed: the table is void",
    "missing-votes": "the last epoch lacks the commit votes of a quorum",
    "left-over": "the file contains something that is not needed",
    "not-final": "the game is not over, or its end is not final",
}
"""Codes of a file, in the order of the checks; a seat's own faults are in `faults.FAULTS`."""

PARTS: Final[dict[tuple[int, ...], str]] = {
    (2, 0): "header",
    (2, 1): "chain",
    (3, 0): "signatures",
    (3, 1): "messages",
    (3, 2): "new_epochs",
    (3, 3): "commits",
    (3, 4): "final",
}


@dataclass(frozen=True)
class Problem:
    """The first thing that does not hold: what, of whom (seats from 0), and where.

    `place` is in the body that is at fault; None where no field of a body is.
    """

    code: str
    words: str
    step: int | None
    seat: int | None
    part: str
    offset: int
    place: FieldPlace | None = None


class Unsound(Exception):
    """A file must be refused. `path` leads to the item: indices from the outermost array in."""

    def __init__(
        self,
        code: str,
        words: str = "",
        path: tuple[int, ...] = (),
        *,
        step: int | None = None,
        seat: int | None = None,
        offset: int | None = None,
        place: FieldPlace | None = None,
    ) -> None:
        self.code, self.words = code, words or FILE_FAULTS[code]
        self.path, self.step, self.seat, self.offset = path, step, seat, offset
        self.place = place
        super().__init__(f"{code}: {self.words}")

    @property
    def part(self) -> str:
        """The part of the file, in a word."""
        return PARTS.get(self.path[:2], "file")


Clock = Callable[[], float]
Verdict = Literal["ok", "fault", "unreadable"]


@dataclass
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

    Attributes:
        verdict: Whether everything holds, something does not, or the file cannot be read.
        problem: The first thing that does not hold.
        game_id: The digest of the chain, in hex; empty before the header holds.
        table: The table id, in hex; empty before the header holds.
        seats: The roster.
        steps: How many steps were reached.
        epochs: The number of the last epoch.
        standings: (rank, seat), once the end of the game is reached.
        faults: Of each seat its first proven fault, with the step where it was settled.
        counts: How many of each kind of statement were checked.
        timings: Seconds for each part, by the caller's clock.
        node: The last point of the chain that was reached; its ancestors are the game.
    """

    verdict: Verdict
    problem: Problem | None
    game_id: str = ""
    table: str = ""
    seats: tuple[SeatEntry, ...] = ()
    steps: int = 0
    epochs: int = 0
    standings: tuple[tuple[int, int], ...] = ()
    faults: tuple[Conviction, ...] = ()
    counts: Counts = field(default_factory=Counts)
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


@dataclass
class Statistics:
    """Counts and times while the verifier runs."""

    clock: Clock | None = None
    counts: Counts = field(default_factory=Counts)
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
