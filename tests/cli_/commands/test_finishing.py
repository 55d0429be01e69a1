"""`resume --from`: the file of another seat ends a game, unless it is of another branch."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.branches import branch, file_name, first_difference, records_up_to
from support.cheap_group import cheap_cards
from support.kept_home import keep_journal, player
from support.shell import Shell

from p2p_hoity.storage.home import Home


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    """The branches were played with cheap cards."""
    with cheap_cards():
        yield


@pytest.fixture
def home(home: Home) -> Home:
    player(home)
    return home


def file_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}.hoity"
    path.write_bytes(branch(name).machine().transcript())
    return path


@pytest.mark.sampled(1)
@pytest.mark.parametrize("named", [True, False])
def test_the_file_of_another_branch_is_refused_with_what_to_do(
    hoity: Shell, tmp_path: Path, named: bool
) -> None:
    records = records_up_to(first_difference())
    keep_journal(hoity.home, branch("one"), records=records).close()
    journal = hoity.home.journals / file_name(branch("one"), ".journal")
    game = [journal.stem] if named else []
    told = hoity.told(1, "resume", *game, "--from", file_of(tmp_path, "other"))
    assert "the table was split" in told
    assert f"hoity resume --claim {journal.stem}" in told
    assert journal.exists()
    assert "Saved as a claim" in hoity.told(0, "resume", "--claim", journal.stem)
    assert journal.exists()
    assert "First: " in hoity.told(0, "resume", journal.stem, "--from", file_of(tmp_path, "one"))
    assert not journal.exists()


def test_the_journal_of_ones_own_bot_on_another_branch_counts_too(
    hoity: Shell, tmp_path: Path
) -> None:
    keep_journal(hoity.home, branch("one"), records=records_up_to(1)).close()
    bot = Home(hoity.home.path / "bots" / "crew" / "Ada")
    player(bot, 1)
    keep_journal(bot, branch("one"), seat=1).close()
    journal = hoity.home.journals / file_name(branch("one"), ".journal")
    assert "split" in hoity.told(1, "resume", "--from", file_of(tmp_path, "other"))
    assert journal.exists()
    assert hoity("resume", "--json", "--from", file_of(tmp_path, "one")).lines[0]["standings"]
    assert not journal.exists()


def test_a_saved_game_replaces_no_file_but_its_own(hoity: Shell, tmp_path: Path) -> None:
    keep_journal(hoity.home, branch("one"), records=records_up_to(first_difference())).close()
    whole, named = file_of(tmp_path, "one"), tmp_path / "notes.txt"
    named.write_text("notes")
    for way in (["--claim"], ["--from", whole], []):
        told = hoity.told(2, "resume", *way, "--transcript", named)
        assert "exists already" in told
    assert named.read_text() == "notes"
    named.unlink()
    assert str(named) in hoity.told(0, "resume", "--claim", "--transcript", named)
    claim = named.read_bytes()
    game = file_name(branch("one"), "")
    assert "First: " in hoity.told(0, "resume", game, "--from", whole, "--transcript", named)
    assert claim != named.read_bytes() == whole.read_bytes()
