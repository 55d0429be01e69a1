"""A `hoity` command in a process that has habits: it dies, waits, lies, or lacks something.

    python -m support.seat [HABIT=VALUE …] WORDS…

die=KIND:N            SIGKILL itself as the N-th step of that kind begins, before it speaks in it;
                      KIND is one of `protocol.Kind`, with `+own` or `+pass` if it must or must not
                      owe something there
think=SECONDS|FROM-TO a bot takes so long for a choice, or a random time between the two
wait=ROUND:FILE       from that round on, a bot chooses nothing until the file is there
times=C,S,G,CAP       all four timeouts of a table that it hosts, in milliseconds;
                      `hoity host` itself sets only the first two
only=PORT,PORT        nothing but these ports can be dialled, as behind a wall with relays outside
core=N                it runs on that core alone
clock=FILE            it writes there when it completed which step, by the machine's own clock
disk=BYTES            it may write no file beyond so many bytes: the write that goes beyond fails,
                      as on a full disk
jump=SEED             its wall clock jumps a day ahead or back with every look at it
tap=FILE              it writes there what is signed, posted and heard, see `wire_tap`
cut=N                 SIGKILL itself at an instant of writing its journal, see `cut`
lie=TALE              it lies once, see `support.liars.peer`
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import trio

from cli.app import main
from cli.commands import play
from cli.printing import write_line
from p2p_hoity import rules
from p2p_hoity.net.addresses import Address
from p2p_hoity.net.network_errors import NetCode, NetError
from p2p_hoity.net.transport import TcpNetwork
from p2p_hoity.storage.journal import Journal
from p2p_hoity.storage.private_files import private_folder
from p2p_hoity.table.playing import session
from p2p_hoity.table.playing.effects_out import EffectsOut
from p2p_hoity.table.playing.player_interface import BotPlayer
from protocol.chain.chain_state import Kind, Node
from protocol.seat.effects import Effect, Send, StepAppended
from protocol.wire.table_header import Timeouts
from support import wire_tap
from support.liars import peer
from support.wire_tap import before

FIRST_RECORD = 4
"""The cut with which a seat has its first record, and so can be resumed."""


class DyingEffects(EffectsOut):
    """Effects of a seat that falls silent as a step begins, and dies when its last words are out.

    The others thus await it in that very step.
    """

    kind, role, left = "", "", 0
    silent = False

    def __init__(self, *given: Any) -> None:
        """Look at the effects of the machine in their order, before they are carried out."""
        super().__init__(*given)
        take = self._machine.take

        def taken() -> list[Effect]:
            return [effect for effect in take() if self._lets_through(effect)]

        self._machine.take = taken  # type: ignore[method-assign]

    def _lets_through(self, effect: Effect) -> bool:
        if isinstance(effect, Send):
            if self.kind == Kind.KEY_COMMIT and not self.silent:
                self._go(self._machine.tip)
            return not self.silent
        begins = isinstance(effect, StepAppended) and not self.silent
        if begins and self._is_the_moment(effect.after):
            self._go(effect.after)
        return True

    def _is_the_moment(self, node: Node) -> bool:
        if node.want.kind != self.kind or not self._has_the_role(node):
            return False
        self.left -= 1
        return self.left == 0

    def _has_the_role(self, node: Node) -> bool:
        owes = self._machine.seat in (node.want.owes or node.want.speakers)
        return not self.role or owes == (self.role == "own")

    def _go(self, node: Node) -> None:
        self.silent = True
        write_line({"type": "goes", "step": node.step, "at": str(node.want.kind)})
        trio.lowlevel.spawn_system_task(self._die)

    async def _die(self) -> None:
        await self._hub.flush(3)
        kill_itself()


def kill_itself() -> NoReturn:
    """End this process; nothing more is written, said or tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("alive after SIGKILL")


def die(word: str) -> None:
    """Have every seat of this process die at this moment."""
    place, number = word.split(":")
    DyingEffects.kind, _, DyingEffects.role = place.partition("+")
    DyingEffects.left = int(number)
    setattr(session, "EffectsOut", DyingEffects)  # noqa: B010 - a name that mypy does not see


