"""A table that nobody may watch, between real processes: by ticket, by code, before and in play."""

from __future__ import annotations

from pathlib import Path

from support import terminals

from p2p_hoity import game_port
from protocol.transcript import verifier


def test_who_comes_to_look_on_is_told_whose_doing_it_is(tmp_path: Path) -> None:
    with terminals.relay(tmp_path / "relay") as place:
        _play(tmp_path, place)


def _play(tmp_path: Path, place: str) -> None:
    words = ["--seats", "2", "--relay", place, "--listen", "127.0.0.1:0", "--lan", "off"]
    host = terminals.start(tmp_path / "host", "host", "--no-watch", *words, "--auto", "--json")
    ticket = host.read_until("type", "ticket")
    assert ticket["watched"] is False
    code = host.read_until("type", "code")["code"]
    for where in (ticket["ticket"], f"{code}@{place}"):
        onlooker = terminals.start(tmp_path / "onlooker", "watch", where, "--json")
        assert onlooker.end() == 1
        assert onlooker.last["code"] == "table-unwatched"
        assert len(onlooker.lines) == 1
    join = ("join", ticket["ticket"], "--auto", "--yes", "--json", "--listen", "127.0.0.1:0")
    guest = terminals.start(tmp_path / "guest", *join)
    assert guest.read_until("type", "terms")["watched"] is False
    guest.read_until("type", "started")
    late = terminals.start(tmp_path / "late", "watch", ticket["ticket"])
    assert late.process.wait(terminals.LIMIT) == 1
    assert "the host lets nobody watch this table" in late.errors()
    files = terminals.finish([host, guest])
    assert len(set(files)) == 1
    assert verifier.verify(files[0], game_port.read_game).verdict == "ok"
