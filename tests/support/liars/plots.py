"""The cases of the lying process: one for each code of fault, and how each table ends.

Which table a lie needs, who helps, and in words what it is, for docs/adversity.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from protocol.chain.state import Kind, Node
from support.liars.pact import two_versions
from support.liars.tales import (
    NOT_A_POINT,
    NOT_A_SCALAR,
    OTHER_SCALAR,
    Liar,
    Tale,
    dawdle,
    dawdle_unsealed,
    escrow_share,
    false_complaint,
    forge_close,
    forget_lock,
    garbage,
    groundless,
    halting,
    instead,
    low_order,
    marked_deck,
    other_commitment,
    other_key,
    other_nonce,
    shares,
    stall,
    truth,
    two_statements,
    unproven_key,
    without_own,
)


@dataclass(frozen=True)
class Plot:
    """How one code is provoked: the tale, in words, and the table it needs.

    `before`: the table ends before the game begins, with the liar named. `helper` is the tale
    of a second test peer, in seat 1, which is slow and no liar, unless `also` is its own code.
    """

    tale: Tale
    how: str
    before: bool = False
    seats: int = 3
    quorum: int = 2
    helper: str = ""
    also: str = ""
    times: str = ""
    edition: str = ""
    """Where its occasion comes too late for the short one."""


def _setup(kind: Kind, change: Callable[[Liar, Node, list[Any]], Any], how: str) -> Plot:
    return Plot(instead(kind, change), how, before=True)


def _play(kind: Kind, change: Callable[[Liar, Node, list[Any]], Any], how: str) -> Plot:
    return Plot(instead(kind, change), how)


def _changing(tale: Tale, how: str) -> Plot:
    """Where a slow seat makes the others change the epoch."""
    return Plot(tale, how, seats=4, quorum=3, helper="dawdle")


FULL = "uberplay-2004"
PATIENT = "1800000,600000,1000,8000"
"""Patience of a table of many seats, or of a busy machine, where nobody is slow."""

PLOTS: dict[str, Plot] = {
    "bad-key": _setup(Kind.KEY_COMMIT, low_order, "a transport key of low order in `key.commit`"),
    "bad-key-hash": _setup(
        Kind.KEY_REVEAL, other_key, "the points of its key vector exchanged in `key.reveal`"
    ),
    "bad-key-proof": _setup(
        Kind.KEY_REVEAL, unproven_key, "another scalar in the proof of its key"
    ),
    "bad-backup": Plot(
        truth, "one bit changed in each sealed backup piece; the others complain", before=True
    ),
    "false-complaint": _setup(
        Kind.KEY_OK, false_complaint, "complains of the next seat's backup piece, which is sound"
    ),
    "bad-shuffle": _setup(
        Kind.SHUFFLE, marked_deck, "two cards exchanged after its shuffle was proven"
    ),
    "two-statements": Plot(two_statements, "two sealed choices in one step"),
    "two-chains": Plot(
        truth,
        "its accomplice seals two choices; it speaks on the chain of one and goes on on the other",
        seats=6,
        quorum=4,
        helper="accomplice",
        also="two-statements",
        times=PATIENT,
        edition=FULL,
    ),
    "not-expected": Plot(truth, "chooses a window when another seat is the buyer"),
    "bad-body": _play(Kind.SEAL, garbage, "random bytes for a sealed choice"),
    "bad-point": _play(
        Kind.OPEN, shares(lambda b: NOT_A_POINT + b[32:]), "a share of a card that is no point"
    ),
    "bad-scalar": _play(
        Kind.OPEN, shares(lambda b: b[:-32] + NOT_A_SCALAR), "a proof that holds no scalar"
    ),
    "bad-share": replace(
        _play(
            Kind.OPEN, shares(lambda b: b[:-32] + OTHER_SCALAR), "another scalar in a share's proof"
        ),
        times=PATIENT,
    ),
    "bad-escrow": _play(
        Kind.SEAL, other_commitment, "another commitment beside the escrow of its choice"
    ),
    "bad-opening": _play(Kind.REVEAL, other_nonce, "another nonce in the opening of its choice"),
    "illegal-choice": Plot(truth, "seals a choice that the rules do not know, and opens it"),
    "bad-escrow-share": Plot(
        instead(Kind.REVEAL, escrow_share),
        "another scalar in its share of an absent seat's escrow",
        seats=5,
        quorum=3,
        helper="stall-reveal",
    ),
    "halt-omits-say": _changing(
        halting(without_own), "halts for a new epoch without the says it has made"
    ),
    "bad-halt": _changing(
        halting(groundless), "halts with its own says but without what they rest on"
    ),
    "bad-close": Plot(forge_close, "proposes a base that rests on no halt"),
    "halt-below-lock": replace(
        _changing(forget_lock, "seals one epoch, then halts for the next as if it had not"),
        helper="dawdle-unsealed",
        times="2500,2500,1500,8000",
    ),
}
"""Code to plot."""

ENDINGS: dict[str, tuple[str, Plot]] = {
    "strict": ("bad-opening", replace(PLOTS["bad-opening"], quorum=3, times=PATIENT)),
    "two seats": ("bad-opening", replace(PLOTS["bad-opening"], seats=2, times=PATIENT)),
    "too few left": ("two-chains", replace(PLOTS["two-chains"], seats=5)),
}
"""Tables at which the honest seats cannot go on without the liar: what they are, code and plot."""

TALES: dict[str, Tale] = {
    **{code: plot.tale for code, plot in PLOTS.items()},
    "truth": truth,
    "accomplice": two_versions,
    "stall-reveal": stall(Kind.REVEAL),
    "dawdle": dawdle(Kind.SEAL),
    "dawdle-unsealed": dawdle_unsealed(Kind.SEAL),
}
