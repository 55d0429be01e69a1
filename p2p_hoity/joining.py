"""Sitting down at the table of a ticket, or looking on."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import trio

from protocol import header
from protocol.errors import Invalid
from protocol.header import Terms
from protocol.identity import Identity
from protocol.machine import Machine

from . import updates
from .driver import Driver, Outcome
from .lobby import (
    MAX_ADDRESSES,
    Names,
    Offer,
    Refuse,
    Roster,
    Sit,
    encode_lobby,
    is_lobby,
    parse_lobby,
)
from .lookalikes import twins_among
from .net.errors import NetError
from .net.events import Event, Frame, LinkDown
from .net.hub import Hub
from .net.network import Network
from .net.ticket import Ticket
from .nursery import open_nursery
from .seating import Backlog, PeerError, Reach, Seat, bind_raw, open_hub, play
from .table import HoityToity, read_game
from .updates import Screen

CONNECT = 15.0
ANSWER = 15.0
Accept = Callable[[Terms, HoityToity, tuple[str, ...]], Awaitable[bool]]


ASK: Final = "ask the host whether the table is still open, and try again"
EARLIER_TABLE: Final = (
    "this ticket is of an earlier table, which is over: the host has opened another;"
    " ask the host for the new ticket"
)


async def join_table(seat: Seat, ticket: Ticket, accept: Accept, reach: Reach) -> Outcome:
    """Sit down at the table of a ticket and play; PeerError if it cannot be."""
    who = seat.me.identity
    if who.public == ticket.host_id:
        raise PeerError("this is your own ticket: give it to the others", 2)
    async with open_hub(who, reach) as (hub, addresses):
        await _connect(hub, ticket)
        guest = _Guest(hub, seat, ticket, addresses)
        roster = await guest.sit(accept)
        return await play(hub, seat, roster, reach, guest.backlog.frames)


async def _connect(hub: Hub, ticket: Ticket) -> None:
    try:
        await hub.connect(ticket.dial_addresses(), ticket.host_id, CONNECT)
    except NetError as error:
        raise PeerError(f"the host cannot be reached ({error}); {ASK}", 3) from error


class _Guest:
    """A guest's side of the lobby."""

    def __init__(self, hub: Hub, seat: Seat, ticket: Ticket, addresses: Sequence[str]) -> None:
        self.hub, self.seat, self.ticket = hub, seat, ticket
        self.addresses = tuple(addresses)[:MAX_ADDRESSES]
        self.backlog = Backlog()
        self.names: tuple[str, ...] = ()
        self.entry: header.SeatEntry | None = None

    async def sit(self, accept: Accept) -> Roster:
        """Read the terms, ask, consent, and wait for the roster."""
        offer: Offer | None = None
        with trio.move_on_after(ANSWER):
            offer = await self._offer()
        if offer is None:
            raise PeerError("the host did not say its terms: ask for a new ticket", 3)
        self.names = offer.names
        game = _game_of(offer.terms)
        return await self._consent(offer, game, accept)

    async def _offer(self) -> Offer | None:
        while True:
            frame = await self._next()
            if isinstance(frame, Offer):
                if frame.terms.digest() != self.ticket.terms:
                    raise PeerError(EARLIER_TABLE, 1)
                return frame
            if isinstance(frame, Roster):
                _check_table(frame, self.ticket)
                raise PeerError("the table is full: its game has begun", 1)

    async def _consent(self, offer: Offer, game: HoityToity, accept: Accept) -> Roster:
        found: list[Roster] = []
        async with open_nursery() as nursery:
            nursery.start_soon(self._ask, offer, game, accept)
            found.append(await self._roster(offer))
            nursery.cancel_scope.cancel()
        return found[0]

    async def _ask(self, offer: Offer, game: HoityToity, accept: Accept) -> None:
        if not await accept(offer.terms, game, self.names):
            raise PeerError("you did not take the seat", 1)
        me = self.seat.me
        self.entry = entry = header.sit(offer.terms, me.identity, me.nickname, os.urandom(32))
        self.hub.post(self.ticket.host_id, encode_lobby(Sit(entry.value(), self.addresses)))

    async def _roster(self, offer: Offer) -> Roster:
        while True:
            frame = await self._next()
            if isinstance(frame, Names):
                self.names = frame.names
                self.seat.screen(updates.Joined(frame.names, offer.terms.seats))
            elif isinstance(frame, Refuse):
                raise PeerError(f"the host refused the seat: {frame.reason}", 1)
            elif isinstance(frame, Roster):
                self._check_roster(frame, offer)
                return frame

    def _check_roster(self, roster: Roster, offer: Offer) -> None:
        try:
            complete = header.parse_header(roster.header)
        except Invalid as error:
            raise PeerError(f"the host's roster is not valid: {error.reason}", 1) from error
        if complete.terms.digest() != offer.terms.digest():
            raise PeerError("the host's roster is of another table", 1)
        if self.seat.me.identity.public not in {e.id for e in complete.roster}:
            raise PeerError("the table is full: its game has begun without you", 1)
        if self.entry not in complete.roster:
            # An entry signed at an earlier sitting would give an earlier table's id again.
            raise PeerError("the host's roster holds an old consent of yours: do not play there", 1)
        alike = twins_among([entry.nickname for entry in complete.roster])
        if alike is not None:
            words = "two names at this table are too alike ({} and {}): you did not sit down there"
            raise PeerError(words.format(*alike), 1)

    async def _next(self) -> object:
        """The host's next lobby frame; frames of a table already begun are kept for later."""
        async for event in self.hub.events:
            if isinstance(event, LinkDown) and event.peer == self.ticket.host_id:
                raise PeerError(f"the host is gone ({event.reason}); {ASK}", 3)
            if not isinstance(event, Frame):
                continue
            if not is_lobby(event.data):
                self.backlog.keep(event)
            elif event.peer == self.ticket.host_id:
                try:
                    return parse_lobby(event.data)
                except Invalid as error:
                    raise PeerError(f"the host speaks otherwise: {error.reason}", 1) from error
        raise PeerError("the links are closed", 3)


