"""A code instead of a ticket between real processes: a relay, a host, a guest, an onlooker."""

from __future__ import annotations

from pathlib import Path

from support import terminals

from p2p_hoity import game_port
from protocol.transcript import verifier


def test_a_whole_game_by_code_through_a_relay(tmp_path: Path) -> None:
    with terminals.relay(tmp_path / "relay") as place:
        _play(tmp_path, place)


def _play(tmp_path: Path, place: str) -> None:
    words = ["--seats", "2", "--relay", place, "--listen", "127.0.0.1:0", "--lan", "off"]
    host = terminals.start(tmp_path / "host", "host", *words, "--auto", "--json", "--name", "Ana")
    first = host.read_until("type", "code")
    assert (first["relay"], first["after"]) == (place, None)
    number = first["code"].partition("-")[0]
    join = ["--auto", "--yes", "--json", "--listen", "127.0.0.1:0"]
    liar = terminals.start(tmp_path / "liar", "join", f"{number}-aardvark-walrus@{place}", *join)
    assert liar.end() == 1
    assert liar.last["code"] == "code-wrong"
    second = host.read_until("type", "code")
    assert second["after"] == "wrong"
    late = terminals.start(tmp_path / "liar", "join", f"{first['code']}@{place}", *join)
    assert late.end() == 3
    assert late.last["code"] == "code-unknown-there"
    whole = f"{second['code']}@{place}"
    onlooker = terminals.start(tmp_path / "onlooker", "watch", whole, "--json")
    third = host.read_until("type", "code")
    assert third["after"] == "used"
    guest = terminals.start(
        tmp_path / "guest", "join", third["code"], "--relay", place, *join, "--name", "Bob"
    )
    files = terminals.finish([host, guest])
    assert len(set(files)) == 1
    assert verifier.verify(files[0], game_port.read_game).verdict == "ok"
    assert onlooker.end() == 0
    assert onlooker.last["standings"] == host.last["standings"]
