"""The bots: legal, mixed, strong enough, and blind to what their seat may not know."""

import random
import sys

import pytest
from support.paths import ROOT
from support.rules_driver import Referee, plays, table

from p2p_hoity.bots import BOTS, NothingToChoose
from p2p_hoity.editions import NAMES, load
from p2p_hoity.rules import Choose, Draw, Over, Seal, Show, expected, view

sys.path.insert(0, str(ROOT / "bench"))

from bots_duel import share

TABLES = [("uberplay-2004", 4, None), ("reference-manual", 6, None)] + [
    (name, 2, variant) for name in NAMES for variant in ("surprise", "confrontation")
]


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize(("name", "seats", "variant"), TABLES)
def test_a_bot_makes_only_legal_choices_and_games_end(bot, name, seats, variant):
    referee = Referee.seat(load(name), seats, 7, variant, [BOTS[bot]] * seats)
    while not isinstance(due := expected(referee.state), Over):
        for seat in range(seats):
            if asked(due, seat):
                kind = "exhibit" if isinstance(due, Show) else due.kind
                seen = referee.view(seat)
                seen.check(kind, BOTS[bot](seen, due, random.Random(1)))
        referee.step()
    assert referee.state.standings


def asked(due, seat):
    if isinstance(due, Seal):
        return seat in due.seats
    return isinstance(due, Show | Choose) and due.seat == seat


def test_steady_beats_random_in_most_of_60_games():
    edition = load()
    won = sum(share(edition, 4, seed)[0] for seed in range(60))
    assert won >= 0.7 * 60


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_uses_only_its_view(bot):
    """Another deal of the hidden Collectibles of others changes nothing it does."""
    referee = Referee.seat(load(), 4, 3)
    for _ in range(60):
        due = expected(referee.state)
        if asked(due, 0):
            seen = view(referee.state, 0, referee.private(0))
            more = view(referee.state, 0, dict(enumerate(referee.deck)))
            assert seen == more
            first, again = (BOTS[bot](v, due, random.Random(5)) for v in (seen, more))
            assert first == again
        referee.step()


def test_steady_mixes_its_choices():
    referee = table(load(), 4, {0: "A1 A2 A3 B1"})
    due = expected(referee.state)
    seen = referee.view(0)
    assert {BOTS["steady"](seen, due, random.Random(i)) for i in range(60)} == {0, 1}
    due = referee.until("action")
    chosen = [BOTS["steady"](referee.view(0), due, random.Random(i)) for i in range(200)]
    assert len({referee.state.kind(c) for c in chosen}) == 3


def test_a_lone_exhibitor_risks_as_little_as_it_can():
    referee = table(load(), 3, {0: "A1 A2 A3 A4"})
    due = referee.until("show", action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    assert len(BOTS["steady"](referee.view(0), due, random.Random(0))) == 3


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_that_owes_nothing_or_has_no_legal_answer_says_so(bot):
    referee = table(load(), 3, {0: "A1 A2 C1 E1"})
    for seen, due in (
        (referee.view(0), Draw((12,))),
        (referee.view(0), Show("exhibit", 0)),
        (view(referee.state, None), expected(referee.state)),
    ):
        with pytest.raises(NothingToChoose):
            BOTS[bot](seen, due, random.Random(0))