def _check_table(roster: Roster, ticket: Ticket) -> None:
    """PeerError if the game that has begun is not the one of the ticket."""
    try:
        terms = header.parse_header(roster.header).terms
    except Invalid as error:
        raise PeerError(f"the host's roster is not valid: {error.reason}", 1) from error
    if terms.digest() != ticket.terms:
        raise PeerError(EARLIER_TABLE, 1)


def _game_of(terms: Terms) -> HoityToity:
    try:
        return read_game(terms)
    except Invalid as error:
        raise PeerError(f"these terms cannot be played: {error.reason}", 1) from error


async def watch_table(
    ticket: Ticket, screen: Screen, output: Path | None = None, network: Network | None = None
) -> Outcome:
    """Follow a table without a seat."""
    stranger = Identity(os.urandom(32))
    async with open_hub(stranger, Reach("127.0.0.1:0", network=network)) as (hub, _):
        await _connect(hub, ticket)
        roster, backlog = await _wait_for_roster(hub, ticket)
        machine = Machine(bind_raw(roster.header), os.urandom)
        return await Driver(hub, machine, screen, roster, output=output).run(backlog)


async def _wait_for_roster(hub: Hub, ticket: Ticket) -> tuple[Roster, list[Event]]:
    backlog = Backlog()
    async for event in hub.events:
        if isinstance(event, LinkDown) and event.peer == ticket.host_id:
            raise PeerError(f"the host is gone ({event.reason}); {ASK}", 3)
        if isinstance(event, Frame) and not is_lobby(event.data):
            backlog.keep(event)
        if isinstance(event, Frame) and is_lobby(event.data) and event.peer == ticket.host_id:
            frame = parse_lobby(event.data)
            if isinstance(frame, Offer) and frame.terms.digest() != ticket.terms:
                raise PeerError(EARLIER_TABLE, 1)
            if isinstance(frame, Roster):
                _check_table(frame, ticket)
                return frame, backlog.frames
    raise PeerError("the links are closed", 3)
