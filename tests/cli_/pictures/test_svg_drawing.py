"""A drawing: any text is harmless in it, and fits where it has room."""

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from cli.pictures.svg_drawing import CUT, SVG, Drawing, cut, number, text_width, wrapped

ANY = st.text(st.characters(codec=None), max_size=40)


def read(drawing: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(drawing.finish(50, "#fff").encode())


@given(ANY, ANY)
def test_any_text_stands_in_a_file_that_is_read_back(words: str, whole: str) -> None:
    drawing = Drawing(100, words, whole, "en")
    drawing.text((1, 2), words, 12, "#000", whole=whole)
    found = read(drawing)
    kinds = {"title", "desc", "rect", "text"}
    assert {one.tag for one in found.iter()} == {f"{{{SVG}}}{kind}" for kind in ("svg", *kinds)}
    (text,) = found.iter(f"{{{SVG}}}text")
    assert text.text is None or text.text.isprintable() or "\u2028" not in text.text


def test_markup_is_shown_as_it_was_typed() -> None:
    drawing = Drawing(100, "t", "d", "en")
    drawing.text((1, 2), "<b>&amp;\"'</b>\x1b", 12, "#000")
    (text,) = read(drawing).iter(f"{{{SVG}}}text")
    assert text.text == "<b>&amp;\"'</b>\\x1b"


def test_a_text_that_was_cut_has_the_whole_one_as_its_title() -> None:
    drawing = Drawing(100, "t", "d", "en")
    drawing.text((1, 2), "Iri…", 12, "#000", whole="Iris")
    drawing.text((1, 2), "Iris", 12, "#000", whole="Iris")
    titles = [one.findtext(f"{{{SVG}}}title") for one in read(drawing).iter(f"{{{SVG}}}text")]
    assert titles == ["Iris", None]


def test_the_ground_lies_behind_everything_else() -> None:
    drawing = Drawing(100, "t", "d", "en")
    drawing.circle((1, 2), 3, "#000")
    found = read(drawing)
    kinds = [one.tag.removeprefix(f"{{{SVG}}}") for one in found]
    assert kinds == ["title", "desc", "rect", "circle"]
    assert found.get("viewBox") == "0 0 100 50"
    assert found[2].attrib == {"width": "100", "height": "50", "fill": "#fff"}


def test_a_length_is_short() -> None:
    lengths = {0: "0", 12.0: "12", 12.5: "12.5", 1 / 3: "0.33", -7.25: "-7.25"}
    assert {value: number(value) for value in lengths} == lengths


@given(st.text(max_size=60), st.floats(20, 400))
def test_a_cut_text_fits(words: str, width: float) -> None:
    found = cut(words, width, 12)
    assert text_width(found, 12) <= max(width, text_width(CUT, 12))
    assert found == words or found.endswith(CUT)


def test_wide_letters_take_more_room_and_marks_none() -> None:
    assert text_width("王", 10) > text_width("W", 10) > text_width("a", 10) > text_width("i", 10)
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("a", 10, bold=True) > text_width("a", 10)


def test_a_number_is_not_parted_from_its_unit() -> None:
    words = "moves 12 fields in round 3 and 4 fields more"
    for width in range(150, 320, 7):
        lines = wrapped(words, width, 12)
        assert " ".join(lines) == words
        assert not any(line.endswith((" 12", " 3", " 4")) or line == "12" for line in lines[:-1])
    assert len(wrapped("W" * 40, 100, 12)) > 1
