"""Tests of the storyteller: every happening has a sentence in every language."""

import pytest
from support.cli_stage import NICKNAMES, referee

from cli.words import happening_sentences, translation
from cli.words.card_names import Names, run_letters
from p2p_hoity.editions import load
from p2p_hoity.rules import ActionCard, ActionKind, Happening, Piece, Place, news

PIECE, HIDDEN = Piece(0, 0, "A", 1586), Piece(1, None, None, None)
THIEF = ActionCard(12, ActionKind.THIEF, 2, "red")
CASH = ActionCard(8, ActionKind.CASH, 18, "red")
EACH: list[Happening] = [
    news.Setup(
        "e", "surprise", "staged", False, "after", ("red", "blue"), ((CASH,), (THIEF,)),
        ((0,), (1,)), ((PIECE, HIDDEN), ()), ((2, 1),), 13, 2,
    ),
    news.PresenceChanged((0,), (1,), (0,)),
    news.RoundBegan(3, (0,), (1,), Place.CASTLE),
    news.PlaceShown(0, Place.AUCTION_HALL),
    news.ActionShown(0, Place.CASTLE, THIEF),
    news.SatOut(0, "void choice"),
    news.Passed(0, Place.CASTLE, "no sealed choice"),
    news.Voided(0, "exhibit"),
    news.DefaultTaken(0, "window", 1, "no choice of its own"),
    news.Sale(0, CASH, 1, PIECE),
    news.NoSale(3),
    news.CashStolen(1, THIEF, 0, CASH),
    news.CashPaid(0, CASH),
    news.Returned(0, THIEF, "it leaves the last prison cell"),
    news.TurnedUp(0, PIECE),
    news.ExhibitShown(0, (PIECE, PIECE, PIECE), 1),
    news.NothingShown(0, "no exhibit open to all"),
    news.FigureMoved(0, 0, 1, 1, "Detective"),
    news.Stolen(1, THIEF, 0, PIECE),
    news.DetectiveRanked(0, 2),
    news.Imprisoned(1, THIEF, (THIEF,)),
    news.RoundEnded(3, (1, 0)),
    news.BanquetReached((0,)),
    news.GameStopped(800),
    news.HandOpened(0, (PIECE, HIDDEN)),
    news.FinalExhibit(0, (PIECE, PIECE, PIECE), 1),
    news.FaultFound(0, 2, "Exhibit needs a valid exhibit"),
    news.StandingMade(1, 0, 47, ()),
]  # fmt: skip


def names(mine: int | None = None) -> Names:
    return Names(load(), NICKNAMES, mine)


@pytest.mark.parametrize("happening", EACH, ids=lambda one: type(one).__name__)
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
    own = happening_sentences.tell(told, news.ActionShown(0, Place.AUCTION_HALL, CASH))
    other = happening_sentences.tell(told, news.ActionShown(1, Place.AUCTION_HALL, CASH))
    assert own == "In the Auction Hall Ana (red) plays Cash 18."
    assert other == "In the Auction Hall Bob (blue) plays Cash 18 (red)."


def test_cards_that_go_home_as_always_are_left_out_and_twins_told_apart() -> None:
    home = news.Returned(0, CASH, "the sale is over")
    free = news.Returned(0, THIEF, "it leaves the last prison cell")
    classes = {one for one in vars(news).values() if isinstance(one, type)}
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
    assert reasons <= happening_sentences.WHY
    assert happening_sentences.story(names(), driver.record)
