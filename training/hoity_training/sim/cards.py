"""Action cards by id: what each does and its number; hands are int64 masks of the 48 ids."""

from __future__ import annotations

from typing import Final

import numpy as np

from p2p_hoity.rules import ActionKind, Edition

from .kinds import Bools, Ints

KIND_ORDER: Final = (ActionKind.CASH, ActionKind.THIEF, ActionKind.DETECTIVE, ActionKind.EXHIBIT)
CASH, THIEF, DETECTIVE, EXHIBIT = range(4)


class Cards:
    """The Action cards of one edition: by id `kind` (0 Cash, 1 Thief, 2 Detective, 3 Exhibit) and
    `number` (Cash in thousands, a Thief's number, else 0); as masks `of_kind`, and what belongs in
    the `hall` and in the `castle`. The last id's follower (and so NONE) is of no kind."""

    def __init__(self, edition: Edition) -> None:
        kinds = [KIND_ORDER.index(card.kind) for card in edition.action_cards]
        self.kind: Ints = np.array([*kinds, -1], np.int64)
        self.number: Ints = np.array([*(c.number or 0 for c in edition.action_cards), 0], np.int64)
        self.of_kind: Ints = np.array([_mask(self.kind == kind) for kind in range(4)], np.int64)
        cash, thief, detective, exhibit = self.of_kind.tolist()
        beside = detective if edition.switches.detective_in_hall else 0
        self.hall: int = cash | thief | beside
        self.castle: int = thief | detective | exhibit
        self.exhibits: int = exhibit

    def are(self, actions: Ints, kind: int) -> Bools:
        """Whether each card shown is of this kind; NONE is of none."""
        found: Bools = self.kind[actions] == kind
        return found


def _mask(chosen: Bools) -> int:
    return sum(1 << int(i) for i in np.flatnonzero(chosen))
