"""A private table stays private: whoever lacks the ticket gets nothing of it, whatever the way."""

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
import trio
from support.player_table import PlayerTable, SilentAir, hosted
from support.relays import serve_relay
from support.running import running

from p2p_hoity.net.hub import Frame, Hub, LinkUp
from p2p_hoity.net.lan_discovery import Announcement
from p2p_hoity.net.ticket import encode_ticket
from p2p_hoity.presentation import screen_updates as updates
from p2p_hoity.relay import mailboxes
from p2p_hoity.table.gathering import host_table, lobby
from p2p_hoity.table.gathering.invite_by_code import ticket_by_code
from p2p_hoity.table.gathering.spoken_codes import CodeError, parse_code
from p2p_hoity.table.open_links import Lan
from p2p_hoity.table.playing.frame_kinds import is_of_game
from protocol import Identity, table_header

RELAY = "relay:4646"


@dataclass
class Private:
    """A host at a relay with the LAN told, what the LAN is told, and what its relay can read."""

    table: PlayerTable
    air: SilentAir = field(default_factory=SilentAir)
    passed: list[bytes] = field(default_factory=list)


@pytest.fixture
async def private(pair: PlayerTable, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Private]:
    here = Private(pair)

    pass_on = mailboxes.Mailbox.pass_on

    def tapped(box: Any, data: bytes, teller: Any, hearer: Any) -> None:
        here.passed.append(data)
        pass_on(box, data, teller, hearer)

    monkeypatch.setattr(host_table, "announce", here.air.announce)
    monkeypatch.setattr(mailboxes.Mailbox, "pass_on", tapped)
    here.table.relays = (RELAY,)
    async with running() as nursery:
        await nursery.start(partial(serve_relay, "relay", 4646, network=here.table.network))
        async with hosted(here.table, Lan.CLOSED):
            await here.table.until_heard(updates.OfferedCode, 0)
            yield here


async def refused(table: PlayerTable, *frames: lobby.LobbyFrame) -> list[lobby.LobbyFrame]:
    """All that a stranger hears who reaches the host through the relay and says these frames."""
    hub, host = Hub(Identity(os.urandom(32)), network=table.network), table.ticket.host_id
    heard: list[lobby.LobbyFrame] = []
    async with running() as nursery:
        await nursery.start(hub.run)
        await hub.connect([f"relay+{RELAY}"], host, 5)
        with trio.move_on_after(60):
            async for event in hub.events:
                if isinstance(event, LinkUp):
                    for frame in frames:
                        hub.post(host, lobby.encode_lobby(frame))
                elif isinstance(event, Frame) and not is_of_game(event.data):
                    heard.append(lobby.parse_lobby(event.data))
                else:
                    break
    return heard


async def test_through_the_relay_nothing_is_said_to_who_lacks_the_ticket(private: Private) -> None:
    table, unproven = private.table, lobby.Refuse(lobby.Refusal.UNPROVEN)
    assert await refused(table) == []
    assert await refused(table, lobby.Ask(b"")) == [unproven]
    assert await refused(table, lobby.Ask(os.urandom(32))) == [unproven]
    thief = Identity(os.urandom(32))
    entry = table_header.sit(table.terms, thief, "Thief", os.urandom(32))
    assert await refused(table, lobby.Sit(entry.value(), ())) == []
    assert table.guests[0].heard(updates.Joined)[-1].names == ("P0",)


async def test_a_code_gives_the_ticket_to_who_knows_it_not_to_the_relay(private: Private) -> None:
    table = private.table
    code = table.guests[0].heard(updates.OfferedCode)[0]
    wrong = replace(parse_code(f"{code.code}@{code.relay}"), words=("lantern", "walrus"))
    with pytest.raises(CodeError, match="code-wrong"):
        await ticket_by_code(wrong, table.network)
    await table.until_heard(updates.OfferedCode, 0, times=2)
    second = table.guests[0].heard(updates.OfferedCode)[1]
    right = parse_code(f"{second.code}@{second.relay}")
    assert await ticket_by_code(right, table.network) == table.ticket
    seen = b"".join(private.passed)
    assert len(seen) > 400  # of the very exchange that gave it
    word = encode_ticket(table.ticket)
    hidden = (table.ticket.secret, table.ticket.terms, table.ticket.host_id)
    for secret in (*hidden, word.encode(), word[6:60].encode(), right.password):
        assert secret not in seen


async def test_the_lan_hears_of_a_table_and_gets_no_way_in(private: Private) -> None:
    assert private.air.announced == [Announcement("P0", 2, 1, "")]
    shown = repr(private.air.announced)
    assert private.table.ticket.secret.hex() not in shown
    assert repr(private.table.ticket.secret)[2:-1] not in shown
