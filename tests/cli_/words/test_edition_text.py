"""An edition in words: its name, what is its own, and how it differs from a shipped one."""

from dataclasses import replace

import pytest
from support.offered_terms import UBER, described, terms

from cli.commands.options import MAX_TIMEOUT
from cli.table_view.message_parts import edition_of
from cli.words import edition_text, happening_sentences
from cli.words.card_names import Names
from p2p_hoity.editions.load_edition import NAMES, load
from p2p_hoity.editions.received_edition import descent, known_edition, parts_of, read_canonical
from p2p_hoity.rules.edition import COLOURS, Colour
from p2p_hoity.rules.happenings import Setup
from protocol.wire import codec, table_header


def test_a_shipped_edition_is_what_its_name_says_and_ones_own_said_to_be_one() -> None:
    for name in ("uberplay-2004", "reference-manual"):
        edition = known_edition(read_canonical(load(name).canonical()))
        assert edition_text.title(edition) == name
        found = edition_of(edition)
        assert (found.name, found.colours, found.changed) == (name, tuple(COLOURS), ())
    own = replace(UBER, name="my house")
    assert "the host's own" in edition_text.title(own)
    assert (edition_of(own).name, edition_of(own).changed) == ("my house", None)
    assert set(edition_text.PARTS) > set(parts_of(UBER))
    choice = codec.form_of(table_header.Timeouts).forms["choice"]  # type: ignore[attr-defined]
    assert (choice.low, choice.high) == (1000, MAX_TIMEOUT * 1000)
    edition = CHANGES["track"]
    names = Names(edition, ("Ana", "Bob", "Cleo"), 0)
    first = Setup(edition.name, None, "", False, "", (), (), (), (), (), 4, 3)
    assert "edition uberplay-2004, changed (track)" in happening_sentences.tell(names, first)


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
    assert edition_of(edition).changed == (part,)


@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ({"action_choice": "staged"}, "are chosen after the sale"),
        ({"action_choice": "together"}, "All Actions are chosen at once"),
        ({"detective_in_hall": True}, "A Detective may be played in the Auction Hall"),
        ({"detective_in_hall": False}, "No Detective in the Auction Hall"),
        ({"detective_rank": "after"}, "is taken after the Exhibits have moved"),
        ({"detective_rank": "before"}, "is taken before the Exhibits move"),
    ],
)
def test_each_switch_is_told_as_it_is_set(switch: dict[str, str | bool], words: str) -> None:
    told = edition_text.edition_lines(UBER.with_switches(**switch))
    assert sum(words in line for line in told) == 1


def test_a_variant_is_told_instead_of_when_actions_are_chosen() -> None:
    for variant, words in edition_text.VARIANTS.items():
        told = edition_text.edition_lines(UBER, variant)
        assert words in told
        assert not any("chosen after" in line for line in told)


def test_what_is_reconstructed_is_told_of_the_edition_of_which_it_is() -> None:
    for name in NAMES:
        told = edition_text.card_lines(load(name))
        is_told = any(line.startswith("Reconstructed") for line in told)
        assert is_told is bool(load(name).reconstructed)
