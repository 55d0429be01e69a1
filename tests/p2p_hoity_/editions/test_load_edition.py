"""Tests of edition files: what the shipped ones hold, and what is refused, with its line."""

from collections import Counter
from importlib import resources

import pytest
from support.cases import each, fails

from cli.words.translation import LANGUAGES
from p2p_hoity.editions.load_edition import (
    DEFAULT,
    MOST_SHOWN,
    NAMES,
    EditionCode,
    EditionError,
    line_of,
    load,
    parse,
)
from p2p_hoity.rules import LETTERS
from p2p_hoity.rules.edition import COLOURS

FILES = resources.files("p2p_hoity.editions")
TEXT = {name: (FILES / f"{name}.toml").read_text("utf-8") for name in NAMES}
UBER, MANUAL = load("uberplay-2004"), load("reference-manual")


def test_the_default_of_2004_has_51_distinct_years_and_the_manual_60_numbers():
    assert DEFAULT == "uberplay-2004"
    assert load() == UBER
    counts = {"A": 8, "B": 9, "C": 9, "D": 9, "E": 8, "F": 8}
    assert Counter(c.letter for c in UBER.collectibles) == counts
    years = [c.year for c in UBER.collectibles]
    assert len(set(years)) == 51
    assert (min(years), max(years)) == (1468, 1980)
    numbers = [(c.letter, c.year) for c in MANUAL.collectibles]
    assert numbers == [(letter, n) for letter in LETTERS for n in range(1, 11)]
    assert UBER.collectibles[0].name("fr") == UBER.collectibles[0].name("en")


@pytest.mark.parametrize("edition", [UBER, MANUAL])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_collectible_and_category_has_a_name_of_its_own(edition, language):
    names = [c.names[language] for c in edition.collectibles]
    assert len(set(names)) == len(names)
    assert all(edition.categories[letter][language] for letter in LETTERS)


def test_a_users_own_file_is_loaded_and_an_unknown_name_says_what_there_is(tmp_path):
    file = tmp_path / "box.toml"
    file.write_text(TEXT[DEFAULT].replace('name = "uberplay-2004"', 'name = "my box"'), "utf-8")
    assert load(file).name == "my box"
    assert load(str(file)) == load(file)
    for nothing in ("monopoly", tmp_path, tmp_path / "none.toml", ""):
        fails(EditionError, r"known=\['uberplay-2004', 'reference-manual'\]", load, nothing)


WRONG = [
    ("cash = [3, 10,", "cash = [35, 10,", "colours[3].cash", "cash-of-other-sum"),
    ("cash = [3, 10,", "cash = [4, 9,", "colours[4].cash[1]", "number-twice"),
    ("cash = [3, 10,", "cash = [0, 13,", "colours[3].cash[1]", "number-out-of-bounds"),
    ("cash = [3, 10, 16, 21]", "cash = [3, 10, 37]", "colours[3].cash", "not-so-many-items"),
    ("thieves = [2, 11]", "thieves = [2, 12]", "colours[2].thieves[2]", "number-twice"),
    ("thieves = [2, 11]", 'thieves = "two"', "colours[2].thieves", "no-array"),
    ('name = "red"', 'name = "black"', "colours[2].name", "colour-twice"),
    ('name = "red"', "name = 7", "colours[2].name", "no-words"),
    ('name = "red"', 'name = ""', "colours[2].name", "edition-bad-name"),
    ('name = "red"', 'name = " red"', "colours[2].name", "edition-bad-name"),
    ('name = "red"', 'name = "red, blue"', "colours[2].name", "edition-bad-name"),
    ('name = "red"', 'name = "red\\u202e"', "colours[2].name", "edition-bad-name"),
    ('name = "red"', f'name = "{"r" * 25}"', "colours[2].name", "edition-bad-name"),
    ('name = "blue"', 'name = "Red"', "colours[3].name", "edition-names-alike"),
    ('name = "blue"', 'name = "réd"', "colours[3].name", "edition-names-alike"),
    ('name = "blue"', 'name = "r e d"', "colours[3].name", "edition-names-alike"),
    ('name = "blue"', 'name = "rеd"', "colours[3].name", "edition-names-alike"),
    ('name = "red"', 'name = "\\u0301red"', "colours[2].name", "edition-name-of-marks"),
    ('name = "beige"', 'name = "Black"', "colours[6].name", "edition-names-alike"),
    ("[3, 1, 2]", "[1, 3, 2]", "track.castles[2]", "octagon-upside-down"),
    ("[3, 1, 2]", "[3, 3, 2]", "track.castles[2]", "octagon-upside-down"),
    ("[3, 1, 2]", "[3, 1]", "track.castles[2]", "not-so-many-items"),
    ("[3, 1, 2]", "[3, 1, 0]", "track.castles[2][3]", "number-out-of-bounds"),
    ("club_room = [2, 1]", "club_room = [1, 2]", "track.club_room", "octagon-upside-down"),
    ("banquet_fields = 13", "banquet_fields = true", "track.banquet_fields", "no-whole-number"),
    ("banquet_fields = 13", "banquet_fields = 13.0", "track.banquet_fields", "no-whole-number"),
    ("year = 1489", 'year = "old"', "collectibles[18].year", "no-whole-number"),
    ("year = 1489", "year = 0", "collectibles[18].year", "number-out-of-bounds"),
    ("year = 1489", "number = 1", "collectibles[18].number", "unknown-key"),
    ('letter = "C", year = 1489', "year = 1489", "collectibles[18].letter", "missing-key"),
    ('"C", year = 1489', '"G", year = 1489', "collectibles[18].letter", "none-of-the-words"),
    ("Carnival mask", "\\u001b[2J mask", "collectibles[18].name.en", "bad-words"),
    ("detective_in_hall", "detective_hall", "switches.detective_hall", "unknown-key"),
    ("in_hall = false", "in_hall = 0", "switches.detective_in_hall", "no-truth-value"),
    ('choice = "staged"', 'choice = "late"', "switches.action_choice", "none-of-the-words"),
    ('name = "uberplay-2004"', "name = 7", "name", "no-words"),
    ('age = "year"', 'age = "century"', "age", "none-of-the-words"),
    ('es = "Pipas"', 'italian = "Pipe"', "categories.A.italian", "unknown-key"),
    ('"cash", "thieves", "track"]', '"gold"]', "reconstructed[4]", "none-of-the-words"),
]


