"""Tests of whole games with random choices, voids, absences and returns."""

from collections import Counter

import pytest
from support.rules_driver import Referee
from support.sampling import sample
from support.unruly_games import TABLES, play_unruly

from p2p_hoity import rules
from p2p_hoity.editions.load_edition import NAMES, load
from protocol import game_interface


def assert_sound(state):
    edition = state.edition
    held = [slot for slots in state.collectibles for slot in slots]
    bought = {slot for slot in held if slot >= 4 * state.seats}
    left = [slot for window in state.windows for slot in window]
    assert len(held) == len(set(held))
    assert Counter([*held, *left]) == Counter(range(len(edition.collectibles)))
    assert all(state.known[slot] is not None for slot in bought)
    cards = [c for hand in state.hands for c in hand] + [c for c in state.actions if c is not None]
    cards += [*state.register, *state.prison]
    assert sorted(cards) == sorted(8 * k + j for k in state.colours for j in range(8))
    assert sum(edition.number(c) for c in cards if edition.kind(c) == "Cash") == 50 * state.seats
    assert len(state.prison) <= state.seats
    due = rules.expected(state)
    if isinstance(due, rules.Seal):
        assert all(state.active(seat) for seat in due.seats)
    if isinstance(due, rules.Show | rules.Choose):
        assert state.active(due.seat)


@pytest.mark.parametrize(("name", "seats", "variant"), sample(TABLES, 5, "unruly games"))
def test_games_end_and_nothing_is_ever_lost(name, seats, variant):
    referee = play_unruly(name, seats, variant, seats, assert_sound)
    state = referee.state
    assert state.edition.in_banquet(max(state.figures))
    assert sorted(line.seat for line in state.standings) == list(range(seats))
    assert [line.rank for line in state.standings] == sorted(line.rank for line in state.standings)
    fields = [line.field for line in state.standings]
    assert fields == sorted(fields, reverse=True)


@pytest.mark.parametrize(("name", "seats", "variant"), sample(TABLES, 4, "games played again"))
def test_the_same_events_make_the_same_states(name, seats, variant):
    referee = play_unruly(name, seats, variant, seed=90 + seats)
    state = rules.start(load(name), seats, variant)
    for event in referee.log:
        state = rules.apply(state, event)
    assert state == referee.state
    assert hash(state) == hash(referee.state)
    assert state.news == referee.state.news


@pytest.mark.parametrize("name", NAMES)
def test_three_to_six_present_seats_never_pass(name):
    for seats in range(3, 7):
        referee = Referee.seat(load(name), seats, seats)
        referee.play()
        assert not [n for n in referee.record if type(n).__name__ == "Passed"]


def test_a_hidden_collectible_is_never_needed():
    """The rules see hidden slots only when they are opened: other decks, same course."""
    referee = Referee.seat(load(), 4, 11)
    referee.play()
    shown = {s for event in referee.log for s in getattr(event, "cards", {})}
    hidden = sorted(set(range(16)) - shown)
    assert not hidden  # the end opens all
    last = referee.log[-1]
    state = rules.start(load(), 4)
    for event in referee.log[:-1]:
        state = rules.apply(state, event)
    none = rules.apply(state, game_interface.Opened({}))
    assert len(none.standings) == 4
    assert none.collectibles == rules.apply(state, last).collectibles
