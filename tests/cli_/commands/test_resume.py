"""Taking a seat again, handing a new ticket to who plays there, and ending a game by a file."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from support.branches import branch, file_name, first_difference, records_up_to
from support.kept_home import SECRET, keep_journal, player, table_of, ticket_of
from support.machine_table import MachineTable, identity
from support.shell import Shell

from cli.app import run
from cli.commands import resume
from cli.local.bot_processes import LEVEL_FILE
from p2p_hoity.net.ticket import Ticket, encode_ticket
from p2p_hoity.storage.file_store import FileStore
from p2p_hoity.storage.home import Home
from p2p_hoity.storage.kept_company import Company, read_company
from p2p_hoity.table.open_links import Reach
from p2p_hoity.table.playing import reconnect_moved_seat


@pytest.fixture
def played(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[MachineTable]:
    """A game of this home that another process seems to play."""
    monkeypatch.setattr(reconnect_moved_seat, "TAKEN", 0.5)
    player(home, 1)
    here = table_of(3, 2)
    book = keep_journal(home, here, 1, secret=SECRET)
    yield here
    book.close()
    assert not list(home.journals.glob("*.ticket"))


def test_a_game_that_is_played_elsewhere_is_handed_the_ticket_and_not_taken_up(
    played: MachineTable, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Ticket] = []

    async def taken(files: FileStore, journal: Path, ticket: Ticket) -> bool:
        found.append(ticket)
        return True

    monkeypatch.setattr(resume, "hand_over", taken)
    ticket = ticket_of(played)
    told = hoity.told(0, "join", encode_ticket(ticket))
    assert found == [ticket]
    assert "tries to reach seat 0 at the addresses" in told
    assert "already have a seat" not in told
    done = hoity("join", "--json", encode_ticket(ticket))
    handed = {"type": "handed", "game": played.table.id.hex()[:16], "name": "seat 0"}
    assert (done.code, done.lines) == (0, [handed])
    told = hoity.told(2, "resume")
    assert "in another terminal" in told
    assert "take your seat" not in told


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({}, 1, "which does not accept this ticket"),
        ({"secret": b"x" * 16}, 2, "its secret is different"),
        ({"secret": b""}, 2, "its secret is different"),
        ({"host_id": b"x" * 32}, 2, "nobody who sits at this table"),
        ({"host_id": identity(1).public}, 2, "this is your own table"),
    ],
)
def test_a_ticket_that_is_forged_or_not_taken_is_not_left_with_a_game(
    played: MachineTable, hoity: Shell, given: dict[str, bytes], code: int, words: str
) -> None:
    assert words in hoity.told(code, "join", encode_ticket(ticket_of(played, **given)))


def test_a_seat_is_not_taken_by_a_forged_ticket(hoity: Shell) -> None:
    player(hoity.home, 1)
    here = table_of(3, 2)
    book = keep_journal(hoity.home, here, 1, secret=SECRET)
    book.close()
    before = book.path.read_bytes()
    forged = ticket_of(here, secret=b"x" * 16)
    done = hoity("join", "--auto", "--json", encode_ticket(forged))
    assert (done.code, done.lines[0]["code"]) == (2, "ticket-with-another-secret")
    assert book.path.read_bytes() == before


@pytest.mark.parametrize(("bots", "is_told"), [(0, True), (1, True), (2, False)])
def test_only_a_game_with_others_looks_how_they_find_this_seat(
    bots: int, is_told: bool, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    player(home, 0)
    keep_journal(home, table_of(3, 1), 0).close()
    crew = SimpleNamespace(levels=("Ada", "Bruno")[:bots]) if bots else None
    found: list[Reach] = []

    async def resume_table(seat: Any, name: str, *, how: Reach, fresh: Any) -> None:
        found.append(how)

    async def main(sitting: Any, go: Any) -> None:
        sitting.crew = None  # no process is started here
        async with trio.open_nursery() as nursery:
            await go(sitting, nursery)

    def sit(sitting: Any, go: Any) -> int:
        trio.run(main, sitting, go)
        return 0

    monkeypatch.setattr(resume, "crew_of", lambda *_: crew)
    monkeypatch.setattr(resume, "sit", sit)
    monkeypatch.setattr(resume, "resume_table", resume_table)
    assert run(["resume", "--auto", "--advertise", "home.example:9", "--no-map"]) == 0
    (how,) = found
    assert (how.outside, how.advertised, how.anew) == (is_told, ("home.example:9",), True)


def file_of(folder: Path, name: str) -> Path:
    path = folder / f"{name}.hoity"
    path.write_bytes(branch(name).machine().transcript())
    return path


@pytest.mark.usefixtures("cheap", "own_key")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("named", [True, False])
def test_the_file_of_another_branch_is_refused_with_what_to_do(
    hoity: Shell, tmp_path: Path, named: bool
) -> None:
    records = records_up_to(first_difference())
    keep_journal(hoity.home, branch("one"), records=records).close()
    journal = hoity.home.journals / file_name(branch("one"), ".journal")
    game = [journal.stem] if named else []
    told = hoity.told(1, "resume", *game, "--from", file_of(tmp_path, "other"))
    assert "the table was split" in told
    assert f"hoity resume --claim {journal.stem}" in told
    assert journal.exists()
    assert "Saved as a claim" in hoity.told(0, "resume", "--claim", journal.stem)
    assert journal.exists()
    assert "First: " in hoity.told(0, "resume", journal.stem, "--from", file_of(tmp_path, "one"))
    assert not journal.exists()


@pytest.mark.usefixtures("cheap", "own_key")
def test_the_journal_of_ones_own_bot_on_another_branch_counts_too(
    hoity: Shell, tmp_path: Path
) -> None:
    keep_journal(hoity.home, branch("one"), records=records_up_to(1)).close()
    bot = Home(hoity.home.path / "bots" / "crew" / "Ada")
    player(bot, 1)
    keep_journal(bot, branch("one"), seat=1).close()
    journal = hoity.home.journals / file_name(branch("one"), ".journal")
    assert "split" in hoity.told(1, "resume", "--from", file_of(tmp_path, "other"))
    assert journal.exists()
    assert hoity("resume", "--json", "--from", file_of(tmp_path, "one")).lines[0]["standings"]
    assert not journal.exists()
    # No vouches show that the bot sat there.
    assert read_company(hoity.home, journal.stem, 3) == Company(0, (None,) * 3)


@pytest.mark.usefixtures("cheap", "own_key")
def test_bots_of_a_game_finished_by_a_file_are_known_by_their_keys(
    hoity: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_journal(hoity.home, branch("one"), records=records_up_to(1)).close()
    bot = Home(hoity.home.path / "bots" / "crew" / "Ada")
    key = player(bot, 1).identity.public
    bot.files.put(bot.path / LEVEL_FILE, b"hard")
    keep_journal(bot, branch("one"), seat=1).close()
    game = file_name(branch("one"), "")
    monkeypatch.setattr(resume, "players_of", lambda *_: ((None, key, b"x" * 32), ""))
    assert "First: " in hoity.told(0, "resume", "--from", file_of(tmp_path, "one"))
    assert read_company(hoity.home, game, 3) == Company(0, (None, "hard", None))


@pytest.mark.usefixtures("cheap", "own_key")
def test_a_saved_game_replaces_no_file_but_its_own(hoity: Shell, tmp_path: Path) -> None:
    keep_journal(hoity.home, branch("one"), records=records_up_to(first_difference())).close()
    whole, named = file_of(tmp_path, "one"), tmp_path / "notes.txt"
    named.write_text("notes")
    for way in (["--claim"], ["--from", whole], []):
        told = hoity.told(2, "resume", *way, "--transcript", named)
        assert "exists already" in told
    assert named.read_text() == "notes"
    named.unlink()
    assert str(named) in hoity.told(0, "resume", "--claim", "--transcript", named)
    claim = named.read_bytes()
    game = file_name(branch("one"), "")
    assert "First: " in hoity.told(0, "resume", game, "--from", whole, "--transcript", named)
    assert claim != named.read_bytes() == whole.read_bytes()


@pytest.mark.usefixtures("cheap", "own_key")
@pytest.mark.parametrize("as_json", [True, False])
def test_which_game_is_taken_up_and_which_others_wait_is_told_to_a_person(
    as_json: bool, hoity: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in (1, 2):
        here = table_of(3, 2, bytes([number]))
        keep_journal(hoity.home, here, started=1_700_000_000 + number).close()
    monkeypatch.setattr(resume, "sit", lambda *_: 0)
    monkeypatch.setattr(resume, "crew_of", lambda *_: None)
    words = ["--json"] if as_json else []
    told = hoity.told(0, "resume", "--auto", *words)
    assert ("Taking your seat again: " in told) is not as_json
    assert ("Other games wait for you:" in told) is not as_json
    assert told.count("hoity resume ") == (0 if as_json else 1)
    (hoity.home.journals / f"{here.table.id.hex()[:16]}.journal").unlink()
    assert "Other games" not in hoity.told(0, "resume", "--auto", *words)
