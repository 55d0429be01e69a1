"""Tests of the terms in words: durations, returns, and editions that are not what they say."""

import json
from dataclasses import replace
from email.message import Message
from importlib import metadata
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.machine_table import identity
from support.paths import ROOT

from cli.commands.options import MAX_TIMEOUT
from cli.words import edition_text, happening_sentences, table_terms, translation
from cli.words.card_names import Names
from cli.words.presence_sentences import late
from cli.words.table_terms import TableOffer
from p2p_hoity.editions.edition_bytes import descent, known_edition, parts_of, read_canonical
from p2p_hoity.editions.load_edition import load
from p2p_hoity.game_adapter import game_value, read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.scene_json import edition_json
from p2p_hoity.rules import Edition
from p2p_hoity.rules.edition import COLOURS, Colour
from p2p_hoity.rules.happenings import Setup
from protocol.wire import codec, table_header
from protocol.wire.table_header import Terms, Timeouts, default_quorum

UBER = load()


def terms(edition: Edition = UBER, **given: object) -> Terms:
    game = game_value(edition, None)
    return Terms(identity(0).public, b"n" * 32, game, 4, 3, **given)  # type: ignore[arg-type]


def described(offered: Terms) -> str:
    return "\n".join(table_terms.describe(TableOffer(offered, read_game(offered), ("Ana",))))


# Durations.


def test_a_duration_in_words() -> None:
    for milliseconds, words in (
        (1_000, "1 second"),
        (1_999, "1 second"),
        (30_000, "30 seconds"),
        (60_000, "1 minute"),
        (90_000, "1 minute 30 seconds"),
        (3_600_000, "1 hour"),
        (3_661_000, "1 hour 1 minute"),
        (7_199_000, "1 hour 59 minutes"),
        (86_400_000, "1 day"),
        (2_592_000_000, "30 days"),
        (0, "0 seconds"),
    ):
        assert translation.span(milliseconds) == words
    timeouts = Timeouts(choice=172_800_000, step=90_000)
    text = described(terms(timeouts=timeouts))
    assert "after 2 days without a choice (1 minute 30 seconds for other steps)" in text
    for language, words in (("de", "1 Tag 2 Stunden"), ("es", "1 día 2 horas")):
        translation.speak(language)
        assert translation.span(93_600_000) == words


@given(st.integers(1000, 2_592_000_000))
def test_a_duration_has_at_most_two_units_and_is_never_told_too_long(milliseconds: int) -> None:
    words = translation.span(milliseconds).split()
    assert len(words) in (2, 4)
    size = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}
    told = sum(int(n) * size[unit.rstrip("s")] for n, unit in zip(*[iter(words)] * 2, strict=True))
    assert milliseconds * 0.95 - 1000 <= told * 1000 <= milliseconds


# Returns.


def test_the_terms_say_how_often_a_seat_may_come_back() -> None:
    for returns, words in (
        (0, "It cannot come back, unless the game cannot go on without it"),
        (1, "It may come back 1 time."),
        (8, "It may come back up to 8 times."),
    ):
        offered = terms(rejoins=returns)
        text = described(offered)
        assert words in text
        assert ("cannot come back" in text) == (returns == 0)
        assert (
            table_terms.terms_json(TableOffer(offered, read_game(offered), ()))["rejoins"]
            == returns
        )


def test_who_may_not_come_back_is_not_told_that_he_may() -> None:
    names = Names(UBER, ("Ana", "Bob", "Cleo"), 0)
    for may, seat in product((True, False), range(2)):
        count = updates.Muster(3, 2, 2, may_rejoin=may)
        told = "\n".join(late(updates.SeatsTimedOut(frozenset({seat}), 30.0, count), names, "1a2b"))
        assert ("may come back later" in told) == may
        assert ("do not allow a seat to come back" in told) != may


# Bounds.


def test_the_page_has_the_bounds_that_the_terms_have() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    table = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| **")]
    rows = {name.partition("**,")[0].strip("*"): list(map(int, cells)) for name, *cells in table}
    assert list(rows) == ["secrecy", "progress", "no fork"]
    for seats in range(2, 7):
        variant = "surprise" if seats == 2 else None
        game = game_value(UBER, variant)
        offered = Terms(identity(0).public, b"n" * 32, game, seats, default_quorum(seats))
        told = table_terms.terms_json(TableOffer(offered, read_game(offered), ()))
        wanted = [told[name] for name in ("secrecy", "progress", "no_fork")]
        assert [rows[name][seats - 2] for name in rows] == wanted
        text = "\n".join(table_terms.bounds(offered))
        assert ("a single liar can split" in text) == (told["no_fork"] == 0)
        assert (table_terms.EXCEPTIONS in text) == (seats > 2)


