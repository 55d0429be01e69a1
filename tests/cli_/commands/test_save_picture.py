"""`hoity replay --picture`: one new file and nothing else, or an error in words."""

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from support.paths import VECTORS
from support.shell import Shell

from cli.pictures.svg_drawing import SVG

FIFOS = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
OPEN_GAME = VECTORS / "transcripts" / "small-three-unfinished.hoity"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where a picture is to be."""
    return tmp_path / "kept.svg"


def told_in(picture: Path) -> str:
    """All text of a picture."""
    root = ElementTree.fromstring(picture.read_bytes())
    return " ".join(one.text or "" for one in root.iter(f"{{{SVG}}}text"))


def test_a_picture_of_a_game_is_a_new_file_of_its_owner(
    hoity: Shell, game: Path, target: Path
) -> None:
    done = hoity.done(0, "replay", game, "--picture", target)
    assert (done.out, done.err) == (f"The picture is in {target}.\n", "")
    found = told_in(target)
    (verdict,) = hoity("verify", game, "--json").lines
    assert f"game {verdict['table'][:16]}" in found
    assert "✓ Verified: every signature, proof, commitment and rule." in found
    assert all(line["nickname"] in found for line in verdict["standings"])
    assert sorted(path.name for path in target.parent.glob("*.*")) == [game.name, target.name]


def test_a_picture_replaces_nothing(hoity: Shell, game: Path, target: Path) -> None:
    target.write_text("mine", encoding="utf-8")
    assert "no file is replaced" in hoity.told(2, "replay", game, "--picture", target)
    assert target.read_text(encoding="utf-8") == "mine"
    assert "is a folder" in hoity.told(2, "replay", game, "--picture", target.parent)
    assert "no file is replaced" in hoity.told(2, "replay", game, "--picture", game)
    target.unlink()
    target.symlink_to(target.with_name("nowhere"))
    assert "no file is replaced" in hoity.told(2, "replay", game, "--picture", target)
    assert not target.exists()


def test_a_picture_that_cannot_be_written_is_refused_in_words(
    hoity: Shell, game: Path, target: Path
) -> None:
    target.write_bytes(b"")
    told = hoity.told(2, "replay", game, "--picture", target / "inside.svg")
    assert "cannot be written" in told
    assert "Name another file." in told


@pytest.mark.parametrize("option", ["--json", "--step"])
def test_a_picture_is_shown_in_no_other_way(
    option: str, hoity: Shell, game: Path, target: Path
) -> None:
    told = hoity.told(2, "replay", game, "--picture", target, option)
    assert "neither with --json nor with --step" in told
    assert not target.exists()


def test_an_unfinished_game_is_drawn_as_far_as_it_came(hoity: Shell, target: Path) -> None:
    done = hoity.done(1, "replay", OPEN_GAME, "--picture", target)
    assert "the game is not over" in done.err
    found = told_in(target)
    assert "The game is not over. It came to round 1." in found
    assert "✓ Verified as far as it was played" in found


def test_a_damaged_game_is_drawn_as_far_as_it_is_valid(
    hoity: Shell, game: Path, target: Path
) -> None:
    data = bytearray(game.read_bytes())
    data[data.index(b"\xc4\x40", int(len(data) * 0.85)) + 10] ^= 1  # Signed, or a signature.
    game.write_bytes(data)
    done = hoity.done(1, "replay", game, "--picture", target)
    assert "bad-signature" in done.err
    assert "The file of this game is valid as far as round" in told_in(target)
    assert "Not valid." in told_in(target)
    assert "✓" not in told_in(target)


def test_what_shows_no_game_gives_no_picture(hoity: Shell, game: Path, target: Path) -> None:
    data = bytearray(game.read_bytes())
    data[data.index(b"\xc4\x40", int(len(data) * 0.05)) + 10] ^= 1
    game.write_bytes(data)
    assert "bad-signature" in hoity.told(1, "replay", game, "--picture", target)
    game.write_bytes(b"")
    assert "unreadable" in hoity.told(1, "replay", game, "--picture", target)
    assert "cannot be read" in hoity.told(2, "replay", target / "none", "--picture", target)
    assert not target.exists()


@FIFOS
def test_a_picture_goes_into_a_pipe_and_nothing_else_is_said(
    hoity: Shell, game: Path, target: Path
) -> None:
    os.mkfifo(target)
    reader = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = hoity.done(0, "replay", game, "--picture", target)
        assert (done.out, done.err) == ("", "")
        assert os.read(reader, 1 << 16).startswith(b"<?xml")
    finally:
        os.close(reader)
