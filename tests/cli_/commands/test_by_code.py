"""Tests of codes at the command line: which relay is asked, and what is said of a code."""

import json

import pytest
from support.shell import Shell, Types

from cli.commands import join
from cli.commands.options import codes
from cli.exit_codes import Trouble
from cli.local import player_setup, settings
from cli.local.settings import Settings
from cli.words.table_terms import invitation
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.presentation.screen_updates import CodeEnd
from p2p_hoity.storage.home import Home
from p2p_hoity.table.gathering.spoken_codes import (
    CodeCode,
    CodeError,
    SpokenCode,
    beginning_with,
    parse_code,
)

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


def test_a_relay_is_kept_and_forgotten_and_what_is_none_not_used(hoity: Shell) -> None:
    assert hoity("relay", "--use", "Relay.Example").code == 0
    assert settings.load(hoity.home).relay == "relay.example:4646"
    assert settings.relays_of(None) == ["relay.example:4646"]
    assert settings.relays_of(["other:1"]) == ["other:1"]
    assert settings.relays_of(["none"]) == []
    done = hoity("relay", "--use", "none", "--json")
    assert (done.code, done.lines[-1]) == (0, {"type": "use", "relay": None})
    assert settings.load(hoity.home).relay is None
    assert hoity("relay", "--use", "no relay").code == 2
    settings.keep(hoity.home, Settings("Ana"))
    for kept in (7, "", None, ["a"]):
        path = hoity.home.path / "settings.json"
        path.write_text(json.dumps({"nickname": "Ana", "relay": kept}))
        assert settings.load(hoity.home).relay in (None, ""), kept
        assert all(settings.relays_of(None)), kept


def test_a_relay_kept_first_takes_nothing_from_the_first_run(home: Home, types: Types) -> None:
    settings.keep(home, Settings(relay="relay.example:1"))
    assert not settings.is_kept(home)
    types("Ana")
    player_setup.first_run(home)
    kept = settings.load(home)
    assert (kept.nickname, kept.relay) == ("Ana", "relay.example:1")
    assert settings.is_kept(home)


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


def test_a_shell_completes_the_words() -> None:
    for typed, offered in (
        ("7-lante", ["7-lantern-"]),
        ("7-lantern-walr", ["7-lantern-walrus"]),
        ("7-lantern-WALR", ["7-lantern-walrus"]),
        *((word, []) for word in ("7-zz", "7", "hoity3", "7-ask-ask-ask-ask-x")),
    ):
        assert codes(typed) == offered
    assert len(codes("7-")) == len(beginning_with(""))


@pytest.mark.parametrize("after", [None, *CodeEnd])
def test_an_invitation_says_the_code_where_it_is_typed_and_until_when(
    after: CodeEnd | None,
) -> None:
    told = invitation(updates.OfferedCode(CODE, "relay.example:4646", 600.0, after))
    assert len(told) == (2 if after is None else 3)
    assert f"hoity join {CODE}@relay.example:4646" in told[-2]
    assert "10 minutes" in told[-1]
