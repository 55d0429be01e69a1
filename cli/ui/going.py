"""A player who leaves for now when an event is set, as when the program is told to end."""

from __future__ import annotations

from typing import Final

import trio

from p2p_hoity import rules
from p2p_hoity.table.playing.player_interface import Player
from p2p_hoity.table.playing.player_requests import LeaveForNow, PlayerRequest
from protocol.units import Seconds

LEAVING: Final[Seconds] = 3.0
"""The longest time to tell the others of a departure before the program ends, in seconds."""

ENDING: Final[Seconds] = 10.0
"""The longest time to send the last frames after a game before the program ends, in seconds."""


class Going:
    """A player that passes all on to another player, and leaves for now when an event is set."""

    def __init__(self, player: Player, going: trio.Event) -> None:
        self._player, self._going = player, going

    async def choose(self, view: rules.View, kind: rules.Kind, again: bool) -> rules.Choice:
        """Return the choice of the player."""
        return await self._player.choose(view, kind, again)

    async def returning(self) -> None:
        """Wait until the player comes back."""
        await self._player.returning()

    async def again(self) -> bool:
        """Ask the player for another game."""
        return await self._player.again()

    async def next_request(self) -> PlayerRequest:
        """Wait for the next request of the player, or until the player has to leave for now."""
        # This stays if the event cancels the nursery.
        request: PlayerRequest = LeaveForNow()
        async with trio.open_nursery() as nursery:

            async def until_it_goes() -> None:
                await self._going.wait()
                nursery.cancel_scope.cancel()

            nursery.start_soon(until_it_goes)
            request = await self._player.next_request()
            nursery.cancel_scope.cancel()
        return request
