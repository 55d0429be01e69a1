"""The report of the verifier on a file: its verdict, the checks made, and the failed check."""

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
"""The codes of files that cannot be read, with their meaning."""

FILE_FAULTS: Final[dict[str, str]] = {
    **UNREADABLE,
    "bad-encoding": "the bytes are not the only valid encoding of their value",
    "bad-form": "a part of the file is malformed",
    "bad-header": "the header is invalid",
    "bad-game": "the terms name a game that is unknown here or does not fit the table",
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
"""The codes of faults of a file, in the order of the checks, with their meaning.

The codes of faults of a seat are in `fault_codes.FAULTS`.
"""

PARTS: Final[dict[tuple[int, ...], str]] = {
    (2, 0): "header",
    (2, 1): "chain",
    (3, 0): "signatures",
    (3, 1): "messages",
    (3, 2): "new_epochs",
    (3, 3): "commits",
    (3, 4): "final",
}
"""The name of each part of a file, by its indices in the outer and the inner array."""


@dataclass(frozen=True)
class Problem:
    """The first check of the verifier that fails for a file.

    Attributes:
        code: The code, from `FILE_FAULTS` or `fault_codes.FAULTS`.
        words: A sentence for developers.
        step: The number of the step in which the problem is, None if in none.
        seat: The seat that the problem is about, from 0. None if it is about no seat.
        part: The name of the part of the file in which the problem is.
        offset: The number of bytes of the file before the faulty item.
        place: The faulty field of a body, None if the problem is not in one.
    """

    code: str
    words: str
    step: int | None
    seat: int | None
    part: str
    offset: int
    place: FieldPlace | None = None


class Unsound(Exception):
    """The error that a check of a file has failed. Its fields are those of `Problem`.

    Attributes:
        path: The indices that lead to the faulty item, from the outermost array in.
        offset: The number of bytes of the file before the error. None if it follows from `path`.
    """

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
        """The name of the part of the file in which the error is."""
        return PARTS.get(self.path[:2], "file")


Clock = Callable[[], float]
"""A function that returns seconds since some fixed moment."""
Verdict = Literal["ok", "fault", "unreadable"]
"""The verdict on a file: everything is valid, something is wrong, or it cannot be read."""


@dataclass
class Counts:
    """The number of things of each kind that were checked.

    Attributes:
        keys: Key vectors, each with the proof that its maker knows the secret key.
        openings: Openings of sealed choices by their owner.
        bases: Bases that new-epoch messages propose.
    """

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
    """The report on a file: what it contains, and whether all of it is valid.

    Attributes:
        verdict: Whether everything is valid, something is wrong, or the file cannot be read.
        problem: The first check that fails, None if none does.
        digest: The digest of the chain, in hex. It is empty if the header is not valid.
        table: The table id, in hex. It is empty if the header is not valid.
        seats: The entries of the seats in the header.
        steps: How many steps were found valid.
        epochs: The number of the last epoch.
        standings: The rank and the seat of everyone, once the end of the game is reached.
        faults: The first proven fault of each seat, with the number of the step at which it counts.
        counts: How many things of each kind were checked.
        timings: The seconds for each part of the work, by the caller's clock.
        node: The last chain node that was reached, None if there is none.
    """

    verdict: Verdict
    problem: Problem | None
    digest: str = ""
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
        """True if everything in the file is valid, and the end of the game is final."""
        return self.verdict == "ok"

    @property
    def unfinished(self) -> bool:
        """True if everything in the file is valid, but the end of the game is not final."""
        return self.problem is not None and self.problem.code == "not-final"


@dataclass
class Statistics:
    """The counts and times of a verification under way. Without a clock there are no times."""

    clock: Clock | None = None
    counts: Counts = field(default_factory=Counts)
    timings: dict[str, float] = field(default_factory=dict)
    _mark: float = 0.0

    def __post_init__(self) -> None:
        if self.clock is not None:
            self._mark = self.clock()

    def lap(self, part: str) -> None:
        """Charge a part of the work with the time that has passed since the last call."""
        if self.clock is not None:
            now = self.clock()
            self.timings[part] = self.timings.get(part, 0.0) + now - self._mark
            self._mark = now
