"""Tests of the player's key file: made once, sealed by a passphrase, with a nickname that fits."""

import stat
from pathlib import Path

import pytest
from support.cases import fails

from cli.local import player_setup
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home


def test_a_passphrase_seals_the_key_and_the_vault_shows_none(tmp_path: Path) -> None:
    place = Home(tmp_path)
    made = player_key.new_identity(place, "Ada", "open sesame")
    assert made.identity.seed not in place.identity.read_bytes()
    assert player_key.load_identity(place, "open sesame").identity.public == made.identity.public
    for wrong in (None, "", "other"):
        with pytest.raises(player_key.KeyFileError, match=r"passphrase-wrong|file-sealed"):
            player_key.load_identity(place, wrong)
    plain = Home(tmp_path / "plain")
    player_key.new_identity(plain, "Ada")
    for given in ("open sesame", " "):  # Somebody else may have put a plain key there.
        fails(
            player_key.KeyFileError, r"\(file-not-sealed\)", player_key.load_identity, plain, given
        )
    assert player_key.load_identity(plain, "").nickname == "Ada"
    assert "box" not in repr(player_key.new_vault("open sesame"))
    fails(player_key.VaultError, "", player_key.read_vault, b"", None)


def test_without_a_key_one_is_made_and_read_again_and_never_overwritten(tmp_path: Path) -> None:
    fails(player_key.KeyFileError, "no-key", player_key.load_identity, Home(tmp_path))
    place = Home(tmp_path / "home")
    made = player_key.new_identity(place, "Ada")
    read = player_key.load_identity(place)
    assert (read.nickname, read.identity.public) == ("Ada", made.identity.public)
    assert stat.S_IMODE(place.identity.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.path.stat().st_mode) == 0o700
    place = Home(tmp_path)
    player_key.new_identity(place, "Ada")
    before = place.identity.read_bytes()
    fails(player_key.KeyFileError, "key-exists", player_key.new_identity, place, "Bob")
    assert place.identity.read_bytes() == before


def test_a_key_may_be_kept_without_a_nickname(tmp_path: Path) -> None:
    place = Home(tmp_path)
    made = player_key.new_identity(place, None, "open sesame")
    read = player_key.load_identity(place, "open sesame")
    assert (read, read.nickname) == (made, "")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "nickname-size"),
        ("x" * 25, "nickname-size"),
        ("a\u200bda", "nickname-letters"),
        ("host, ada", "nickname-as-two"),
        ("Ada" + "\u0301" * 3, "nickname-stacked"),
        ("\u0301Ada", "nickname-stacked"),
    ],
)
def test_what_cannot_be_a_nickname_is_told_and_no_key_is_made(
    tmp_path: Path, name: str, code: str
) -> None:
    place = Home(tmp_path)
    fails(player_key.KeyFileError, code, player_key.new_identity, place, name)
    assert not place.identity.exists()
    player_key.new_identity(place, "Ada\u0323\u0302")


@pytest.mark.parametrize(
    "data", [b"", b"hello", player_key.MAGIC, player_key.MAGIC + b"\x00junk", b"\x01"]
)
def test_a_damaged_key_file_is_told(tmp_path: Path, data: bytes) -> None:
    place = Home(tmp_path)
    place.files.put(place.identity, data)
    fails(player_key.KeyFileError, "", player_key.load_identity, place)


@pytest.mark.parametrize("name", ["", " ", "x" * 25, "x" * 100, "tab\there", " Ada"])
def test_a_bad_nickname_is_refused_for_a_new_key_and_an_old_one(tmp_path: Path, name: str) -> None:
    place = Home(tmp_path)
    fails(player_key.KeyFileError, "", player_key.new_identity, place, name)
    assert not place.identity.exists()
    player_key.new_identity(place, "Ada")
    fails(player_key.KeyFileError, r"^nickname-", player_setup.load_or_make, place, name)
