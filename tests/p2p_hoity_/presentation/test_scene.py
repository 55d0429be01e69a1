"""Tests of the scene: a pure fold over updates, and its JSON."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st
from support.rules_driver import Referee
from support.sampling import times
from support.screened import NAMES, table

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene import Scene, fold
from p2p_hoity.presentation.staging import beats
from protocol import effects

EDITION = "uberplay-2004"


def played(seed: int, steps: int, staged: bool) -> list[Scene]:
    """Return the scenes of a game as seat 0 sees it, update by update."""
    referee, scenes = Referee.seat(load(EDITION), 4, seed), [Scene()]
    begun = updates.Started(table(4, None, NAMES, load(EDITION)), 0)
    told: list[updates.Update] = [updates.Joined(NAMES[:4], 4), begun]
    for _step in range(steps):
        before = len(referee.record)
        referee.step()
        if items := tuple(referee.record[before:]):
            view = rules.view(referee.state, 0, referee.private(0))
            whole = updates.Happened(items, view)
            told += beats(whole) if staged else [whole]
    for update in told:
        scenes.append(fold(scenes[-1], update))
    return scenes


@given(st.integers(0, 20), st.integers(1, 150))
@settings(max_examples=times(6, 40))
def test_a_fold_changes_no_scene_and_beats_lead_to_the_same_one(seed: int, steps: int) -> None:
    whole, parts = played(seed, steps, False), played(seed, steps, True)
    assert parts[-1] == whole[-1]
    kept = copy.copy(whole[-1])
    told = updates.Rewound(1, len(whole[-1].record) // 2, whole[-1].view)  # type: ignore[arg-type]
    again = fold(whole[-1], told)
    assert whole[-1] == kept
    assert again.record == kept.record[: len(kept.record) // 2]
    assert again != kept or not kept.record


def test_the_tally_counts_every_game_and_each_winner_of_a_shared_first_rank() -> None:
    at = table(4, None, NAMES, load(EDITION))
    scene = fold(Scene(), updates.Started(at, 0))

    def ended(before: Scene, *ranks: int) -> Scene:
        lines = tuple(
            rules.Standing(rank=rank, seat=seat, field=40, exhibit=())
            for seat, rank in enumerate(ranks)
        )
        over = fold(before, updates.GameOver(at, None, lines, None))  # type: ignore[arg-type]
        return fold(over, updates.Started(at, 0))

    once = ended(scene, 2, 1, 3, 4)
    assert (once.games, once.wins) == (1, {NAMES[1]: 1})
    twice = ended(once, 1, 1, 3, 4)
    assert (twice.games, twice.wins) == (2, {NAMES[0]: 1, NAMES[1]: 2})


def test_an_update_that_changes_nothing_gives_the_very_scene() -> None:
    scene = Scene()
    assert fold(scene, effects.JournalDoubted()) is scene
