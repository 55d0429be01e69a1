"""An unfinished game is forgotten after a yes, with its bots, and not before."""

import pytest
from support.shell import Shell, Types

from p2p_hoity.storage.private_files import private_folder


@pytest.mark.parametrize("word", ["last", "whole", "prefix"])
def test_a_game_is_forgotten_after_a_yes(
    unfinished: str, word: str, hoity: Shell, types: Types
) -> None:
    name = {"whole": unfinished, "prefix": unfinished[:4]}.get(word, word)
    types("n")
    told = hoity.told(1, "forget", name)
    assert "Nothing was forgotten." in told
    assert f"hoity resume --claim {unfinished}" in told
    assert (hoity.home.journals / f"{unfinished}.journal").exists()
    types("", "what", "y")
    told = hoity.told(0, "forget", name)
    assert "with seat 1, seat 2, round 3" in told
    assert "You will lose your seat" in told
    assert f"{unfinished} is forgotten" in told
    assert not list(hoity.home.journals.glob("*"))


def test_who_has_saved_a_game_is_not_told_to_save_it_before_it_is_forgotten(
    unfinished: str, hoity: Shell, types: Types
) -> None:
    assert hoity("resume", "--claim", unfinished).code == 0
    types("n")
    assert "--claim" not in hoity.told(1, "forget", unfinished)


def test_without_a_terminal_forgetting_takes_yes(unfinished: str, hoity: Shell) -> None:
    crew = private_folder(hoity.home.path / "bots" / "crew")
    (crew / "game").write_text(unfinished)
    assert "--yes" in hoity.told(2, "forget", unfinished)
    assert hoity("forget", "--yes", unfinished).code == 0
    assert not crew.exists()  # its bots go too
    assert hoity("forget", "--yes", unfinished).code == 2
