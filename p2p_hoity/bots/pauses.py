"""How long a bot pauses before a choice where people watch: the longer, the closer its choices.

The closeness is reckoned from what is open to all, so that no pause tells what a seat hides.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Final

from protocol.units import Seconds

from ..rules import View
from ..rules.choices import Kind
from . import one_round
from .learned.policy_network import softmax

LEAST: Final[Seconds] = 0.5
MOST: Final[Seconds] = 3.0
SMALL: Final = 0.6
"""The part of the time between `LEAST` and `MOST` that a choice other than of an Action takes."""
CLOSE: Final = 1.0
"""The difference in value, in fields, that makes a choice e times as likely as another one."""
UNEVEN: Final = 0.7
"""The least part of the time beyond `LEAST`, which is drawn for each pause."""


def pause(view: View, kind: Kind, rng: Random) -> Seconds:
    """Return the seconds that a bot waits before a choice of this kind, from LEAST to MOST."""
    most = 1.0 if kind in ("action", "turn") else SMALL
    return LEAST + (MOST - LEAST) * most * doubt(view, kind) * rng.uniform(UNEVEN, 1.0)


def doubt(view: View, kind: Kind) -> float:
    """Return how close the choices of a view's seat are by what all know, from 0 to 1.

    It is 0 if only one is legal or makes sense, and 1 if all are worth the same.
    """
    seen = View(view.state, view.seat, ())
    found = one_round.thefts(seen) if kind == "theft" else [one_round.values(seen, kind)]
    return max((evenness(one.values()) for one in found), default=0.0)


def evenness(worths: Collection[float]) -> float:
    """Return 1 for equal values, and nearly 0 if one of them stands out or is the only one."""
    if len(worths) < 2:
        return 0.0
    top = max(softmax([worth / CLOSE for worth in worths]))
    return (1 - top) / (1 - 1 / len(worths))
