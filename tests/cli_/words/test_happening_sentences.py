"""Every happening has a sentence in every language, and the brief story leaves nothing out."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each
from support.cli_stage import NICKNAMES, referee
from support.rules_driver import Referee
from support.sampling import times

from cli.words import happening_sentences, translation
from cli.words.card_names import Names, code, run_letters
from cli.words.edition_text import VARIANTS
from cli.words.happening_sentences import brief_story
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import ActionCard, ActionKind, Happening, Piece, Place, Why, happenings

PIECE, HIDDEN = Piece(0, 0, "A", 1586), Piece(1, None, None, None)
THIEF = ActionCard(12, ActionKind.THIEF, 2, "red")
CASH = ActionCard(8, ActionKind.CASH, 18, "red")
EACH: list[Happening] = [
    happenings.Setup(
        "e", "surprise", "staged", False, "after", ("red", "blue"), ((CASH,), (THIEF,)),
        ((0,), (1,)), ((PIECE, HIDDEN), ()), ((2, 1),), 13, 2,
    ),
    happenings.PresenceChanged((0,), (1,), (0,)),
    happenings.RoundBegan(3, (0,), (1,), Place.CASTLE),
    happenings.PlaceShown(0, Place.AUCTION_HALL),
    happenings.ActionShown(0, Place.CASTLE, THIEF),
    happenings.SatOut(0, "void choice"),
    happenings.Passed(0, Place.CASTLE, "no sealed choice"),
    happenings.Voided(0, "exhibit"),
    happenings.DefaultTaken(0, "window", 1, "no choice of its own"),
    happenings.Sale(0, CASH, 1, PIECE),
    happenings.NoSale(3),
    happenings.CashStolen(1, THIEF, 0, CASH),
    happenings.CashPaid(0, CASH),
    happenings.Returned(0, THIEF, "it leaves the last prison cell"),
    happenings.TurnedUp(0, PIECE),
    happenings.ExhibitShown(0, (PIECE, PIECE, PIECE), 1),
    happenings.NothingShown(0, "no exhibit open to all"),
    happenings.FigureMoved(0, 0, 1, 1, "Detective"),
    happenings.Stolen(1, THIEF, 0, PIECE),
    happenings.DetectiveRanked(0, 2),
    happenings.Imprisoned(1, THIEF, (THIEF,)),
    happenings.RoundEnded(3, (1, 0)),
    happenings.BanquetReached((0,)),
    happenings.GameStopped(800),
    happenings.HandOpened(0, (PIECE, HIDDEN)),
    happenings.FinalExhibit(0, (PIECE, PIECE, PIECE), 1),
    happenings.FaultFound(0, 2, "Exhibit needs a valid exhibit"),
    happenings.StandingMade(1, 0, 47, ()),
]  # fmt: skip


def names(mine: int | None = None) -> Names:
    return Names(load(), NICKNAMES, mine)


@each(EACH, lambda one: type(one).__name__)
def test_every_happening_is_told_in_every_language(happening: Happening) -> None:
    told = set()
    for language in translation.LANGUAGES:
        translation.speak(language)
        text = happening_sentences.tell(names(), happening)
        assert text
        assert "{" not in text
        told.add(text)
    assert len(told) == len(translation.LANGUAGES)


def test_who_is_meant_is_named_with_colour_and_a_stolen_card_keeps_its_own() -> None:
    told = names(mine=1)
    told.colours = ("red", "blue")
    assert told.seat(0) == "Ana (red)"
    assert told.seat(1) == "Bob (blue, you)"
    assert told.seat(5) == "Fay"
    told = names()
    told.colours = ("red", "blue")
    own = happening_sentences.tell(told, happenings.ActionShown(0, Place.AUCTION_HALL, CASH))
    other = happening_sentences.tell(told, happenings.ActionShown(1, Place.AUCTION_HALL, CASH))
    assert own == "In the Auction Hall Ana (red) plays Cash 18."
    assert other == "In the Auction Hall Bob (blue) plays Cash 18 (red)."


def test_cards_that_go_home_as_always_are_left_out_and_twins_told_apart() -> None:
    home = happenings.Returned(0, CASH, "the sale is over")
    free = happenings.Returned(0, THIEF, "it leaves the last prison cell")
    classes = {one for one in vars(happenings).values() if isinstance(one, type)}
    kinds = {one for one in classes if issubclass(one, Happening)} - {Happening}
    assert set(happening_sentences.TELLERS) == kinds == {type(one) for one in EACH}
    assert happening_sentences.story(names(), [home, free]) == [
        happening_sentences.tell(names(), free)
    ]
    assert Names(load(), ("Ada", "Bob")).seat(0) == "Ada"
    twins = Names(load(), ("Ada", "Bob", "Аdа"), 0)
    assert twins.seats([0, 2]) == "Ada [seat 1] (you), Аdа [seat 3]"
    assert run_letters(["C", "A", None, "B"]) == "?ABC"


@pytest.mark.parametrize("seats", [3, 5])
def test_whole_games_have_no_reason_without_words(seats: int) -> None:
    driver = referee(seats)
    driver.step(40)
    driver.away(0)
    driver.step(40)
    driver.away(banned=frozenset({0}))
    driver.play()
    reasons = {getattr(one, "why", None) for one in driver.record} - {None, "Detective"}
    assert reasons <= set(Why)
    assert happening_sentences.story(names(), driver.record)


def played(seats: int, seed: int, variant: Any = None) -> Referee:
    game = Referee.seat(load(), seats, seed, variant)
    game.play()
    return game


def names_of(game: Referee, mine: int | None = None) -> Names:
    return Names(game.state.edition, NICKNAMES[: game.state.seats], mine)


@settings(max_examples=times(8, 10))
@given(st.integers(3, 6), st.integers(0, 99))
def test_every_piece_and_every_move_is_told(seats: int, seed: int) -> None:
    game = played(seats, seed)
    names = names_of(game)
    for item in game.record:
        text = "\n".join(brief_story(names, [item]))
        match item:
            case happenings.Sale():
                assert code(item.took) in text
                assert str(item.paid.number) in text
            case happenings.Stolen() | happenings.TurnedUp():
                assert code(item.piece) in text
            case happenings.FigureMoved():
                assert f"{NICKNAMES[item.seat]} +{item.fields}" in text
            case happenings.PlaceShown() | happenings.ActionShown() | happenings.Imprisoned():
                assert NICKNAMES[item.seat] in text


@settings(max_examples=times(8, 10))
@given(st.integers(3, 6), st.integers(0, 99))
def test_what_is_told_together_is_in_the_order_it_happened(seats: int, seed: int) -> None:
    game = played(seats, seed)
    one, each = names_of(game), names_of(game)
    together = brief_story(one, game.record)
    singly = [line for item in game.record for line in brief_story(each, [item])]
    assert len(together) < len(singly)
    rounds = [line.split(" · ")[0] for line in together if re.match(r"Round \d+ ·", line)]
    assert rounds == [f"Round {n}" for n in range(1, len(rounds) + 1)]


def leaders(record: list[Happening]) -> list[tuple[int, happenings.FigureMoved]]:
    """Each move of an exhibit, with the field where the leader stood before anyone moved."""
    figures: tuple[int, ...] = (0,)
    found = []
    for item in record:
        if isinstance(item, happenings.RoundEnded):
            figures = item.figures
        if isinstance(item, happenings.FigureMoved) and item.why in happening_sentences.BY_OCTAGON:
            found.append((max(figures), item))
    return found


@pytest.mark.parametrize("tell", [happening_sentences.story, brief_story])
@pytest.mark.parametrize("seed", range(4))
def test_the_octagon_shown_is_the_one_that_paid(seed: int, tell: Any) -> None:
    game = played(4, seed)
    names, wanted = names_of(game), dict[int, tuple[int, int]]()
    for field, item in leaders(game.record):
        wanted[id(item)] = game.state.edition.octagons[field]
    told = 0
    for item in game.record:
        text = " ".join(tell(names, [item]))
        if id(item) in wanted and isinstance(item, happenings.FigureMoved):
            larger, smaller = wanted[id(item)]
            assert f"octagon {larger}/{smaller}" in text
            assert item.fields == (larger if item.why == "best exhibit" else smaller)
            told += 1
        elif isinstance(item, happenings.FigureMoved):
            assert "octagon" not in text
    assert told > 3


def test_ones_own_seat_is_you_and_nothing_is_said_twice() -> None:
    game = played(3, 1)
    names = names_of(game, 1)
    names.colours = ("red", "blue", "green")
    shown = [happenings.PlaceShown(seat, Place(seat % 2)) for seat in range(3)]
    assert brief_story(names, shown) == ["Castle: Ana, Cleo · Auction Hall: You"]
    cash = ActionCard(0, ActionKind.CASH, 8, "red")
    acts = [happenings.ActionShown(seat, Place(seat % 2), cash) for seat in range(3)]
    both = [item for pair in zip(shown, acts, strict=True) for item in pair]
    told = ["Auction Hall: You Cash 8 · Castle: Ana Cash 8, Cleo Cash 8"]
    assert brief_story(names, both) == told
    together = ["Castle: Ana, Cleo · Auction Hall: You", *told]
    assert brief_story(names, [*shown, *acts]) == together
    assert brief_story(names, [*shown, *reversed(acts)])[0] == together[0]
    names = names_of(game)
    quiet = [
        i
        for i in game.record
        if isinstance(i, (*happening_sentences.UNSAID, happenings.RoundEnded))
    ]
    assert quiet
    assert [line for item in quiet for line in brief_story(names, [item])] == []


@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_the_brief_story_begins_with_the_edition_the_variant_and_both_windows(variant: str) -> None:
    game = Referee.seat(load(), 2, 1, variant)
    while not game.record:
        game.step()
    edition, chosen, windows = brief_story(names_of(game), game.record[:1])
    assert edition.startswith("Edition uberplay-2004. Ana ")
    assert VARIANTS[variant] == chosen
    tops = [window[0] for window in game.state.windows]
    for number, top in enumerate(tops, 1):
        assert f"indow {number}: {code(game.state.piece(top))} of " in windows
