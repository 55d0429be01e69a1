"""The rules of a seat: a table of all that it does of itself, in the order of their turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from . import accusations, end_notices, epoch_change, leaving, progress, recovery
from .core import Core

Rule = Callable[[Core], bool]
"""Says whether it changed anything."""
RULES: Final[tuple[Rule, ...]] = (
    accusations.judge_fresh,
    recovery.inquire,
    progress.begin_epochs,
    progress.check_forms,
    accusations.tell_guilty,
    progress.enter,
    progress.advance,
    progress.end_setup,
    leaving.come_back,
    leaving.tell_left,
    progress.speak,
    progress.prepare,
    progress.finish,
    end_notices.tell_end,
    epoch_change.late,
    epoch_change.halt,
    epoch_change.propose,
    epoch_change.accept,
    epoch_change.seal,
)
JUDGING: Final[tuple[Rule, ...]] = (accusations.judge_fresh,)
"""All that a say calls for while others have still to speak in its step, and nothing else is up."""
