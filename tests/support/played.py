"""Toy games played to their end, undisturbed or with something going wrong; each played once."""

from collections.abc import Callable, Mapping
from functools import cache

from protocol.chain.chain_state import Kind, Node
from protocol.transcript.transcript_writer import to_the_end
from protocol.wire import signed_messages
from protocol.wire.signed_messages import Message, StepInput
from protocol.wire.table_header import Terms, Timeouts
from support.forgeries.bodies import (
    Forge,
    another_sealed_choice,
    empty_escrow,
    fixed,
    patched,
    plus_one,
)
from support.forgeries.cheater import Lie, on_input, twice
from support.inspection import sign
from support.machine_table import MachineTable, toy_choice, toy_table
from support.sim.cheap import cryptography
from support.toy_game import ToyGame

TIMEOUTS = Timeouts(20_000, 10_000, 3_000, 60_000)


def game_of(terms: Terms) -> ToyGame:
    """The toy game of the terms."""
    if terms.game != (("toy", 1),):
        raise ValueError("no such game")
    return ToyGame(terms.seats)


def new_table(
    seats: int, quorum: int | None = None, cheaters: Mapping[int, Lie] | None = None
) -> MachineTable:
    """Return a table of two rounds before its first word."""
    return toy_table(seats, 2, quorum, TIMEOUTS, cheaters=cheaters)


def forging_in(kind: Kind, forge: Forge, also: bool = False) -> Lie:
    """Send a forged body in the first step of this kind, instead of the own one or behind it."""

    def due(node: Node) -> bool:
        return node.want.kind is kind

    return twice(due, forge, behind=True) if also else on_input(due, forge)


def when(played: MachineTable, kind: Kind, act: Callable[[], None]) -> None:
    """Do something once, as soon as some seat stands before a step of this kind."""
    collect, done = played.collect, [False]

    def watching(seat: int) -> None:
        collect(seat)
        if not done[0] and any(p.machine.tip.want.kind is kind for p in played.places):
            done[0] = True
            act()

    played.collect = watching  # type: ignore[method-assign]


def vanish(played: MachineTable, seat: int) -> None:
    """The seat is gone."""
    played.places[seat].alive = False


def read_input(played: MachineTable, frame: bytes) -> Message | None:
    """Return the step input that a frame carries, if it carries one."""
    message = played.message(frame)
    return message if message is not None and isinstance(message.statement, StepInput) else None


# The tables.


def _undisturbed(seats: int) -> MachineTable:
    played = new_table(seats)
    played.play(until=60)
    return played


def _gone(seats: int, kind: Kind) -> MachineTable:
    played = new_table(seats)
    when(played, kind, lambda: vanish(played, seats - 1))
    played.play(until=400)
    return played


def _returned() -> MachineTable:
    played = new_table(4)
    when(played, Kind.CHOOSE, lambda: vanish(played, 3))
    choose, played.choose = (
        played.choose,
        lambda m, a: None if a.kind == "card" else toy_choice(m, a),
    )
    played.play(until=30)
    played.choose = choose
    played.crash_and_resume(3)
    played.places[3].machine.ask_rejoin(played.now)
    played.collect(3)
    played.run(until=5)
    for seat, place in enumerate(played.places):
        if place.machine.must_choose:
            place.machine.choose((2 * seat,), played.now)
            played.collect(seat)
    played.run(until=400)
    return played


def _lying(kind: Kind, forge: Forge, also: bool = False, gone: bool = False) -> MachineTable:
    played = new_table(4, cheaters={3: forging_in(kind, forge, also)})
    if gone:
        when(played, Kind.REVEAL, lambda: vanish(played, 3))
    played.play(until=400)
    return played


def _doubted(kind: Kind) -> MachineTable:
    """Seat 3 cannot be heard in one step; the others change the epoch, and nobody is absent."""
    played, machine = new_table(4), table_of("four").places[0].machine
    at = next(n.step for n in to_the_end(machine.tip) if n.want.kind is kind)

    def unheard(source: int, to: int, frame: bytes) -> bool:
        message = read_input(played, frame) if source == 3 else None
        if message is None or not isinstance(message.statement, StepInput):
            return False
        return (message.statement.epoch, message.statement.step) == (0, at)

    def doubt() -> None:
        for seat in range(3):
            sign(played.machine(seat), signed_messages.EpochRequest(1))
            played.collect(seat)

    played.drop = unheard
    when(played, kind, doubt)
    played.play(until=400)
    return played


TABLES: dict[str, Callable[[], MachineTable]] = {
    "two": lambda: _undisturbed(2),
    "three": lambda: _undisturbed(3),
    "four": lambda: _undisturbed(4),
    "five": lambda: _undisturbed(5),
    "six": lambda: _undisturbed(6),
    "vanished": lambda: _gone(3, Kind.OPEN),
    "escrow opened": lambda: _gone(4, Kind.REVEAL),
    "returned": _returned,
    "doubted": lambda: _doubted(Kind.OVER),
    "doubted end": lambda: _doubted(Kind.RESULT),
    "equivocator": lambda: _lying(Kind.SEAL, another_sealed_choice, also=True),
    "wrong share": lambda: _lying(Kind.OPEN, patched(1, plus_one)),
    "empty escrow": lambda: _lying(Kind.SEAL, empty_escrow, gone=True),
    "spoilt result": lambda: _lying(Kind.RESULT, fixed(b"\x01")),
}
DISTURBED = list(TABLES)[5:]


def table_of(name: str) -> MachineTable:
    """Return a played table by its name. It is played once for each kind of cryptography."""
    return _table_of(name, cryptography())


@cache
def _table_of(name: str, kind: object) -> MachineTable:
    return TABLES[name]()


def files_of(name: str) -> tuple[bytes, ...]:
    """Return the files of all seats that finished."""
    return _files(name, cryptography())


@cache
def _files(name: str, kind: object) -> tuple[bytes, ...]:
    return tuple(p.machine.transcript() for p in table_of(name).places if p.machine.finished)
