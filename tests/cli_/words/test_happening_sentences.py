"""Tests of the storyteller: every happening has a sentence in every language."""

import pytest
from support.cases import each
from support.cli_stage import NICKNAMES, referee

from cli.words import happening_sentences, translation
from cli.words.card_names import Names, run_letters
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
