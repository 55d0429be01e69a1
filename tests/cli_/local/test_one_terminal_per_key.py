"""One terminal of this computer uses a key at a table: a second one is told so."""

from dataclasses import replace
from pathlib import Path

import pytest

from cli.commands.join import join
from cli.commands.options import OutputOptions, SeatOptions
from cli.exit_codes import USAGE, Trouble
from cli.local.one_terminal_per_key import only_one
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.storage.home import Home
from p2p_hoity.table.open_links import Reach

TICKET = Ticket(b"h" * 32, ("127.0.0.1:4646",), b"t" * 32)


def test_a_second_terminal_with_the_same_key_is_turned_away_and_joins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOITY_HOME", str(tmp_path / "new"))
    home = Home(tmp_path / "new")
    with only_one(home, TICKET):
        with pytest.raises(Trouble, match="Another terminal") as caught, only_one(home, TICKET):
            pass
        assert caught.value.exit_code == USAGE
        assert str(home.identity) in str(caught.value)
        with pytest.raises(Trouble), only_one(home, TICKET):
            pass
        with pytest.raises(Trouble, match="Another terminal"):
            join(SeatOptions(), OutputOptions(), encode_ticket(TICKET), Reach(), True)


def test_another_key_or_table_is_free_and_the_place_itself_once_it_was_left(tmp_path: Path) -> None:
    home = Home(tmp_path / "one")
    for _ in range(2):
        with (
            only_one(home, TICKET),
            only_one(Home(tmp_path / "two"), TICKET),
            only_one(home, replace(TICKET, terms=b"u" * 32)),
        ):
            assert list(home.path.iterdir())
        assert list(home.path.iterdir()) == []
