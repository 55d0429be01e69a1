"""The table of steps: for each kind the one object that reads, checks, applies and writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .openings import GatherStep
from .play_steps import ChooseStep, HoldStep, OverStep, SealStep, ShowStep
from .setup_steps import DeckOkStep, KeyCommitStep, KeyOkStep, KeyRevealStep, ShuffleStep
from .state import Kind
from .step import EmptyStep, Step

STEPS: Final[Mapping[Kind, Step[Any, Any]]] = {
    Kind.KEY_COMMIT: KeyCommitStep(),
    Kind.KEY_REVEAL: KeyRevealStep(),
    Kind.KEY_OK: KeyOkStep(),
    Kind.SHUFFLE: ShuffleStep(),
    Kind.DECK_OK: DeckOkStep(),
    Kind.DEAL: GatherStep(),
    Kind.SEAL: SealStep(),
    Kind.HOLD: HoldStep(),
    Kind.REVEAL: GatherStep(),
    Kind.SHOW: ShowStep(),
    Kind.CHOOSE: ChooseStep(),
    Kind.OPEN: GatherStep(),
    Kind.OVER: OverStep(),
    Kind.FINAL: GatherStep(),
    Kind.RESULT: EmptyStep(),
}
"""Every kind but `ENDED`, which is no step."""
