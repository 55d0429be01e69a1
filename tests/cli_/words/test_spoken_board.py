"""The board in sentences: all that is on the board in columns, and not a sign."""

import re

import pytest
from support.cli_stage import NICKNAMES, referee

from cli.words import board_text, spoken_board, translation
from cli.words.card_names import Names, grid
from p2p_hoity.rules import View, view


def at_step(steps: int, seats: int = 3, seat: int | None = 1) -> tuple[View, Names]:
    driver = referee(seats, seed=7)
    driver.step(steps)
    private = driver.private(seat) if seat is not None else {}
    return view(driver.state, seat, private), Names(driver.state.edition, NICKNAMES[:seats], seat)


@pytest.mark.parametrize("language", translation.LANGUAGES)
@pytest.mark.parametrize("seat", [None, 0, 2])
def test_every_number_of_the_board_is_said_and_no_sign(seat: int | None, language: str) -> None:
    translation.speak(language)
    for steps in (1, 25, 60, 140):
        seen, names = at_step(steps, seat=seat)
        said = "\n".join(spoken_board.board(seen, names))
        numbers = set(re.findall(r"[A-F]?\d+", said))
        for row in grid(seen).rows:
            for letter, cell in zip("ABCDEF", row.cells, strict=True):
                assert numbers >= {f"{letter}{mark.year}" for mark in cell}
            assert row.best in said
        for line in board_text.hands(seen, names)[1:]:
            assert numbers >= set(re.findall(r"\d+", line))
        assert not set("·→*[]?–") & set(said)
        assert "  " not in said.replace("\n  ", "\n")
    assert len(spoken_board.board(*at_step(0))) == 1


def test_a_seat_is_told_word_for_word() -> None:
    seen, names = at_step(60)
    assert spoken_board.of_seat(seen, names, 1) == [
        "Bob (purple, you): the Club Room, rank 3; in hand Cash 8, Cash 23, Thief 5, Thief 8, "
        "Detective, Exhibit.",
        "  In the Auction Hall.",
        "  open: B1468, D1502, F1909; secret: B1649, B1702, B1926, F1962; best exhibit: BBBB, "
        "oldest 1468.",
    ]
    (own,) = spoken_board.own(seen, names)
    assert own.startswith("Your Collectibles: open: B1468, D1502")
    assert spoken_board.own(*at_step(60, seat=None)) == []


def test_who_is_absent_is_said() -> None:
    seen, names = at_step(25)
    state = seen.state.but(present=frozenset({0, 1}))
    there = view(state, 1, dict(seen.private))
    assert "  Absent." in spoken_board.of_seat(there, names, 2)
    assert "  Absent." not in spoken_board.of_seat(there, names, 0)
