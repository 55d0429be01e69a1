"""Tests of onlookers that a seat must not notice: a stuck one, one too many, and what they send."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from support.memory_network import MemoryNetwork
from support.player_table import PlayerTable
from support.sampling import LOOKED_ON

from p2p_hoity.net.hub import Hub, LinkUp
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.network_errors import LinkCode
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.table.beside_game.watch_table import Onlooker
from p2p_hoity.table.gathering.lobby import Ask, encode_lobby
from p2p_hoity.table.gathering.ticket_proof import Capability
from p2p_hoity.table.playing import frame_access
from p2p_hoity.table.playing.frame_kinds import Budget, is_of_game, kind_of
from protocol.crypto.identities import Identity
from protocol.wire.table_header import Timeouts

pytestmark = LOOKED_ON

STRANGER = Identity(b"stranger" * 4)


def thoughtful(path: Path, seats: int = 3) -> PlayerTable:
    """Return a table whose players take as long as people do for each choice."""
    return PlayerTable(path, seats, Timeouts(choice=60_000, step=60_000), thinking=4.0)


def beside(table: PlayerTable, pair: Any = trio.testing.lockstep_stream_pair) -> MemoryNetwork:
    """A way to the same machines whose streams hold nothing that is not read."""
    network = MemoryNetwork(pair)
    network._listeners = table.network._listeners
    return network


@asynccontextmanager
async def stuck(table: PlayerTable) -> AsyncIterator[None]:
    """An onlooker that is let in at the host and reads nothing from then on; it stays alive."""
    await table.opened.wait()
    ticket = table.ticket
    hub = Hub(STRANGER, network=beside(table), limits=Limits(events=1))
    async with trio.open_nursery() as nursery:
        await nursery.start(hub.run)
        await hub.connect(ticket.dial_addresses(), ticket.host_id, 5)
        up = await hub.events.receive()
        assert isinstance(up, LinkUp)
        held = Capability(ticket.terms, ticket.secret)
        proof = held.guest_proof(up.binding or b"", ticket.host_id, hub.me)
        hub.post(ticket.host_id, encode_lobby(Ask(proof)))
        yield
        nursery.cancel_scope.cancel()


async def test_a_stuck_onlooker_slows_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, hubs, queued = thoughtful(tmp_path), list[Hub](), list[int]()
    when: dict[int, list[float]] = {}
    dropped: list[float] = []
    run = Hub.run

    async def noted(hub: Hub, **rest: Any) -> None:
        hubs.append(hub)
        await run(hub, **rest)

    def hear(number: int, update: updates.Update) -> None:
        if isinstance(update, updates.ChainGrew):
            when.setdefault(update.before.step, []).append(trio.current_time())
        if number or not isinstance(update, updates.ChainGrew | updates.Unlinked):
            return
        (host,) = (one for one in hubs if one.me == table.guests[0].key.public)
        standing = host._admission.get(STRANGER.public)
        if standing is not None:
            queued.append(standing.link._queued_bytes)
        elif isinstance(update, updates.Unlinked) and update.name is None:
            dropped.append(trio.current_time())
            assert update.reason.code == LinkCode.UNREAD

    monkeypatch.setattr(Hub, "run", noted)
    for number, guest in enumerate(table.guests):
        guest.listener = partial(hear, number)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(table.host)
        async with stuck(table):
            began = trio.current_time()
            async with trio.open_nursery() as players:
                players.start_soon(table.join, 1)
                players.start_soon(table.join, 2)
    assert queued  # it was let in, and frames waited for it
    assert max(queued) <= Limits().queue_bytes
    assert dropped
    assert dropped[0] - began <= Limits().stalled + Limits().silence
    assert trio.current_time() > dropped[0] + 5  # there was a game after it
    assert all(max(times) - min(times) < 0.01 for times in when.values() if len(times) == 3)
    assert table.ended_alike()


async def test_one_too_many_waits_for_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[L-62], [L-65]: it is told once, and gets in when there is room."""
    monkeypatch.setattr(frame_access, "MOST_ONLOOKERS", 1)
    table, first, second = thoughtful(tmp_path), list[Any](), list[Any]()
    opened: list[float] = []
    network = beside(table, trio.testing.memory_stream_pair)
    dial = network.open

    async def counted(address: Any) -> trio.abc.Stream:
        opened.append(trio.current_time())
        return await dial(address)

    monkeypatch.setattr(network, "open", counted)
    scope = trio.CancelScope()

    async def look_on() -> None:
        with scope:
            await table.look_on(Onlooker(first.append))

    async def come_later() -> None:
        await table.until(lambda: any(isinstance(one, updates.Happened) for one in first))
        await table.look_on(Onlooker(second.append), network)

    async def leave() -> None:
        await table.until(lambda: updates.Crowded() in second)
        before = len(opened)
        await trio.sleep(14)
        assert len(opened) == before
        assert not any(isinstance(one, updates.Happened) for one in second)
        scope.cancel()

    await table.play({}, look_on, come_later, leave)
    assert second.count(updates.Crowded()) == 1
    assert any(isinstance(one, updates.Happened) for one in second)
    assert isinstance(second[-1], updates.GameOver)


async def test_onlookers_send_nothing_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[M-7]"""
    table, sent, seen = thoughtful(tmp_path, 2), list[bytes](), list[Any]()
    asked, carried = list[float](), list[float]()
    post = Hub.post
    ours = {guest.key.public for guest in table.guests}

    def noted(hub: Hub, to: bytes, data: bytes, once: bool = False) -> bool:
        if hub.me not in ours:
            if data[1] == 0:
                carried.append(trio.current_time())
            else:
                sent.append(data)
        elif to not in ours and kind_of(data).budget is Budget.QUESTIONS and is_of_game(data):
            asked.append(trio.current_time())
        return post(hub, to, data, once)

    monkeypatch.setattr(Hub, "post", noted)
    await table.play({}, partial(table.look_on, Onlooker(seen.append)))
    steps = sum(isinstance(one, updates.ChainGrew) for one in seen)
    assert steps > 30
    # What goes round it passes to nobody; a seat that asks it has what came since it asked.
    assert all(any(0 <= when - question < 1 for question in asked) for when in carried)
    seconds = trio.current_time()
    assert len(sent) < 2.4 * seconds  # to each of two seats a second
    assert len(asked) < 5  # by a seat, but when the link is up
