"""Every fault a seat can be proven guilty of, its code and its words, in one table ([N-9]).

The order of the table is the order in which a receiver checks; the first that applies
is the one reported.
"""

from __future__ import annotations

from typing import Final

FAULTS: Final[dict[str, str]] = {
    "two-statements": "signed two different statements of one identity",
    "two-chains": "spoke on two chains in one epoch",
    "halt-below-lock": "sealed or spoke in an epoch that a later halt of its own leaves out",
    "halt-omits-say": "left a say of its own out of a halt",
    "bad-halt": "signed a halt that is not well formed",
    "bad-close": "proposed a base that does not follow from its halts",
    "not-expected": "spoke in a step in which nothing was asked of it",
    "bad-body": "said a body that is not of the form of the step",
    "bad-point": "sent a value that is no canonical element of the group",
    "bad-scalar": "sent a value that is no canonical scalar",
    "bad-key": "sent a transport key of low order",
    "bad-key-hash": "showed another key than it had committed to",
    "bad-key-proof": "did not prove that it knows its key",
    "bad-backup": "dealt a backup piece that is zero, or does not fit its own key",
    "false-complaint": "complained of a backup piece without cause",
    "bad-shuffle": "did not prove its shuffle",
    "bad-share": "did not prove its share of a card",
    "bad-escrow": "sealed an escrow that does not hold its choice",
    "bad-escrow-share": "did not prove its share of an escrow",
    "bad-opening": "opened another choice than it had committed to",
    "illegal-choice": "made a choice the rules forbid",
}


class Fault(Exception):
    """A provable fault of one seat in one step."""

    def __init__(self, code: str, seat: int, step: int, reason: str = "") -> None:
        """`code` is one of FAULTS; `reason` adds what exactly was wrong."""
        self.code, self.seat, self.step = code, seat, step
        self.reason = reason or FAULTS[code]
        super().__init__(f"seat {seat + 1}, step {step}: {code}: {self.reason}")
