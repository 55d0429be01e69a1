"""What players are told of the rules is what is played: each sentence has a check by play.

The sentences are those of the screen of rules in each edition, of the lesson and of the README.
"""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from support.cases import each, fails
from support.paths import ROOT
from support.rules_driver import Referee, of, piece, plays, table

from cli.local.lesson_screen import EXPLANATIONS, FAREWELL
from cli.words import rules_text
from p2p_hoity import rules
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.rules import ActionKind, Edition, IllegalMove, happenings
from p2p_hoity.rules.choices import Place, Why
from p2p_hoity.rules.exhibits import is_exhibit, strength
from p2p_hoity.rules.happenings import Piece
from protocol import game_interface

UBER, MANUAL = map(load, NAMES)
HALL, CASTLE = 1, 0
A, B, C = "A1 A2 A3 A4", "B1 B2 B3 B4", "C1 C2 C3 C4"
NO_RUN = "A5 B5 D5 E5"
Happened = tuple[rules.Happening, ...]


def begun(
    edition: Edition, seats: int, hands: str = "", figures: tuple[int, ...] = (), **more: object
) -> Referee:
    """A table with the hands of its first seats, set apart by bars, and figures on these fields."""
    held = {seat: hand for seat, hand in enumerate(hands.split("|")) if hand}
    referee = table(edition, seats, held)
    referee.state = referee.state.but(figures=figures or referee.state.figures, **more)
    return referee


def acting(referee: Referee, *words: str, hall: tuple[int, ...] = ()) -> Happened:
    """One round: what each of the first seats plays, and who is in the Auction Hall."""
    actions = plays(referee.state, **{f"s{seat}": one for seat, one in enumerate(words) if one})
    return referee.round(place=dict.fromkeys(hall, HALL), action=actions)


def moved(happened: Happened) -> dict[int, int]:
    return {one.seat: one.fields for one in of(happened, happenings.FigureMoved)}


# The game.


def the_furthest_wins(edition: Edition) -> None:
    first = len(edition.octagons)
    referee = begun(edition, 3, f"{NO_RUN}|{B}|{C}", (first - 1, first - 5, 0))
    acting(referee, "Detective", "Thief", "Detective")
    assert edition.in_banquet(referee.state.figures[0])
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)
    referee.step()
    assert referee.state.standings[0].seat == 1


def the_end(edition: Edition) -> None:
    first = len(edition.octagons)
    referee = begun(edition, 3, A, (first - 1, 0, 0))
    happened = acting(referee, "Exhibit", "Thief", "Detective")
    assert set(moved(happened)) == {0, 2}  # the Detective still moves
    assert of(happened, happenings.BanquetReached)
    assert isinstance(rules.expected(referee.state), game_interface.OpenAll)
    happened = referee.step().news
    assert all(
        it.card is not None for one in of(happened, happenings.HandOpened) for it in one.pieces
    )
    ranked = sorted(of(happened, happenings.FinalExhibit), key=lambda one: one.placing)
    first_two = {one.seat: fields for one, fields in zip(ranked, (8, 4), strict=False)}
    assert moved(happened) == first_two


def the_last_field(edition: Edition) -> None:
    last = edition.last_field
    referee = begun(edition, 3, f"{A}|{B}|{C}", (last - 1, last, 0))
    acting(referee, "Detective", "Thief", "Thief")
    referee.step()
    assert sorted(referee.state.figures)[1:] == [last, last]


def ties_at_the_end(edition: Edition) -> None:
    first = len(edition.octagons)
    referee = begun(edition, 3, f"{A}|{B}|{C}")
    strengths = [strength(edition, referee.deck[4 * seat : 4 * seat + 4]) for seat in range(3)]
    order = sorted(range(3), key=lambda seat: strengths[seat])
    level = tuple(first + 4 * order.index(seat) for seat in range(3))
    nothing = begun(edition, 3, f"{NO_RUN}|A6 B6 D6 E6|{C}", (first, first, 0))
    referee.state = referee.state.but(figures=level)
    for one, ranks in ((referee, [1, 2, 3]), (nothing, [1, 1, 3])):
        acting(one, "Detective", "Detective", "Detective")
        standings = one.step().standings
        assert [line.rank for line in standings] == ranks
        assert standings[0].field == standings[1].field
    assert [line.seat for line in referee.state.standings] == order


