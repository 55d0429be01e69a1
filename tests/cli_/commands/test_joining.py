"""Tests of sitting down without a ticket at hand: picked from the LAN, or a seat that is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.kept_home import keep_journal, player, room_of
from support.machine_table import MachineTable, identity

from cli.app import run
from cli.commands import join, pick_table, resume, running
from cli.local import questions
from cli.trouble import Trouble
from p2p_hoity.net.discovery import Announcement
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.storage.home import Home
from p2p_hoity.tables import OpenGame, Reach, fresh_tickets

OPEN = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32))
OTHER = encode_ticket(Ticket(b"i" * 32, ("10.0.0.2:9",), b"t" * 32))
ANA, BOB = Announcement("Ana", 4, 1, OPEN), Announcement("Bob", 3, 2)
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> Sequence[Announcement]:
    found: list[Announcement] = [ANA, BOB]

    async def browse(seconds: float) -> list[Announcement]:
        return list(found)

    monkeypatch.setattr(pick_table, "browse", browse)
    return found


def types(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    typed = iter(lines)
    monkeypatch.setattr(questions, "typed_line", lambda: next(typed))


def test_an_open_table_is_picked_by_its_number(
    lan: Sequence[Announcement], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    types(monkeypatch, "0", "9", "x", "1")
    assert pick_table.from_list() == OPEN
    out = capsys.readouterr().out
    assert "  1  Ana (key " in out
    assert "1 of 4 seated, open to all" in out
    assert out.count("No table has that number.") == 3


def test_a_closed_table_asks_for_its_ticket(
    lan: Sequence[Announcement], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    types(monkeypatch, "2", "", "hoity2pasted")
    assert pick_table.from_list() == "hoity2pasted"
    assert "Ask Bob for it" in capsys.readouterr().out


def test_the_list_is_looked_up_anew_and_a_ticket_is_taken_at_once(
    lan: list[Announcement], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    types(monkeypatch, "r", OTHER)
    assert pick_table.from_list() == OTHER
    assert capsys.readouterr().out.count("Looking for tables") == 2


def test_an_empty_lan_says_so_and_may_be_left(
    lan: list[Announcement], monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    lan.clear()
    types(monkeypatch, "1", "q")
    with pytest.raises(Trouble, match="sat down nowhere"):
        pick_table.from_list()
    assert "hoity host" in capsys.readouterr().out


def test_a_host_is_found_by_its_nickname(lan: Sequence[Announcement]) -> None:
    assert pick_table.by_nickname("Ana") == OPEN


@pytest.mark.parametrize("nickname", ["ana", "Аna", "Ana"])
def test_look_alikes_are_listed_and_asked(
    lan: list[Announcement], nickname: str, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    lan.append(Announcement("Аnа", 4, 1, OTHER))  # two letters are Cyrillic
    types(monkeypatch, "2")
    assert pick_table.by_nickname(nickname) == OTHER
    assert "looks like it" in capsys.readouterr().out


def test_a_nickname_that_nobody_has_is_said(lan: Sequence[Announcement]) -> None:
    with pytest.raises(Trouble, match="no table of Zoe on this LAN"):
        pick_table.by_nickname("Zoe")


@pytest.mark.parametrize(
    ("word", "is_name"),
    [
        *(("Ana", True), ("nonsense", True), ("hoity", True), ("", False)),
        *(("hoity2abc", False), ("HOITY1ABC", False), ("x" * 25, False), (OPEN, False)),
    ],
)
def test_a_ticket_is_not_taken_for_a_nickname(word: str, is_name: bool) -> None:
    assert pick_table.is_nickname(word) is is_name


def test_without_a_terminal_a_ticket_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path))
    assert run(["join"]) == 2
    assert "Missing argument 'TICKET'." in capsys.readouterr().err
    assert run(["join", "Ana"]) == 2
    assert "this is not a ticket" in capsys.readouterr().err


# A seat that is kept.


def test_a_ticket_of_a_table_with_a_journal_here_resumes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    home = Home(tmp_path / "home")
    player(home, 1)
    here = room_of(3, 2)
    keep_journal(home, here, 1).close()
    resumed: list[tuple[str, Ticket]] = []

    def take_up(sitting: object, game: OpenGame, reach: Reach, fresh: Ticket) -> int:
        resumed.append((game.name, fresh))
        return 0

    monkeypatch.setattr(join, "take_up", take_up)
    ticket = ticket_of(here)
    assert run(["join", encode_ticket(ticket)]) == 0
    assert resumed == [(here.table.id.hex()[:16], ticket)]
    assert "Your seat at this table is kept" in capsys.readouterr().out


SECRET = b"s" * 16


def ticket_of(here: MachineTable, **given: Any) -> Ticket:
    """A ticket of the host of this room, with these fields otherwise."""
    terms = here.table.header.terms
    ticket = Ticket(terms.host, ("127.0.0.1:9",), terms.digest(), (), SECRET)
    return replace(ticket, **given)


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineTable]:
    """A game of this home that another process seems to play."""
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(fresh_tickets, "TAKEN", 0.5)
    home = Home(tmp_path / "home")
    player(home, 1)
    here = room_of(3, 2)
    book = keep_journal(home, here, 1, secret=SECRET)
    yield here
    book.close()


def lying(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "home" / "journals").glob("*.ticket"))


def test_a_game_that_is_played_is_handed_the_ticket(
    played: MachineTable, tmp_path: Path, capsys: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Ticket] = []

    async def taken(journal: Path, ticket: Ticket) -> bool:
        found.append(ticket)
        return True

    monkeypatch.setattr(running.tables, "hand_over", taken)
    ticket = ticket_of(played)
    assert run(["join", encode_ticket(ticket)]) == 0
    assert found == [ticket]
    told = capsys.readouterr().out
    assert "seat 0 is dialled from there now" in told
    assert "kept on this machine" not in told
    assert run(["join", "--json", encode_ticket(ticket)]) == 0
    handed = json.loads(capsys.readouterr().out)
    assert handed == {"type": "handed", "game": played.table.id.hex()[:16], "name": "seat 0"}


def test_a_game_that_does_not_take_the_ticket_is_said(
    played: MachineTable, tmp_path: Path, capsys: Shown
) -> None:
    assert run(["join", encode_ticket(ticket_of(played))]) == 1
    assert "does not take the ticket: leave there" in capsys.readouterr().err
    assert not lying(tmp_path)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"secret": b"x" * 16}, "its secret is another one"),
        ({"secret": b""}, "its secret is another one"),
        ({"host_id": b"x" * 32}, "nobody who sits at this table"),
        ({"host_id": identity(1).public}, "this is your own ticket"),
    ],
)
def test_a_forged_ticket_is_not_handed_to_a_game(
    played: MachineTable, tmp_path: Path, capsys: Shown, given: dict[str, bytes], words: str
) -> None:
    assert run(["join", encode_ticket(ticket_of(played, **given))]) == 2
    assert words in capsys.readouterr().err
    assert not lying(tmp_path)


def test_a_seat_is_not_taken_again_by_a_forged_ticket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    home = Home(tmp_path / "home")
    player(home, 1)
    here = room_of(3, 2)
    book = keep_journal(home, here, 1, secret=SECRET, whole=True)
    book.close()
    before = book.path.read_bytes()
    forged = ticket_of(here, secret=b"x" * 16)
    assert run(["join", "--auto", "--json", encode_ticket(forged)]) == 2
    assert json.loads(capsys.readouterr().out)["code"] == "ticket-with-another-secret"
    assert book.path.read_bytes() == before


def test_the_seat_of_another_key_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Shown
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "home"))
    home = Home(tmp_path / "home")
    player(home, 5)
    here = room_of(3, 2)
    keep_journal(home, here, 1).close()
    terms = here.table.header.terms
    ticket = Ticket(terms.host, ("127.0.0.1:1",), terms.digest(), (), bytes(16))
    monkeypatch.setattr(join, "take_up", resume.take_up)
    monkeypatch.setattr(join.tables, "join_table", None)
    run(["join", "--yes", encode_ticket(ticket)])
    assert "kept" not in capsys.readouterr().out


def test_a_game_that_is_played_in_another_terminal_is_not_said_to_be_taken_up(
    played: MachineTable, capsys: Shown
) -> None:
    assert run(["resume"]) == 2
    told = capsys.readouterr()
    assert "in another terminal" in told.err
    assert "take your seat" not in told.out + told.err


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_who_names_no_game_is_told_where_games_are_listed(command: str, capsys: Shown) -> None:
    assert run([command]) == 2
    assert "`hoity games` lists your games." in capsys.readouterr().err
    assert run(["watch"]) == 2
    assert "hoity games" not in capsys.readouterr().err
