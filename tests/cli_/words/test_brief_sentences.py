"""Tests of what happened in few lines: nothing that matters is left out; the octagon is right."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli_stage import NICKNAMES
from support.rules_driver import Referee
from support.sampling import times

from cli.words import happening_sentences
from cli.words.card_names import Names, code
from cli.words.happening_sentences import brief_story
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import Happening, Place, happenings


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
    names = names_of(game)
    quiet = [
        i
        for i in game.record
        if isinstance(i, (*happening_sentences.UNSAID, happenings.RoundEnded))
    ]
    assert quiet
    assert [line for item in quiet for line in brief_story(names, [item])] == []