def what_is_public(edition: Edition) -> None:
    referee = begun(edition, 3, f"{A}|{B}|{C}")
    state = referee.state
    assert [len(held) for held in state.collectibles] == [4, 4, 4]
    assert not any(state.known[slot] for held in state.collectibles for slot in held)
    assert rules.view(state, 0, {}).state.hands == state.hands
    kinds = [state.kind(card) for card in state.hands[0]]
    assert [kinds.count(kind) for kind in ActionKind] == [4, 2, 1, 1]
    happened = acting(referee, "Exhibit", "Thief", "Cash", hall=(2,))
    (bought,), (stolen,) = of(happened, happenings.Sale), of(happened, happenings.Stolen)
    (shown,) = of(happened, happenings.ExhibitShown)
    for slot in (bought.took.slot, stolen.piece.slot, *(one.slot for one in shown.pieces)):
        assert referee.state.known[slot] is not None


# Where, and when one chooses.


def places(edition: Edition) -> None:
    referee = begun(edition, 3)
    assert rules.expected(referee.state) == rules.Seal("place", frozenset({0, 1, 2}))
    assert referee.step().places == (None, None, None)
    shown = of(referee.step().news, happenings.PlaceShown)
    assert [one.seat for one in shown] == [0, 1, 2]


def empty_windows(edition: Edition) -> None:
    referee = begun(edition, 3)
    referee.state = referee.state.but(windows=((), ()))
    for _ in range(2):
        acting(referee)
        assert referee.state.places == (CASTLE,) * 3
        assert rules.expected(referee.state).kind == "action"


def when_actions_are_chosen(edition: Edition) -> None:
    referee = begun(edition, 3)
    is_staged = edition.switches.action_choice == "staged"
    due = referee.until("action", place={0: HALL})
    assert due.seats == ({0} if is_staged else {0, 1, 2})
    happened = acting(referee, "Cash", hall=(0,))
    order = [one for one in happened if isinstance(one, happenings.Sale | happenings.ActionShown)]
    (sale,) = of(order, happenings.Sale)
    assert {one.seat for one in order[order.index(sale) + 1 :]} == {1, 2}


def two_seats(edition: Edition) -> None:
    first = {}
    for variant in ("surprise", "confrontation"):
        referee = table(edition, 2, variant=variant)
        first[variant] = rules.expected(referee.state).kind
        places = []
        for _ in range(4):
            places.append(referee.state.places)
            referee.round()
        if variant == "confrontation":
            assert places == [(HALL, HALL), (CASTLE, CASTLE)] * 2
    assert first == {"surprise": "turn", "confrontation": "action"}
    fails(ValueError, "", rules.start, edition, 2)


# The Auction Hall.


def the_sale(edition: Edition) -> None:
    for window in (0, 1):
        referee = begun(edition, 3)
        sold, following = referee.state.windows[window][:2]
        happened = referee.round(
            place={0: HALL, 1: HALL},
            action=plays(referee.state, s0="Cash:3", s1="Cash:3"),
            window={1: window},
        )
        (sale,) = of(happened, happenings.Sale)
        assert (sale.seat, sale.took.slot) == (1, sold)
        assert [one.piece.slot for one in of(happened, happenings.TurnedUp)] == [following]
        assert [one.card.number for one in of(happened, happenings.Returned)][:1] == [19]
        assert referee.state.register == (sale.paid.id,)
        acting(referee, "", "", "Cash", hall=(2,))
        assert referee.state.register[0] == sale.paid.id  # for ever


def a_lone_thief(edition: Edition) -> None:
    for thieves in range(3):
        referee = begun(edition, 4)
        happened = acting(referee, "Cash", *(["Thief"] * thieves), hall=tuple(range(thieves + 1)))
        assert len(of(happened, happenings.CashStolen)) == (thieves == 1)
        assert len(referee.state.register) == (thieves != 1)
        assert [len(hand) for hand in referee.state.hands[:2]] == [7, 9 if thieves == 1 else 8]


