"""The looks of the seats: each colour of an edition has one of its own."""

from support.cases import each

from cli.table_view.seat_looks import MORE_LOOKS, SEATS, looks


@each([("black", "red"), ("Red", "red", "RED"), ("teal", "gold", "grey", "yellow"), ()])
def test_no_two_colours_have_the_same_look(colours: tuple[str, ...]) -> None:
    found = looks(colours)
    assert set(found) == set(colours)
    assert len(set(found.values())) == len(colours)
    assert set(found.values()) <= set(SEATS)


def test_a_known_colour_has_its_own_look_and_any_other_one_that_is_free() -> None:
    found = looks(("black", "Türkis", "red", "white"))
    assert {name: found[name] for name in ("black", "red")} == {"black": "black", "red": "red"}
    assert found["white"] == "white"
    assert found["Türkis"] == MORE_LOOKS[0]
    names = (*SEATS, *(f"new {number}" for number in range(3)))[-len(SEATS) :]
    assert set(looks(names).values()) == set(SEATS)
    assert looks(("Red", "red"))["Red"] == "red"
    assert looks(("Red", "red"))["red"] != "red"
