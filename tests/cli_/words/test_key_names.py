"""Keys in words: a player's is told apart from a seat's at one table, and from none."""

import pytest

from cli.words import translation
from cli.words.key_names import player_key, table_key
from protocol import fingerprint

KEY = bytes(range(32))


def test_a_key_is_shown_by_its_fingerprint() -> None:
    assert player_key(KEY) == f"key {fingerprint(KEY)}"
    assert table_key(KEY) == f"key of this table {fingerprint(KEY)}"
    assert player_key(None) == "shows no key"


@pytest.mark.parametrize("language", translation.LANGUAGES)
def test_a_key_of_a_table_is_never_told_as_a_players(language: str) -> None:
    translation.speak(language)
    told = {player_key(KEY), table_key(KEY), player_key(None)}
    assert len(told) == 3
    assert sum(fingerprint(KEY) in words for words in told) == 2
