"""The rules in brief: on one screen, with the switches of the edition."""

from itertools import product

from support.shell import Shell

from p2p_hoity.editions.load_edition import NAMES


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
