"""`hoity games` with the player's own results, and `--stats`, with homes in every state."""

from pathlib import Path

import pytest
from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, table_of
from support.paths import VECTORS
from support.shell import Shell

from cli.commands import own_statistics
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import Company, keep_company
from p2p_hoity.table.beside_game import read_progress
from p2p_hoity.worker_processes import ProcessEnded

pytestmark = pytest.mark.usefixtures("listing")
FOREIGN = VECTORS / "transcripts" / "small-three.hoity"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Transcripts are read in this process, which has the cheap cards."""

    def work(read: object, paths: list[Path], processes: int) -> object:
        yield from ((path, read(path)) for path in paths)

    monkeypatch.setattr("p2p_hoity.worker_processes.work_in_processes", work)


@pytest.fixture
def won(here: None, hoity: Shell) -> str:
    """The id of a game of this home, whose first seat is the player's, against a hard bot."""
    keep_transcript(hoity.home, played_file(), "won.hoity")
    (line,) = hoity("games", "--json").lines
    keep_company(hoity.home, line["game"], Company(0, (None, "hard")))
    return str(line["game"])


def test_an_own_game_is_marked_with_seat_rank_and_margin(won: str, hoity: Shell) -> None:
    line, last = hoity.done(0, "games").out.splitlines()
    (found,) = hoity("games", "--json").lines
    own, other = found["fields"]
    rank = found["ranks"][0]
    assert (found["seat"], found["rank"], found["margin"]) == (0, rank, own - other)
    assert found["levels"] == [None, "hard"]
    assert found["counts"]["exhibited"] >= 3 * found["counts"]["exhibits"]
    assert f"over, round {found['round']}, rank {rank} of 2 (" in line
    assert f"seat 0 (you) {own}" in line
    assert last == f"played 1, won {int(rank == 1)}: hard {int(rank == 1)} of 1"


def test_statistics_are_a_table_or_one_object(won: str, hoity: Shell) -> None:
    told = hoity.done(0, "games", "--stats").out.splitlines()
    assert [line.split()[0] for line in told[1:6] if line] == ["all", "2", "hard"]
    (found,) = hoity.done(0, "games", "--stats", "--json").lines
    assert found["type"] == "statistics"
    whole = found["all"]
    assert found["by_company"] == [{"company": ["hard"], **whole}]
    assert found["by_seats"] == [{"seats": 2, **whole}]
    assert (whole["played"], found["people"], found["left_out"]) == (1, [], {})
    counts = whole["counts"]
    assert whole["mean_exhibit"] == round(counts["exhibited"] / counts["exhibits"], 3)


def test_an_empty_home_has_no_statistics(here: None, hoity: Shell) -> None:
    assert "None of your own games" in hoity.told(0, "games", "--stats")
    (found,) = hoity.done(0, "games", "--stats", "--json").lines
    assert found["all"]["played"] == 0
    assert found["all"]["mean_rank"] is None
    assert "No game was played on this machine yet" in hoity.told(0, "games")


def test_without_a_key_there_are_no_own_games_and_no_failure(here: None, hoity: Shell) -> None:
    hoity.home.identity.unlink()
    assert own_statistics.own_key(hoity.home, None) == ""
    hoity.home.identity.write_bytes(b"no key")
    assert own_statistics.own_key(hoity.home, None) == ""
    assert "None of your own games" in hoity.told(0, "games", "--stats")


def test_foreign_damaged_and_unfinished_games_do_not_count(won: str, hoity: Shell) -> None:
    keep_transcript(hoity.home, FOREIGN.read_bytes(), "foreign.hoity")
    damaged = bytearray(played_file())
    damaged[-30] ^= 1
    keep_transcript(hoity.home, bytes(damaged), "damaged.hoity")
    keep_transcript(hoity.home, played_file(), "copy.hoity")
    keep_transcript(hoity.home, b"nothing", "nothing.hoity")
    unfinished = table_of(3, 3)
    keep_journal(hoity.home, unfinished).close()
    claim = unfinished.places[0].machine.transcript()
    keep_transcript(hoity.home, claim, "claimed.hoity")
    (found,) = hoity.done(0, "games", "--stats", "--json").lines
    assert found["all"]["played"] == 1
    # With cheap cards no proof of the foreign game holds.
    assert found["left_out"] == {"not-ok": 2, "twice": 1}
    told = hoity.told(0, "games", "--stats")
    assert "2 games do not count, because their files are not valid." in told
    assert "1 file does not count, because its game is here twice." in told


def test_a_game_of_others_is_left_out(here: None, hoity: Shell) -> None:
    keep_transcript(hoity.home, played_file(), "of-others.hoity")
    assert "no seat in it is known as yours" in hoity.told(0, "games", "--stats")
    lines = hoity.done(0, "games").out.splitlines()
    assert len(lines) == 1
    assert "you" not in lines[0]


def test_what_was_read_is_not_read_again(
    won: str, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    hoity.done(0, "games", "--stats")
    monkeypatch.setattr(read_progress, "of_transcript", None)
    assert hoity.done(0, "games", "--stats", "--json").lines[0]["all"]["played"] == 1


def test_a_game_whose_reader_ends_is_tried_again_later(
    here: None, listing: Home, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep_transcript(listing, played_file(), "won.hoity")

    def work(read: object, paths: list[Path], processes: int) -> object:
        yield from ((one, ProcessEnded()) for one in paths)

    monkeypatch.setattr("p2p_hoity.worker_processes.work_in_processes", work)
    assert list(own_statistics._read([path])) == []


def test_who_watches_sees_how_many_are_read(
    here: None, listing: Home, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_transcript(listing, played_file(), "won.hoity")
    monkeypatch.setattr(own_statistics, "is_watched", lambda: True)
    assert "1 of 1 games read" in hoity("games", "--stats").err
    assert hoity("games", "--stats").err == ""
