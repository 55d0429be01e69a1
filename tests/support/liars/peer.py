"""A seat in a process of its own that speaks the protocol and lies once, when it is told to.

    python -m support.liars.peer join TICKET TALE
    python -m support.liars.peer host SEATS QUORUM TALE [CHOICE STEP GRACE CAP]

It prints what its screen is told as JSON, like `hoity --json`. TALE is a code of
`protocol.wire.faults`, `truth`, `stall-…`, `flood:KIND` (see liar_flood.py), `dribble`, or
`die:KIND:N`: SIGKILL itself as the N-th step of that kind begins. PAUSE in the environment is how
long its bot thinks, in seconds. The times are the table's patience in milliseconds. Files go to
HOITY_HOME.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

import trio

from cli.printing import write_line
from cli.ui.json_screen import JsonScreen
from cli.ui.json_seat import last_line
from p2p_hoity import editions, game_port, rules, tables
from p2p_hoity.net.link import Link
from p2p_hoity.net.ticket import decode_ticket
from p2p_hoity.session.driver import Driver, Outcome
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.storage import keys
from p2p_hoity.storage.home import Home, home
from p2p_hoity.tables import seating
from protocol.seat.effects import Effect, Send, Stepped
from protocol.wire import frames
from protocol.wire.header import Patience, Terms
from protocol.wire.messages import Message, Say
from support.liars.flood import pour
from support.liars.pact import speak_on_the_other
from support.liars.plots import TALES
from support.liars.tales import (
    Liar,
    choose_the_impossible,
    own_message,
    speak_unasked,
    spoil_pieces,
)

UNASKED = {"not-expected": speak_unasked, "two-chains": speak_on_the_other}
"""Tales of a say that nobody asked for, looked for as each step begins."""
GOES_ON = {"two-chains"}
"""Tales after which the liar speaks on, though it votes no more; after any other it is mute."""
SHORT = (2500, 2500, 500, 4000)


class LyingDriver(Driver):
    """A driver whose own statements pass through a tale."""

    tale = "truth"

    counts: ClassVar[dict[str, int]] = {}

    async def _listen(self) -> None:
        if self.tale.startswith("flood:") and self._nursery is not None:
            kind = self.tale.partition(":")[2]
            self._nursery.start_soon(pour, self.liar, self.hub, kind, self.counts)
        await super()._listen()

    @property
    def liar(self) -> Liar:
        if "_liar" not in vars(self):
            self._liar = Liar(self.machine, self.machine.core.who)
        return self._liar

    def _do(self, effect: Effect) -> None:
        super()._do(effect)
        if self.tale == "dribble" and self.machine.has_begun:
            Link._send = dribble  # type: ignore[method-assign, assignment]
        if isinstance(effect, Stepped):
            self._watch_steps(effect)
            unasked = UNASKED.get(self.tale)
            said = unasked(self.liar, effect.after) if unasked and not self.liar.lied else None
            if said is not None:
                self._confess(self.tale)
                self._carry(said, Send(b""))

    def _watch_steps(self, step: Stepped) -> None:
        if not self.tale.startswith("die:"):
            return
        _, kind, number = self.tale.split(":")
        self._seen = getattr(self, "_seen", 0) + (step.after.want.kind == kind)
        if self._seen == int(number):
            write_line({"type": "dies", "step": step.after.step, "kind": kind})
            os.kill(os.getpid(), signal.SIGKILL)

    def _send(self, send: Send) -> None:
        message = own_message(send, self.machine)
        if message is None:
            super()._send(send)
            return
        for told in self._versions(message):
            self._carry(told, send)

    def _carry(self, message: Message, send: Send) -> None:
        frame = frames.encode_frame(frames.Carry(message.encode()))
        super()._send(Send(frame, send.peer, send.but))

    def _versions(self, message: Message) -> Sequence[Message]:
        liar = self.liar
        if liar.told.get(message.identity):
            return liar.told[message.identity]
        if liar.lied:
            speaks_on = self.tale in GOES_ON and isinstance(message.statement, Say)
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
        write_line({"type": "lied", "tale": tale, "step": self.machine.tip.step})

    async def _choose(self, *args: Any) -> None:
        if self.tale == "illegal-choice" and not self.liar.lied:
            write_line({"type": "lied", "tale": self.tale, "step": self.machine.tip.step})
            self.tale = "truth"
            choose_the_impossible(self.liar)
            self._drain()
            return
        await super()._choose(*args)


def own(where: Home) -> keys.Player:
    name = where.path.name
    return keys.load_identity(where) if where.identity.exists() else keys.new_identity(where, name)


def terms_of(me: keys.Player, seats: int, quorum: int, times: Sequence[int]) -> Terms:
    variant: rules.Variant = "surprise" if seats == 2 else None
    game = game_port.game_value(editions.load(), variant)
    host = me.identity.public
    return Terms(host, os.urandom(32), game, seats, quorum, Patience(*times))


class SlowBot(BotPlayer):
    """A bot that thinks for a while, so that a game takes its time."""

    async def choose(self, *args: Any) -> Any:
        await trio.sleep(float(os.environ.get("PAUSE", "0")))
        return await super().choose(*args)


async def dribble(link: Link, framed: bytes) -> None:
    """Send a byte at a time, so slowly that the link just lives."""
    for byte in framed:
        await link._stream.send_all(bytes([byte]))
        await trio.sleep(0.05)


async def yes(*_: Any) -> bool:
    return True


async def sit(words: Sequence[str]) -> Outcome:
    where = home()
    screen, me = JsonScreen(), own(where)
    seat = tables.Seat(where, me, SlowBot(), screen)
    if words[0] == "join":
        LyingDriver.tale = words[2]
        return await tables.join_table(
            seat, decode_ticket(words[1]), yes, tables.Reach("127.0.0.1:0")
        )
    if words[0] == "resume":
        return await tables.resume_table(seat, None)
    LyingDriver.tale = words[3]
    times = [int(word) for word in words[4:]] or SHORT
    terms = terms_of(me, int(words[1]), int(words[2]), times)
    return await tables.host_table(
        seat,
        terms,
        tables.Reach("127.0.0.1:0"),
        lambda t: write_line({"type": "ticket", "ticket": t}),
    )


if __name__ == "__main__":
    seating.Driver = LyingDriver  # type: ignore[misc]
    if "bad-backup" in sys.argv:
        spoil_pieces()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        outcome = trio.run(sit, sys.argv[1:])
    finally:
        if LyingDriver.counts:
            write_line({"type": "flooded", **LyingDriver.counts})
    write_line(last_line(outcome, ()))
