"""How seats are told apart: each by colour, by letter and by the kind of its line."""

from itertools import combinations

from cli.pictures.colours import DASHES, PANEL, seat_looks
from p2p_hoity.editions.load_edition import NAMES, load


def test_six_seats_differ_in_three_ways() -> None:
    for name in NAMES:
        colours = [one.name for one in load(name).colours]
        nicknames = ("Ada", "ada b", "Ada c", "7", "ßen", "__")[: len(colours)]
        looks = seat_looks(nicknames, colours, colours)
        assert len(looks) == len(colours)
        for one, other in combinations(looks, 2):
            assert one.letter != other.letter
            assert one.ink != other.ink
            assert one.dashes != other.dashes
        assert all(len(look.letter) == 1 for look in looks)


def test_colours_of_an_edition_of_its_own_have_a_look() -> None:
    looks = seat_looks(("a", "b"), ("teal", "red"), ("teal", "red"))
    assert looks[0].ink != looks[1].ink
    assert len(set(DASHES)) == len(DASHES)


def light(colour: str) -> float:
    """The relative luminance of a colour (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_each_colour_stands_out_on_the_paper() -> None:
    colours = [one.name for one in load().colours]
    for look in seat_looks(tuple("abcdef"), colours, colours):
        assert (light(PANEL) + 0.05) / (light(look.ink) + 0.05) >= 4.5
