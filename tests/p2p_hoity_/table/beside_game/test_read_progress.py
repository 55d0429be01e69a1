"""Tests of how far a game came, by its journal or its transcript."""

from pathlib import Path

from support.cli_stage import played_file
from support.kept_home import keep_journal, keep_transcript, only, table_of
from support.player_table import CALM, PlayerTable

from p2p_hoity.storage.home import Home
from p2p_hoity.storage.private_files import NAMED
from p2p_hoity.table.beside_game import saved_games as games
from p2p_hoity.table.beside_game.known_progress import NOT_BEGUN, Progress
from p2p_hoity.table.beside_game.read_progress import head_of, of_journal, of_transcript
from p2p_hoity.table.beside_game.unfinished_games import open_games
from p2p_hoity.table.gathering.table_keys import draw_keys


def test_an_unfinished_game_says_its_round_and_fields(home: Home) -> None:
    here = table_of(3, 3)
    keep_journal(home, here).close()
    game, progress = only(home)
    assert game.nicknames == ("seat 0", "seat 1", "seat 2")
    assert (game.is_over, game.is_running, game.seat) == (False, False, 0)
    state = here.places[0].machine.tip.state.state
    assert (progress.round, progress.fields, progress.ranks) == (3, state.figures, ())
    assert games.progress_of(open_games(home)[0], None) == progress


def test_a_finished_game_says_who_won_and_a_file_that_does_not_hold_that(home: Home) -> None:
    path = keep_transcript(home, played_file(), "won.hoity")
    game, progress = only(home)
    assert game.is_over
    assert sorted(progress.ranks) == [1, 2]
    assert max(progress.fields) > 40
    assert progress.whole
    path.unlink()
    data = bytearray(played_file())
    data[-30] ^= 1
    keep_transcript(home, bytes(data), "bad.hoity")
    keep_transcript(home, b"no transcript", "other.hoity")
    assert not only(home)[1].whole


def test_a_transcript_names_its_game_and_players_and_nothing_else_does(
    home: Home, tmp_path: Path
) -> None:
    found = head_of(NAMED, keep_transcript(home, played_file(), "won.hoity"))
    assert found is not None
    assert found[0]
    assert found[1] == ("seat 0", "seat 1")
    other = tmp_path / "other"
    other.write_bytes(b"no transcript")
    for path in (other, tmp_path / "missing", tmp_path):
        assert head_of(NAMED, path) is None


def test_how_far_a_transcript_leads_is_told_with_whether_it_holds(home: Home) -> None:
    here = table_of(3, 2)
    path = keep_transcript(home, here.places[0].machine.transcript(), "claim.hoity")
    found = of_transcript(NAMED, path)
    assert (found.round, found.ranks, found.whole) == (2, (), True)
    data = bytearray(path.read_bytes())
    data[-30] ^= 1
    path.write_bytes(data)
    assert not of_transcript(NAMED, path).whole
    path.write_bytes(b"no transcript")
    assert of_transcript(NAMED, path) == Progress(0, (), (), False)


def test_a_journal_is_read_with_its_passphrase_alone_and_before_the_deal_is_no_round(
    home: Home,
) -> None:
    book = keep_journal(home, table_of(3, 2), password="open sesame")
    book.close()
    found = of_journal(book.path, "open sesame", home.files)
    assert found is not None
    assert (found.round, found.whole) == (2, True)
    assert of_journal(book.path, "other", home.files) is None
    book.path.unlink()
    assert of_journal(book.path, None, home.files) is None
    early = keep_journal(home, table_of(3, 2), records=2)
    early.close()
    assert of_journal(early.path, None, home.files) == NOT_BEGUN


async def test_players_are_those_that_have_vouched_for_their_seats(tmp_path: Path) -> None:
    table = PlayerTable(tmp_path, 3, CALM)
    table.guests[2].keys = draw_keys(None)
    await table.play()
    file = table.guests[0].games()[0][1]
    keys = [guest.me.identity.public.hex() for guest in table.guests]
    keys[2] = ""
    wanted = {guest.place: key for guest, key in zip(table.guests, keys, strict=True)}
    found = of_transcript(NAMED, file)
    assert found.players == tuple(wanted[seat] for seat in range(3))
    assert len(found.counts) == 3
    (vouches,) = file.parent.glob("*.vouches")
    vouches.write_bytes(b"no vouches")
    assert of_transcript(NAMED, file).players == ()
    vouches.unlink()
    found = of_transcript(NAMED, file)
    assert (found.players, len(found.counts)) == ((), 3)
