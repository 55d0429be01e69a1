"""The first questions to a player: asked once and kept, and never in pipes."""

import sys
from pathlib import Path

import pytest
from support.shell import Shell, Types

from cli.commands.options import OutputOptions, SeatOptions
from cli.commands.take_seat import new_sitting
from cli.local import player_setup, settings
from cli.local.settings import Settings
from cli.words import translation
from p2p_hoity.storage import player_key
from p2p_hoity.storage.home import Home
from protocol.wire.table_header import check_nickname


def test_a_relay_kept_first_takes_nothing_from_the_first_run(home: Home, types: Types) -> None:
    settings.keep(home, Settings(relay="relay.example:1"))
    assert not settings.is_kept(home)
    types("Ana")
    player_setup.first_run(home)
    kept = settings.load(home)
    assert (kept.nickname, kept.relay) == ("Ana", "relay.example:1")
    assert settings.is_kept(home)


def test_two_fresh_keys_have_no_name_until_they_are_at_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = (player_setup.load_or_make(Home(tmp_path / str(i)), None)[0] for i in range(2))
    assert one.nickname == two.nickname == ""
    assert one.identity.public != two.identity.public
    assert "a new nickname at each table" in capsys.readouterr().err
    named = [player_setup.named(Home(tmp_path), one, None).nickname for _ in range(8)]
    assert len(set(map(check_nickname, named))) > 1
    player_setup.load_or_make(Home(tmp_path / "2"), "Ana")
    told = capsys.readouterr().err
    assert "A new key was made for you: Ana," in told
    assert "another nickname" not in told


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        (("",), Settings()),
        (("Ana",), Settings("Ana")),
        (("a,b", ""), Settings()),
        (("a,b", "x" * 25, "Ana"), Settings("Ana")),
        (("hoity join hoity3abcdefgh", "7-vacuum-avalanche", "Ana"), Settings("Ana")),
        (("\ufeff Ana\u200b ",), Settings("Ana")),
    ],
)
def test_answers_are_kept(home: Home, lines: tuple[str, ...], kept: Settings, types: Types) -> None:
    types(*lines)
    player_setup.first_run(home)
    assert settings.load(home) == kept


def test_a_ticket_or_code_is_not_taken_for_a_nickname(
    home: Home, types: Types, capsys: pytest.CaptureFixture[str]
) -> None:
    """A nickname is shown to strangers, and a code gives them a seat."""
    types("7-vacuum-avalanche", "(seven vacuum avalanche)", "7 of nine")
    player_setup.first_run(home)
    assert settings.load(home) == Settings("7 of nine")
    assert capsys.readouterr().out.count("a ticket or a code, and not a nickname") == 2


def test_it_is_asked_once_and_not_where_there_is_a_name_or_a_key(home: Home, types: Types) -> None:
    types()
    assert new_sitting(SeatOptions(name="Bob"), OutputOptions()).me.nickname == "Bob"
    assert not settings.is_kept(home)
    home.identity.unlink()
    player_key.new_identity(home, "Old")
    assert new_sitting(SeatOptions(), OutputOptions()).me.nickname == "Old"
    home.identity.unlink()
    types("Ana")
    for _time in range(2):
        assert new_sitting(SeatOptions(), OutputOptions()).me.nickname == "Ana"


def test_a_language_that_the_command_line_names_is_kept(home: Home, types: Types) -> None:
    translation.speak("de", is_asked_for=True)
    types("Ana")
    player_setup.first_run(home)
    assert settings.load(home) == Settings("Ana", "de")


def test_a_pipe_is_asked_nothing(hoity: Shell) -> None:
    assert "nickname for the other players" not in hoity.told(0, "id", "new", "--json")
    assert not settings.is_kept(hoity.home)
    assert player_setup.load(hoity.home)[0].nickname == ""
    hoity.home.identity.unlink()
    assert "nickname for the other players" not in hoity.told(0, "id", "new")
    assert not settings.is_kept(hoity.home)


