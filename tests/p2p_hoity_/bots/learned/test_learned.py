"""Tests of the learned bot, with random weights: legal, blind to what is hidden, mixed."""

import random
from dataclasses import fields
from typing import Any

import pytest
from support.random_weights import random_weights
from support.rules_driver import Referee, table
from support.sampling import sample

from p2p_hoity.bots.learned import Learned, read, sight_of
from p2p_hoity.bots.learned.features import CANDIDATE, OTHER, OWN, length
from p2p_hoity.bots.learned.move_candidates import picks
from p2p_hoity.bots.learned.observation import other_blocks, own_block
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import State, View, expected, view
from protocol.game_interface import Over

SOME = pytest.mark.sampled(1)

BOT = Learned(read(random_weights(1)))
SWITCHED = load().with_switches(
    action_choice="together", detective_in_hall=True, detective_rank="before"
)
TABLES = [
    *((load(name), seats, None) for name in NAMES for seats in (3, 4, 5, 6)),
    *((load(name), 2, variant) for name in NAMES for variant in ("surprise", "confrontation")),
    (SWITCHED, 4, None),
    (SWITCHED, 2, "surprise"),
]


def named(case):
    edition, seats, variant = case
    return f"{edition.name}-{edition.switches.action_choice}-{seats}-{variant}"


class Peeked(AttributeError):
    """Something was asked for that no seat may know."""


class Keyhole:
    """A view or state that shows what may be known, and raises on anything else; what else there
    is stands behind it."""

    def __init__(self, seen, allowed):
        self._seen, self._allowed = seen, allowed

    def __getattr__(self, name):
        if name not in self._allowed:
            raise Peeked(name)
        return getattr(self._seen, name)


OF_VIEW = {"seat", "cards", "mine", "held", "piece", "legal", "check"}
OPEN = {field.name for field in fields(State)}
OPEN |= {name for name in vars(State) if not name.startswith("_")}
OPEN -= {"sealed", "claims", "standings", "news"}


def keyhole(seen: View):
    """The view through a keyhole."""
    made: Any = Keyhole(seen, OF_VIEW | {"state"})
    made.state = Keyhole(seen.state, OPEN)
    return made


def watched(seen, due, rng):
    """A choice of the bot, checked to be legal, made through a keyhole; every number is in scale
    and the other hidden cards change nothing."""
    choice = BOT.choose(keyhole(seen), due, rng)
    seen.check(due.kind, choice)
    sight = sight_of(seen, due)
    own, others = own_block(sight), other_blocks(sight)
    assert len(own) == length(OWN)
    assert [len(block) for block in others] == [length(OTHER)] * (seen.state.seats - 1)
    rows = [candidate.numbers for pick in picks(sight) for candidate in pick]
    assert {len(row) for row in rows} == {length(CANDIDATE)}
    assert all(-1 <= number <= 3.5 for row in (own, *others, *rows) for number in row)
    return choice


@pytest.mark.parametrize("case", sample(TABLES, 1, "tables of a learned bot"), ids=named)
def test_it_makes_only_legal_choices_of_what_it_may_see(case):
    edition, seats, variant = case
    final = Referee.seat(edition, seats, 5, variant, [watched] * seats).play()
    assert final.standings


@SOME
def test_games_with_absent_seats_go_on():
    referee = Referee.seat(load(), 5, 2, None, [watched] * 5)
    rng = random.Random(3)
    for _ in range(400):
        if isinstance(expected(referee.state), Over):
            break
        if referee.state.round and rng.random() < 0.05:
            referee.away(*rng.sample(range(5), rng.randrange(3)))
        referee.step()
    assert referee.state.round > 20


@SOME
def test_a_mixture_sums_to_one_is_drawn_from_and_sees_nothing_hidden():
    referee = Referee.seat(load(), 4, 3)
    compared = 0
    for _ in range(160):
        due = expected(referee.state)
        if getattr(due, "seats", None) and 0 in due.seats and due.__class__.__name__ == "Seal":
            seen = view(referee.state, 0, referee.private(0))
            more = view(referee.state, 0, dict(enumerate(referee.deck)))
            assert BOT.mixtures(seen, due) == BOT.mixtures(more, due)
            compared += 1
        referee.step()
    assert compared > 20
    referee = table(load(), 4, {0: "A1 A2 A3 B1"})
    due = referee.until("action")
    (mixture,) = BOT.mixtures(referee.view(0), due)
    assert sum(mixture.chances) == pytest.approx(1)
    assert min(mixture.chances) > 0
    drawn = {BOT.choose(referee.view(0), due, random.Random(i)) for i in range(300)}
    assert drawn == set(mixture.choices)


def test_a_keyhole_lets_nothing_else_through():
    referee = Referee.seat(load(), 3, 1)
    referee.step()
    seen = keyhole(referee.view(0))
    assert seen.state.round == referee.state.round
    for peek in (lambda: seen.private, lambda: seen.state.sealed, lambda: seen.deck):
        with pytest.raises(Peeked):
            peek()
