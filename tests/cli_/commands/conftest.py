"""What tests of several commands share: homes with unfinished games, and tables to be opened."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cheap_group import cheap_cards
from support.kept_home import keep_journal, player, table_of

from cli.commands import list_games
from cli.commands import play as play_command
from p2p_hoity.storage.home import Home
from p2p_hoity.table.open_links import Reach


@pytest.fixture
def my_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home folder of the user, in which one stands in another folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


@pytest.fixture
def cheap() -> Iterator[None]:
    """Games are played and verified with cheap cards."""
    with cheap_cards():
        yield


@pytest.fixture
def own_key(home: Home) -> Home:
    """A home with the key of the first seat of games that tests have played."""
    player(home)
    return home


@pytest.fixture
def listing(cheap: None, own_key: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home whose games are all read, however busy the machine is."""
    monkeypatch.setattr(list_games, "READING", math.inf)
    return own_key


@pytest.fixture
def unfinished(listing: Home) -> str:
    """The id of an unfinished game in round 3."""
    book = keep_journal(listing, table_of(3, 3))
    book.close()
    return book.path.stem


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Reach]:
    """How the tables would be reached that commands open."""
    found: list[Reach] = []

    def host(seat: Any, output: Any, opening: Any) -> int:
        found.append(opening.reach)
        return 0

    monkeypatch.setattr(play_command, "host", host)
    return found
