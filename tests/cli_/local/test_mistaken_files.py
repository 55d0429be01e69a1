"""A file that is taken for another one, or was damaged on its way, is told as what it is."""

import base64
import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from support.paths import VECTORS
from support.shell import Shell

from cli.local.mistaken_files import Kind, explained
from p2p_hoity.storage import journal_format, player_key
from p2p_hoity.storage.kept_vouches import MAGIC as VOUCHES
from protocol import transcript
from protocol.transcript import result_certificate, transcript_format

GAME = (VECTORS / "example.hoity").read_bytes()


@pytest.fixture
def certificate(hoity: Shell, tmp_path: Path) -> bytes:
    """The certificate of that game."""
    path = tmp_path / "certificate"
    hoity.done(0, "verify", VECTORS / "example.hoity", "--save-certificate", path)
    return path.read_bytes()


def test_the_names_of_the_kinds_are_those_of_the_formats() -> None:
    assert {kind.value for kind in Kind} == {
        transcript_format.MAGIC,
        result_certificate.MAGIC,
        VOUCHES,
        journal_format.MAGIC.decode()[:-2],
        journal_format.MARK_MAGIC.decode()[:-2],
        player_key.MAGIC.decode()[:-2],
    }


DAMAGE: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "CRLF": (lambda data: data.replace(b"\n", b"\r\n"), "as if it were text"),
    "LF": (lambda data: data.replace(b"\r", b"\n"), "as if it were text"),
    "UTF-8": (lambda data: data.decode("latin-1").encode(), "as if it were text"),
    "Windows": (lambda data: data.decode("cp1252", "replace").encode(), "as if it were text"),
    "replaced": (lambda data: data.decode("utf-8", "replace").encode(), "as if it were text"),
    "UTF-16": (lambda data: data.decode("latin-1").encode("utf-16"), "as if it were text"),
    "BOM": (lambda data: b"\xef\xbb\xbf" + data, "as if it were text"),
    "quoted": (lambda data: b"=94=B0" + data[2:], "as if it were text"),
    "base64": (base64.encodebytes, "letters of base64"),
    "base64 in one line": (base64.b64encode, "letters of base64"),
    "base64 of gzip": (lambda data: base64.encodebytes(gzip.compress(data)), "letters of base64"),
    "gzip": (gzip.compress, "compressed file"),
    "empty": (lambda data: b"", "The file is empty"),
    "web page": (lambda data: b"\n<!DOCTYPE html><title>404</title>", "a web page"),
    "bare web page": (lambda data: b"<html><body>Sign in", "a web page"),
    "text": (lambda data: "Grüße\n".encode(), "This is a text"),
}


@pytest.mark.parametrize("way", DAMAGE)
def test_damage_is_told_as_damage(way: str, hoity: Shell, tmp_path: Path) -> None:
    damage, told = DAMAGE[way]
    path = tmp_path / "my game.hoity"
    path.write_bytes(damage(GAME))
    for command in ("verify", "replay"):
        assert told in hoity.told(1, command, path)
    assert told in explained(path, Kind.CERTIFICATE) or way in ("CRLF", "LF")


@pytest.mark.parametrize("way", [way for way in DAMAGE if way != "LF"])
def test_damage_of_a_certificate_too(way: str, certificate: bytes, hoity: Shell) -> None:
    damage, told = DAMAGE[way]
    path = hoity.home.path.parent / "damaged"
    path.write_bytes(damage(certificate))
    found = hoity.told(1, "verify", "--certificate", path)
    assert told in found or (way == "CRLF" and b"\n" not in certificate)


@pytest.mark.parametrize("size", [20, 200, len(GAME) - 1])
def test_a_file_without_its_end_is_told_so(size: int, hoity: Shell, tmp_path: Path) -> None:
    path = tmp_path / "a.hoity"
    path.write_bytes(GAME[:size])
    assert "The end is missing" in hoity.told(1, "verify", path)