@pytest.mark.parametrize(("old", "new", "field", "what"), WRONG)
def test_a_wrong_field_is_refused_by_name_and_line(old, new, field, what):
    text = TEXT[DEFAULT]
    assert old in text
    error = fails(EditionError, "", parse, text.replace(old, new, 1), "box.toml")
    assert error.field == field
    assert error.fields["why"].code == what
    known = {"colours[4].cash[1]": "cash = [4, 9"}  # the twin comes first, the blame second
    wrong = known.get(field, old)
    assert error.line == next(i for i, line in enumerate(text.splitlines(), 1) if wrong in line)
    assert (error.code, error.file) == ("edition-line", "box.toml")


def test_years_and_numbers_are_told_apart_by_their_size():
    manual, name = TEXT["reference-manual"], "reference-manual"
    error = fails(EditionError, "", parse, manual.replace("number = 10", "number = 1000", 1), name)
    assert error.fields["why"].code == "number-out-of-bounds"
    said_years = manual.replace('age = "number"', 'age = "year"').replace(", number =", ", year =")
    error = fails(EditionError, "", parse, said_years, name)
    assert (error.field, error.fields["why"].code) == ("collectibles", "years-that-are-numbers")
    assert parse(said_years.replace("year = 10,", "year = 1000,", 1), name).age_word == "year"


def test_the_order_must_be_total_and_every_letter_has_a_collectible():
    text = TEXT[DEFAULT].replace("year = 1533", "year = 1489")
    twins = r"collectibles\[19\].year' why=\(collectible-twice letter='C' year=1489.*\[18\]"
    fails(EditionError, twins, parse, text, "box.toml")
    lines = [line for line in TEXT["reference-manual"].splitlines() if 'letter = "F"' not in line]
    with pytest.raises(EditionError, match=r"letters-without-collectible letters=\['F'\]"):
        parse("\n".join(lines), "box.toml")


