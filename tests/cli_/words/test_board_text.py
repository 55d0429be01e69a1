"""Tests of the table on one screen: one board word for word, its size, and what it may not show."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cli_stage import NICKNAMES, referee
from support.sampling import times

from cli import printing
from cli.words import board_text
from cli.words.card_names import Names
from p2p_hoity.rules import ActionKind, View, view

GOLDEN = Path(__file__).with_name("board.txt")
SCREEN = 24


def at_step(
    steps: int, seats: int = 3, seat: int | None = 1, names: tuple[str, ...] = NICKNAMES
) -> tuple[View, Names]:
    driver = referee(seats, seed=7)
    driver.step(steps)
    private = driver.private(seat) if seat is not None else {}
    return view(driver.state, seat, private), Names(driver.state.edition, names[:seats], seat)


def test_the_board_word_for_word() -> None:
    assert "\n".join(board_text.board(*at_step(60))) + "\n" == GOLDEN.read_text(encoding="utf-8")
    assert board_text.board(*at_step(0)) == ["The cards are not dealt yet."]


@settings(max_examples=times(10, 25))
@given(st.integers(1, 150), st.integers(3, 6), st.sampled_from([None, 0, 2]))
def test_the_board_fits_one_screen(steps: int, seats: int, seat: int | None) -> None:
    long = tuple(f"{name} of the long names" for name in NICKNAMES)
    lines = board_text.board(*at_step(steps, seats, seat, long))
    printed = [part for line in lines for part in printing.wrapped(line, board_text.WIDTH)]
    assert len(printed) < SCREEN
    assert max(map(len, printed)) <= board_text.WIDTH


@pytest.mark.parametrize("steps", [1, 25, 60])
def test_an_onlooker_sees_no_hidden_collectible(steps: int) -> None:
    seen, names = at_step(steps, seat=None)
    text = "\n".join((*board_text.board(seen, names), *board_text.pieces(seen, names)))
    hidden = set(range(len(seen.state.known))) - set(seen.state.known)
    for card in random.Random(steps).sample(sorted(hidden), 10):
        assert names.collectible(card) not in text
    assert "*" not in text
    assert board_text.own(seen, names) == []


def test_ones_own_secret_is_marked_and_the_others_are_counted() -> None:
    seen, names = at_step(1)
    mine, *others = board_text.collectibles(seen, names)[1:4]
    assert mine.count("*") == 4
    assert not any("*" in row for row in others)
    assert all(" 4 " in row for row in others)


def test_every_cash_and_thief_is_on_the_board_once_and_stolen_cash_among_the_cash() -> None:
    seen, names = at_step(60)
    names.look(seen)
    state = seen.state
    seats, hands = board_text.seats(seen, names)[1:], board_text.hands(seen, names)[1:]
    for seat, line, hand in zip((1, 0, 2), seats, hands, strict=True):
        held = [state.action_card(card) for card in state.hands[seat]]
        for kind in (ActionKind.CASH, ActionKind.THIEF):
            numbers = sorted(card.number or 0 for card in held if card.kind == kind)
            assert "  " + " ".join(map(str, numbers)) + " " in line
        cards = hand.partition(": ")[2].split(", ")
        kinds = [card.split()[0] for card in cards]
        assert kinds == sorted(kinds, key=["Cash", "Thief", "Detective", "Exhibit"].index)
        cash = [card for card in cards if card.startswith("Cash")]
        foreign = [card for card in held if card.colour != names.colours[seat]]
        assert sum("(" in card for card in cash) == len(foreign)
    assert "(purple)" in "\n".join(hands)


def test_names_that_are_cut_to_the_same_stay_apart_and_an_absent_seat_is_named() -> None:
    long = ("Maximilian the First", "Maximilian the Second", "Ana")
    lines = board_text.seats(*at_step(5, names=long, seat=2))
    names = [line.split("  ")[0] for line in lines[1:]]
    assert len(set(names)) == 3
    driver = referee(3)
    driver.step(10)
    driver.away(2)
    lines = board_text.board(view(driver.state, 0), Names(driver.state.edition, NICKNAMES))
    assert any(line.startswith("Cleo") and line.endswith("absent") for line in lines)


def test_collectibles_are_looked_up_by_letter_and_year() -> None:
    for word, found in (("b1468", 1), ("1468", 1), ("B", 9), ("q", 0), ("B0", 0)):
        lines = board_text.named(at_step(1)[1], word)
        assert sum("“" in line for line in lines) == found, word
        assert found or "No Collectible" in lines[0]