@pytest.mark.parametrize("urls", [[], ["Home, https://a.example"], None])
def test_who_has_no_program_is_told_where_it_is_and_what_to_type(
    urls: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The place is a setting of the build. A program that is not installed has none."""

    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    place = "Download, https://hoity.example/get"
    described = Message()
    for line in urls or ():
        described["Project-URL"] = line
    monkeypatch.setattr(metadata, "metadata", missing if urls is None else lambda name: described)
    told = "\n".join(table_terms.for_newcomers())
    assert "folder of the program" in told
    assert told.endswith("python3 tasks.py hoity join TICKET")
    described["Project-URL"] = place
    monkeypatch.setattr(metadata, "metadata", lambda name: described)
    told = "\n".join(table_terms.for_newcomers())
    assert "from https://hoity.example/get" in told
    assert told.endswith("type: hoity join TICKET")


# Editions.


def test_a_shipped_edition_is_what_its_name_says_and_ones_own_said_to_be_one() -> None:
    for name in ("uberplay-2004", "reference-manual"):
        edition = known_edition(read_canonical(load(name).canonical()))
        assert edition_text.title(edition) == name
        assert edition_json(edition) == {"edition": name, "colours": [*COLOURS], "changed": []}
    own = replace(UBER, name="my house")
    assert "the host's own" in edition_text.title(own)
    assert edition_json(own) == {"edition": "my house", "colours": [*COLOURS], "changed": None}
    assert set(edition_text.PARTS) > set(parts_of(UBER))
    choice = codec.form_of(table_header.Timeouts).forms["choice"]  # type: ignore[attr-defined]
    assert (choice.low, choice.high) == (1000, MAX_TIMEOUT * 1000)
    edition = CHANGES["track"]
    names = Names(edition, ("Ana", "Bob", "Cleo"), 0)
    first = Setup(edition.name, None, "", False, "", (), (), (), (), (), 4, 3)
    assert "edition uberplay-2004, changed (track)" in happening_sentences.tell(names, first)
    assert json.dumps(edition_json(edition))


def swapped(part: str) -> tuple[Colour, ...]:
    """The colours, the first two with each other's cards of one sort."""
    first, second, *rest = UBER.colours
    one = replace(first, **{part: getattr(second, part)})
    return (one, replace(second, **{part: getattr(first, part)}), *rest)


CHANGES = {
    "detective_in_hall": UBER.with_switches(detective_in_hall=not UBER.switches.detective_in_hall),
    "action_choice": UBER.with_switches(
        action_choice="together" if UBER.switches.action_choice == "staged" else "staged"
    ),
    "detective_rank": UBER.with_switches(
        detective_rank="before" if UBER.switches.detective_rank == "after" else "after"
    ),
    "track": replace(UBER, banquet_fields=UBER.banquet_fields + 1),
    "collectibles": replace(UBER, collectibles=UBER.collectibles[:-1]),
    "name": replace(UBER, name="Uberplay-2004"),
    "colours": replace(UBER, colours=(*UBER.colours[:-1], replace(UBER.colours[-1], name="white"))),
    "cash": replace(UBER, colours=swapped("cash")),
    "thieves": replace(UBER, colours=swapped("thieves")),
}


def test_colours_of_an_edition_of_its_own_are_told_with_the_seats_they_allow() -> None:
    few = replace(UBER, name="my box", colours=UBER.colours[:3])
    told = described(
        terms(replace(few, colours=(*few.colours, replace(UBER.colours[5], name="Türkis"))))
    )
    assert "Colours: black, red, blue, Türkis; so at most 4 seats can play." in told
    assert "Colours:" not in described(terms(UBER))


@pytest.mark.parametrize("part", CHANGES)
def test_a_changed_edition_is_never_shown_under_its_originals_name_alone(part: str) -> None:
    edition = CHANGES[part]
    assert descent(edition).original == "uberplay-2004"
    assert descent(edition).changes == (part,)
    said = edition_text.title(edition)
    assert said == f"uberplay-2004, changed ({edition_text.PARTS[part]})"
    assert f"Edition: {said}, " in described(terms(edition))
    assert edition_json(edition)["changed"] == [part]