def who_belongs_in_the_hall(edition: Edition) -> None:
    referee = begun(edition, 3)
    referee.until("action", place={0: HALL, 1: HALL})
    kinds = {referee.state.kind(card) for card in referee.legal("action", 0)}
    belongs = {ActionKind.CASH, ActionKind.THIEF}
    if edition.switches.detective_in_hall:
        belongs |= {ActionKind.DETECTIVE}
        before = referee.state
        acting(referee, "Detective", "Thief", hall=(0, 1))
        assert referee.state.figures == before.figures
        assert referee.state.hands == before.hands
        assert not any(referee.state.prison)
    assert kinds == belongs


# The Castle.


def the_order_in_the_castle(edition: Edition) -> None:
    referee = begun(edition, 3, A)
    referee.until("action")
    assert {referee.state.kind(card) for card in referee.legal("action", 0)} == {
        ActionKind.EXHIBIT,
        ActionKind.THIEF,
        ActionKind.DETECTIVE,
    }
    happened = acting(referee, "Exhibit", "Thief", "Detective")
    kinds = (
        happenings.ExhibitShown,
        happenings.Stolen,
        happenings.DetectiveRanked,
        happenings.Imprisoned,
    )
    at = [happened.index(one) for kind in kinds for one in of(happened, kind)]
    assert len(at) == 4
    assert at == sorted(at)


def what_an_exhibit_is(edition: Edition) -> None:
    for letters in ("AAA", "AABBC", "CDEE", "AABC", "AB", "BCE", "ABF"):
        names = [f"{one}{letters[: n + 1].count(one)}" for n, one in enumerate(letters)]
        is_one = letters not in ("AB", "BCE", "ABF")
        assert is_exhibit(edition, [piece(edition, name) for name in names]) == is_one


def which_exhibit_is_better(edition: Edition) -> None:
    order = ["A5 A6 A7 A8", "A1 A2 A3", "B1 B2 B4", "C1 C2 C5"]
    if edition is MANUAL:  # its ages are numbers, of which all letters have the same
        order = ["A5 A6 A7 A8", "A1 B2 C3", "B1 C2 D3", "B1 C2 D4", "D1 E3 F4", "A2 A3 A4"]
    keys = [strength(edition, [piece(edition, one) for one in names.split()]) for names in order]
    if edition is UBER:
        keys[1:] = sorted(keys[1:])
        oldest = [ages[0] for _, ages, _ in keys[1:]]
        assert oldest == sorted(set(oldest))
    assert all(better < worse for better, worse in pairwise(keys))


def the_octagon(edition: Edition) -> None:
    larger, smaller = edition.octagons[9]
    referee = begun(edition, 4, f"{A}|{B}|{C}", (0, 8, 7, 9))
    happened = acting(referee, "Exhibit", "Exhibit", "Exhibit")
    placing = {one.placing: one.seat for one in of(happened, happenings.ExhibitShown)}
    assert moved(happened) == {placing[1]: larger, placing[2]: smaller}
    assert edition.octagons[9] != edition.octagons[8 + larger]


def theft(edition: Edition) -> None:
    referee = begun(edition, 4, f"{A}|{B}")
    words = plays(referee.state, s0="Exhibit", s1="Exhibit", s2="Thief", s3="Thief:1")
    due = referee.until("theft", action=words)
    assert due.seat == 3  # Thief 9 before Thief 3
    for choice in ((), referee.state.exhibits[0][:1]):
        fails(IllegalMove, "", rules.check, referee.state, "theft", 3, choice)
    assert len(referee.legal("theft", 3)) == 4 * 4
    happened = referee.step().news + referee.step().news
    stolen = of(happened, happenings.Stolen)
    assert [one.seat for one in stolen] == [3, 3, 2, 2]
    assert [len(referee.state.collectibles[seat]) for seat in range(4)] == [2, 2, 6, 6]


def detectives(edition: Edition) -> None:
    referee = begun(edition, 4, A, (0, 5, 5, 1))
    happened = acting(referee, "Exhibit", "Thief:1", "Thief", "Detective")
    jailed = [one.thief.number for one in of(happened, happenings.Imprisoned)]
    assert jailed == sorted(jailed)
    assert len(jailed) == 2
    assert [len(held) for held in referee.state.collectibles] == [2, 5, 5, 4]
    assert moved(happened)[3] == 3 + (edition.switches.detective_rank == "after")
    assert not moved(acting(begun(edition, 3), "Detective", "Detective", "Detective"))


