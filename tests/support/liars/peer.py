"""A seat that speaks the protocol and lies once, when it is told to.

TALE is a code of `protocol.fault_codes`, `truth`, `accomplice`, `stall-…` or `dawdle…` (see
`support.liars.plots`), `flood:KIND` (see `support.liars.flood`), `part:…` (see
`support.liars.parting`), or `dribble`: it sends a byte at a time. The line `lied` says when it did.
"""

import atexit
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import trio

from cli.printing import write_line
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.peer_link import Link
from p2p_hoity.table import open_links
from p2p_hoity.table.playing import play_table, session
from p2p_hoity.table.playing.effects_out import EffectsOut
from protocol.seat.effects import Effect, Send, StepAppended
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import Message, Statement, StepInput
from support.forgeries.bodies import seat_of
from support.forgeries.cheater import CheatingMachine, Lie
from support.liars.flood import LARGEST, pour
from support.liars.pact import speak_on_the_other
from support.liars.parting import PartingEffects
from support.liars.plots import PLOTS, TALES
from support.liars.tales import Liar, own_message, speak_unasked
from support.machine_table import carried

UNASKED = {"not-expected": speak_unasked, "two-chains": speak_on_the_other}
"""Tales of an input that is not owed, which are tried as each step begins."""
GOES_ON = {"two-chains"}
"""Tales after which the liar gives inputs but votes no more; after any other it is mute."""


@dataclass(frozen=True)
class WideLimits(Limits):
    """Limits of a hub that sends frames longer than others take."""

    frame: int = LARGEST


class LyingEffects(EffectsOut):
    """Effects of a machine whose own statements pass through a tale."""

    tale = "truth"

    counts: ClassVar[dict[str, int]] = {}

    def __init__(self, *given: Any) -> None:
        """Flood the others, too, if that is the tale."""
        super().__init__(*given)
        if self.tale.startswith("flood:"):
            kind = self.tale.partition(":")[2]
            trio.lowlevel.spawn_system_task(pour, self.liar, self._hub, kind, self.counts)

    @property
    def liar(self) -> Liar:
        if "_liar" not in vars(self):
            self._liar = Liar(self._machine)
        return self._liar

    def tell(self, effect: Effect) -> None:
        super().tell(effect)
        if self.tale == "dribble" and self._machine.has_begun:
            Link._send = dribble  # type: ignore[method-assign, assignment]
        if isinstance(effect, StepAppended):
            unasked = UNASKED.get(self.tale)
            said = unasked(self.liar, effect.after) if unasked and not self.liar.lied else None
            if said is not None:
                self._confess(self.tale)
                self._carry(said, Send(b""))

    def send(self, send: Send) -> None:
        message = own_message(send, self._machine)
        if message is None:
            super().send(send)
            return
        for told in self._versions(message):
            self._carry(told, send)

    def _carry(self, message: Message, send: Send) -> None:
        super().send(Send(carried(message), send.peer, send.but, once=True))

    def _versions(self, message: Message) -> Sequence[Message]:
        liar = self.liar
        if liar.told.get(message.identity):
            return liar.told[message.identity]
        if liar.lied:
            speaks_on = self.tale in GOES_ON and isinstance(message.statement, StepInput)
            return [message] if speaks_on else []
        told = TALES.get(self.tale, TALES["truth"])(liar, message)
        if told is None:
            return [message]
        if told:
            liar.told[message.identity] = told
            self._confess(self.tale)
        return told

    def _confess(self, tale: str) -> None:
        self.liar.lied = True
        write_line({"type": "lied", "tale": tale, "step": self._machine.tip.step})


async def dribble(link: Link, framed: bytes) -> None:
    """Send a byte at a time, so slowly that the link just lives."""
    for byte in framed:
        await link._stream.send_all(bytes([byte]))
        await trio.sleep(0.05)


def cheating(lie_of: Callable[[int], Lie], *given: Any) -> SeatMachine:
    """Return a machine that cheats, and tells so on its output when it does."""
    machine = CheatingMachine(*given)
    lie = lie_of(seat_of(machine))

    def telling(one: SeatMachine, statement: Statement) -> Statement:
        made = lie(one, statement)
        if made != statement:
            write_line({"type": "lied", "tale": LyingEffects.tale, "step": one.tip.step})
        return made

    machine.lie = telling
    return machine


def lie(tale: str) -> None:
    """Let the seat of this process tell this tale."""
    LyingEffects.tale = tale
    plot = PLOTS.get(tale)
    if plot is not None and plot.lie is not None:
        setattr(play_table, "SeatMachine", partial(cheating, plot.lie))  # noqa: B010
    if tale.startswith("flood:"):
        atexit.register(lambda: write_line({"type": "flooded", **LyingEffects.counts}))
        setattr(open_links, "Limits", WideLimits)  # noqa: B010
    effects = LyingEffects
    if tale.startswith("part:"):
        effects = PartingEffects
        _, PartingEffects.carrier, PartingEffects.seconds = tale.split(":")
    setattr(session, "EffectsOut", effects)  # noqa: B010 - a name that mypy does not see
