"""Tests of files of another branch: none replaces the journal that proves the fork."""

from pathlib import Path

import pytest
from support.branches import SPLIT, branch, file_name, first_difference, records_up_to
from support.cases import fails
from support.inspection import find_void
from support.journals import fill_disk
from support.kept_home import keep_journal, keep_transcript, player, seat_in
from support.player_table import PlayerTable

from cli.local.bot_processes import sweep
from p2p_hoity import game_adapter
from p2p_hoity.storage.home import Home
from p2p_hoity.table.beside_game.finish_game import finish_from
from p2p_hoity.table.beside_game.split_tables import SplitCode, rescue
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.peer_error import PeerError
from p2p_hoity.table.playing import resume_table
from p2p_hoity.table.playing.session import Session
from protocol import transcript
from protocol.seat import effects
from protocol.seat.seat_machine import SeatMachine


def file_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}.hoity"
    path.write_bytes(branch(name).machine().transcript())
    return path


def test_a_file_without_a_final_step_of_the_journal_is_refused_and_the_journal_kept(
    home: Home, tmp_path: Path
) -> None:
    at = first_difference()
    book = keep_journal(home, branch("one"), records=records_up_to(at))
    book.close()
    before = book.path.read_bytes()
    file = file_of(tmp_path, "other")
    with pytest.raises(PeerError) as caught:
        finish_from(seat_in(home), None, file)
    assert caught.value.code is SplitCode.SPLIT
    assert caught.value.fields == {"path": str(file), "step": at, "game": book.path.stem}
    assert book.path.read_bytes() == before
    assert not list(home.transcripts.glob("*"))
    (game,) = open_games(home)
    assert not game.is_claimed


def test_the_claim_and_the_file_are_the_proof(home: Home, tmp_path: Path) -> None:
    """Both are valid as far as they go, and seats have signed two bodies for one step in them."""
    at = first_difference()
    keep_journal(home, branch("one"), records=records_up_to(at)).close()
    claim = resume_table.claim_game(seat_in(home), None)
    ours, theirs = (
        transcript.opened(path.read_bytes()) for path in (claim, file_of(tmp_path, "other"))
    )
    reports = [transcript.verify(one, game_adapter.read_game) for one in (ours, theirs)]
    assert [report.unfinished or report.ok for report in reports] == [True, True]
    assert len({report.table for report in reports}) == 1
    signed = [
        {
            before.step: row
            for row, (before, _, _) in zip(
                one.transcript.evidence.signatures, transcript.steps_to(report.node), strict=True
            )
        }
        for one, report in zip((ours, theirs), reports, strict=True)
    ]
    assert all(signed[0][step] == signed[1][step] for step in range(1, at))
    assert len(set(signed[0][at]) & set(signed[1][at])) < 3
    assert open_games(home)[0].is_claimed


@pytest.mark.sampled(2)
@pytest.mark.parametrize("final", [0, 1, 20, SPLIT - 1, None])
def test_a_file_with_every_final_step_of_the_journal_ends_the_game(
    home: Home, tmp_path: Path, final: int | None
) -> None:
    """Also if the journal has all: the file ends before the step `result`."""
    records = None if final is None else records_up_to(final)
    keep_journal(home, branch("one"), records=records).close()
    file = file_of(tmp_path, "one")
    kept, report = finish_from(seat_in(home), None, file)
    assert report.ok
    assert kept.read_bytes() == file.read_bytes()
    assert open_games(home) == []


def test_a_step_that_was_not_final_may_be_another_one_in_the_file(
    home: Home, tmp_path: Path
) -> None:
    at = first_difference()
    records = records_up_to(0, least=at + 1)
    keep_journal(home, branch("one"), records=records).close()
    book, _, machine, _ = resume_table.reopen(seat_in(home), None)
    book.close()
    assert machine.final_step() < at < machine.tip.step
    finish_from(seat_in(home), None, file_of(tmp_path, "other"))
    assert open_games(home) == []


def test_the_journal_of_a_bot_on_another_branch_keeps_the_game(home: Home, tmp_path: Path) -> None:
    keep_journal(home, branch("one"), records=records_up_to(1)).close()
    bot = Home(tmp_path / "bot")
    player(bot, 1)
    keep_journal(bot, branch("one"), seat=1).close()
    other = file_of(tmp_path, "other")
    fails(PeerError, "file-of-another-branch", finish_from, seat_in(home), None, other, [bot])
    assert len(open_games(home)) == len(open_games(bot)) == 1
    nobody = Home(tmp_path / "nobody")
    finish_from(seat_in(home), None, file_of(tmp_path, "one"), [bot, nobody])
    assert open_games(home) == []


