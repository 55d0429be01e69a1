"""Seeing the others off: who is known to hold the whole end of a game.

A seat that crashes with its last say out must find someone to give it the others' when it comes
back. So a node whose game is over tells what it holds (a `Sync`), and stays until every present
seat has told the same, or the patience for it has run out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.chain.state import Kind
from protocol.errors import Invalid
from protocol.seat.machine import Machine
from protocol.wire import frames
from protocol.wire.messages import Say

from .rate_limit import is_question


@dataclass
class Parting:
    """What each seat told last of what it holds."""

    have: dict[int, frozenset[bytes]] = field(default_factory=dict)

    def hear(self, machine: Machine, peer: bytes, data: bytes) -> None:
        """Read a frame that came in; anything but a seat's `Sync` changes nothing."""
        if peer not in machine.table.ids or not is_question(data):
            return
        try:
            frame = frames.parse_frame(data)
        except Invalid:
            return
        if isinstance(frame, frames.Sync):
            self.have[machine.table.ids.index(peer)] = frozenset(frame.have)

    def all_have_it(self, machine: Machine) -> bool:
        """Whether every other present seat holds the end; an onlooker need not care."""
        if machine.seat is None:
            return True
        others, last = machine.tip.present - {machine.seat}, _last_says(machine)
        return all(seat in self.have and last <= self.have[seat] for seat in others)

    @staticmethod
    def unconfirmed(machine: Machine) -> int | None:
        """Whose word on the deck is lacking after twice the patience, once one's own is said.

        Whoever has confirmed the deck must still join if all others turn out to have done so, but
        need not wait for ever: it leaves, keeps its journal, and joins when it takes its seat anew.
        """
        node, clocks = machine.tip, machine.clocks
        if machine.seat is None or machine.broken is not None or node.want.kind is not Kind.DECK_OK:
            return None
        awaited = machine.awaited()
        patient = machine.seat in awaited or clocks.left(node) > -clocks.patience(node)
        return None if patient else min(awaited, default=None)


def _last_says(machine: Machine) -> frozenset[bytes]:
    """What a `Sync` of a node that holds the end names: the short hashes of the last says."""
    view = machine.view
    return frozenset(
        message.hash[: frames.SHORT]
        for message in machine.store.says(view.epoch, view.tip.step)
        if isinstance(message.statement, Say) and message.statement.on == view.tip.digest
    )
