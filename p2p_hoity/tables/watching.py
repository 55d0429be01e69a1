"""Looking on at the table of a ticket."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from protocol import Identity, Machine

from ..net.hub import Hub
from ..net.ticket import Ticket
from ..net.transport import Network
from ..session import updates
from ..session.capability import Capability
from ..session.driver import Driver, Outcome
from ..session.lobby import Roster
from ..session.nursery import open_nursery
from ..session.onlooking import OnlookerDriver
from ..session.player import Player
from ..session.updates import Screen
from ..session.weighing import OffLoop
from .from_now import FromNow
from .joining import HostLink, JoinCode, complete
from .seating import PeerError, Reach, bind_raw, open_hub


@dataclass(frozen=True)
class Onlooker:
    """Who looks on: telling whom, saying what (None: nothing), and whether it follows the seats
    to their next table; `output` is for the first one's transcript."""

    screen: Screen
    output: Path | None = None
    player: Player | None = None
    talks: bool = True
    again: bool = False
    from_now: bool = False
    """Not what was played before it came."""
    off_loop: OffLoop | None = None
    """Runs what would hold up all else, as for a seat."""


async def watch_table(
    ticket: Ticket, onlooker: Onlooker, network: Network | None = None, hidden: bool = False
) -> Outcome:
    """Follow a table without a seat, and those that come after it ([A-7]); `hidden`: by a proxy."""
    if not onlooker.from_now:
        return await _watch(ticket, onlooker, network, hidden)
    later = FromNow(onlooker.screen)
    async with open_nursery() as nursery:
        nursery.start_soon(later.run)
        since = replace(onlooker, screen=later.tell)
        outcome = await _watch(ticket, since, network, hidden)
        nursery.cancel_scope.cancel()
    return outcome


async def _watch(
    ticket: Ticket, onlooker: Onlooker, network: Network | None, hidden: bool
) -> Outcome:
    stranger = Identity(os.urandom(32))
    reach = Reach("127.0.0.1:0", network=network, hidden=hidden)
    async with open_hub(stranger, reach) as (hub, _):
        host_link = HostLink(hub, ticket, lambda: onlooker.screen(updates.Crowded()))
        roster = await host_link.keep(lambda: _wait_for_roster(host_link))
        driver = _looking_on(hub, stranger, onlooker, roster, host_link.capability)
        driver.output = onlooker.output
        outcome = await driver.run(host_link.backlog.frames)
        while (agreed := outcome.again) is not None:
            driver = _looking_on(hub, stranger, onlooker, agreed.roster, agreed.capability)
            outcome = await driver.run(outcome.early)
        return outcome


def _looking_on(
    hub: Hub, me: Identity, onlooker: Onlooker, roster: Roster, capability: Capability
) -> Driver:
    machine = Machine(bind_raw(roster.header), os.urandom)
    driver = OnlookerDriver(hub, machine, onlooker.screen, roster, capability, onlooker.player)
    driver.identity, driver.talks, driver.again = me, onlooker.talks, onlooker.again
    driver.off_loop = onlooker.off_loop
    return driver


async def _wait_for_roster(host_link: HostLink) -> Roster:
    """The roster of the ticket's table, however long it takes until the table is full; PeerError
    if its host lets nobody look on."""
    first = await host_link.first()
    if not first.watched:
        raise PeerError(JoinCode.UNWATCHED)
    while not isinstance(first, Roster):
        frame = await host_link.next()
        if isinstance(frame, Roster):
            complete(frame, host_link.ticket)
            first = frame
    return first
