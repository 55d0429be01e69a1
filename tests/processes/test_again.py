"""Two programs that play one game after the other, and talk, between operating-system processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support import terminals

from p2p_hoity import game_port
from protocol.transcript import verifier

PROGRAM = ("--auto", "--yes", "--json", "--again", "--variant", "surprise")


def test_two_programs_play_two_games_in_a_row_over_one_ticket(tmp_path: Path) -> None:
    talk = '{"talk": "well met"}\n'
    host = terminals.start(
        tmp_path / "0",
        "host",
        *("--seats", "2", "--listen", "127.0.0.1:0", "--lan", "off"),
        *PROGRAM,
        typed=talk + "true\nfalse\n",
    )
    ticket = host.read_until("ticket")["ticket"]
    watcher = terminals.start(
        tmp_path / "2", "watch", ticket, "--json", "--again", typed='{"talk": 1}\n'
    )
    guest = terminals.start(
        tmp_path / "1", "join", ticket, *PROGRAM[:4], typed="true\ntrue\ntrue\n"
    )
    ended = [one.end() for one in (host, guest, watcher)]
    assert ended == [0] * 3, [one.errors() for one in (host, guest, watcher)]
    for one in (host, guest, watcher):
        types = [line["type"] for line in one.lines]
        assert types.count("started") == types.count("finished") == 2
        assert of(one, "again")[-1] == {"type": "again", "willing": of_last(one), "unwilling": [0]}
        said = {(line["seat"], line["words"], line["phrase"]) for line in of(one, "said")}
        assert said == {(0, "well met", None), (None, "Well played.", 1)}
        assert not list((one.home / "journals").glob("*.journal"))
    for first, second in zip(of(host, "finished"), of(guest, "finished"), strict=True):
        data = Path(first["transcript"]).read_bytes()
        assert data == Path(second["transcript"]).read_bytes()
        assert verifier.verify(data, game_port.read_game).ok
    tables = [line["table"] for line in of(host, "started")]
    assert tables == [line["table"] for line in of(guest, "started")]
    assert len(set(tables)) == 2


def of(terminal: terminals.Terminal, kind: str) -> list[dict[str, Any]]:
    """Its lines of one type."""
    return [line for line in terminal.lines if line["type"] == kind]


def of_last(terminal: terminals.Terminal) -> list[int]:
    """Whoever had consented by the end, as this program was told."""
    willing: list[int] = of(terminal, "again")[-1]["willing"]
    return willing


def test_hired_bots_play_again_as_long_as_the_player_wants(tmp_path: Path) -> None:
    player = terminals.start(tmp_path, "play", "--bots", "2", *PROGRAM[:4], typed="true\nfalse\n")
    assert player.end() == 0, player.errors()
    assert len(of(player, "finished")) == 2
    assert of(player, "again")[-1]["unwilling"] == [0]
    assert not [path for path in (tmp_path / "bots").glob("*") if path.is_dir()]
