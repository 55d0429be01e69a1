"""A code instead of a ticket between real processes: a relay, a host, a guest, an onlooker; and a
table that nobody may watch, by ticket and by code, before and in play."""

from pathlib import Path

import pytest
from support.limits import LIMIT
from support.process_table import ProcessTable
from support.sampling import REACHED
from support.terminals import DOORS, GUEST, LISTEN, relay, start

pytestmark = REACHED


@pytest.mark.parametrize("door", DOORS)
def test_a_whole_game_by_code_through_a_relay(tmp_path: Path, door: str) -> None:
    with DOORS[door](tmp_path / "relay") as (_, place), table_at(tmp_path, place) as table:
        host, path = table.running[0], table.path
        first = host.read_until("type", "code")
        assert (first["relay"], first["after"]) == (place, None)
        number = first["code"].partition("-")[0]
        liar = start(path / "liar", "join", f"{number}-aardvark-walrus@{place}", *LISTEN, *GUEST)
        assert liar.end() == 1
        assert liar.last["code"] == "code-wrong"
        second = host.read_until("type", "code")
        assert second["after"] == "wrong"
        late = start(path / "liar", "join", f"{first['code']}@{place}", *LISTEN, *GUEST)
        assert late.end() == 3
        assert late.last["code"] == "code-unknown-there"
        onlooker = start(path / "onlooker", "watch", f"{second['code']}@{place}", "--json")
        third = host.read_until("type", "code")
        assert third["after"] == "used"
        table.ticket = third["code"]
        table.join(1, "--relay", place, "--name", "Bob")
        table.judge()
        assert onlooker.end() == 0
        assert onlooker.last["standings"] == host.last["standings"]


def table_at(path: Path, place: str, *words: str) -> ProcessTable:
    """Return a table for two whose host waits at a relay too."""
    options = ("--name", "Ana")
    return ProcessTable(path, 2, options=options, ways={0: (*LISTEN, "--relay", place, *words)})


def test_who_comes_to_look_on_is_told_whose_doing_it_is(tmp_path: Path) -> None:
    with relay(tmp_path / "relay") as (_, place), table_at(tmp_path, place, "--no-watch") as table:
        host, path = table.running[0], table.path
        assert host.last["terms"]["watched"] is False
        code = host.read_until("type", "code")["code"]
        for where in (table.ticket, f"{code}@{place}"):
            onlooker = start(path / "onlooker", "watch", where, "--json")
            assert onlooker.end() == 1
            assert onlooker.last["code"] == "table-unwatched"
            assert [line["type"] for line in onlooker.lines] == ["error"]
        guest = table.join(1)
        assert guest.read_until("type", "lobby")["terms"]["watched"] is False
        guest.read_until("type", "table")
        late = start(path / "late", "watch", table.ticket)
        assert late.process.wait(LIMIT) == 1
        assert "the host allows nobody to watch this table" in late.errors()
        table.judge()