def before_a_choice(act: Callable[[rules.View], Any]) -> None:
    """Have the bots of this process await this before each choice."""
    choose = BotPlayer.choose

    async def choosing(player: BotPlayer, view: rules.View, *given: Any) -> Any:
        await act(view)
        return await choose(player, view, *given)

    BotPlayer.choose = choosing  # type: ignore[method-assign]


def think(word: str) -> None:
    """Have bots take so many seconds for a choice."""
    least, _, most = word.partition("-")
    before_a_choice(lambda _: trio.sleep(random.uniform(float(least), float(most or least))))


def wait(word: str) -> None:
    """Have bots wait for a file from a round on."""
    number, _, name = word.partition(":")

    async def until_it_is_there(view: rules.View) -> None:
        while view.state.round >= int(number) and not os.path.exists(name):
            await trio.sleep(0.02)

    before_a_choice(until_it_is_there)


def times(word: str) -> None:
    """Give the table hosted here these times."""
    choice, step, back_off, cap = (int(part) for part in word.split(","))
    timeouts = Timeouts(choice, step, back_off, cap)
    setattr(play, "Timeouts", lambda **_: timeouts)  # noqa: B010 - the same


def only(word: str) -> None:
    """Let nothing but these ports be dialled."""
    ports, dial = {int(port) for port in word.split(",")}, TcpNetwork.open

    async def walled(network: TcpNetwork, address: Address) -> trio.abc.Stream:
        if address.port not in ports:
            await trio.lowlevel.checkpoint()
            raise NetError(NetCode.NO_WAY_TO_MACHINE)
        return await dial(network, address)

    TcpNetwork.open = walled  # type: ignore[method-assign]


def core(word: str) -> None:
    """Give this process one core to run on, before all others if it may."""
    os.sched_setaffinity(0, {int(word)})
    with suppress(OSError):
        os.nice(-19)


def clock(word: str) -> None:
    """Write a line for each step that is complete here: its number, its kind, nanoseconds."""
    file = open(word, "w", buffering=1)  # noqa: SIM115 - as long as the process

    def note(_: EffectsOut, effect: Effect) -> None:
        if isinstance(effect, StepAppended):
            print(effect.before.step, effect.before.want.kind, time.monotonic_ns(), file=file)

    before(EffectsOut, "tell", note)


def disk(word: str) -> None:
    """Let no file grow beyond so many bytes."""
    import resource  # not everywhere

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(word), int(word)))


def jump(word: str) -> None:
    """Have the wall clock jump."""
    honest, draw = time.time, random.Random(word)
    time.time = lambda: honest() + draw.choice((-1, 0, 1)) * 86_400


def cut(word: str) -> None:
    """Have the process die at this instant of writing its journal, counted from 1.

    A record has two: half of it is on the disk, or all of it. Bringing records to the disk has
    three: nothing of what was appended since the last time is there; all of it is, but only half
    of the new mark; all is done.
    """
    last, cuts = int(word), 0
    write, write_mark = Journal._write, Journal._write_mark

    def is_now() -> bool:
        nonlocal cuts
        cuts += 1
        return cuts == last

    def cut_record(book: Journal, entry: bytes, last: bytes) -> None:
        if is_now():
            book._file.write(entry[: len(entry) // 2])
            book._file.sync()
            kill_itself()
        write(book, entry, last)
        if is_now():
            book._file.sync()
            kill_itself()

    def cut_mark(book: Journal, mark: bytes) -> None:
        if is_now():
            (private_folder(book.mark.parent) / ".torn.new").write_bytes(mark[:4])
            kill_itself()
        write_mark(book, mark)
        if is_now():
            kill_itself()

    before(Journal, "settle", lambda book: kill_itself() if book._dirty and is_now() else None)
    Journal._write, Journal._write_mark = cut_record, cut_mark  # type: ignore[method-assign]


HABITS: dict[str, Callable[[str], None]] = {
    "tap": lambda word: wire_tap.tap(Path(word)),
    "lie": peer.lie,
    **{
        habit.__name__: habit
        for habit in (die, think, wait, times, only, core, clock, disk, jump, cut)
    },
}

if __name__ == "__main__":
    while (found := sys.argv[1].partition("="))[0] in HABITS and found[1]:
        HABITS[found[0]](found[2])
        del sys.argv[1]
    main()
