"""The problems for which a file is refused: their codes, and where in the file they lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..errors import Place

UNREADABLE: Final[dict[str, str]] = {
    "empty": "there is nothing in the file",
    "too-large": "the file is larger than any game",
    "torn": "the file ends in the middle",
    "wrong-magic": "the file is no transcript",
    "other-version": "the file is of another version",
}
"""Codes of files that were not read at all."""

FILE_FAULTS: Final[dict[str, str]] = {
    **UNREADABLE,
    "bad-encoding": "the bytes are not the one encoding of their value",
    "bad-form": "a part of the file is not of its form",
    "bad-header": "the header does not hold",
    "bad-game": "the terms name no game that is known here",
    "missing-signature": "a body has no signature",
    "bad-signature": "a signature does not hold for what the file says",
    "bad-epoch": "something is signed in an epoch that the file does not reach",
    "bad-message": "a message is not of its form",
    "bad-order": "the evidence is not in its order",
    "incomplete-step": "a seat that was asked has said nothing, and its absence is not shown",
    "unjustified-absence": "no base makes the seat absent here",
    "unjustified-fault": "no base finds the seat at fault here",
    "unjustified-link": "no base changes who is present here",
    "missing-evidence": "something that a change of epoch rests on is not in the file",
    "bad-base": "a base does not follow from its halts, or is not that of the chain",
    "void": "two bases of one epoch are sealed: the table is void",
    "missing-votes": "the last epoch has not the seals of a quorum",
    "left-over": "the file holds what nothing needs",
    "not-final": "the game is not over, or its end is not final",
}
"""Codes of a file, in the order of the checks; a seat's own faults are in `faults.FAULTS`."""

PARTS: Final[dict[tuple[int, ...], str]] = {
    (2, 0): "header",
    (2, 1): "chain",
    (3, 0): "signatures",
    (3, 1): "messages",
    (3, 2): "closes",
    (3, 3): "seals",
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
    place: Place | None = None


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
        place: Place | None = None,
    ) -> None:
        self.code, self.words = code, words or FILE_FAULTS[code]
        self.path, self.step, self.seat, self.offset = path, step, seat, offset
        self.place = place
        super().__init__(f"{code}: {self.words}")

    @property
    def part(self) -> str:
        """The part of the file, in a word."""
        return PARTS.get(self.path[:2], "file")
