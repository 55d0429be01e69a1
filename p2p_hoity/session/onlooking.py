"""The driver of an onlooker: it has no seat, and is let in by seats that may refuse it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from protocol import Invalid

from ..errors import because
from . import updates
from .access import DropCode
from .driver import Driver
from .lobby import Refusal, Refuse, parse_lobby

REFUSED: Final = {Refusal.FULL: DropCode.FULL, Refusal.UNWATCHED: DropCode.UNWATCHED}


@dataclass
class OnlookerDriver(Driver):
    """Drives the machine of one who looks on."""

    _is_told: bool = False

    def _receive_guest(self, peer: bytes, data: bytes) -> None:
        """A seat that does not let it in is left alone for a while ([L-65])."""
        with suppress(Invalid):
            frame = parse_lobby(data)
            if isinstance(frame, Refuse) and frame.reason in REFUSED:
                self.hub.leave_alone(peer)
                self.hub.drop(peer, because(REFUSED[frame.reason]))
                self._say_so()

    def _say_so(self) -> None:
        """Once, when no seat is left to look on at."""
        if not self._linked() and not self._is_told:
            self._is_told = True
            self.screen(updates.Crowded())

    def _tells(self, peer: bytes) -> bool:
        """It passes on nothing: what it has of one seat the others have of each other ([M-7])."""
        return False
