"""Tests of editions in a table's header, and of how they differ from the shipped ones."""

from contextlib import suppress
from dataclasses import replace

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cases import each, fails
from support.sampling import times

from p2p_hoity.editions.load_edition import NAMES, EditionError, age_word, load, parse
from p2p_hoity.editions.received_edition import Descent, descent, known_edition, read_canonical

UBER = load()


@pytest.mark.parametrize("name", NAMES)
def test_an_edition_comes_back_from_its_canonical_bytes_with_its_names(name):
    edition = load(name).with_switches(detective_in_hall=True)
    read = read_canonical(edition.canonical())
    assert read == edition
    known = known_edition(read)
    assert known == edition
    assert known.collectibles[0].names == edition.collectibles[0].names


def test_an_edition_nobody_knows_keeps_letters_and_years_and_a_bad_file_its_name():
    plain = msgpack.unpackb(UBER.canonical())
    plain[0] = "my box"
    read = known_edition(read_canonical(msgpack.packb(plain)))
    assert read.name == "my box"
    assert read.collectibles[0].name("de") == f"A {UBER.collectibles[0].year}"
    fails(EditionError, "my file", parse, "name = 1", "my file")


@pytest.mark.parametrize("name", NAMES)
def test_what_the_ages_of_an_edition_of_ones_own_are_comes_back_without_a_word_for_it(name):
    own = replace(load(name), name="my box")
    read = known_edition(read_canonical(own.canonical()))
    assert read.age_word == own.age_word
    assert read == own
    mixed = [["A", 999], ["B", 1000]]
    for ages, word in ((mixed, "year"), (mixed[:1], "number"), ([], "number")):
        assert age_word(age for _, age in ages) == word


def changed(path, value):
    plain = msgpack.unpackb(UBER.canonical())
    target = plain
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    return msgpack.packb(plain)


@each(
    [
        b"",
        b"\xc0",
        UBER.canonical() + b"\0",
        UBER.canonical()[:-1],
        changed((0,), 5),
        changed((1,), []),
        changed((1, 0), ["F", 1586]),
        changed((1, 0), 7),
        changed((2, 0, 1), [1, 12, 18, 20]),
        changed((2, 0, 0), "white"),  # the others come behind those of the shipped editions
        changed((2, 5, 0), "black"),
        changed((2, 5, 0), "sky, or so"),
        changed((2, 5, 0), "x" * 25),
        changed((2, 5, 0), ""),
        changed((2, 5, 0), None),
        changed((2,), []),
        changed((2,), msgpack.unpackb(UBER.canonical())[2][:1]),
        changed((2,), [*msgpack.unpackb(UBER.canonical())[2], ["sky", [30, 7, 6, 7], [20, 21]]]),
        changed((3, 0), [1, 2]),
        changed((4,), True),
        changed((5, 0), "never"),
        changed((5, 1), 0),
    ]
)
def test_anything_else_is_refused(data):
    fails(EditionError, "", read_canonical, data)


def test_colours_that_only_look_alike_are_read_because_a_verdict_is_not_about_looks():
    read = read_canonical(changed((2, 5, 0), "Black"))
    assert [one.name for one in read.colours][-1] == "Black"


@given(st.binary(max_size=40), st.integers(0, 400))
@settings(max_examples=times(24, 60))
def test_any_bytes_give_an_edition_or_an_edition_error(noise, at):
    data = UBER.canonical()
    for bad in (noise, data[:at] + noise + data[at + len(noise) :]):
        with suppress(EditionError):
            assert read_canonical(bad).canonical() == bad


def test_an_edition_of_a_shipped_name_is_compared_with_that_one_part_by_part():
    assert descent(UBER) == Descent("uberplay-2004")
    switched = UBER.with_switches(detective_in_hall=True)
    assert descent(switched) == Descent("uberplay-2004", ("detective_in_hall",))
    alike = replace(switched, name="Uberplay-2004", banquet_fields=12)
    assert descent(alike) == Descent("uberplay-2004", ("name", "track", "detective_in_hall"))
    assert descent(replace(UBER, name="my box")) == Descent()


def test_an_edition_of_ones_own_is_known_before_the_shipped_ones():
    own = replace(UBER, name="my box")
    bare = read_canonical(own.with_switches(detective_in_hall=True).canonical())
    assert known_edition(bare) is bare
    known = known_edition(bare, own)
    assert known.collectibles[0].names == UBER.collectibles[0].names
    assert known.switches.detective_in_hall
