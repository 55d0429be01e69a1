"""A `hoity` command in a process that goes at a chosen moment, thinks slowly, or is impatient.

    python -m support.going_seat [die=KIND:N] [think=SECONDS|FROM-TO] [times=CHOICE,STEP,GRACE,CAP]
        [only=PORT,PORT] [core=N] [clock=FILE] WORDS…

`die`: SIGKILL itself as the N-th step of that kind begins, before it says a word in it; KIND is
one of `protocol.chain.state.Kind`, with `+own` or `+pass` if it must or must not be one who owes
something there. `think`: a bot takes so long for a choice, of a span as the lot has it. `times`:
the patience of a table that it hosts, in milliseconds; `hoity host` itself sets only the first of
them. `only`: nothing but these ports can be dialled from here, as behind a wall with relays
outside. `core`: it runs on that core alone. `clock`: it writes there when it completed which step,
by the machine's own clock.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from contextlib import suppress
from typing import Any

import trio

from cli.app import run
from cli.commands import play
from cli.printing import write_line
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.errors import NetCode, NetError
from p2p_hoity.net.network import TcpNetwork
from p2p_hoity.session.driver import Driver
from p2p_hoity.session.player import BotPlayer
from p2p_hoity.tables import seating
from protocol.chain.state import Kind, Node
from protocol.seat.effects import Effect, Send, Stepped
from protocol.wire.header import Patience


class GoingDriver(Driver):
    """A driver whose process falls silent as a step begins, and dies when its last words are out.

    The others thus await it in that very step.
    """

    kind, role, left = "", "", 0
    silent = False

    def _do(self, effect: Effect) -> None:
        super()._do(effect)
        if isinstance(effect, Stepped) and not self.silent and self._is_the_moment(effect.after):
            self._go(effect.after)

    def _send(self, send: Send) -> None:
        if self.kind == Kind.KEY_COMMIT and not self.silent:
            self._go(self.machine.tip)
        if not self.silent:
            super()._send(send)

    def _is_the_moment(self, node: Node) -> bool:
        if node.want.kind != self.kind or not self._has_the_role(node):
            return False
        self.left -= 1
        return self.left == 0

    def _has_the_role(self, node: Node) -> bool:
        owes = self.seat in (node.want.owes or node.want.speakers)
        return not self.role or owes == (self.role == "own")

    def _go(self, node: Node) -> None:
        self.silent = True
        write_line({"type": "goes", "step": node.step, "at": str(node.want.kind)})
        assert self._nursery is not None
        self._nursery.start_soon(self._die)

    async def _die(self) -> None:
        await self.hub.flush(3)
        os.kill(os.getpid(), signal.SIGKILL)


def die(word: str) -> None:
    """Every seat of this process dies at this moment."""
    place, number = word.split(":")
    GoingDriver.kind, _, GoingDriver.role = place.partition("+")
    GoingDriver.left = int(number)
    setattr(seating, "Driver", GoingDriver)  # noqa: B010 - a name that mypy does not see


def think(word: str) -> None:
    """Bots of this process take so many seconds for a choice."""
    choose, (least, _, most) = BotPlayer.choose, word.partition("-")

    async def slowly(player: BotPlayer, *given: Any) -> Any:
        await trio.sleep(random.uniform(float(least), float(most or least)))
        return await choose(player, *given)

    BotPlayer.choose = slowly  # type: ignore[method-assign, assignment]


def times(word: str) -> None:
    """The table hosted here has these times."""
    choice, step, grace, cap = (int(part) for part in word.split(","))
    short = {"step": step, "grace": grace, "cap": cap}

    def patience(**given: int) -> Patience:
        return Patience(**{"choice": choice, **short})

    setattr(play, "Patience", patience)  # noqa: B010 - the same


def only(word: str) -> None:
    """Nothing but these ports can be dialled."""
    ports, dial = {int(port) for port in word.split(",")}, TcpNetwork.open

    async def walled(network: TcpNetwork, address: Address) -> trio.abc.Stream:
        if address.port not in ports:
            await trio.lowlevel.checkpoint()
            raise NetError(NetCode.NO_WAY_TO_MACHINE)
        return await dial(network, address)

    TcpNetwork.open = walled  # type: ignore[method-assign]


def core(word: str) -> None:
    """This process has one core to run on, before all others if it may."""
    os.sched_setaffinity(0, {int(word)})
    with suppress(OSError):
        os.nice(-19)


def clock(word: str) -> None:
    """A line for each step that is complete here: its number, its kind, nanoseconds."""
    file, do = open(word, "w", buffering=1), Driver._do  # noqa: SIM115 - as long as the process

    def timed(driver: Driver, effect: Effect) -> None:
        if isinstance(effect, Stepped):
            print(effect.before.step, effect.before.want.kind, time.monotonic_ns(), file=file)
        do(driver, effect)

    Driver._do = timed  # type: ignore[method-assign]


HABITS = {
    "die": die,
    "think": think,
    "times": times,
    "only": only,
    "core": core,
    "clock": clock,
}

if __name__ == "__main__":
    words = sys.argv[1:]
    while (habit := words[0].partition("="))[0] in HABITS and habit[1]:
        HABITS[habit[0]](habit[2])
        words = words[1:]
    sys.exit(run(words))