@pytest.mark.parametrize("key", ["name", "age", "colours", "collectibles", "switches", "track"])
def test_a_missing_key_is_named(key):
    begins = (f"{key} =", f"[{key}]")
    text = "\n".join(line for line in TEXT[DEFAULT].splitlines() if not line.startswith(begins))
    assert fails(EditionError, "", parse, text, "box.toml").file == "box.toml"


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "missing-key"),
        (b"name = ", "edition-no-toml"),
        (b"\xff\xfe", "edition-utf-sixteen"),
        (b"n\0a\0m\0e\0", "edition-utf-sixteen"),
        (b"\0n\0a\0m\0e", "edition-utf-sixteen"),
        (b'# one\r# two\r\nname = "T\xfcrkis"', "edition-no-text line=3"),
        (b"\xef\xbb\xbfname = ", "edition-no-toml"),
        ("\ufeff# \u9ec4\u8272\n".encode() + b"# T\xfcrkis", "edition-no-text line=2"),
        (b"\xef\xbb\xbf# \xc3\xbc\xfc", "edition-no-text line=1"),
        (b"year = " + b"9" * 5000, "edition-no-toml"),
        (b"a = " + b"[" * 5000, "edition-no-toml"),
        (b"#" * (1 << 20) + b"#", "edition-too-large most=1048576"),
        (b"[[track]]\nname = 1", "unknown-key|missing-key"),
    ],
)
def test_what_is_no_edition_file_is_refused(tmp_path, data, what):
    file = tmp_path / "box.toml"
    file.write_bytes(data)
    with pytest.raises(EditionError, match=what):
        load(file)


SAVED = {
    "a byte order mark": ("utf-8-sig", "\n"),
    "lines of Windows": ("utf-8", "\r\n"),
    "lines of an old Mac": ("utf-8", "\r"),
    "a mark and lines of an old Mac": ("utf-8-sig", "\r"),
}


@pytest.mark.parametrize("way", SAVED)
def test_a_file_is_read_as_people_save_it_and_errors_name_its_lines(tmp_path, way):
    encoding, end = SAVED[way]
    file = tmp_path / "box.toml"
    file.write_bytes(TEXT[DEFAULT].replace("\n", end).encode(encoding))
    assert load(file) == UBER
    file.write_bytes(TEXT[DEFAULT].replace("1533", "0").replace("\n", end).encode(encoding))
    lines = enumerate(TEXT[DEFAULT].splitlines(), 1)
    wanted = next(i for i, line in lines if "1533" in line)
    assert fails(EditionError, r"\(number-out-of-bounds ", load, file).line == wanted


@pytest.mark.parametrize(
    ("plain", "saved", "named"),
    [
        ('"UT"', "“UT”", "“ (U+201C LEFT DOUBLE QUOTATION MARK)"),
        ('"UT"', "„UT“", "„ (U+201E DOUBLE LOW-9 QUOTATION MARK)"),
        ('"UT"', "«UT»", "« (U+00AB "),
        ('"UT"', '"UT”', "” (U+201D "),
        ('"UT"', "’UT’", "’ (U+2019 "),
        ("= 7", "= −7", "− (U+2212 MINUS SIGN)"),
        ("= 7", "= –7", "– (U+2013 EN DASH)"),
        ("= 7", "=\u00a07", "U+00A0 NO-BREAK SPACE"),
        ("= 7", "=\u202f7", "U+202F NARROW NO-BREAK SPACE"),
        ("= 7", "= 7\u200b", "U+200B ZERO WIDTH SPACE"),
    ],
)
def test_a_character_of_a_word_processor_is_named_with_its_line(plain, saved, named):
    text = '# “Über”\nname = "UT" # – it\'s\n\nnumber = 7\n'
    error = fails(EditionError, "", parse, text.replace(plain, saved), "box.toml")
    why = error.fields["why"]
    assert why.code is EditionCode.TYPOGRAPHIC
    assert why.fields["line"] == (2 if plain == '"UT"' else 4)
    assert why.fields["sign"].startswith(named)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (r"{\rtf1\ansi{\fonttbl a.b.c.d.e.f}}", "RTF"),
        ("\n<!DOCTYPE html><p>a.b.c.d.e.f = 1", "HTML or XML"),
        ('<html><p>name = "x"', "HTML or XML"),
        ('<?xml version="1.0"?>', "HTML or XML"),
    ],
)
def test_a_file_with_marks_is_refused_by_its_form(text, form):
    error = fails(EditionError, r"\(edition-marked-up", parse, text, "box.toml")
    assert error.fields["why"].fields["form"] == form


def test_a_letter_is_no_character_of_a_word_processor():
    for text in ("größe = 1", 'name = "x', "number = 07", "a = 1 b"):
        fails(EditionError, r"\(edition-no-toml", parse, text, "box.toml")
    last = fails(EditionError, "", parse, 'a = 1\nname = "x”', "box.toml").fields["why"]
    assert (last.fields["line"], last.fields["sign"][0]) == (2, "”")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_of_another_unicode_form_is_refused_by_its_name(tmp_path, encoding):
    file = tmp_path / "box.toml"
    file.write_bytes(TEXT[DEFAULT].encode(encoding))
    fails(EditionError, r"\(edition-utf-sixteen\)", load, file)


