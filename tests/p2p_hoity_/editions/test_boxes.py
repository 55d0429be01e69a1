"""Tests of editions of other boxes: files, bytes and whole games, as two programs read them."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent.encoding import decode
from independent.game import Game
from independent.header import read_edition
from support.boxes import BOXES, box, file_of
from support.rules_driver import Referee
from support.sampling import sample, times

from p2p_hoity.bots import BOTS
from p2p_hoity.editions.load_edition import parse
from p2p_hoity.editions.received_edition import known_edition, read_canonical
from p2p_hoity.rules import Edition
from protocol import game_interface as port

SEEDS = st.integers(0, 10**6)


@settings(max_examples=times(40, 2000))
@given(BOXES, SEEDS)
def test_a_box_is_read_from_its_file_and_from_its_bytes(edition: Edition, seed: int) -> None:
    """The order in which a file names colours and Collectibles makes no difference."""
    data = edition.canonical()
    assert parse(file_of(edition, random.Random(seed)), "box.toml").canonical() == data
    read = known_edition(read_canonical(data))
    assert (read, read.age_word) == (edition, edition.age_word)
    other = read_edition(decode(data))
    assert other.cash == [list(colour.cash) for colour in edition.colours]
    assert other.octagons == list(edition.octagons)
    assert other.last_field == edition.last_field


def seats_of(edition: Edition, rng: random.Random) -> tuple[int, Any]:
    """How many seats sit down, and what two of them play."""
    most = min(len(edition.colours), len(edition.collectibles) // 4)
    seats = rng.randint(2, most)
    return seats, rng.choice(("surprise", "confrontation")) if seats == 2 else None


def tell(game: Game, event: port.Event) -> None:
    """Tell the model what the rules were told."""
    match event:
        case port.Dealt(coin, cards):
            game.dealt(coin, dict(cards))
        case port.Sealed(_, seats):
            game.was_sealed(set(seats))
        case port.Unsealed(_, choices, cards):
            game.was_opened({seat: plain(one) for seat, one in choices.items()}, dict(cards))
        case port.Shown(_, _, choice, cards):
            game.was_shown(plain(choice), dict(cards))
        case port.Chosen(_, _, choice):
            game.was_chosen(plain(choice))
        case port.Drawn(cards):
            game.was_drawn(dict(cards))
        case port.Opened(cards):
            game.all_opened(dict(cards))
        case _:
            pytest.fail(f"nothing tells {event}")


def plain(choice: Any) -> Any:
    return list(choice) if isinstance(choice, tuple) else choice


@settings(max_examples=times(12, 500))
@given(BOXES, SEEDS)
def test_a_game_with_a_box_goes_as_the_model_of_the_specification_says(
    edition: Edition, seed: int
) -> None:
    rng = random.Random(seed)
    seats, variant = seats_of(edition, rng)
    referee = Referee.seat(edition, seats, seed, variant, [BOTS["easy"]] * seats)
    game = Game.begin(read_edition(decode(edition.canonical())), variant or "", seats)
    referee.play()
    for event in referee.log:
        tell(game, event)
    state = referee.state
    assert game.colours == list(state.colours)
    assert game.figures == list(state.figures)
    assert game.standings == [(line.rank, line.seat) for line in state.standings]


WAYS: Mapping[str, list[tuple[int, int, int, str]]] = {
    level: [
        (colours, pieces, seats, level)
        for colours in range(2, 7)
        for pieces in (24, 25, 45, 51, 60, 127, 128)
        for seats in range(2, colours + 1)
        if 4 * seats <= pieces
    ]
    for level in BOTS
}


@pytest.mark.parametrize("level", BOTS)
def test_bots_play_with_any_box_to_the_end(level: str) -> None:
    for colours, pieces, seats, bot in sample(WAYS[level], 4, f"boxes of {level}"):
        variant: Any = "surprise" if seats == 2 else None
        edition = box(colours * pieces, colours, pieces)
        referee = Referee.seat(edition, seats, 7, variant, [BOTS[bot]] * seats)
        assert len(referee.play().standings) == seats
        assert len(set(referee.state.colours)) == seats
        assert max(referee.state.colours) < colours
