"""The words of the simulator: its array types, the kinds of choices, what stands for none."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Kind = Literal["place", "action", "turn", "window", "exhibit", "theft"]
KINDS: Final[tuple[Kind, ...]] = ("place", "action", "turn", "window", "exhibit", "theft")

CASTLE: Final = 0
HALL: Final = 1
NONE: Final = -1
"""No card, no Place, no choice: a seat that gives NONE for a choice gets the default."""
VOID: Final = -2
"""A choice that opened as none: as NONE, but a void exhibit shows nothing."""
CARD_IDS: Final = 48
"""A turn is written `place * CARD_IDS + card`."""
