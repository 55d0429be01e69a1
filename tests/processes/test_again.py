"""Two programs that play one game after the other, and talk, between operating-system processes."""

from pathlib import Path

from support.process_table import ProcessTable, verify
from support.sampling import AT_WORK
from support.short_game import short_file
from support.terminals import BOT, start

pytestmark = AT_WORK


def test_two_programs_play_two_games_in_a_row_over_one_ticket(tmp_path: Path) -> None:
    options = ("--again", "--variant", "surprise")
    typed = '{"type": "talk", "words": "well met"}\ntrue\nfalse\n'
    with ProcessTable(tmp_path, 2, options=options, typed=typed) as table:
        watcher = start(
            *(tmp_path / "2", "watch", table.ticket, "--json", "--again"),
            typed='{"type": "talk", "phrase": 1}\n',
        )
        table.join(1, "--again", typed="true\ntrue\n")
        all_three = (*table.running.values(), watcher)
        assert [one.end() for one in all_three] == [0] * 3, [one.errors() for one in all_three]
    for one in all_three:
        types = [line["type"] for line in one.lines]
        assert types.count("table") == types.count("ending") == 2
        assert one.seen("again")[-1]["unwilling"] == [0]
        said = {(line["seat"], line["words"], line["phrase"]) for line in one.seen("said")}
        assert said == {(0, "well met", None), (None, "Well played.", 1)}
        assert not list((one.home / "journals").glob("*.journal"))
    host, guest = table.running.values()
    files = [[line["transcript"] for line in one.seen("ending")] for one in (host, guest)]
    for first, second in zip(*files, strict=True):
        assert Path(first).read_bytes() == Path(second).read_bytes()
    assert [one["verdict"] for one in verify(tmp_path, *files[0])] == ["ok", "ok"]
    tables = [line["table"] for line in host.seen("table")]
    assert tables == [line["table"] for line in guest.seen("table")]
    assert len(set(tables)) == 2


def test_hired_bots_play_again_as_long_as_the_player_wants(tmp_path: Path) -> None:
    words = ("--bots", "2", "--again", "--edition", str(short_file(tmp_path)), *BOT)
    player = start(tmp_path, "play", *words, typed="true\nfalse\n")
    assert player.end() == 0, player.errors()
    assert len(player.seen("ending")) == 2
    assert player.seen("again")[-1]["unwilling"] == [0]
    assert not [path for path in (tmp_path / "bots").glob("*") if path.is_dir()]
