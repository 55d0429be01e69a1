"""Tests of nicknames of players who have chosen none: another one at each table, no two alike."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import trio
from support.cases import ends_in
from support.player_table import Guest, PlayerTable, willing, willing_table

from cli.local.bot_processes import NAMES
from p2p_hoity.confusable_names import skeleton
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.storage.player_key import check_name
from p2p_hoity.table.gathering import drawn_nicknames
from p2p_hoity.table.gathering.drawn_nicknames import draw_nickname, nickname_words
from p2p_hoity.table.peer_error import PeerError


def test_every_pair_of_words_is_a_nickname_and_looks_like_no_other_and_like_no_bot() -> None:
    qualities, animals = nickname_words()
    every = [f"{one.capitalize()} {two.capitalize()}" for one, two in product(qualities, animals)]
    assert len(every) > 15_000
    assert max(map(len, every)) <= 16
    for name in every:
        check_name(name)
    assert draw_nickname() in every
    drawn = {skeleton(one) for one in every}
    assert len(drawn) == len({skeleton(one.casefold()) for one in every}) == len(every)
    assert not drawn & {skeleton(name) for name in NAMES}


def test_a_name_that_looks_like_one_at_the_table_is_not_drawn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(drawn_nicknames, "nickname_words", lambda: (("shy",), ("owl", "newt")))
    assert {draw_nickname() for _ in range(64)} == {"Shy Owl", "Shy Newt"}
    assert {draw_nickname(["Ada", "shyowl"]) for _ in range(64)} == {"Shy Newt"}


def named(guest: Guest, nickname: str, is_drawn: bool) -> None:
    guest.me = replace(guest.me, nickname=nickname, is_drawn=is_drawn)


async def test_a_drawn_name_that_somebody_has_is_drawn_again(
    three: PlayerTable,
) -> None:
    """It stays the same in all files, and on all screens."""
    host, lucky, other = three.guests
    named(host, "Shy Owl", is_drawn=True)
    named(lucky, "Brisk Newt", is_drawn=True)
    named(other, "SHY OWL", is_drawn=True)
    await three.play()
    assert three.ended_alike()
    (names,) = {
        tuple(entry.nickname for entry in guest.heard(updates.Started)[0].table.header.roster)
        for guest in three.guests
    }
    assert len(set(names)) == 3
    assert {names[guest.place] for guest in (host, lucky)} == {"Shy Owl", "Brisk Newt"}
    assert skeleton(names[other.place]) != skeleton("Shy Owl")


async def test_a_chosen_name_that_somebody_has_is_refused(pair: PlayerTable) -> None:
    for guest in pair.guests:
        named(guest, "Shy Owl", is_drawn=False)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pair.host)
        await ends_in(PeerError, "name", pair.join(1))
        nursery.cancel_scope.cancel()


def names_told(guest: Guest) -> list[tuple[str, ...]]:
    """The nicknames of each game that began on this screen, in the order of the names."""
    started = guest.heard(updates.Started)
    return [tuple(sorted(one.nickname for one in up.table.header.roster)) for up in started]


async def test_another_game_keeps_the_names_of_the_table(tmp_path: Path) -> None:
    """Also the one that was drawn again for this table, and is stored with no key."""
    table = willing_table(tmp_path, 2, lambda number: willing())
    host, guest = table.guests
    for one in table.guests:
        named(one, "Shy Owl", is_drawn=True)
    await table.play()
    for one in table.guests:
        first, second = names_told(one)
        assert first == second
    assert names_told(host) == names_told(guest)
    assert "Shy Owl" in names_told(guest)[0]
