"""What a program at a seat is written, and how it answers."""

from pathlib import Path

from cli.ui.json_window import last_line
from p2p_hoity.rules import Standing
from p2p_hoity.table.playing.session import Outcome


def test_the_last_line() -> None:
    done = Outcome(Path("g.hoity"), (Standing(1, 1, 47, (4, 5, 6)),))
    assert last_line(done, ("Ana", "Bob")) == {
        "type": "finished",
        "transcript": "g.hoity",
        "standings": [{"rank": 1, "seat": 1, "nickname": "Bob", "field": 47, "exhibit": [4, 5, 6]}],
        "broken": None,
        "seat": None,
        "by": None,
        "code": None,
    }
    assert last_line(Outcome(None, (), "stopped"), ())["type"] == "ended"


def test_the_last_line_says_on_whose_word_alone_a_seat_is_named() -> None:
    line = last_line(Outcome(None, (), "bad-shuffle", 1, by=2), ())
    assert (line["code"], line["seat"], line["by"]) == ("bad-shuffle", 1, 2)
