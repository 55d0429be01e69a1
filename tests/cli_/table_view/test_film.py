"""A recorded game: within its ends, round by round, and never more than was known then."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.film import film
from support.sampling import times

from cli.table_view.film import Film
from cli.ui.full_screen.replay_screen import MOVES

FILM = film()
LAST = len(FILM.moments)


@given(st.lists(st.sampled_from(sorted(set(MOVES) - {" ", "space", "+", "-"})), max_size=12))
@settings(max_examples=times(10, 25))
def test_any_keys_stay_within_the_film_and_show_a_whole_screen(keys: list[str]) -> None:
    shown = Film(FILM.table, FILM.moments)
    for key in keys:
        steps = {"right": 1, "n": 1, "left": -1, "b": -1, "home": -LAST, "end": LAST}
        if key in steps:
            shown.step(steps[key])
        elif key == "s":
            shown.look()
        else:
            shown.jump({"pagedown": True, "pageup": False}[key])
        assert 0 <= shown.at < len(shown.moments)
    scene = shown.stage().scene
    assert scene.view is not None
    assert scene.view.state is shown.moments[shown.at].state
    assert len(scene.record) == sum(len(m.items) for m in shown.moments[: shown.at + 1])


@given(st.integers(0, len(FILM.moments) - 1), st.integers(0, 3))
@settings(max_examples=times(12, 30))
def test_a_seat_is_seen_to_know_its_own_pieces_and_no_others(at: int, looks: int) -> None:
    shown = Film(FILM.table, FILM.moments)
    shown.at = at
    for _look in range(looks):
        shown.look()
    view = shown.stage().scene.view
    assert view is not None
    assert view.seat == shown.eyes
    known = {slot for slot, card in enumerate(view.state.known) if card is not None}
    own = set() if shown.eyes is None else set(view.state.collectibles[shown.eyes])
    dealt = set() if shown.eyes is None else set(range(4 * shown.eyes, 4 * shown.eyes + 4))
    assert set(view.cards) - known <= dealt
    if shown.eyes is not None and view.state.round:
        assert own & dealt <= set(view.cards)


def test_rounds_are_jumped_to_where_they_begin() -> None:
    shown = Film(FILM.table, FILM.moments)
    for number in (1, 2, 3):
        shown.jump(True)
        assert shown.moments[shown.at].state.round in (number, number + 1)
    there = shown.at
    shown.jump(False)
    assert shown.at < there


def test_the_result_stands_behind_the_last_moment_and_each_one_tells_what_happened() -> None:
    shown = Film(FILM.table, FILM.moments)
    shown.step(LAST)
    end = shown.stage()
    assert end.scene.standings == FILM.moments[-1].state.standings
    assert end.beat == ()
    shown.step(-1)
    before = shown.stage()
    assert before.scene.standings is None
    assert 0 < len(before.beat) < len(before.log)
    assert tuple(before.log)[-len(before.beat) :] == before.beat


def test_a_moment_of_a_long_game_is_told_though_the_log_has_forgotten_the_first_ones() -> None:
    again = [moment for moment in FILM.moments if moment.items and moment.state.round]
    shown = Film(FILM.table, (*FILM.moments[:-1], *again * 12))
    shown.step(len(shown.moments) - 2)
    stage = shown.stage()
    assert stage.told > len(stage.log), "or the game is too short for this test"
    assert 0 < len(stage.beat) < len(stage.log)


def test_each_seat_is_looked_through_in_turn_and_then_nobody() -> None:
    shown = Film(FILM.table, FILM.moments)
    seen = [shown.eyes]
    for _look in range(FILM.table.seats + 1):
        shown.look()
        seen.append(shown.eyes)
    assert seen == [None, *range(FILM.table.seats), None]
