"""Hints in words: the mixture of the learned bot, in every language, for every kind of choice."""

import re
from typing import Any

import pytest
from support.cli_stage import NICKNAMES, referee, until

from cli.words import translation
from cli.words.card_names import Names
from cli.words.choice_names import HINTS_OF_A_THEFT, MOST_HINTS, advice, in_words, ordered
from p2p_hoity import rules
from p2p_hoity.bots.learned import shipped

LINE = re.compile(r"  +(\d+)  (?:\[(\d+)\] )?(\S.*)")
LISTED = 2


@pytest.mark.parametrize("kind", ["place", "action", "window", "exhibit"])
@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_it_is_what_the_bot_would_draw_from_likeliest_first(kind: Any, language: str) -> None:
    view = until(referee(4, 3), kind, 0)
    names = Names(view.state.edition, NICKNAMES[:4], 0)
    translation.speak(language)
    heading, *lines = advice(view, kind, names, LISTED)
    words = {in_words(view, kind, one): one for one in ordered(view, kind)}
    read = [found for line in lines if (found := LINE.fullmatch(line))]
    shares = [int(found[1]) for found in read]
    numbers = [ordered(view, kind).index(words[found[3]]) + 1 for found in read]
    most = LISTED if kind == "exhibit" else len(words)
    assert [int(found[2] or 0) for found in read] == [n if n <= most else 0 for n in numbers]
    assert heading
    assert 1 <= len(lines) == len(shares) <= MOST_HINTS
    assert shares == sorted(shares, reverse=True)
    (mixture,) = shipped().mixtures(view, rules.expected(view.state))
    assert shares[0] == round(100 * max(mixture.chances))


def test_of_a_theft_each_exhibit_has_its_own() -> None:
    for seed in range(40):
        driver = referee(5, seed)
        try:
            view = until(driver, "theft", 0)
        except AssertionError:
            continue
        names = Names(view.state.edition, NICKNAMES[:5], 0)
        heading, *lines = advice(view, "theft", names, LISTED)
        mixtures = shipped().mixtures(view, rules.expected(view.state))
        assert heading == HINTS_OF_A_THEFT
        assert len(lines) >= len(mixtures) >= 1
        assert all(re.fullmatch(r" +\d+  [A-F] ?\d+", line) for line in lines)
        return
    raise AssertionError("nobody stole")
