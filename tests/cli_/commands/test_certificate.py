"""`hoity verify` with result certificates: saved from a game, checked, and refused in words."""

from pathlib import Path
from typing import Any

import pytest

from protocol import transcript


@pytest.fixture
def saved(hoity: Any, game: Path, tmp_path: Path) -> Path:
    path = tmp_path / "won.certificate"
    done = hoity("verify", game, "--save-certificate", path)
    assert (done.code, path.exists()) == (0, True)
    return path


def test_it_says_who_has_won_without_the_game(hoity: Any, game: Path, saved: Path) -> None:
    whole = hoity("verify", game, "--json").lines[0]
    done = hoity("verify", "--certificate", saved, "--json")
    found = done.lines[0]
    assert (done.code, found["verdict"], found["digest"]) == (0, "ok", whole["digest"])
    names = [(line["rank"], line["nickname"]) for line in found["standings"]]
    assert names == [(line["rank"], line["nickname"]) for line in whole["standings"]]
    told = hoity("verify", "--certificate", saved).out
    assert "have signed this result" in told
    assert whole["digest"] in told


def test_a_changed_one_is_refused_with_its_code(hoity: Any, saved: Path) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    done = hoity("verify", "--certificate", saved)
    assert (done.code, "bad-signature" in done.out) == (1, True)
    saved.write_bytes(data[:-1])
    done = hoity("verify", "--certificate", saved, "--json")
    assert (done.code, done.lines[0]["problem"]) == (1, "bad-encoding")


def test_no_certificate_replaces_a_file_or_is_made_of_what_is_no_whole_game(
    hoity: Any, game: Path, saved: Path, tmp_path: Path
) -> None:
    assert hoity("verify", game, "--save-certificate", saved).code == 2
    torn = tmp_path / "torn.hoity"
    torn.write_bytes(game.read_bytes()[:-9])
    assert hoity("verify", torn, "--save-certificate", tmp_path / "none").code == 1
    assert not (tmp_path / "none").exists()
    assert hoity("verify", game, game, "--save-certificate", tmp_path / "none").code == 2
    assert hoity("verify", "--certificate", tmp_path / "none").code == 2
    too_long = tmp_path / "long"
    too_long.write_bytes(bytes(transcript.MAX_CERTIFICATE + 9))
    assert hoity("verify", "--certificate", too_long).code == 1


def test_a_transcript_of_version_two_is_refused_with_what_reads_it(
    hoity: Any, game: Path, tmp_path: Path
) -> None:
    old = tmp_path / "old.hoity"
    data = game.read_bytes()
    at = data.index(b"hoity-transcript") + len(b"hoity-transcript")
    old.write_bytes(data[:at] + b"\x02" + data[at + 1 :])
    done = hoity("verify", old)
    assert (done.code, "If it is version 2, read it with hoity 0.1" in done.out) == (1, True)


def test_what_is_a_certificate_proves_nothing_and_what_is_none_is_none(
    hoity: Any, game: Path, saved: Path
) -> None:
    data = saved.read_bytes()
    saved.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    for path, words in ((saved, "proves nothing"), (game, "This is no certificate")):
        told = hoity.told(1, "verify", "--certificate", path)
        assert told.count("certificate proves nothing") == (words == "proves nothing")
        assert words in told
