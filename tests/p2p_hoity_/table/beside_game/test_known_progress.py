"""Tests of the file of how far each game came: what has not changed is not read again."""

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, listed, only, room_of

from p2p_hoity.storage.home import Home


def test_what_was_read_once_is_not_read_again(home: Home) -> None:
    keep_journal(home, room_of(3, 2)).close()
    keep_transcript(home, played_file(), "won.hoity")
    assert [game.progress for game in listed(home, seconds=0)] == [None, None]
    first = listed(home)
    assert listed(home, seconds=0) == first
    assert None not in [game.progress for game in first]


def test_a_file_that_has_changed_is_read_again(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    (first,) = listed(home)
    path.write_bytes(b"something else")
    assert listed(home) == []
    keep_transcript(home, played_file(), "again.hoity")
    (second,) = listed(home)
    assert (second.name, second.nicknames) == (first.name, first.nicknames)


@pytest.mark.parametrize(
    "kept", [b"", b"[]", b"nonsense", b'{"x": {"round": []}}', b"\xff", b"[" * 5000]
)
def test_a_memory_that_is_none_is_read_anew(home: Home, kept: bytes) -> None:
    keep_journal(home, room_of(3, 2)).close()
    path = home.path / "games.json"
    path.write_bytes(kept)
    path.chmod(0o600)
    assert only(home)[1].round == 2
