"""Whole games revealed event by event: the board is never behind, at every kind of table."""

from dataclasses import fields
from functools import cache, reduce
from itertools import pairwise
from random import Random

import pytest
from support.rules_driver import Referee
from support.sampling import seed, times
from support.screened import NAMES, table
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.revealed_state import FOLLOWED, after
from p2p_hoity.presentation.scene import Beat, Scene, fold
from p2p_hoity.presentation.staging import beats
from p2p_hoity.rules import game_state
from p2p_hoity.rules.happenings import Happening
from protocol.game_interface import Stopped

UNTOLD = {"phase", "news"}
BOARD = {one.name for one in fields(rules.State)} - UNTOLD
SEALING = {phase for phase in rules.Phase if phase.name.endswith("_OPEN")}
"""The phases before which choices were sealed, which no event tells."""
SILENT = {
    "SatOut",
    "Passed",
    "DefaultTaken",
    "NoSale",
    "DetectiveRanked",
    "BanquetReached",
    "GameStopped",
    "FinalExhibit",
    "FaultFound",
}
"""Events that say what has happened and change nothing that lies on the board."""


Step = tuple[rules.State, rules.State]


@cache
def steps(name: str, seats: int, variant: rules.Variant, game: int = 0) -> list[Step]:
    """The states before and after each step of a game in which something happened."""
    states = [rules.start(load(name), seats, variant)]
    draw = Random(f"{seed()} {name} {seats} {variant} {game}")
    play_unruly(name, seats, variant, draw.randrange(10**6), states.append)
    return [(before, end) for before, end in pairwise(states) if end.news]


GAMES = [(*one, game) for game in range(times(1, 20)) for one in TABLES]
EACH = pytest.mark.parametrize(("name", "seats", "variant", "game"), GAMES)


def behind(shown: rules.State, end: rules.State) -> set[str]:
    """The fields that differ from the end of the step, but for those that no event tells."""
    differing = {one for one in BOARD if getattr(shown, one) != getattr(end, one)}
    return differing - {"sealed"} if end.phase in SEALING else differing


@EACH
def test_events_alone_lead_to_the_end_of_every_step(
    name: str, seats: int, variant: rules.Variant, game: int
) -> None:
    for before, end in steps(name, seats, variant, game):
        assert behind(reduce(after, end.news, before), end) == set()


@EACH
def test_a_scene_revealed_in_parts_ends_as_one_shown_at_once(
    name: str, seats: int, variant: rules.Variant, game: int
) -> None:
    eyes = Random(f"{seed()} {name} {seats}").choice((None, *range(seats)))
    begun = updates.Started(table(seats, variant, NAMES, load(name)), eyes)
    whole = parts = ones = fold(Scene(), begun)
    for _before, end in steps(name, seats, variant, game):
        update = updates.Happened(end.news, seen(end, eyes))
        whole = fold(whole, update)
        parts = reduce(fold, beats(update), parts)
        ones = reduce(fold, one_by_one(update), ones)
        assert whole.view == parts.view == ones.view
        assert whole.doings == parts.doings == ones.doings
    assert whole == parts == ones


def seen(state: rules.State, eyes: int | None) -> rules.View:
    """The view of a seat, or of an onlooker, where Collectible n lies in slot n for all we know."""
    if eyes is None:
        return rules.view(state, None)
    size = game_state.HAND
    return rules.view(state, eyes, {slot: slot for slot in range(size * eyes, size * eyes + size)})


def one_by_one(update: updates.Happened) -> list[Beat]:
    """Each event of a step as a part of its own."""
    left = range(len(update.items) - 1, -1, -1)
    return [Beat((one,), update.view, n) for one, n in zip(update.items, left, strict=True)]


@EACH
def test_while_a_step_is_revealed_each_card_lies_in_one_place(
    name: str, seats: int, variant: rules.Variant, game: int
) -> None:
    eyes = Random(f"{seed()} {seats} {name}").choice((None, *range(seats)))
    scene = fold(Scene(), updates.Started(table(seats, variant, NAMES, load(name)), eyes))
    for _before, end in steps(name, seats, variant, game):
        for part in one_by_one(updates.Happened(end.news, seen(end, eyes))):
            scene = fold(scene, part)
            assert scene.view is not None
            check_whole(scene.view)


def check_whole(view: rules.View) -> None:
    """Every Action card and every slot of the deck lies in one place, and a secret is a secret."""
    state = view.state
    cards = [*state.register, *state.prison, *(card for hand in state.hands for card in hand)]
    cards += [card for card in state.actions if card is not None]
    assert len(set(cards)) == len(cards)
    slots = [slot for row in (*state.collectibles, *state.windows) for slot in row]
    assert sorted(slots) == list(range(len(state.known)))
    assert all(state.known[slot] is None for slot, _card in view.private)
    for seat, exhibit in enumerate(state.exhibits):
        assert set(exhibit or ()) <= set(state.collectibles[seat])


@pytest.mark.parametrize("kind", sorted(FOLLOWED, key=str))
def test_an_event_that_is_not_followed_leaves_the_board_behind(
    kind: type[Happening], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The comparison notices each kind of event whose change is missing."""
    monkeypatch.setitem(FOLLOWED, kind, lambda state, _item: state)  # type: ignore[arg-type]
    drawn = (step for game in range(8) for one in TABLES for step in steps(*one, game))
    told = (step for step in drawn if any(isinstance(item, kind) for item in step[1].news))
    assert any(behind(reduce(after, end.news, before), end) for before, end in told)


def test_every_kind_of_event_is_followed_or_changes_nothing() -> None:
    assert {kind.__name__ for kind in Happening.__subclasses__()} == SILENT | {
        kind.__name__ for kind in FOLLOWED
    }


@pytest.mark.parametrize("moves", [1, 4, 9, 25])
def test_a_game_that_is_stopped_leaves_the_board_as_it_lies(moves: int) -> None:
    referee = Referee.seat(load(), 4, moves)
    before = referee.step(moves)
    end = referee.apply(Stopped())
    assert reduce(after, end.news, before).but(phase=end.phase, news=end.news) == end
