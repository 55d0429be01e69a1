"""Tests of the table in words: one board word for word, and what it may not show."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from support.cli_stage import NICKNAMES, referee

from cli.words import board
from cli.words.cards import Names
from p2p_hoity.rules import View, view

GOLDEN = Path(__file__).with_name("board.txt")


def at_step(steps: int, seats: int = 3, seat: int | None = 1) -> tuple[View, Names]:
    driver = referee(seats, seed=7)
    for _ in range(steps):
        driver.step()
    private = driver.private(seat) if seat is not None else {}
    names = Names(driver.state.edition, NICKNAMES[:seats], seat)
    return view(driver.state, seat, private), names


def test_the_board_word_for_word() -> None:
    assert "\n".join(board.board(*at_step(60))) + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_before_the_deal_there_is_no_board() -> None:
    assert board.board(*at_step(0)) == ["The cards are not dealt yet."]


@pytest.mark.parametrize("steps", [1, 25, 60])
def test_an_onlooker_sees_no_hidden_collectible(steps: int) -> None:
    seen, names = at_step(steps, seat=None)
    text = "\n".join(board.board(seen, names))
    hidden = set(range(len(seen.state.known))) - set(seen.state.known)
    for card in random.Random(steps).sample(sorted(hidden), 10):
        assert names.collectible(card) not in text
    assert "[secret]" not in text


def test_ones_own_secret_is_marked_and_the_others_are_counted() -> None:
    text = "\n".join(board.board(*at_step(1)))
    assert text.count("[secret]") == 4
    assert text.count("4 unknown") == 2


def test_every_action_card_is_on_the_board_once() -> None:
    seen, names = at_step(60)
    text = "\n".join(board.board(seen, names))
    for number in (n for c in seen.state.colours for n in seen.state.edition.colours[c].cash):
        assert text.count(f"Cash {number},000") == 1


def test_an_absent_seat_is_named() -> None:
    driver = referee(3)
    for _ in range(10):
        driver.step()
    driver.away(2)
    lines = board.board(view(driver.state, 0), Names(driver.state.edition, NICKNAMES))
    assert any(line.startswith("Absent: Cleo") for line in lines)
