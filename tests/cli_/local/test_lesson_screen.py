"""The lesson's explanations, and how a screen shows them."""

import re

from cli.local.lesson_screen import EXPLANATIONS, FAREWELL
from cli.words import translation
from p2p_hoity.lesson_script import Topic


def test_every_explanation_is_short() -> None:
    """It has four lines of eighty columns at most, and one to three sentences."""
    assert set(EXPLANATIONS) == set(Topic)
    for language in translation.LANGUAGES:
        translation.speak(language)
        for words in (*EXPLANATIONS.values(), FAREWELL):
            shown = translation._(words)
            assert len(shown) < 4 * 74
            assert 1 <= len(re.findall(r"[.!?](?= |$)", shown)) <= 3