def test_a_journal_that_proves_a_void_table_is_kept_whatever_the_file_shows(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_journal(home, branch("one"), records=records_up_to(1)).close()
    file, broken = file_of(tmp_path, "one"), effects.Broken(effects.VOID_TABLE)
    monkeypatch.setattr(SeatMachine, "broken", broken, raising=False)
    fails(PeerError, "file-of-void-table", finish_from, seat_in(home), None, file)
    monkeypatch.setattr(SeatMachine, "broken", effects.Broken("silent-seat", 1), raising=False)
    assert len(open_games(home)) == 1
    finish_from(seat_in(home), None, file)
    assert open_games(home) == []


# Bots.


def bots_home(folder: Path, name: str, records: int | None = None) -> Home:
    """The folder of a bot on a branch: at its end with a file, or with a journal."""
    bot = Home(folder)
    player(bot, 1)
    here = branch(name)
    if records is None:
        keep_transcript(bot, here.machine(1).transcript(), file_name(here))
    else:
        keep_journal(bot, here, seat=1, records=records).close()
    return bot


def saved(home: Home) -> dict[str, int]:
    """The number of entries of each transcript in a folder."""
    files = {path.name: transcript.opened(path.read_bytes()) for path in home.transcripts.iterdir()}
    assert all(one.transcript is not None for one in files.values())
    return {n: len(one.transcript.content.entries) for n, one in files.items() if one.transcript}


@pytest.mark.parametrize("name", ["one", "other"])
def test_what_only_the_file_of_a_bot_proves_is_saved_before_its_folder_goes(
    home: Home, tmp_path: Path, name: str
) -> None:
    here = branch("one")
    own = keep_transcript(home, here.machine().transcript(), file_name(here))
    kept = own.read_bytes()
    bot = bots_home(tmp_path / "bot", name)
    for _ in range(2):  # The second time nothing is saved again.
        rescue(home, [bot])
    assert own.read_bytes() == kept
    second = file_name(here, ".2.hoity")
    assert set(saved(home)) == {own.name, *([second] if name == "other" else [])}
    if name == "other":
        theirs = branch("other").machine().transcript()
        assert (home.transcripts / second).read_bytes() == theirs


@pytest.mark.parametrize("name", ["one", "other"])
def test_a_journal_of_a_bot_on_another_branch_is_saved_as_far_as_it_came(
    home: Home, tmp_path: Path, name: str
) -> None:
    here, other = branch("one"), branch("other")
    own = keep_transcript(home, here.machine().transcript(), file_name(here))
    records = len(other.places[1].journal) - 5
    rescue(home, [bots_home(tmp_path / "bot", name, records)])
    claim = file_name(here, ".claim.hoity")
    assert set(saved(home)) == {own.name, *([claim] if name == "other" else [])}
    if name == "other":
        report = transcript.verify((home.transcripts / claim).read_bytes(), game_adapter.read_game)
        assert report.unfinished or report.ok


def test_nothing_is_saved_of_a_game_that_the_player_has_no_file_of(
    home: Home, tmp_path: Path
) -> None:
    rescue(home, [bots_home(tmp_path / "bot", "one"), Home(tmp_path / "nobody")])
    assert not list(home.transcripts.glob("*"))


def test_the_folder_of_a_bot_stays_if_its_proof_cannot_be_saved(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = branch("one")
    keep_transcript(home, here.machine().transcript(), file_name(here))
    bots_home(home.path / "bots" / "crew" / "Ada", "other")
    with monkeypatch.context() as patch:
        fill_disk(patch)
        sweep(home)
    assert (home.path / "bots" / "crew").exists()
    sweep(home)
    assert not (home.path / "bots" / "crew").exists()
    assert len(saved(home)) == 2


@pytest.mark.parametrize("content", [b"from a later version", b"", None])
def test_the_folder_of_a_bot_stays_while_its_journal_cannot_be_read(
    home: Home, content: bytes | None
) -> None:
    """It may be the only proof that the table was split. An empty journal proves nothing."""
    here = branch("one")
    keep_transcript(home, here.machine().transcript(), file_name(here))
    records = len(branch("other").places[1].journal) - 5
    ada = bots_home(home.path / "bots" / "crew" / "Ada", "other", records)
    (journal,) = ada.journals.glob("*.journal")
    if content is None:
        journal.chmod(0o644)
    else:
        journal.write_bytes(content)
    sweep(home)
    assert (home.path / "bots" / "crew").exists() is (content != b"")
    if content is None:
        journal.chmod(0o600)
        sweep(home)
        assert not (home.path / "bots" / "crew").exists()
        assert len(saved(home)) == 2


async def test_a_journal_that_proves_a_void_table_after_the_end_of_the_game_is_kept(
    pair: PlayerTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_leave = Session._may_leave

    def find(session: Session) -> bool:
        if session.machine.finished and session.machine.seat == 0:
            find_void(session.machine)
        session._effects_out.carry_out()
        return may_leave(session)

    monkeypatch.setattr(Session, "_may_leave", find)
    await pair.play()
    first, other = pair.guests
    assert (first.end.code, first.end.kept) == (effects.VOID_TABLE, True)
    assert open_games(first.home)
    assert other.end.code is None
    assert not open_games(other.home)
