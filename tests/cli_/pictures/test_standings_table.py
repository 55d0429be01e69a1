"""The standings of a picture: every seat with its field, its last exhibit and its absences."""

from dataclasses import replace

from support.cases import each
from support.cli_stage import NICKNAMES
from support.pictured import before, drawn, facts_of, played, texts

from cli.pictures.standings_table import A_LINE
from cli.pictures.svg_drawing import SVG
from p2p_hoity.rules import Piece
from p2p_hoity.rules.happenings import FinalExhibit


@each([2, 4, 6])
def test_each_seat_has_its_field_and_all_pieces_of_its_last_exhibit(seats: int) -> None:
    facts = facts_of(played(seats))
    found = texts(drawn(facts))
    assert set(NICKNAMES[:seats]) <= set(found)
    for item in facts.record:
        if isinstance(item, FinalExhibit):
            assert {str(piece.year) for piece in item.pieces} <= set(found)
    gains = [f"{one.fields[-1]} + {one.end - one.fields[-1]}" for one in facts.paths]
    assert sum(gain in found for gain in gains if not gain.endswith("+ 0")) >= 1


def test_a_long_exhibit_takes_more_lines() -> None:
    facts = facts_of(played(3))
    long = FinalExhibit(0, tuple(Piece(n, n, "A", 1500 + n) for n in range(3 * A_LINE)), 1)
    record = tuple(one for one in facts.record if not isinstance(one, FinalExhibit))
    low = drawn(replace(facts, record=record))
    high = drawn(replace(facts, record=(*record, long)))
    assert float(high.get("height", 0)) > float(low.get("height", 0)) + 80
    assert texts(low).count("no exhibit") == 3
    right = max(float(one.get("x", 0)) for one in high.iter(f"{{{SVG}}}rect") if one.get("rx"))
    assert right < 1200


def test_who_was_absent_or_banned_is_told_beside_the_colour() -> None:
    driver = before(4, 4)
    driver.away(2)
    while driver.state.round < 6:
        driver.step()
    driver.away(2, banned=frozenset({3}))
    driver.step()
    found = " ".join(texts(drawn(facts_of(driver))))
    assert ", absent in 2 rounds" in found
    assert ", banned" in found


def test_a_long_nickname_is_cut_and_is_its_title() -> None:
    names = ("W" * 24, "B", "C")
    picture = drawn(facts_of(played(3), names))
    titles = [one.text for one in picture.iter(f"{{{SVG}}}title")]
    assert titles.count("W" * 24) == 2
    assert "W" * 24 not in texts(picture)
