"""Tests of what `hoity resume` offers: several games are listed, claimed ones only by name."""

from pathlib import Path

import pytest

from cli.commands import list_games
from cli.exit_codes import USAGE, Trouble
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game import unfinished_games
from p2p_hoity.table.beside_game.unfinished_games import OpenGame
from p2p_hoity.table.peer_error import PeerError


def game(name: str, is_claimed: bool = False) -> OpenGame:
    return OpenGame(name, Path(name), ("Bob", "Ana", "Carol"), 1_700_000_000, 1, is_claimed)


def offer(monkeypatch: pytest.MonkeyPatch, *games: OpenGame) -> None:
    monkeypatch.setattr(unfinished_games, "open_games", lambda home, passphrase: list(games))


def test_several_games_are_listed_with_date_and_opponents_and_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    offer(monkeypatch, game("aaaabbbb"), game("aaaacccc"), game("ddddeeee"))
    with pytest.raises(Trouble) as caught:
        list_games.find(Home(tmp_path), None, None, "hoity resume")
    assert caught.value.exit_code == USAGE
    _, first, second, third = str(caught.value).splitlines()
    assert first.startswith("  hoity resume aaaab ")
    assert second.startswith("  hoity resume aaaac ")
    assert third.startswith("  hoity resume dddd ")
    assert "2023-11-1" in first
    assert first.endswith("with Bob, Carol")
    names = ["aaaaaaaa", "aaaaaaab", "bbbbbbbb"]
    assert [list_games.short(name, names) for name in names] == ["aaaaaaaa", "aaaaaaab", "bbbb"]


def test_a_claimed_game_is_found_by_name_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    claimed = game("bbbb", is_claimed=True)
    games = {None: game("aaaa"), "bb": claimed}
    offer(monkeypatch, *games.values())
    for name, wanted in games.items():
        assert list_games.find(Home(tmp_path), name, None, "hoity resume") == wanted
    offer(monkeypatch, claimed)
    with pytest.raises(PeerError, match=r"only-claimed-games names=..bbbb"):
        list_games.find(Home(tmp_path), None, None, "hoity resume")
