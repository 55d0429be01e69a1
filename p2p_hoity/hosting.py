"""Opening a table: a ticket, a list of who sits down, and the roster when it is full."""

from __future__ import annotations

import os
from collections.abc import Callable

import trio

from protocol import header
from protocol.errors import Invalid
from protocol.header import Terms

from . import updates
from .driver import Outcome
from .lobby import (
    Names,
    Offer,
    Refuse,
    Seating,
    Sit,
    encode_lobby,
    is_lobby,
    parse_lobby,
)
from .net.discovery import Announcement, announce
from .net.events import Event, Frame, LinkDown, LinkUp
from .net.hub import Hub
from .net.ticket import Ticket, encode_ticket
from .nursery import open_nursery
from .seating import Reach, Seat, open_hub, play
from .updates import Screen


async def host_table(
    seat: Seat, terms: Terms, reach: Reach, on_ticket: Callable[[str], None]
) -> Outcome:
    """Open a table, wait until it is full, and play; `on_ticket` gets the ticket's word."""
    who = seat.me.identity
    async with open_hub(who, reach) as (hub, addresses):
        direct = tuple(a for a in addresses if not a.startswith("relay+"))[:8]
        ticket = encode_ticket(Ticket(who.public, direct, terms.digest(), reach.relays))
        on_ticket(ticket)
        own = header.sit(terms, who, seat.me.nickname, os.urandom(32))
        seating = Seating(terms, own, addresses)
        seat.screen(updates.Joined(seating.names, terms.seats))
        announced = Announcement(seat.me.nickname, terms.seats, 1, ticket) if reach.lan else None
        await _fill(hub, seating, seat.screen, announced)
        roster = seating.roster()
        for peer in hub.links():
            hub.post(peer, encode_lobby(roster))
        return await play(hub, seat, roster, reach, [])


async def _fill(hub: Hub, seating: Seating, screen: Screen, announced: Announcement | None) -> None:
    """Seat guests until the table is full. Before the host's roster there is no table, so what
    is no frame of the lobby is not looked at."""
    async with open_nursery() as nursery:
        sent, received = trio.open_memory_channel[int](64)
        if announced is not None:
            nursery.start_soon(_announce, announced, received)
        async for event in hub.events:
            if _host_event(hub, seating, event):
                screen(updates.Joined(seating.names, seating.terms.seats))
                _try_send(sent, len(seating.names))
            if seating.full:
                break
        nursery.cancel_scope.cancel()


def _try_send(channel: trio.MemorySendChannel[int], number: int) -> None:
    try:
        channel.send_nowait(number)
    except trio.WouldBlock:
        return


async def _announce(what: Announcement, counts: trio.MemoryReceiveChannel[int]) -> None:
    async with announce(what) as announcing:
        async for joined in counts:
            await announcing.update(joined)


def _host_event(hub: Hub, seating: Seating, event: Event) -> bool:
    """Answer one event of the lobby; whether the list of the seated changed."""
    if isinstance(event, LinkUp):
        hub.post(event.peer, encode_lobby(Offer(seating.terms, seating.names)))
        return False
    if isinstance(event, LinkDown):
        changed = seating.leave(event.peer)
    else:
        changed = _host_frame(hub, seating, event)
    if changed:
        for peer in hub.links():
            hub.post(peer, encode_lobby(Names(seating.names)))
    return changed


def _host_frame(hub: Hub, seating: Seating, event: Frame) -> bool:
    if not is_lobby(event.data):
        return False
    try:
        frame = parse_lobby(event.data)
        if not isinstance(frame, Sit):
            return False
        refused = seating.sit(event.peer, frame)
    except Invalid as error:
        hub.drop(event.peer, f"it sent what is no consent to these terms ({error.reason})")
        return False
    if refused is not None:
        hub.post(event.peer, encode_lobby(Refuse(refused)))
    return refused is None
