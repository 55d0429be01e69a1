"""`hoity look`: what is said of the tables that are open on this LAN."""

import json

import pytest

from cli.commands import join
from cli.exit_codes import OK
from p2p_hoity.net.lan_discovery import Announcement

OPEN = Announcement("Ada", 4, 1, "HOITY1-OPEN")
ASKED = Announcement("Bob", 3, 2)


def looked(monkeypatch: pytest.MonkeyPatch, *tables: Announcement, as_json: bool = False) -> int:
    """Look around where these tables are announced; return the exit code."""

    async def browse(seconds: float) -> list[Announcement]:
        assert seconds == 2.0
        return list(tables)

    monkeypatch.setattr(join, "browse", browse)
    return join.look_around(2.0, as_json)


def test_each_table_says_how_to_sit_down(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked(monkeypatch, OPEN, ASKED) == OK
    one, two = capsys.readouterr().out.splitlines()
    assert one == "Ada: 1 of 4 seated. Open to all: hoity join HOITY1-OPEN"
    assert two == "Bob: 2 of 3 seated. To sit down, ask the host for the ticket."


def test_a_lan_without_tables_is_told_in_words_and_is_empty_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked(monkeypatch) == OK
    assert "No open table on this LAN." in capsys.readouterr().out
    assert looked(monkeypatch, as_json=True) == OK
    assert capsys.readouterr().out == ""


def test_each_table_is_an_object_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked(monkeypatch, OPEN, ASKED, as_json=True) == OK
    one, two = map(json.loads, capsys.readouterr().out.splitlines())
    assert one == {"host": "Ada", "joined": 1, "seats": 4, "ticket": "HOITY1-OPEN"}
    assert two["ticket"] is None
