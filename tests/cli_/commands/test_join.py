"""Sitting down by a ticket, a code or a host's name; picking a table on this LAN."""

import json
from typing import Any

import pytest
from support.kept_home import keep_journal, player, table_of, ticket_of
from support.shell import Shell, Types

from cli.commands import join, reach_options
from cli.commands.join import _with_relays
from cli.commands.options import USUAL, NetworkOptions, OutputOptions, SeatOptions
from cli.exit_codes import OK, Trouble
from cli.local import settings
from cli.local.settings import Settings
from cli.words.table_terms import alone_lines
from p2p_hoity.net.lan_discovery import Announcement
from p2p_hoity.net.network_errors import TicketError
from p2p_hoity.net.ticket import Ticket, decode_ticket, encode_ticket
from p2p_hoity.net.typed_tickets import read_ticket
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.gathering.spoken_codes import CodeCode, CodeError, SpokenCode, parse_code
from p2p_hoity.table.open_links import Reach

TICKET = Ticket(b"h" * 32, ("10.0.0.1:9",), b"t" * 32)
CODE = "7-lantern-walrus"


@pytest.fixture(autouse=True)
def _own_home(home: Home) -> None:
    """Nothing is kept elsewhere."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[SpokenCode]:
    """The codes for which a relay is asked; it knows them all."""
    found: list[SpokenCode] = []

    async def ask(code: SpokenCode, _network: object) -> Ticket:
        found.append(code)
        return TICKET

    monkeypatch.setattr(join, "ticket_by_code", ask)
    return found


# Codes.


@pytest.mark.parametrize(
    ("word", "typed", "kept", "relay"),
    [
        (f"{CODE}@there.example", ("other.example:1",), "kept.example:2", "there.example:4646"),
        (CODE, ("other.example:1", "second.example:1"), "kept.example:2", "other.example:1"),
        ("7 LANTERN walrus", (), "kept.example:2", "kept.example:2"),
    ],
)
def test_the_relay_behind_the_at_goes_first_then_the_one_typed_then_the_one_kept(
    word: str, typed: tuple[str, ...], kept: str, relay: str, asked: list[SpokenCode], home: Home
) -> None:
    settings.keep(home, Settings(relay=kept))
    assert join.ticket_of(word, typed, None, True) == (TICKET, relay)
    assert asked == [SpokenCode(7, ("lantern", "walrus"), relay)]


def test_nobody_is_asked_without_a_relay_or_a_code(asked: list[SpokenCode], hoity: Shell) -> None:
    assert join.ticket_of(encode_ticket(TICKET), (), None, False) == (TICKET, None)
    with pytest.raises(Trouble, match=r"hoity join 7-lantern-walrus@HOST:PORT") as trouble:
        join.ticket_of(CODE, (), None, True)
    assert trouble.value.exit_code == 2
    settings.keep(hoity.home, Settings(relay="kept.example:2"))
    with pytest.raises(Trouble):
        join.ticket_of(CODE, ("none",), None, True)
    assert "did you mean walrus?" in hoity.told(2, "join", "7-lantern-wlarus@r:1")
    assert asked == []


@pytest.mark.parametrize("command", ["join", "watch"])
@pytest.mark.parametrize(
    ("error", "number"),
    [
        (CodeError(CodeCode.WRONG), 1),
        (CodeError(CodeCode.NOBODY, number=7, relay="r:1"), 3),
        (CodeError(CodeCode.BUSY, relay="r:1"), 3),
        (CodeError(CodeCode.UNANSWERED, number=7, relay="r:1"), 3),
    ],
)
def test_a_program_is_told_why_there_is_no_ticket(
    command: str, error: CodeError, number: int, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ask(_code: SpokenCode, _network: object) -> Ticket:
        raise error

    monkeypatch.setattr(join, "ticket_by_code", ask)
    (told,) = hoity.done(number, command, f"{CODE}@r:1", "--json").lines
    assert (told["type"], told["code"], told["exit"]) == ("error", str(error.code), number)


def test_a_code_is_typed_as_a_table_is_picked(
    types: Types, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def nobody(_seconds: float) -> list[object]:
        return []

    types("7 lantern", CODE, f"{CODE}@a b", f"hoity join {CODE}@relay.example:4646.")
    monkeypatch.setattr(join, "browse", nobody)
    typed = parse_code(join.from_list())
    assert (str(typed), typed.relay) == (CODE, "relay.example:4646")
    said = capsys.readouterr().out
    assert "No table has that number." in said
    assert "it does not say at which relay the code is valid" in said
    assert "the part after the @ is not a relay" in said
    types(CODE)
    assert join.from_list(("relay.example",)) == CODE


# Tables of this LAN, and tickets that are pasted.

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


Announced = list[Announcement]


def test_a_table_is_picked_by_its_number_or_ticket(
    lan: Announced, types: Types, capsys: Shown
) -> None:
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


def test_a_wrong_paste_is_asked_for_again(lan: Announced, types: Types, capsys: Shown) -> None:
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
    begins: tuple[str, ...], lan: Announced, types: Types, capsys: Shown
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
    lan: Announced, types: Types, capsys: Shown
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
    here = table_of(3, 2)
    keep_journal(hoity.home, here, 1).close()
    resumed: list[tuple[str, Ticket]] = []

    def take_up(sitting: object, game: OpenGame, reach: Reach, fresh: Ticket) -> int:
        resumed.append((game.name, fresh))
        return 0

    monkeypatch.setattr(join, "take_up", take_up)
    ticket = ticket_of(here)
    assert "You already have a seat at this table" in hoity.told(0, "join", encode_ticket(ticket))
    assert resumed == [(here.table.id.hex()[:16], ticket)]


# What `tables` says.

OPEN_TABLE = Announcement("Ada", 4, 1, "HOITY1-OPEN")
ASKED_TABLE = Announcement("Bob", 3, 2)


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
    assert looked(monkeypatch, OPEN_TABLE, ASKED_TABLE) == OK
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
    assert looked(monkeypatch, OPEN_TABLE, ASKED_TABLE, as_json=True) == OK
    one, two = map(json.loads, capsys.readouterr().out.splitlines())
    assert one == {"host": "Ada", "joined": 1, "seats": 4, "ticket": "HOITY1-OPEN"}
    assert two["ticket"] is None


# Behind a proxy, and through relays alone.

TOR = "socks5://127.0.0.1:9050"
TYPED_TICKET = encode_ticket(Ticket(b"h" * 32, ("10.0.0.1:9999",), b"t" * 32, (), b"s" * 16))


def again_by(listen: str = "", relay: list[str] | None = None, **typed: Any) -> Reach:
    """Return the same of a seat that is taken again."""
    return reach_options.again_by(NetworkOptions(listen, relay, **typed))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(reach_options.PROXY, "")


@pytest.mark.parametrize("words", [(), ("--json",), ("--wait", "0.2")])
def test_the_lan_is_not_searched_for_tables_behind_a_proxy_of_the_environment(
    words: tuple[str, ...], hoity: Shell, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[float] = []

    async def browse(seconds: float) -> list[Announcement]:
        searched.append(seconds)
        return []

    monkeypatch.setattr(join, "browse", browse)
    monkeypatch.setenv(reach_options.PROXY, TOR)
    assert "HOITY_PROXY is set" in hoity.told(2, "tables", *words)
    types("1")
    assert "is not searched" in hoity.told(2, "join")
    assert "not a ticket" in hoity.told(2, "join", "Ana")
    assert searched == []
    monkeypatch.setenv(reach_options.PROXY, "")
    assert hoity("tables", *words).code == 0
    monkeypatch.setattr(join, "at_terminal", lambda: True)
    assert "no table of Ana" in hoity.told(2, "join", "Ana")
    assert len(searched) == 2


def test_relays_alone_needs_a_relay_that_the_player_names(
    opened: list[Reach], hoity: Shell, home: Home
) -> None:
    for words in (
        ["host", "--relay-only"],
        ["host", "--relay-only", "--relay", "none"],
        ["join", "--relay-only", TYPED_TICKET],
        ["join", "--relay-only", "--relay", "none", TYPED_TICKET],
        ["join", "--relay-only", "7-lantern-walrus"],
    ):
        assert "needs a relay: name one with --relay HOST:PORT" in hoity.told(2, *words)
    assert hoity("relay", "--use", "kept.example:1").code == 0
    assert hoity("host", "--relay-only").code == 0
    assert opened[-1].relays == ("kept.example:1",)
    word = "7-lantern-walrus@r.example:1"
    kept = ("kept.example:1",)
    for typed, code, relays in (
        (None, TYPED_TICKET, kept),
        (None, word, (*kept, "r.example:1")),
        (["x.example:1"], TYPED_TICKET, ("x.example:1",)),
        (["r.example:1"], word, ("r.example:1",)),
        (["none"], word, ("r.example:1",)),
    ):
        found = _with_relays(code, again_by(USUAL, typed, relay_only=True))
        assert found.relays == relays
    with pytest.raises(Trouble, match="needs a relay"):
        _with_relays(TYPED_TICKET, again_by(USUAL, ["none"], relay_only=True))


def test_what_each_party_learns_is_said(hoity: Shell) -> None:
    words = ("join", "--relay-only", "--relay", "r.example:1", TYPED_TICKET)
    told = hoity.told(2, *words)
    assert "The relay learns your address, with whom you are linked, when" in told
    assert "The others learn that you use this relay, and no address of yours." in told
    assert "the host waits at no relay" in told
    first, others = alone_lines(("r:1", "s:1"), True, True)
    assert "(r:1, s:1)" in first
    assert "your proxy's address" in first
    assert "the address that you had then" in others


# The order of questions.


def test_a_bad_ticket_is_told_before_any_question_and_a_code_is_used_behind_them_all(
    asked: list[SpokenCode], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A code is valid for one attempt and a few minutes."""
    questions: list[int] = []

    def ask_all(*_given: object) -> None:
        questions.append(1)
        raise Trouble("these were all questions")

    monkeypatch.setattr(join, "new_sitting", ask_all)
    seat = (SeatOptions(), OutputOptions())
    with pytest.raises(TicketError):
        join.join(*seat, "hoity3pasted", Reach(), True)
    assert questions == []
    with pytest.raises(Trouble, match="these were all"):
        join.join(*seat, f"{CODE}@r:1", Reach(), True)
    assert (questions, asked) == ([1], [])
