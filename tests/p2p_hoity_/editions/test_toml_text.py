"""Tests of what is counted of a TOML text before its parser, which takes long for long keys."""

import json
import tomllib
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as patterns  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.sampling import times

from p2p_hoity.editions import load_edition, toml_text
from p2p_hoity.editions.load_edition import MAX_BYTES, EditionError, parse
from p2p_hoity.editions.toml_text import MOST_PARTS, long_key, without_strings

MANY = 20_000
"""Parts of a key with which the parser took nine seconds and two gigabytes."""


def key(parts: int, part: str = "a", dot: str = ".") -> str:
    return dot.join([part] * parts)


LONG = {
    "a key": lambda n: f"{key(n)} = 1",
    "a table": lambda n: f"[{key(n)}]",
    "an item of an array of tables": lambda n: f"[[{key(n)}]]",
    "quoted": lambda n: key(n, '"a.b"') + " = 1",
    "with escaped quotes": lambda n: key(n, r'"\"."') + " = 1",
    "in single quotes": lambda n: key(n, "'a\"#'") + " = 1",
    "with blanks": lambda n: key(n, "a", " \t. ") + " = 1",
    "of numbers": lambda n: key(n, "1") + " = 1",
    "in an inline table": lambda n: "x = {y = 1, " + key(n) + " = 1}",
    "in an array": lambda n: "x = [\n1, # one\n{" + key(n) + " = 1}]",
    "behind strings of many lines": lambda n: (
        f'x = \'\'\'\n"""\n\'\'\'\ny = """\\""""\n{key(n)} = 1'
    ),
    "behind a quote in a comment": lambda n: f"# it's \"\n{key(n)} = 1",
}


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that must not be asked."""
    monkeypatch.setattr(tomllib, "loads", lambda text: pytest.fail("the parser was asked"))


@pytest.mark.usefixtures("no_parser")
@pytest.mark.parametrize("parts", [MOST_PARTS + 1, MANY])
@pytest.mark.parametrize("name", LONG)
def test_a_key_of_too_many_parts_is_refused_before_the_parser_reads_it(
    name: str, parts: int
) -> None:
    text = LONG[name](parts)
    error = fails(EditionError, "", parse, text, "box.toml")
    why = error.fields["why"]
    line = text.count("\n") + 1
    assert (error.code, why.code) == ("edition-file", "edition-long-key")
    assert why.fields == {"most": MOST_PARTS, "line": line}


@each(LONG)
def test_a_key_of_as_many_parts_as_there_may_be_is_read(name: str) -> None:
    text = LONG[name](MOST_PARTS)
    if "of numbers" not in name and "quote" not in name:
        tomllib.loads(text)
    assert long_key(text) is None


@each(
    [
        f'x = "{key(MANY)}"',
        f"x = '{key(MANY)}'",
        f'x = """\n{key(MANY)}\n"""',
        f"x = '''\n{key(MANY)}\n'''",
        f"# {key(MANY)}",
        "x = [" + "1.5, " * 1000 + "]",
        "".join(f"a.b.c{number} = 1\n" for number in range(1000)),
    ]
)
def test_dots_in_texts_comments_and_numbers_are_no_parts(text: str) -> None:
    tomllib.loads(text)
    assert long_key(text) is None


QUOTED = st.text("\"'\\\n#.a ", max_size=12)


@settings(max_examples=times(300, 5000))
@given(
    QUOTED.map(json.dumps)
    | QUOTED.map(lambda text: f"'{text}'")
    | QUOTED.map(lambda text: f'"""{text}"""')
    | QUOTED.map(lambda text: f"'''{text}'''")
)
def test_a_string_ends_where_the_parser_says(string: str) -> None:
    begin = f"x = {string} # '\n"
    try:
        tomllib.loads(begin)
    except ValueError:
        assume(False)
    assert long_key(begin + key(MOST_PARTS) + " = 1") is None
    assert long_key(begin + key(MOST_PARTS + 1) + " = 1") == begin.count("\n") + 1


@settings(max_examples=times(200, 3000))
@given(st.text("\"'\\\n#.a =[]", max_size=60))
def test_a_text_without_its_strings_keeps_its_length_and_lines(text: str) -> None:
    found = without_strings(text)
    assert len(found) == len(text)
    assert [i for i, c in enumerate(found) if c == "\n"] == [
        i for i, c in enumerate(text) if c == "\n"
    ]
    assert "#" not in found


def repeats(parsed: Any) -> list[tuple[Any, Any]]:
    """The kind and the most turns of every repetition in a pattern."""
    found = []
    for kind, given_ in parsed:
        if kind in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            found.append((kind, given_[1]))
        for part in given_ if isinstance(given_, tuple) else ():
            for inner in part if isinstance(part, list) else (part,):
                if isinstance(inner, patterns.SubPattern):
                    found += repeats(inner)
    return found


@pytest.mark.parametrize("name", ["_STRING_OR_COMMENT", "_KEY"])
def test_no_pattern_reads_a_text_twice(name: str) -> None:
    """A repetition that gives back what it has read is tried again for each of its beginnings."""
    found = repeats(patterns.parse(getattr(toml_text, name).pattern))
    assert found
    assert {kind for kind, most in found if most > 1} == {codes.POSSESSIVE_REPEAT}
    assert (codes.MAX_REPEAT, codes.MAXREPEAT) in repeats(patterns.parse(r'"(?:\\.|[^"\\\n])*"'))


def test_a_text_as_long_as_a_file_may_be_is_counted() -> None:
    for text in ('x = """' + '\\"' * (MAX_BYTES // 2), "x = '" + "'" * MAX_BYTES, "." * MAX_BYTES):
        assert (long_key(text) is None) is (text[0] == "x")
    assert load_edition.MAX_BYTES == 1 << 20