def test_a_certificate_without_its_end_is_told_so(certificate: bytes, hoity: Shell) -> None:
    path = hoity.home.path.parent / "cut"
    for size in (20, len(certificate) // 2, len(certificate) - 1):
        path.write_bytes(certificate[:size])
        told = hoity.told(1, "verify", "--certificate", path)
        assert "A part of the file is missing or was changed" in told


OTHERS = {
    "journal": (b"hoity-journal-3\nx", "the journal of an unfinished game"),
    "old journal": (b"hoity-journal-2\nx", "the journal of an unfinished game"),
    "mark": (b"hoity-mark-3\nx", "the mark of a journal"),
    "key": (b"hoity-key-1\nx", "a player's key"),
    "vouches": (b"\x94\xadhoity-vouches\x03", "hoity verify --vouches"),
    "ticket": (b"hoity3" + b"abcd2345" * 9 + b"\n", "This is a ticket"),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_another_file_of_the_program_is_told_as_what_it_is(
    kind: str, hoity: Shell, tmp_path: Path
) -> None:
    data, told = OTHERS[kind]
    path = tmp_path / "x"
    path.write_bytes(data)
    for words in (("verify",), ("verify", "--certificate"), ("replay",)):
        assert told in hoity.told(1, *words, path)
    if kind != "vouches":
        named = hoity.told(1, "verify", "--vouches", path, VECTORS / "example.hoity")
        assert told in named


def test_game_and_certificate_are_told_apart(
    certificate: bytes, hoity: Shell, tmp_path: Path
) -> None:
    game = tmp_path / "my game"
    game.write_bytes(GAME)
    told = hoity.told(1, "verify", "--certificate", game)
    assert "my game: not ok. This is no certificate (bad-form). This is the file of a game." in told
    assert f"Check it with: hoity verify '{game}'" in told
    path = tmp_path / "certificate"
    assert f"hoity verify --certificate {path}" in hoity.told(1, "verify", path)
    assert f"hoity verify --certificate {path}" in hoity.told(1, "replay", path)


def test_what_is_sound_or_only_forged_is_not_explained(hoity: Shell, tmp_path: Path) -> None:
    assert explained(VECTORS / "example.hoity", Kind.GAME) == ""
    changed = tmp_path / "a.hoity"
    at = len(GAME) // 2
    changed.write_bytes(GAME[:at] + bytes([GAME[at] ^ 1]) + GAME[at + 1 :])
    assert explained(changed, Kind.GAME, code="bad-signature") == ""
    assert explained(tmp_path / "nothing", Kind.GAME) == ""
    assert explained(tmp_path, Kind.GAME) == ""
    assert transcript.FILE_FAULTS["torn"]


def test_a_certificate_says_exactly_what_it_proves(certificate: bytes, hoity: Shell) -> None:
    path = hoity.home.path.parent / "certificate"
    told = hoity.told(0, "verify", "--certificate", path)
    assert "This proves that the seats with these keys have signed this result." in told
    assert "It does not prove that the rules were followed" in told


def test_a_word_that_means_no_game_is_told_with_where_it_was_looked_for(
    hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in ("replay", "verify"):
        for word in ("TYPO", "deadbeef"):
            told = hoity.told(2, command, word)
            assert f"There is no file {word} in {tmp_path}" in told
            assert f"no game in {hoity.home.transcripts} has an id that begins so" in told
            assert "`hoity games` lists your games" in told
    hoity.done(0, "id", "new")
    for words in (("forget",), ("resume",), ("resume", "--claim")):
        told = hoity.told(2, *words, "deadbeef")
        assert f"no unfinished game in {hoity.home.journals} has an id that begins with" in told
        assert "'deadbeef': hoity games lists" in told
    hoity.home.transcripts.mkdir(mode=0o700)
    (hoity.home.transcripts / "deadbeef00001111.hoity").touch()
    for words in (("forget",), ("resume",)):
        told = hoity.told(2, *words, "DEADbeef")
        assert "game deadbeef00001111 is over" in told
        assert "hoity replay deadbeef00001111" in told
