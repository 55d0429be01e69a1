"""The faults of which a seat can be proven guilty, each with its code and its meaning ([N-9]).

A receiver checks in the order of the table `FAULTS`, and reports the first fault that applies.
"""

from __future__ import annotations

from typing import Final

from .errors import FieldPlace

FAULTS: Final[dict[str, str]] = {
    "equivocation": "it signed two different statements where one is allowed",
    "two-chains": "it took part in two different histories of one epoch",
    "promise-below-certificate": (
        "its promise for a new epoch leaves out an earlier vote or statement of its own"
    ),
    "promise-omits-input": "its promise for a new epoch leaves out a statement of its own",
    "bad-promise": "its promise for a new epoch is malformed",
    "bad-new-epoch": "the base that it proposed for a new epoch does not follow from the promises",
    "not-expected": "it gave an input to a step in which it had none to give",
    "bad-body": "its message does not have the form that the step requires",
    "bad-point": "it sent a value that is not a canonical element of the group",
    "bad-scalar": "it sent a value that is not a canonical scalar",
    "bad-key": "its transport key has a low order",
    "bad-key-hash": "its key is not the one that it committed to",
    "bad-key-proof": "its proof that it knows its key is invalid",
    "bad-key-sharing": "a key share that it dealt is zero or does not fit its key",
    "false-complaint": "it complained of a key share that is valid",
    "bad-shuffle": "the proof of its shuffle is invalid",
    "bad-share": "the proof for its share of a card is invalid",
    "bad-escrow": "the escrow of its sealed choice does not contain that choice",
    "bad-escrow-share": "the proof for its share of an escrow is invalid",
    "bad-opening": "it revealed another choice than it had committed to",
    "illegal-choice": "it made a choice that the rules forbid",
}
"""The meaning of each code, in the order of the checks."""


class Fault(Exception):
    """A provable fault of one seat in one step.

    Attributes:
        reason: A sentence that says what was wrong.
        place: The field of the seat's body in which the fault is, None if it is not in one field.
    """

    def __init__(
        self, code: str, seat: int, step: int, reason: str = "", place: FieldPlace | None = None
    ) -> None:
        """Create the fault. Without a reason, the meaning of the code is used."""
        self.code, self.seat, self.step, self.place = code, seat, step, place
        self.reason = reason or FAULTS[code]
        super().__init__(f"seat {seat + 1}, step {step}: {code}: {self.reason}")
