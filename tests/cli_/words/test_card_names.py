"""The names of cards and colours, and the grid: each known Collectible in its cell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.boxes import with_colours
from support.cli_stage import referee, until
from support.moments import begun

from cli.words import happening_sentences, translation
from cli.words.card_names import Names, colour, grid
from cli.words.translation import LANGUAGES
from p2p_hoity import rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules import happenings

SEATS = st.integers(3, 6)


@given(SEATS, st.integers(0, 9), st.sampled_from(["place", "action", "exhibit"]))
def test_each_known_collectible_is_in_its_cell(seats: int, seed: int, kind: rules.Kind) -> None:
    view = until(referee(seats, seed), kind, 0)
    for row in grid(view).rows:
        known = view.held(row.seat)
        marks = {
            mark.slot: (letter, mark.year)
            for letter, cell in zip("ABCDEF", row.cells, strict=True)
            for mark in cell
        }
        pieces = {slot: view.piece(slot) for slot in known}
        assert marks == {slot: (p.letter, p.year) for slot, p in pieces.items()}
        assert row.unknown == len(view.state.collectibles[row.seat]) - len(known)
        assert all(list(c) == sorted(c, key=lambda m: m.year) for c in row.cells)


def test_ones_own_row_is_first_with_its_best_exhibit() -> None:
    view = until(referee(4), "place", 2)
    first, *others = grid(view).rows
    assert first.seat == 2
    assert first.unknown == 0
    assert {m.slot for cell in first.cells for m in cell if m.is_secret} == set(dict(view.private))
    assert not any(m.is_secret for row in others for cell in row.cells for m in cell)
    view = rules.view(until(referee(4), "place", 0).state, None)
    assert all(row.unknown == rules.HAND for row in grid(view).rows)
    assert [top.slot for top in grid(view).tops] == [w[0] for w in view.state.windows]
    view = until(referee(4), "exhibit", 1)
    for row in grid(view).rows:
        best = rules.best_slots(view.state, view.held(row.seat))
        assert row.slots == (best or ())
        assert len(row.best) == len(row.slots)
        years = [view.piece(slot).year for slot in row.slots]
        assert row.oldest == (min(y for y in years if y is not None) if years else None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_known_colour_is_named_in_each_language_and_another_one_as_it_is(language: str) -> None:
    translation.speak(language)
    edition = with_colours(load(), "black", "white", "Türkis", "light blue")
    shown = begun(4, edition=edition).until(happenings.RoundBegan)
    own = {"en": ("black", "white"), "de": ("schwarz", "weiß"), "es": ("negro", "blanco")}
    names = Names(edition, ("Ana", "Bob", "Cleo", "Dan"))
    told = happening_sentences.tell(names, shown.driver.record[0])
    for name in (*own[language], "Türkis", "light blue"):
        assert f"({name}" in told
        assert name in shown.text(120, 40)


def test_oneself_is_you_and_a_seat_has_its_colour_once_it_is_known() -> None:
    names = Names(load(), ("Ana", "Bob", "Cleo"), 1)
    assert names.shorts((0, 1, 2)) == "Ana, You, Cleo"
    assert names.seats((0, 1)) == "Ana, Bob (you)"
    names.look(until(referee(3), "place", 1))
    assert names.seat(0) == f"Ana ({colour(names.colours[0])})"
    assert names.seat(1) == f"Bob ({colour(names.colours[1])}, you)"
    onlooker = Names(load(), ("Ana", "Bob", "Cleo"))
    assert onlooker.shorts((0, 1)) == "Ana, Bob"
