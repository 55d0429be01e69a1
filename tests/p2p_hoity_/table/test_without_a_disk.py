"""A table without a disk: its store of files is all that a game, a resume and the archive need."""

from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from support.memory_slots import MemorySlots
from support.memory_store import MemoryStore
from support.no_disk import no_disk
from support.player_table import CALM, PlayerTable, past_round

from p2p_hoity.game_adapter import read_game
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage import kept_vouches
from p2p_hoity.storage.home import Home, transcripts
from p2p_hoity.storage.slot_store import SlotStore
from p2p_hoity.table.beside_game import finish_game, saved_games, split_tables, unfinished_games
from p2p_hoity.table.playing import resume_table
from protocol import transcript

HOMES = Path("/nowhere")
Store = MemoryStore | SlotStore


def suffixes(store: Store) -> list[str]:
    """Return the suffixes of all files of a store."""
    paths = store._files if isinstance(store, SlotStore) else store.written
    return [path.suffix for path in paths]


def listed(home: Home, seconds: float = 1e9) -> list[saved_games.KeptGame]:
    ticks = iter(range(1000))
    return saved_games.kept_games(home, None, lambda: float(next(ticks)), seconds)


async def play(table: PlayerTable, store: Store) -> None:
    """Let the second seat crash and come back, and the last one vanish."""
    second = table.guests[1].home

    async def crash() -> None:
        assert await table.sit_until(1, past_round(2))
        kept = suffixes(store)
        assert (kept.count(".journal"), kept.count(".mark")) == (3, 3)
        (game,) = unfinished_games.open_games(second)
        assert (game.opponents, saved_games.is_running(game)) == (("P0", "P2"), False)
        await table.resume(1)

    async def vanish() -> None:
        assert await table.sit_until(2, past_round(3))

    await table.play({1: crash, 2: vanish})


def check_finished(table: PlayerTable) -> None:
    """Look at what the home of a player has who was there at the end."""
    here = table.guests[0]
    assert here.transcript == table.guests[1].transcript
    (started,) = here.heard(updates.Started)
    header, home = started.table.header, here.home
    place = kept_vouches.place_of(home.transcripts, header.table_id)
    players = kept_vouches.read_vouches(home.unchecked.get(place), header)
    assert set(players) == {guest.me.identity.public for guest in table.guests}
    assert unfinished_games.open_games(home) == []
    assert transcripts(home) == [here.end.transcript]
    (game,) = listed(home)
    assert game.progress is not None
    assert (game.is_over, game.progress.whole, len(game.progress.ranks)) == (True, True, 3)
    assert listed(home, seconds=0) == [game]


def check_unfinished(table: PlayerTable, store: Store) -> None:
    """Do all that a player can do who was gone when the game ended."""
    there, here = table.guests[2], table.guests[0]
    seat, home = there.seat, there.home
    assert list(unfinished_games.refused_games(home)) == []
    game = unfinished_games.find_game(home, None)
    journal = store.get(game.path)
    claim = resume_table.claim_game(seat, None)
    assert transcript.verify(store.get(claim), read_game).unfinished
    (kept,) = listed(home)
    assert (kept.path, kept.is_over, kept.is_claimed) == (game.path, False, True)
    split_tables.rescue(here.home, [home])
    # The seat may have given the last input to a step that the others have completed without it.
    assert here.end.transcript in transcripts(here.home)
    assert here.end.transcript is not None
    copy, report = finish_game.finish_from(seat, game.name, here.end.transcript, [home])
    assert report.ok
    assert store.get(copy) == here.transcript
    assert not store.has(game.path)
    assert [one.is_over for one in listed(home)].count(True) == 1
    store.put(game.path, journal)
    saved_games.forget_game(unfinished_games.find_game(home, game.name))
    assert unfinished_games.open_games(home) == []


STORES: dict[str, Callable[[], Store]] = {
    "memory": MemoryStore,
    "slots": lambda: SlotStore(MemorySlots(32)),
}


@pytest.mark.parametrize("kind", STORES)
async def test_a_game_a_resume_and_the_archive(
    kind: str, autojump_clock: trio.testing.MockClock
) -> None:
    store = STORES[kind]()
    with no_disk():
        table = PlayerTable(HOMES, 3, CALM, thinking=0.5, store=store)
        await play(table, store)
        check_finished(table)
        check_unfinished(table, store)
    left = {*suffixes(store)}
    assert left == {"", ".hoity", ".json", ".vouches"}, "no journal, mark or lock is left"