def test_a_file_of_windows_1252_is_refused_with_the_line_of_its_first_letter(tmp_path):
    file = tmp_path / "box.toml"
    file.write_bytes(TEXT[DEFAULT].encode("cp1252", "replace"))
    lines = TEXT[DEFAULT].splitlines()
    wanted = next(i for i, line in enumerate(lines, 1) if not line.isascii())
    fails(EditionError, f"edition-no-text line={wanted}", load, file)


def with_colours(*names):
    """The text of the default edition with as many colours, which have these names."""
    lines = [line for line in TEXT[DEFAULT].splitlines() if "cash =" in line]
    text = TEXT[DEFAULT]
    for line, old, name in zip(lines, COLOURS, names, strict=False):
        text = text.replace(line, line.replace(f'"{old}"', f'"{name}"'))
    return text.replace("\n".join(lines[len(names) :]) + "\n", "") if len(names) < 6 else text


@pytest.mark.parametrize(
    "names",
    [
        ("white", "Türkis"),
        ("white", "black", "yellow", "red", "navy blue"),
        ("Black", "White", "GREEN", "6", "黄色", "x" * 24),
    ],
)
def test_an_edition_has_two_to_six_colours_of_any_name(names):
    edition = parse(with_colours(*names), "box.toml")
    known = [name for name in COLOURS if name in names]
    assert [one.name for one in edition.colours] == known + sorted(set(names) - set(known))
    assert len(edition.action_cards) == 8 * len(names)
    assert {card.colour for card in edition.action_cards} == set(names)


@pytest.mark.parametrize("names", [(), ("white",)])
def test_fewer_than_two_colours_are_refused(names):
    error = fails(EditionError, "least=2 most=6", parse, with_colours(*names), "box.toml")
    assert (error.field, error.fields["why"].code) == ("colours", "not-between-items")


def test_lines_are_found_in_the_other_spelling_of_tables_too():
    items = "".join(
        f'[[collectibles]]\nletter = "{c.letter}" # year = 3\nyear = {c.year}\nname.en = "x = [1"\n'
        for c in UBER.collectibles
    )
    begin, end = TEXT[DEFAULT].index("collectibles = ["), TEXT[DEFAULT].index("[switches]")
    text = TEXT[DEFAULT][:begin] + TEXT[DEFAULT][end:] + items
    assert parse(text, "box.toml") == UBER
    broken = text.replace("year = 1489", "year = -1")
    caught = fails(EditionError, "", parse, broken, "box.toml")
    assert broken.splitlines()[(caught.line or 0) - 1] == "year = -1"


@pytest.mark.parametrize(
    "value", ["0x" + "f" * 6000, "[" + "1," * 1000 + "]", '"' + "x" * 999 + '"']
)
def test_a_long_value_is_shown_by_its_beginning(value: str) -> None:
    text = f"name = 1\nage = {value}\ncolours = 1\ncollectibles = 1\nswitches = 1\ntrack = 1\n"
    error = fails(EditionError, "", parse, text, "box.toml")
    assert error.fields["why"].code == "none-of-the-words"
    assert len(error.fields["why"].fields["value"]) <= MOST_SHOWN + 1
    assert error.line == 2


def test_a_long_key_of_one_part_is_shown_by_its_beginning_and_not_looked_for() -> None:
    text = "name = 1\n" + "k" * 5000 + " = 1\n"
    error = fails(EditionError, "", parse, text, "box.toml")
    assert error.fields["why"].code == "unknown-key"
    assert error.field == "k" * MOST_SHOWN + "…"
    assert error.line is None
    short = "name = 1\n" + "k" * MOST_SHOWN + " = 1\n"
    assert fails(EditionError, "", parse, short, "box.toml").line == 2


def test_lines_are_found_behind_strings_of_many_lines() -> None:
    text = "x = '''\nage = \"1\n'''\ny = \"\"\"\nage = '\n\"\"\"\nage = 3\n"
    assert line_of(text, ("age",)) == 7
    assert line_of(text, ("y",)) == 4


@each(
    [
        "Uberplay-2004",
        " uberplay–2004. ",
        "`uberplay-2004`",
        "“uberplay\u20112004”",
        "uberplay-\u200b2004",
        "ＵＢＥＲＰＬＡＹ－２００４",
    ]
)
def test_an_edition_is_found_by_its_name_as_typed(text: str) -> None:
    assert load(text) is load(NAMES[0])


def test_an_edition_of_another_name_is_still_a_file() -> None:
    with pytest.raises(EditionError):
        load("uberplay")
