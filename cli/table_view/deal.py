"""How far the deal has come, and what a player must know of it before leaving."""

from __future__ import annotations

from typing import Final

from p2p_hoity.presentation.scene import Scene
from protocol import Kind

from ..words.end_sentences import announced
from ..words.presence_sentences import unconfirmed
from ..words.translation import N_, _
from .seats import names_of
from .stage import Stage

STAGES: Final = {
    Kind.KEY_COMMIT: N_("every seat commits to a key of its own"),
    Kind.KEY_REVEAL: N_("keys are opened, and proven to be known"),
    Kind.KEY_OK: N_("the key shares are confirmed"),
    Kind.SHUFFLE: N_("shuffling the deck and proving it: {who}"),
    Kind.DECK_OK: N_("every seat confirms the deck"),
    Kind.DEAL: N_("the cards are dealt: each seat opens its own, nobody another's"),
}
PROMISES: Final = (
    N_("No server deals: each seat shuffles under its own key, and every shuffle is proven."),
    N_("Nobody sees your four secret Collectibles, and nobody can choose them."),
)


def progress(scene: Scene, seats: int) -> tuple[int, int]:
    """Return how many steps of the deal are done, and of how many: one per shuffle, and five."""
    total = seats + len(STAGES) - 1
    return min(scene.steps, total), total


def step_words(stage: Stage) -> str:
    """Return what happens in the current step of the deal, "" if the step is none of the deal."""
    if stage.scene.stage not in STAGES:
        return ""
    who = names_of(stage, stage.scene.clock.awaited) if stage.scene.clock else ""
    return _(STAGES[stage.scene.stage]).format(who=who or "…")


def warnings(stage: Stage) -> list[str]:
    """Return what a player must know before leaving, once the last confirmation is late."""
    scene, names = stage.scene, stage.names
    if names is None:
        return []
    told, clock = [announced(one, names) for one in scene.announced], scene.clock
    if clock is None or not clock.muster.has_confirmed:
        return told
    is_late = told or clock.left <= clock.timeout / 2
    return [*told, unconfirmed(clock.awaited, names, scene.game)] if is_late else told
