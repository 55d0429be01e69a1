"""Tests of talk at whole tables in memory: a line of nodes, onlookers, a switch, and floods."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
from p2p_hoity_.tables.test_tables import Club, Guest, Thinker

from p2p_hoity import game_port, tables
from p2p_hoity.errors import because
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetCode, NobodyError
from p2p_hoity.net.hub import Hub
from p2p_hoity.session import updates
from p2p_hoity.session.player import Talk, Wish
from p2p_hoity.session.talk import speak
from protocol.transcript import verifier


class Talker(Thinker):
    """A player who thinks, and says some words once the game has begun."""

    def __init__(self, *words: str | int) -> None:
        super().__init__()
        self.words = [*words]

    async def wish(self) -> Wish:
        await trio.sleep(5.0)
        if not self.words:
            await trio.sleep_forever()
        return Talk(self.words.pop(0))


class Quiet(Guest):
    """A guest with talk switched off."""

    @property
    def seat(self) -> tables.Seat:
        return replace(super().seat, talks=False)


class HostOnly:
    """The network of a node that reaches the host and nobody else."""

    def __init__(self, network: Any) -> None:
        self._network = network

    async def open(self, address: Address) -> trio.abc.Stream:
        """A stream to the host."""
        if address.host != "node0":
            nobody = because(NetCode.NOBODY_LISTENS)
            raise NobodyError(NetCode.UNREACHED, address=str(address), why=nobody)
        stream: trio.abc.Stream = await self._network.open(address)
        return stream

    async def listen(self, host: str, port: int) -> Any:
        """Its listeners, which nobody reaches."""
        return await self._network.listen(host, port)


class Line(Club):
    """A host in the middle: the guests have no link to each other."""

    def reach(self, number: int) -> tables.Reach:
        network = self.network if number == 0 else HostOnly(self.network)
        return tables.Reach(f"node{number}:0", network=network)


def heard(guest: Guest) -> list[tuple[str, str | int]]:
    return [(one.who, one.words) for one in guest.heard(updates.Said)]


async def test_words_reach_who_has_no_link_to_their_author(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Line(tmp_path, 3)
    for number, guest in enumerate(club.guests):
        guest.player = Talker("hello", 3) if number == 1 else Talker()
    await club.play()
    for guest in club.guests:
        assert heard(guest) == [("P1", "hello"), ("P1", 3)]
        assert not guest.heard(updates.Accused)
    assert len(set(club.transcripts())) == 1
    assert b"hello" not in club.transcripts()[0]


class Eager(Talker):
    """A player who speaks before there is anybody to hear it."""

    async def wish(self) -> Wish:
        if not self.words:
            await trio.sleep_forever()
        return Talk(self.words.pop(0))


async def test_words_said_while_links_are_made_are_heard_too(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Club(tmp_path, 3)
    for number, guest in enumerate(club.guests):
        guest.player = Eager("one", "two") if number == 0 else Talker()
    await club.play()
    assert all(heard(guest) == [("P0", "one"), ("P0", "two")] for guest in club.guests)


async def test_onlookers_and_seats_hear_each_other(tmp_path: Path, autojump_clock: Any) -> None:
    club = Line(tmp_path, 3)
    for guest in club.guests:
        guest.player = Talker()
    club.guests[2].player = Talker("hello")
    seen: list[updates.Update] = []

    async def look_on() -> None:
        await club.opened.wait()
        assert club.ticket is not None
        onlooker = tables.Onlooker(seen.append, player=Talker("bravo"))
        await tables.watch_table(club.ticket, onlooker, club.network)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(look_on)
        nursery.start_soon(club.play)
    said = [one for one in seen if isinstance(one, updates.Said)]
    assert {one.words for one in said} == {"hello", "bravo"}
    (mine,) = (one for one in said if one.words == "bravo")
    for guest in club.guests:
        assert sorted(heard(guest), key=str) == sorted(((s.who, s.words) for s in said), key=str)
        assert mine in guest.heard(updates.Said)


async def test_who_has_switched_talk_off_neither_shows_nor_sends_and_passes_on(
    tmp_path: Path, autojump_clock: Any
) -> None:
    club = Line(tmp_path, 3)
    club.guests[0].__class__ = Quiet
    club.guests[0].player = Talker("unheard")
    club.guests[1].player = Talker("hello")
    club.guests[2].player = Talker()
    await club.play()
    assert heard(club.guests[0]) == []
    assert [one.reason.code for one in club.guests[0].heard(updates.Unsaid)] == ["talk-off"]
    assert heard(club.guests[2]) == [("P1", "hello")]


async def test_a_flood_of_talk_costs_the_flooder_its_voice_and_the_game_nothing(
    tmp_path: Path, autojump_clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = Club(tmp_path, 3)
    for guest in club.guests:
        guest.player = Talker()
    club.guests[2].player = Talker("hello")
    liar, hubs, run = club.guests[1].me.identity, list[Hub](), Hub.run

    async def noted(hub: Hub, **rest: Any) -> None:
        hubs.append(hub)
        await run(hub, **rest)

    async def flood() -> None:
        while not club.guests[1].heard(updates.Stepped):
            await trio.sleep(0.1)
        table = club.guests[1].heard(updates.Started)[0].table
        seat, (hub,) = table.ids.index(liar.public), (h for h in hubs if h.me == liar.public)
        for count in range(1500):
            frame = speak(table.id, liar, seat, count, "spam").encode()
            for peer in hub.links():
                hub.post(peer, frame if count % 3 else frame[:-1] + b"\0")
            if not count % 100:
                await trio.sleep(0.5)

    monkeypatch.setattr(Hub, "run", noted)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(flood)
        await club.play()
        nursery.cancel_scope.cancel()
    reports = [verifier.verify(data, game_port.read_game) for data in club.transcripts()]
    assert {report.verdict for report in reports} == {"ok"}
    assert len({report.content for report in reports}) == 1
    for guest in (club.guests[0], club.guests[2]):
        words = [word for _, word in heard(guest)]
        assert 0 < words.count("spam") < 20
        assert words.count("hello") == 1
        assert not guest.heard(updates.Accused)
        assert not guest.heard(updates.Late)
        assert not guest.heard(updates.Away)