def shared_ranks(edition: Edition) -> None:
    assert begun(edition, 5).state.ranks((9, 7, 7, 7, 3)) == (1, 2, 2, 2, 5)
    referee = begun(edition, 5, "", (9, 7, 7, 7, 3))
    happened = acting(referee, "Thief", *["Detective"] * 4)
    assert moved(happened) == {1: 2, 2: 2, 3: 2, 4: 5}


def when_ranks_are_taken(edition: Edition) -> None:
    referee = begun(edition, 3, A, (3, 4, 9))
    larger = edition.octagons[9][0]
    assert 3 + larger > 4
    happened = acting(referee, "Exhibit", "Detective", "Thief")
    is_late = edition.switches.detective_rank == "after"
    assert moved(happened) == {0: larger, 1: 3 if is_late else 2}


def the_prison(edition: Edition) -> None:
    referee = begun(edition, 3)
    entered, freed = [], []
    for _ in range(2):
        happened = acting(referee, "Detective", "Thief", "Thief")
        entered += [one.thief.id for one in of(happened, happenings.Imprisoned)]
        freed += [one.card.id for one in of(happened, happenings.Returned) if "prison" in one.why]
        assert referee.state.prison == tuple(reversed(entered))[:3]
    assert len(entered) == 4
    assert freed == entered[:1]
    assert freed[0] in referee.state.hands[referee.state.owner(freed[0])]


def absence(edition: Edition) -> None:
    referee = begun(edition, 3, A)
    before = referee.state
    referee.away(2)
    happened = acting(referee)
    assert [one.seat for one in of(happened, happenings.SatOut)] == [2]
    state = referee.state
    assert (state.hands[2], state.figures[2]) == (before.hands[2], before.figures[2])
    assert state.collectibles[2] == before.collectibles[2]
    referee.away()
    acting(referee)
    assert rules.expected(referee.state).seats == {0, 1, 2}
    referee.until("window", place={0: HALL}, action=plays(referee.state, s0="Cash"))
    referee.away(0)
    assert of(referee.record, happenings.DefaultTaken)


# The sentences.


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!]) (?=[A-Z])", text)


def of_the_readme() -> list[str]:
    """The sentences of its numbered rules."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## The rules")[2].partition("\n## ")[0]
    items = re.findall(r"^\d\. (.*(?:\n   .*)*)", section, re.MULTILINE)
    return [one for item in items for one in sentences(" ".join(item.split()))]


def by_check() -> dict[str, list[str]]:
    """What told.txt has: below the name of each check the sentences that it is of."""
    blocks = (Path(__file__).parent / "told.txt").read_text(encoding="utf-8").split("\n\n")
    return {name: told for name, *told in map(str.splitlines, blocks)}


def test_each_sentence_that_players_are_told_has_its_check() -> None:
    paragraphs = [one for edition in (UBER, MANUAL) for one in rules_text.paragraphs(edition)]
    paragraphs += [*EXPLANATIONS.values(), FAREWELL]
    told = {one for text in paragraphs for one in sentences(text)} | set(of_the_readme())
    listed = [one for those in by_check().values() for one in those]
    assert len(of_the_readme()) > 9
    assert sorted(listed) == sorted(told)


@each([name for name in by_check() if name != "nothing to play"])
def test_what_is_told_is_what_is_played(name: str) -> None:
    check: Callable[[Edition], None] = globals()[name.replace(" ", "_")]
    for edition in (UBER, MANUAL):
        check(edition)


def test_an_event_is_told_as_json_by_its_kind_and_its_fields() -> None:
    shown = happenings.PlaceShown(1, Place.AUCTION_HALL)
    assert shown.as_json() == {"type": "place-shown", "seat": 1, "place": Place.AUCTION_HALL.words}
    piece = Piece(4, None, None, None)
    plain = happenings.plain
    assert plain((Why.BEST, [piece])) == [
        "best exhibit",
        [{"slot": 4, "card": None, "letter": None, "year": None}],
    ]
    assert plain(frozenset({3, 1, 2})) == [1, 2, 3]
    assert plain("words") == "words"
    assert plain(None) is None
