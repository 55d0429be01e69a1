"""Whole games between operating-system processes over loopback TLS."""

import json
import time
from itertools import product
from pathlib import Path

import pytest
from support import seat
from support.process_table import STEADY, ProcessTable, verify
from support.sampling import is_nightly
from support.short_game import ALL, short_edition, short_file
from support.terminals import hoity

from p2p_hoity.editions.load_edition import NAMES, load

SOME = pytest.mark.sampled(1)


def test_the_short_edition_and_its_file_are_one(tmp_path: Path) -> None:
    assert load(short_file(tmp_path)) == short_edition()


@SOME
@pytest.mark.parametrize("variant", ["surprise", "confrontation"])
def test_two_seats(tmp_path: Path, variant: str) -> None:
    with ProcessTable(tmp_path, 2, options=("--variant", variant)) as table:
        print(table.play())


@SOME
@pytest.mark.parametrize(
    ("seats", "edition"),
    [
        pytest.param(*case, marks=() if case == (3, "reference-manual") else pytest.mark.nightly)
        for case in product((3, 4, 5, 6), NAMES)
    ],
)
def test_every_number_of_seats(tmp_path: Path, seats: int, edition: str) -> None:
    """With the whole deck; on the whole track at night."""
    played = edition if is_nightly() else str(short_file(tmp_path, ALL, edition))
    with ProcessTable(tmp_path, seats, edition=played, timeouts=STEADY) as table:
        table.play()


JUMPING = {0: ("jump=0",), 1: ("jump=1",)}


@SOME
@pytest.mark.parametrize(("seats", "habits"), [(3, {}), (2, JUMPING)], ids=["steady", "jumping"])
def test_a_killed_seat_resumes_and_all_end_alike_whatever_the_wall_clocks_say(
    tmp_path: Path, seats: int, habits: dict[int, tuple[str]]
) -> None:
    with ProcessTable(tmp_path, seats, habits) as table:
        table.fill()
        table.running[1].read_until("round", 2)
        table.kill(1)
        table.resume(1)
        found = table.judge()
    assert not habits or (found["epochs"], found["timed-out"], found["away"]) == ([0], [], 0)


def test_the_clocks_of_that_test_do_jump(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, day = time.time, 86_400
    monkeypatch.setattr(time, "time", honest)
    seat.jump("x")
    looks = [time.time() - honest() for _ in range(50)]
    assert max(looks) > day / 2
    assert min(looks) < -day / 2


@SOME
def test_the_last_line_of_play_holds_the_transcript(tmp_path: Path) -> None:
    """The player and its bots are started as they are outside of tests."""
    words = ("play", "--auto", "--bots", "2", "--json", "--edition", str(short_file(tmp_path)))
    done = hoity(tmp_path, *words, code=0, fresh=True)
    last = json.loads(done.stdout.splitlines()[-1])
    assert len(last["standings"]) == 3
    verdict = hoity(tmp_path, "verify", "--json", last["transcript"], code=0)
    assert json.loads(verdict.stdout)["verdict"] == "ok"


@SOME
def test_who_stays_alone_saves_the_game_as_a_claim(tmp_path: Path) -> None:
    with ProcessTable(tmp_path, 2, options=("--variant", "surprise")) as table:
        table.fill()
        table.running[0].read_until("round", 2)
        table.kill(0)
        table.kill(1)
        home = table.running[0].home
    saved = hoity(home, "resume", "--claim", "--json", code=0)
    (judged,) = verify(tmp_path, json.loads(saved.stdout)["transcript"])
    assert judged["problem"]["code"] == "not-final"
    assert list((home / "journals").glob("*.journal"))
