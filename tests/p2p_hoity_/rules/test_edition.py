"""Tests of an edition as data: its track and cards, its switches, and its canonical bytes."""

import hashlib
from dataclasses import astuple
from importlib import resources

import msgpack  # type: ignore[import-untyped]
import pytest
from support.cases import fails

from p2p_hoity.editions.load_edition import DEFAULT, NAMES, load, parse
from p2p_hoity.rules.edition import COLOURS

DEFAULT_FILE = resources.files("p2p_hoity.editions") / f"{DEFAULT}.toml"
TEXT = DEFAULT_FILE.read_text("utf-8")
UBER, MANUAL = load("uberplay-2004"), load("reference-manual")
TRACK = (
    "2/1×2 3/1×2 3/2×2 4/2×2 4/2×3 5/2×2 4/2×2 3/2×2 3/2×3 4/2×2 4/3×2 5/3×2 5/3×3 4/2×2 3/2×2 "
    "3/1×2 2/1×2"
)


@pytest.mark.parametrize("edition", [UBER, MANUAL])
def test_cash_thieves_and_track_are_as_reconstructed(edition):
    for k, colour in enumerate(edition.colours, 1):
        assert colour.name == COLOURS[k - 1]
        assert colour.cash == (k, 13 - k, 19 - k, 18 + k)
        assert colour.thieves == (k, 13 - k)
    printed = " ".join(f"{c.larger}/{c.smaller}×{c.fields}" for c in edition.castles)
    assert printed == TRACK
    assert edition.club_room == (2, 1)
    assert len(edition.octagons) == 38
    assert edition.banquet_fields == 13
    assert edition.last_field == 50
    assert not edition.in_banquet(37)
    assert edition.in_banquet(38)
    assert {"cash", "thieves", "track"} <= set(edition.reconstructed)
    assert ("letters" in edition.reconstructed) == (edition == UBER)


def test_switches_can_be_overridden_which_shows_in_the_canonical_bytes():
    assert astuple(UBER.switches) == ("staged", False, "after")
    assert astuple(MANUAL.switches) == ("together", True, "before")
    other = UBER.with_switches(
        action_choice="together", detective_in_hall=True, detective_rank="before"
    )
    assert other.switches == MANUAL.switches
    assert other.canonical() != UBER.canonical()
    assert other != UBER
    assert UBER.with_switches() == UBER
    assert UBER.with_switches(detective_in_hall=False) == UBER


@pytest.mark.parametrize(
    "switch", [{"action_choice": "never"}, {"detective_rank": "mid"}, {"detective_in_hall": "yes"}]
)
def test_a_switch_has_only_its_settings(switch):
    fails(ValueError, "is one of", UBER.with_switches, **switch)


def test_canonical_bytes_cover_the_rules_not_the_names_nor_the_order_of_the_file():
    plain = msgpack.unpackb(UBER.canonical())
    assert plain[0] == "uberplay-2004"
    assert plain[1][0] == ["A", UBER.collectibles[0].year]
    assert plain[5] == ["staged", False, "after"]
    renamed = parse(TEXT.replace("The admiral's clay pipe", "A pipe"), "x.toml")
    assert renamed.canonical() == UBER.canonical()
    older = parse(TEXT.replace("year = 1586", "year = 1585"), "x.toml")
    assert older.canonical() != UBER.canonical()
    lines = TEXT.splitlines()
    items = [i for i, line in enumerate(lines) if "letter =" in line]
    lines[items[0] : items[-1] + 1] = reversed(lines[items[0] : items[-1] + 1])
    colours = [i for i, line in enumerate(lines) if "cash =" in line]
    lines[colours[0] : colours[-1] + 1] = reversed(lines[colours[0] : colours[-1] + 1])
    assert parse("\n".join(lines), "x.toml").canonical() == UBER.canonical()
    digests = [hashlib.sha256(load(name).canonical()).hexdigest()[:16] for name in NAMES]
    assert digests == ["6643d54880e44683", "19d18b44d233b367"]