def names_at_tables(times: int = 4, name: str | None = None) -> list[str]:
    return [new_sitting(SeatOptions(name=name), OutputOptions()).me.nickname for _ in range(times)]


def test_who_has_chosen_no_nickname_has_another_one_at_each_table(
    home: Home, types: Types, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "zaphod")
    types("")
    names = names_at_tables(16)
    assert len(set(names)) > 8
    assert not any("zaphod" in name.lower() for name in names)
    assert new_sitting(SeatOptions(), OutputOptions()).me.is_drawn
    assert player_setup.load(home)[0].nickname == ""
    assert names_at_tables(2, "Bob") == ["Bob", "Bob"]
    assert not new_sitting(SeatOptions(name="Bob"), OutputOptions()).me.is_drawn


def test_a_nickname_that_was_chosen_stays(home: Home, types: Types) -> None:
    types("Ana")
    assert names_at_tables(2) == ["Ana", "Ana"]
    settings.keep(home, Settings("Other"))
    assert names_at_tables(2) == ["Ana", "Ana"]
    home.identity.unlink()
    player_key.new_identity(home, None)
    assert names_at_tables(2) == ["Other", "Other"]


@pytest.mark.parametrize(
    ("user", "kept", "is_chosen"),
    [
        ("ada", "ada-1f2e", False),
        ("ada", "bob-1f2e", True),
        ("ada", "ada-1f2e5", True),
        ("ada", "ada-1f2g", True),
        ("ada", "ada", True),
        ("", "Player-00ff", False),
        (",;", "Player-00ff", False),
        ("a.b", "aXb-00ff", True),
        ("\tvery long " * 9, "very long very l-00ff", False),
    ],
)
def test_a_nickname_that_version_0_1_made_of_the_user_name_was_not_chosen(
    user: str, kept: str, is_chosen: bool, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: user)
    player_key.new_identity(home, kept)
    assert player_setup.load(home)[0].nickname == (kept if is_chosen else "")
    assert (set(names_at_tables()) == {kept}) == is_chosen


def test_a_user_name_that_the_system_does_not_know_is_none(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", unknown)
    player_key.new_identity(home, "Player-00ff")
    assert player_setup.load(home)[0].nickname == ""


def test_the_end_of_the_input_is_told(hoity: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_setup, "at_terminal", lambda: True)
    monkeypatch.setattr("os.read", lambda *_: b"")
    assert "ended before an answer" in hoity.told(130, "id", "new")
    assert not hoity.home.identity.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_line_is_read_to_its_end_and_no_further(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    letters = iter("Añá \r\nnext".encode(encoding))
    monkeypatch.setattr("os.read", lambda *_: bytes([next(letters)]))
    assert player_setup.typed_line() == "Añá"
    assert bytes(letters) == b"next"
    assert not player_setup.at_terminal() or sys.stdin.isatty()


# A key with a passphrase.


@pytest.mark.parametrize(
    ("given", "at_terminal", "asked"), [(None, True, 1), (None, False, 0), ("wrong", True, 0)]
)
def test_a_passphrase_is_asked_for_at_a_terminal_unless_a_wrong_one_was_given(
    given: str | None, at_terminal: bool, asked: int, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions: list[str] = []

    def typed(question: str) -> str:
        questions.append(question)
        return "sesame"

    player_key.new_identity(home, "Ana", "sesame")
    if given is not None:
        monkeypatch.setenv("HOITY_PASSPHRASE", given)
    monkeypatch.setattr("sys.stdin.isatty", lambda: at_terminal)
    monkeypatch.setattr(player_setup, "typed", typed)
    if asked:
        found, passphrase = player_setup.load(home)
        assert (found.nickname, passphrase) == ("Ana", "sesame")
    else:
        with pytest.raises(player_key.KeyFileError):
            player_setup.load(home)
    assert len(questions) == asked


def test_another_error_of_the_key_asks_for_no_passphrase(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr(player_setup, "typed", lambda question: pytest.fail("it was asked"))
    with pytest.raises(player_key.KeyFileError):
        player_setup.load(home)
