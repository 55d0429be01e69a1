"""One sitting, several tables: another game with the same people over the links that stand."""

from __future__ import annotations

from dataclasses import replace

from ..net.events import Event
from ..net.hub import Hub
from ..session.capability import Capability
from ..session.driver import Outcome
from ..session.lobby import Roster
from .seating import Reach, Seat, play


async def play_on(
    hub: Hub,
    seat: Seat,
    roster: Roster,
    reach: Reach,
    capability: Capability,
    backlog: list[Event],
) -> Outcome:
    """Play at a table, and at those that follow while all want another game; how the last ended."""
    outcome = await play(hub, seat, roster, reach, capability, backlog)
    return await follow(outcome, hub, seat, reach)


async def follow(outcome: Outcome, hub: Hub, seat: Seat, reach: Reach) -> Outcome:
    """Play at the tables that follow a finished one. Their transcripts go to the usual place: the
    file that was asked for holds the first game."""
    seat = replace(seat, output=None)
    while (agreed := outcome.again) is not None:
        early = list(outcome.early)
        outcome = await play(hub, seat, agreed.roster, reach, agreed.capability, early)
    return outcome
