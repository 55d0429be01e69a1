"""Files judged with their proofs handed out, which must come to what judging in turn comes to."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from protocol.crypto.proof_batches import Part
from protocol.transcript.verification_report import Report
from protocol.transcript.verifier import GameOf, verify


@dataclass
class Pile:
    """Takes parts of work as an executor does, and does them last of all, in a random order; half
    of them can be taken back."""

    seed: int
    parts: list[Promised] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)

    def submit(self, function: Callable[[Part], bool], part: Part) -> Promised:
        """A promise."""
        self.parts.append(Promised(self, function, part))
        return self.parts[-1]

    def work(self) -> None:
        """Do all of it."""
        left = [one for one in self.parts if one.found is None and not one.taken_back]
        self.draw.shuffle(left)
        for one in left:
            one.found = one.function(one.part)


@dataclass
class Promised:
    """One part on a pile."""

    pile: Pile
    function: Callable[[Part], bool]
    part: Part
    found: bool | None = None
    taken_back: bool = False

    def cancel(self) -> bool:
        """Take it back, if it is one of those that have not been begun."""
        begun = self.pile.draw.random() < 0.5
        self.taken_back = self.found is None and not begun
        return self.taken_back

    def result(self) -> bool:
        """What came of it, when all was done."""
        self.pile.work()
        return bool(self.found)


def judged(data: bytes, game_of: GameOf, seed: int = 1) -> Report:
    """The report; AssertionError if handing the proofs out makes another one."""
    report = verify(data, game_of)
    assert bare(verify(data, game_of, None, Pile(seed).submit)) == bare(report)
    return report


def bare(report: Report) -> tuple[Report, Any]:
    """All that a report says but for its timings; the point it reached by its digest."""
    node = report.node
    reached = None if node is None else (node.digest, node.step, node.convictions, node.state)
    return replace(report, timings={}, node=None), reached
