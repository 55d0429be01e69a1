"""Completion of games and codes, and what typed options may be."""

from support.kept_home import keep_transcript

from cli.commands import options
from cli.commands.options import codes
from p2p_hoity.storage.home import Home
from p2p_hoity.table.gathering.spoken_codes import (
    beginning_with,
)


def test_a_shell_completes_the_words() -> None:
    for typed, offered in (
        ("7-lante", ["7-lantern-"]),
        ("7-lantern-walr", ["7-lantern-walrus"]),
        ("7-lantern-WALR", ["7-lantern-walrus"]),
        *((word, []) for word in ("7-zz", "7", "hoity3", "7-ask-ask-ask-ask-x")),
    ):
        assert codes(typed) == offered
    assert len(codes("7-")) == len(beginning_with(""))


def test_the_shell_completes_games(home: Home, unfinished: str) -> None:
    assert options.transcripts("") == []
    assert options.open_games("") == sorted([unfinished, "last"])
    assert options.open_games(unfinished[:5]) == [unfinished]
    assert options.open_games("zz") == []
    keep_transcript(home, b"", "8daa000011112222.claim.hoity")
    assert options.transcripts("8d") == ["8daa000011112222"]
