"""A seat that tries to part the others before the game: `part:CARRIER:SECONDS`.

It keeps its input to `deck.ok` and all that follows. When the others have confirmed the deck, it
shows one of them, the victim, a word by which it seems to have gone. After SECONDS it shows its
inputs to the others, and to the victim too. With `closed` for SECONDS it waits for a link to end,
and shows them to the others only. CARRIER is one of `CARRIERS`.
"""

from __future__ import annotations

from typing import Any

import trio

from cli.printing import write_line
from p2p_hoity.table.playing.effects_out import EffectsOut
from protocol.chain.chain_state import Kind
from protocol.seat.effects import SEAT_LEFT, SILENT_SEAT, Send
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from support.forgeries.bodies import seat_of
from support.forgeries.statements import carried
from support.inspection import identity_of
from support.liars.tales import own_message

CARRIERS = ("notice", "departure", "proof", "silence")
CLOSED = "closed"


class PartingEffects(EffectsOut):
    """Effects of a machine that keeps its confirmation of the deck back for a while."""

    carrier, seconds = "silence", CLOSED

    def __init__(self, *given: Any) -> None:
        """Begin to keep it."""
        super().__init__(*given)
        self.kept: list[bytes] = []
        self.shown: set[bytes] = set()
        trio.lowlevel.spawn_system_task(self._part)

    def send(self, send: Send) -> None:
        """Keep the own inputs, departures and end notices from who is not shown them yet."""
        if not self._is_kept(send):
            super().send(send)
            return
        self.kept.append(send.frame)
        for peer in self._hub.links() & self.shown:
            self._hub.post(peer, send.frame)

    def _is_kept(self, send: Send) -> bool:
        seat, message = seat_of(self._machine), own_message(send, self._machine)
        if message is not None:
            step_input = message.statement
            last = self._machine.table.seats + 4
            return isinstance(step_input, StepInput) and step_input.step >= last
        frame = peer_frames.parse_frame(send.frame)
        return isinstance(frame, Departure | EndNotice) and frame.seat == seat

    async def _part(self) -> None:
        machine = self._machine
        while machine.tip.want.kind is not Kind.DEAL:  # It has confirmed, as all others have.
            await trio.sleep(0.05)
        peers = sorted(self._hub.links())
        victim, others = peers[0], peers[1:]
        self._carry(victim, others)
        write_line({"type": "parted", "victim": machine.table.ids.index(victim)})
        if self.seconds != CLOSED:
            await trio.sleep(float(self.seconds))
            self._show([victim, *others])
            return
        while self._hub.links() >= set(peers):
            await trio.sleep(0.01)
        self._show(others)

    def _show(self, peers: list[bytes]) -> None:
        for peer in peers:
            self.shown.add(peer)
            for frame in self.kept:
                self._hub.post(peer, frame)

    def _carry(self, victim: bytes, others: list[bytes]) -> None:
        machine, seat = self._machine, seat_of(self._machine)
        node = machine.tip.parent
        assert node is not None
        match self.carrier:
            case "notice":  # The others get one first, so that they do not take the victim's.
                self._tell(others, EndNotice(seat, SEAT_LEFT, seat))
                self._tell([victim], EndNotice(seat, SILENT_SEAT, seat))
            case "departure":
                self._tell([victim], Departure(seat, 1, 0, node.step, node.digest))
            case "proof":
                for body in (b"one", b"two"):
                    junk = StepInput(0, node.step, node.digest, body)
                    self._hub.post(victim, carried(machine, junk))

    def _tell(self, peers: list[bytes], bare: EndNotice | Departure) -> None:
        word = signed_notices.sign_notice(identity_of(self._machine), self._machine.table.id, bare)
        for peer in peers:
            self._hub.post(peer, peer_frames.encode_frame(word))
