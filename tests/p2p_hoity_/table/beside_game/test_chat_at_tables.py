"""Tests of talk at whole tables in memory: a line of nodes, onlookers, a switch, and floods."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from support.player_table import LONGER, Guest, PlayerTable, Thinker
from support.running import running
from support.sampling import LOOKED_ON

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.hub import Hub
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.chat import speak
from p2p_hoity.table.beside_game.watch_table import Onlooker
from p2p_hoity.table.playing.player_requests import PlayerRequest, Talk

pytestmark = LOOKED_ON


class Talker(Thinker):
    """A player who thinks, and says some words once the game has begun."""

    def __init__(self, *words: str | int) -> None:
        super().__init__()
        self.words = [*words]

    async def next_request(self) -> PlayerRequest:
        await trio.sleep(5.0)
        if not self.words:
            await trio.sleep_forever()
        return Talk(self.words.pop(0))


class HostOnly:
    """The network of a node that reaches the host and nobody else."""

    def __init__(self, network: Any) -> None:
        self._network, self.listen = network, network.listen

    async def open(self, address: Address) -> Any:
        """A stream to the host; NetError from anybody else."""
        there = address if address.host == "node0" else Address("nowhere", 1)
        return await self._network.open(there)


def line(path: Path, *words: tuple[str | int, ...]) -> PlayerTable:
    """Return a table of three that say these words; the guests have no link to each other."""
    table = talking(path, *words)
    table.node = lambda number: HostOnly(table.network) if number else table.network
    return table


def talking(path: Path, *words: tuple[str | int, ...]) -> PlayerTable:
    """Return a table of players who say these words."""
    table = PlayerTable(path, len(words), edition=LONGER)
    for guest, said in zip(table.guests, words, strict=True):
        guest.player = Talker(*said)
    return table


def heard(guest: Guest) -> list[tuple[str, str | int]]:
    return [(one.who, one.words) for one in guest.heard(updates.Said)]


async def test_words_reach_who_has_no_link_to_their_author(tmp_path: Path) -> None:
    table = line(tmp_path, (), ("hello", 3), ())
    await table.play()
    for guest in table.guests:
        assert heard(guest) == [("P1", "hello"), ("P1", 3)]
    assert table.ended_alike()
    assert b"hello" not in table.transcripts()[0]


class Eager(Talker):
    """A player who speaks before there is anybody to hear it."""

    async def next_request(self) -> PlayerRequest:
        if not self.words:
            await trio.sleep_forever()
        return Talk(self.words.pop(0))


async def test_words_said_while_links_are_made_are_heard_too(tmp_path: Path) -> None:
    table = talking(tmp_path, (), (), ())
    table.guests[0].player = Eager("one", "two")
    await table.play_until(lambda: all(len(heard(guest)) == 2 for guest in table.guests))
    assert all(heard(guest) == [("P0", "one"), ("P0", "two")] for guest in table.guests)


async def test_onlookers_and_seats_hear_each_other(tmp_path: Path) -> None:
    table = line(tmp_path, (), (), ("hello",))
    seen: list[updates.Update] = []
    onlooker = Onlooker(seen.append, player=Talker("bravo"))
    await table.play({}, partial(table.look_on, onlooker))
    said = [one for one in seen if isinstance(one, updates.Said)]
    assert {one.words for one in said} == {"hello", "bravo"}
    (mine,) = (replace(one, is_own=False) for one in said if one.is_own)
    assert mine.words == "bravo"
    for guest in table.guests:
        assert sorted(heard(guest), key=str) == sorted(((s.who, s.words) for s in said), key=str)
        assert mine in guest.heard(updates.Said)


async def test_who_has_switched_talk_off_only_passes_it_on(tmp_path: Path) -> None:
    table = line(tmp_path, ("unheard",), ("hello",), ())
    table.guests[0].options["talks"] = False
    await table.play()
    assert heard(table.guests[0]) == []
    assert [one.reason.code for one in table.guests[0].heard(updates.Unsaid)] == ["talk-off"]
    assert heard(table.guests[2]) == [("P1", "hello")]


async def test_a_flooder_loses_its_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The game goes on, and the others are heard."""
    table = talking(tmp_path, (), (), ("hello",))
    liar, hubs, run = table.guests[1].key, list[Hub](), Hub.run

    async def noted(hub: Hub, **rest: Any) -> None:
        hubs.append(hub)
        await run(hub, **rest)

    async def flood() -> None:
        await table.until_heard(updates.ChainGrew, 1)
        played = table.guests[1].heard(updates.Started)[0].table
        seat, (hub,) = played.ids.index(liar.public), (h for h in hubs if h.me == liar.public)
        for count in range(1500):
            frame = speak(played.id, liar, seat, count, "spam").encode()
            for peer in hub.links():
                hub.post(peer, frame if count % 3 else frame[:-1] + b"\0")
            if not count % 100:
                await trio.sleep(0.5)

    monkeypatch.setattr(Hub, "run", noted)
    async with running(flood):
        await table.play()
    table.judge()
    for guest in (table.guests[0], table.guests[2]):
        words = [word for _, word in heard(guest)]
        assert 0 < words.count("spam") < 20
        assert words.count("hello") == 1
        assert not guest.heard(updates.SeatsTimedOut)
        assert not guest.heard(updates.Away)
