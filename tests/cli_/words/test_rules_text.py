"""The rules in brief: on one screen, with the switches of the edition."""

from itertools import product

import pytest
from support.shell import Shell

from cli.words.rules_text import lines, paragraphs
from p2p_hoity.editions.load_edition import NAMES, load


def test_the_rules_fit_one_screen_and_name_the_switches_of_the_edition(hoity: Shell) -> None:
    spoken = (("en", "AIM"), ("es", "OBJETIVO"), ("de", "Auslagen"))
    for (language, words), edition in product(spoken, NAMES):
        done = hoity("rules", "--lang", language, "--edition", edition)
        assert words in done.out
        lines = done.out.splitlines()
        assert len(lines) <= 47
        assert max(map(len, lines)) <= 96
    told = [hoity.told(0, "rules", "--edition", name, "--lang", "en") for name in NAMES]
    assert "No Detective in the Auction Hall" in told[0]
    assert "A Detective may be played in the Auction Hall" in told[1]
    for text in told:  # each switch stands with what it is about
        assert "rank is taken" in text.partition("- Detectives:")[2].partition("- Prison")[0]


def test_actions_that_are_chosen_together_are_told_where_places_are() -> None:
    staged, together = (
        paragraphs(load().with_switches(action_choice=choice)) for choice in ("staged", "together")
    )
    assert "All Actions are chosen at once" in together[2]
    assert "are shown after the sale" in together[4]
    assert "chosen" not in staged[2]
    assert "are chosen after the sale" in staged[4]
    differing = [at for at in range(len(staged)) if staged[at] != together[at]]
    assert {2, 4} <= set(differing)


@pytest.mark.parametrize(("columns", "most"), [(None, 96), (40, 40), (300, 96)])
def test_lines_are_no_wider_than_is_wanted_and_say_all(columns: int | None, most: int) -> None:
    found = list(lines(load(), columns))
    assert max(map(len, found)) <= most
    assert " ".join(" ".join(found).split()) == " ".join(paragraphs(load()))


def test_every_letter_has_its_category_and_every_line_of_the_cards_its_full_stop() -> None:
    *_, letters, cards = paragraphs(load())
    assert letters.startswith("LETTERS A ")
    assert all(f"{letter} " in letters for letter in "ABCDEF")
    assert "Collectibles." in cards
    assert cards.endswith(".")
    assert ".." not in cards
