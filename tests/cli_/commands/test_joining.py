"""Tests of sitting down without a ticket at hand: picked from the LAN, or a seat that is kept."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.kept_home import keep_journal, player, room_of
from support.machine_table import MachineTable, identity
from support.shell import Shell, Types

from cli.commands import join, resume
from cli.exit_codes import Trouble
from p2p_hoity.net.lan_discovery import Announcement
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.playing import reconnect_moved_seat
from p2p_hoity.table.playing.play_table import Reach

OPEN = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32))
OTHER = encode_ticket(Ticket(b"i" * 32, ("10.0.0.2:9",), b"t" * 32))
ANA, BOB = Announcement("Ana", 4, 1, OPEN), Announcement("Bob", 3, 2)
Shown = pytest.CaptureFixture[str]


@pytest.fixture
def lan(monkeypatch: pytest.MonkeyPatch) -> list[Announcement]:
    found = [ANA, BOB]

    async def browse(seconds: float) -> list[Announcement]:
        return list(found)

    monkeypatch.setattr(join, "browse", browse)
    return found


Lan = list[Announcement]


def test_a_table_is_picked_by_its_number_or_ticket(lan: Lan, types: Types, capsys: Shown) -> None:
    types("0", "9", "9" * 5000, "1")
    assert join.from_list() == OPEN
    out = capsys.readouterr().out
    assert "  1  Ana: 1 of 4 seated, open to all" in out
    assert out.count("No table has that number.") == 3
    types("2", "", "hoity3pasted", f"hoity join {OTHER}.")
    assert read_ticket(join.from_list()) == decode_ticket(OTHER)
    out = capsys.readouterr().out
    assert "Ask Bob for it" in out
    assert "This cannot be used: this ticket is mistyped" in out
    types("r", OTHER)  # the list is looked up anew, and a ticket is taken at once
    assert join.from_list() == OTHER
    assert capsys.readouterr().out.count("Searching for tables") == 2
    types("Ana")
    assert join.from_list() == OPEN
    types("\ufeff１.")
    assert join.from_list() == OPEN
    lan.clear()
    types("1", "q")
    with pytest.raises(Trouble, match="did not sit down"):
        join.from_list()
    assert "hoity host" in capsys.readouterr().out


def test_a_wrong_paste_is_asked_for_again(lan: Lan, types: Types, capsys: Shown) -> None:
    slip = OTHER[:40] + ("b" if OTHER[40] != "b" else "c") + OTHER[41:]
    types("2", "Bob", "hoity join Bob", slip, f"{OPEN} {OTHER}", f"`{OTHER}`")
    assert read_ticket(join.from_list()) == decode_ticket(OTHER)
    out = capsys.readouterr().out
    assert out.count("neither a ticket, which starts with hoity3, nor a code") == 2
    assert "mistyped" in out
    assert "several tickets" in out
    for words in (("2", "q"), (slip, "q"), (OTHER[:90], "q")):
        types(*words)
        with pytest.raises(Trouble, match="did not sit down"):
            join.from_list()


@pytest.mark.parametrize("begins", [(), ("2",)])
def test_a_ticket_in_several_lines_is_put_together(
    begins: tuple[str, ...], lan: Lan, types: Types, capsys: Shown
) -> None:
    lines = (f"> {OTHER[:70]}", f"> {OTHER[70:100]}", f"> {OTHER[100:]}")
    types(*begins, *lines)
    assert read_ticket(join.from_list()) == decode_ticket(OTHER)
    assert capsys.readouterr().out.count("This is not all") == 2
    types(*begins, OTHER[:70], OTHER)  # the whole again, and not the rest
    assert read_ticket(join.from_list()) == decode_ticket(OTHER)


@pytest.mark.parametrize("command", ["join", "watch"])
def test_a_pasted_argument_is_refused_in_words_that_fit(hoity: Shell, command: str) -> None:
    assert "is mistyped" in hoity.told(2, command, "hoity3pasted")
    assert "this is not a ticket" in hoity.told(2, command, "hoity join Ana")
    assert "several tickets" in hoity.told(2, command, OPEN, OTHER)
    assert "letters missing: 3" in hoity.told(2, command, "hoity", "join", OPEN[:-3])


def test_a_host_is_found_by_its_nickname_or_asked_among_look_alikes(
    lan: Lan, types: Types, capsys: Shown
) -> None:
    assert all(map(join.is_nickname, ("Ana", "nonsense", "hoity")))
    assert not any(map(join.is_nickname, ("", "hoity3abc", "HOITY1ABC", "x" * 25, OPEN)))
    assert join.by_nickname("Ana") == OPEN
    with pytest.raises(Trouble, match="no table of Zoe on this LAN"):
        join.by_nickname("Zoe")
    lan.append(Announcement("Аnа", 4, 1, OTHER))  # two letters are Cyrillic
    for nickname in ("ana", "Аna", "Ana"):
        types("2")
        assert join.by_nickname(nickname) == OTHER
        assert "looks like it" in capsys.readouterr().out


def test_without_a_terminal_a_ticket_is_needed(hoity: Shell) -> None:
    assert "Missing argument 'TICKET'." in hoity.told(2, "join")
    assert "this is not a ticket" in hoity.told(2, "join", "Ana")
    for command in ("verify", "replay"):
        assert "`hoity games` lists your games." in hoity.told(2, command)
    assert "hoity games" not in hoity.told(2, "watch")


# A seat that is kept.


def test_a_ticket_of_a_kept_table_resumes_it(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    player(hoity.home, 1)
    here = room_of(3, 2)
    keep_journal(hoity.home, here, 1).close()
    resumed: list[tuple[str, Ticket]] = []

    def take_up(sitting: object, game: OpenGame, reach: Reach, fresh: Ticket) -> int:
        resumed.append((game.name, fresh))
        return 0

    monkeypatch.setattr(join, "take_up", take_up)
    ticket = ticket_of(here)
    assert "You already have a seat at this table" in hoity.told(0, "join", encode_ticket(ticket))
    assert resumed == [(here.table.id.hex()[:16], ticket)]


SECRET = b"s" * 16


def ticket_of(here: MachineTable, **given: Any) -> Ticket:
    """A ticket of the host of this room, with these fields otherwise."""
    terms = here.table.header.terms
    ticket = Ticket(terms.host, ("127.0.0.1:9",), terms.digest(), (), SECRET)
    return replace(ticket, **given)


@pytest.fixture
def played(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineTable]:
    """A game of this home that another process seems to play."""
    monkeypatch.setattr(reconnect_moved_seat, "TAKEN", 0.5)
    player(home, 1)
    here = room_of(3, 2)
    book = keep_journal(home, here, 1, secret=SECRET)
    yield here
    book.close()
    assert not list(home.journals.glob("*.ticket"))


def test_a_game_that_is_played_elsewhere_is_handed_the_ticket_and_not_taken_up(
    played: MachineTable, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Ticket] = []

    async def taken(files: FileStore, journal: Path, ticket: Ticket) -> bool:
        found.append(ticket)
        return True

    monkeypatch.setattr(resume, "hand_over", taken)
    ticket = ticket_of(played)
    told = hoity.told(0, "join", encode_ticket(ticket))
    assert found == [ticket]
    assert "tries to reach seat 0 at the addresses" in told
    assert "already have a seat" not in told
    done = hoity("join", "--json", encode_ticket(ticket))
    handed = {"type": "handed", "game": played.table.id.hex()[:16], "name": "seat 0"}
    assert (done.code, done.lines) == (0, [handed])
    told = hoity.told(2, "resume")
    assert "in another terminal" in told
    assert "take your seat" not in told


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({}, 1, "which does not accept this ticket"),
        ({"secret": b"x" * 16}, 2, "its secret is different"),
        ({"secret": b""}, 2, "its secret is different"),
        ({"host_id": b"x" * 32}, 2, "nobody who sits at this table"),
        ({"host_id": identity(1).public}, 2, "this is your own table"),
    ],
)
def test_a_ticket_that_is_forged_or_not_taken_is_not_left_with_a_game(
    played: MachineTable, hoity: Shell, given: dict[str, bytes], code: int, words: str
) -> None:
    assert words in hoity.told(code, "join", encode_ticket(ticket_of(played, **given)))


def test_a_seat_is_not_taken_by_a_forged_ticket(hoity: Shell) -> None:
    player(hoity.home, 1)
    here = room_of(3, 2)
    book = keep_journal(hoity.home, here, 1, secret=SECRET)
    book.close()
    before = book.path.read_bytes()
    forged = ticket_of(here, secret=b"x" * 16)
    done = hoity("join", "--auto", "--json", encode_ticket(forged))
    assert (done.code, done.lines[0]["code"]) == (2, "ticket-with-another-secret")
    assert book.path.read_bytes() == before
