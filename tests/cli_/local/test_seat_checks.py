"""Before a player sits down: space for the game and its file."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cases import fails
from support.kept_home import table_of
from support.odd_files import a_file, a_pipe
from support.shell import Shell

from cli.exit_codes import USAGE, Trouble
from cli.local.seat_checks import check_output
from p2p_hoity.editions.load_edition import DEFAULT
from p2p_hoity.storage.private_files import private_folder

POSIX = pytest.mark.skipif(os.name == "nt", reason="pipes and devices")
PLAY = ("play", "--auto", "--bots", "1")


# Space for the game and its file.


def test_a_transcript_replaces_no_file(hoity: Shell, tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_text("notes")
    for command in (["play", "--auto"], ["host", "--auto"], ["watch", "hoity3abc"], ["join", "x"]):
        done = hoity.done(2, *command, "--transcript", str(kept))
        assert "exists already" in done.err.replace("\n ", "")
    assert kept.read_text() == "notes"


@POSIX
@pytest.mark.parametrize("make", [a_file, a_pipe])
@pytest.mark.parametrize("name", ["journals", "transcripts"])
def test_a_folder_of_ours_that_is_none_is_told_before_the_game(
    name: str, make: Callable[[Path], None], hoity: Shell
) -> None:
    home = private_folder(hoity.home.path)
    make(home / name)
    assert f"Games cannot be stored in {home / name}" in hoity.told(2, *PLAY)


@POSIX
@pytest.mark.parametrize("place", ["/dev/null", "home/marks"])
def test_marks_that_can_be_kept_nowhere_are_told_before_the_game(
    place: str, monkeypatch: pytest.MonkeyPatch, hoity: Shell
) -> None:
    home = private_folder(hoity.home.path)
    monkeypatch.setenv("HOITY_MARKS", str(home.parent / place))
    assert "HOITY_MARKS" in hoity.told(2, *PLAY)
    assert not list(home.glob("journals/*"))


# One terminal for a key.


def test_a_transcript_is_written_where_it_can_be_and_replaces_its_own_game_only(
    game: Path, tmp_path: Path
) -> None:
    check_output(None)
    check_output(tmp_path / "new.hoity")
    check_output(Path(os.devnull))
    check_output(game, table_of(2, 99, edition=DEFAULT).table.id.hex()[:16])
    check_output(game, "")  # of which game, only the ticket will tell
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    for path, words in (
        (game, "exists already"),
        (link, "exists already"),
        (tmp_path, "is a folder"),
        (game / "a.hoity", "cannot be written"),
    ):
        assert fails(Trouble, words, check_output, path).exit_code == USAGE
    assert fails(Trouble, "exists already", check_output, game, "0" * 16).exit_code == USAGE
