"""Tests of the bots: legal, mixed, strong enough, and blind to what their seat may not know."""

import random
import sys
from dataclasses import dataclass

import pytest
from support.paths import ROOT
from support.rules_driver import Referee, plays, table
from support.sampling import sample, times

from p2p_hoity.bots import BOTS, NothingToChoose
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import ActionKind, Choose, Seal, Show, View, expected, view
from protocol.game_interface import Draw, Over

sys.path.insert(0, str(ROOT / "bench"))

from bots_duel import share

TABLES = [("uberplay-2004", 4, None), ("reference-manual", 6, None)] + [
    (name, 2, variant) for name in NAMES for variant in ("surprise", "confrontation")
]


@pytest.mark.parametrize(
    ("name", "seats", "variant", "bot"),
    sample([(*table, bot) for table in TABLES for bot in BOTS], 2, "tables of bots"),
)
def test_a_bot_makes_only_legal_choices_and_games_end(name, seats, variant, bot):
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


PAIRS = [
    ("easy", "random", 0.4),
    ("fair", "easy", 0.4),
    ("normal", "fair", 0.4),
    ("normal", "random", 0.8),
    ("normal", "easy", 0.6),
    ("hard", "random", 0.8),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("one", "others", "least"), PAIRS)
def test_each_level_beats_the_one_before(one, others, least):
    """Fair would be a quarter of the games."""
    edition, games = load(), times(8, 48)
    won = sum(share(edition, 4, one, others, seed)[0] for seed in range(games))
    assert won >= least * games


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


def test_normal_mixes_its_choices_and_risks_as_little_as_it_can():
    referee = table(load(), 4, {0: "A1 A2 A3 B1"})
    due = expected(referee.state)
    seen = referee.view(0)
    assert {BOTS["normal"](seen, due, random.Random(i)) for i in range(60)} == {0, 1}
    due = referee.until("action")
    chosen = [BOTS["normal"](referee.view(0), due, random.Random(i)) for i in range(200)]
    assert len({referee.state.kind(c) for c in chosen}) == 3
    referee = table(load(), 3, {0: "A1 A2 A3 A4"})
    due = referee.until("show", action=plays(referee.state, s0="Exhibit", s1="Thief:0"))
    assert len(BOTS["normal"](referee.view(0), due, random.Random(0))) == 3


def _played(referee, seat, times=300):
    """How often the normal bot plays each kind of Action at its Place, in shares."""
    due = referee.until("action")
    cards = [BOTS["normal"](referee.view(seat), due, random.Random(i)) for i in range(times)]
    kinds = [referee.state.kind(card) for card in cards]
    return {kind: kinds.count(kind) / times for kind in ActionKind}


def _castle(hands, figures=None):
    """All seats in the Castle, with these hands, which all have seen."""
    referee = table(load(), len(hands), hands)
    referee.open(*range(4 * len(hands)))
    referee.state = referee.state.but(figures=tuple(figures or referee.state.figures))
    referee.plan = {("place", seat): 0 for seat in range(len(hands))}
    return referee


def test_normal_arrests_when_it_pays_plays_thieves_for_large_exhibits_and_no_vain_detective():
    """Seat 1 has much to show, seat 2 nothing but Thieves; who is last gains three fields."""
    hands = {0: "B1 D1 F1 F2", 1: "A1 A2 A3 A4", 2: "C1 C2 C3 C4"}
    played = _played(_castle(hands, (9, 9, 9)), 0)
    assert played[ActionKind.THIEF] > 0.7
    hands = {0: "A1 A2 A3 A4", 1: "B1 D1 F1 F2", 2: "C1 E1 F3 D2"}
    referee = _castle(hands)
    without = tuple(
        tuple(c for c in hand if seat == 0 or referee.state.kind(c) != ActionKind.THIEF)
        for seat, hand in enumerate(referee.state.hands)
    )
    referee.state = referee.state.but(hands=without)
    assert _played(referee, 0)[ActionKind.DETECTIVE] == 0
    behind, ahead = (2, 9, 9), (9, 2, 2)
    hands = {0: "A1 A2 A3 F2", 1: "D1 D2 D3 D4", 2: "B1 F1 E1 C1"}
    last, first = (_played(_castle(hands, at), 0)[ActionKind.DETECTIVE] for at in (behind, ahead))
    assert last > 0.7
    assert first < 0.4


def test_normal_pays_for_what_fits_its_run_and_saves_its_cash_otherwise():
    """A seat alone in the Auction Hall pays its least Cash; it goes there for its run's letter."""
    went = {}
    for letter in ("A4", "F5"):
        referee = table(load(), 3, {0: "A1 A2 A3 C1"}, {12: letter, 32: "D8"})
        due = expected(referee.state)
        chosen = [BOTS["normal"](referee.view(0), due, random.Random(i)) for i in range(300)]
        went[letter] = sum(chosen) / 300
    assert went["A4"] > went["F5"]
    referee = table(load(), 3, {0: "A1 A2 A3 C1"}, {12: "A4"})
    referee.until("action", place={0: 1, 1: 0, 2: 0})
    due = expected(referee.state)
    played = [BOTS["normal"](referee.view(0), due, random.Random(i)) for i in range(100)]
    cards = [card for card in played if referee.state.kind(card) == ActionKind.CASH]
    assert max(cards, key=cards.count) == min(set(cards), key=referee.state.edition.number)


class Curious(Exception):
    """A bot has looked at what its seat may not know."""


OWN = {
    "state",
    "seat",
    "private",
    "cards",
    "mine",
    "held",
    "hidden",
    "piece",
    "legal",
    "check",
    "_card",
}
"""What a view offers: the open state, and its seat's own cards."""


@dataclass(frozen=True)
class Guarded(View):
    """A view that raises on anything it does not offer."""

    def __getattribute__(self, name):
        if name not in OWN and not name.startswith("__"):
            raise Curious(name)
        return object.__getattribute__(self, name)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_plays_whole_games_through_a_view_that_raises_on_anything_else(bot):
    def guarded(seen, due, rng):
        dealt = range(4 * seen.seat, 4 * seen.seat + 4)
        assert all(slot in dealt and seen.state.known[slot] is None for slot, _ in seen.private)
        return BOTS[bot](Guarded(seen.state, seen.seat, seen.private), due, rng)

    assert Referee.seat(load(), 4, 11, None, [guarded] * 4).play().standings


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
