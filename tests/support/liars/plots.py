"""The cases of the lying process: one for each code of fault, and how each table ends.

Which table a lie needs, who helps, and in words what it is, for docs/adversity.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from protocol.chain.chain_state import SETUP, Kind
from support.forgeries.bodies import another_sealed_choice
from support.forgeries.catalogue import FORGERIES
from support.forgeries.cheater import Lie, forging, twice
from support.liars.pact import two_versions
from support.liars.tales import (
    Tale,
    dawdle,
    dawdle_uncommitted,
    false_promise,
    forge_new_epoch,
    forget_certificate,
    groundless,
    stall,
    truth,
    without_own,
)


@dataclass(frozen=True)
class Plot:
    """How one code is provoked: the tale, in words, and the table it needs.

    `lie`: by seat, what its machine makes of its own statements, for forged bodies.
    `before`: the table ends before the game begins, with the liar named. `helper` is the tale
    of a second test peer, in seat 1, which is slow and no liar, unless `also` is its own code.
    `edition`: another one than the short one, where the lie needs more rounds: shares of a card
    are due once a Collectible is bought, which need not happen in a short game.
    """

    tale: Tale
    how: str
    lie: Callable[[int], Lie] | None = None
    before: bool = False
    seats: int = 3
    quorum: int = 2
    helper: str = ""
    also: str = ""
    times: str = ""
    edition: str = ""


def _forges(name: str, how: str = "", **more: Any) -> Plot:
    """Return the plot of a forgery of the catalogue, described by `how` if it is given."""
    forgery = FORGERIES[name]
    lie = lambda seat: forging(forgery, seat)  # noqa: E731
    return Plot(truth, how or forgery.what, before=forgery.kind in SETUP, lie=lie, **more)


def _changing(tale: Tale, how: str) -> Plot:
    """Return a plot in which a slow seat makes the others change the epoch."""
    return Plot(tale, how, seats=4, quorum=3, helper="dawdle")


FULL = "uberplay-2004"
LONG = "1800000,600000,1000,8000"
"""Timeouts of a table of many seats, or of a busy machine, where nobody is slow."""

PLOTS: dict[str, Plot] = {
    "bad-key": _forges("transport-key-of-low-order"),
    "bad-key-hash": _forges("key-other-than-committed"),
    "bad-key-proof": _forges("key-not-proven"),
    "bad-key-sharing": _forges("key-share-that-does-not-open"),
    "false-complaint": _forges(
        "complaint-of-a-sound-key-share", "complains of another seat's key share, which is valid"
    ),
    "bad-shuffle": _forges("cards-exchanged-after-the-proof"),
    "equivocation": Plot(
        truth,
        "signs two commitments in one step",
        lie=lambda seat: twice(
            FORGERIES["choice-against-the-rules"].due(seat), another_sealed_choice
        ),
    ),
    "two-chains": Plot(
        truth,
        "its accomplice seals two choices; it gives an input on the chain of one and goes on on the"
        " other",
        seats=6,
        quorum=4,
        helper="accomplice",
        also="equivocation",
        times=LONG,
        edition=FULL,
    ),
    "not-expected": Plot(truth, "chooses a window when another seat is the buyer"),
    "bad-body": _forges("pass-where-a-choice-is-due"),
    "bad-point": _forges("share-outside-the-group", edition=FULL),
    "bad-scalar": _forges("share-with-a-large-scalar", edition=FULL),
    "bad-share": _forges("share-not-proven", times=LONG, edition=FULL),
    "bad-escrow": _forges("escrow-of-a-card"),
    "bad-opening": _forges("choice-opened-with-another-nonce"),
    "illegal-choice": _forges("choice-against-the-rules"),
    "bad-escrow-share": _forges(
        "escrow-share-not-proven", seats=5, quorum=3, helper="stall-reveal"
    ),
    "promise-omits-input": _changing(
        false_promise(without_own), "promises a new epoch without its own inputs"
    ),
    "bad-promise": _changing(
        false_promise(groundless),
        "promises an epoch with its own inputs but without what they rest on",
    ),
    "bad-new-epoch": Plot(forge_new_epoch, "proposes a base that rests on no epoch promise"),
    "promise-below-certificate": replace(
        _changing(
            forget_certificate, "votes to commit one epoch, then promises the next as if it had not"
        ),
        helper="dawdle-uncommitted",
        times="2500,2500,1500,8000",
    ),
}
"""Code to plot."""

ENDINGS: dict[str, tuple[str, Plot]] = {
    "strict": ("bad-opening", replace(PLOTS["bad-opening"], quorum=3, times=LONG)),
    "two seats": ("bad-opening", replace(PLOTS["bad-opening"], seats=2, times=LONG)),
    "too few left": ("two-chains", replace(PLOTS["two-chains"], seats=5)),
}
"""Tables at which the honest seats cannot go on without the liar: what they are, code and plot."""

TALES: dict[str, Tale] = {
    **{code: plot.tale for code, plot in PLOTS.items()},
    "truth": truth,
    "accomplice": two_versions,
    "stall-reveal": stall(Kind.REVEAL),
    "dawdle": dawdle(Kind.SEAL),
    "dawdle-uncommitted": dawdle_uncommitted(Kind.SEAL),
}
