"""Measurement of how long parts of a game take on this machine, for the command `hoity bench`.

Cryptographic operations are measured, and games of six seats. All seats of such a table are in one
process, without links and files.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import protocol
from p2p_hoity.editions.load_edition import load
from protocol import Header, Identity, Kind, SeatMachine, Table, Terms, effects, measure, transcript

from . import rules
from .game_adapter import bind, game_value, read_game

SEATS = 6


@dataclass
class Table6:
    """A table of six seats in one process, and the frames between them.

    Attributes:
        table: The table.
        machines: The protocol's state machine of each seat.
        frames: The frames that are not delivered yet, each with the number of its sender.
        draw: The source of randomness for choices.
    """

    table: Table
    machines: list[SeatMachine]
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    draw: random.Random = field(default_factory=lambda: random.Random(1))

    def run(self, done: Callable[[SeatMachine], bool]) -> None:
        """Start all machines, and deliver frames until each has reached a certain state.

        Args:
            done: Returns whether a machine has reached the state.
        """
        for machine in self.machines:
            machine.start(0.0)
        while not all(done(machine) for machine in self.machines):
            for seat, machine in enumerate(self.machines):
                for effect in machine.take():
                    self._do(seat, machine, effect)
            self._deliver()

    def _deliver(self) -> None:
        """Deliver each waiting frame to the state machines of all seats but its sender."""
        waiting, self.frames = self.frames, []
        for source, frame in waiting:
            for seat, machine in enumerate(self.machines):
                if seat != source:
                    machine.receive(frame, 0.0, self.table.ids[source])

    def _do(self, seat: int, machine: SeatMachine, effect: effects.Effect) -> None:
        """Do what a seat's state machine asks for: queue a frame, or make a random choice."""
        if isinstance(effect, effects.Send) and effect.peer is None and not effect.but:
            self.frames.append((seat, effect.frame))
        elif isinstance(effect, effects.ChoiceAsked) and machine.must_choose:
            view = rules.view(machine.tip.state.state, seat, machine.hand())
            kind: Any = effect.kind
            machine.choose(self.draw.choice(view.legal(kind)[:5]), 0.0)


def open_table() -> Table6:
    """Make a table of six with fresh keys and the default edition.

    Returns:
        The table. The state machines of its seats have not been started.
    """
    who = [Identity(os.urandom(32)) for _ in range(SEATS)]
    game = game_value(load(), None)
    terms = Terms(
        who[0].public, os.urandom(32), game, SEATS, protocol.table_header.default_quorum(SEATS)
    )
    roster = [
        protocol.table_header.sit(terms, one, f"seat {i}", os.urandom(32))
        for i, one in enumerate(who)
    ]
    table = bind(Header(terms, tuple(roster)))
    machines = [
        SeatMachine(table, os.urandom, seat, one, os.urandom(32)) for seat, one in enumerate(who)
    ]
    return Table6(table, machines)


def deal() -> None:
    """Play a table of six until the cards are dealt."""
    setup = {Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK, Kind.DEAL}
    open_table().run(lambda machine: machine.tip.want.kind not in setup)


@cache
def whole_game() -> bytes:
    """Return the transcript of a game of six seats with random legal choices.

    The first call plays the game. Later calls return the same transcript.

    Returns:
        The bytes of the transcript.
    """
    table = open_table()
    table.run(lambda machine: machine.may_leave())
    return table.machines[0].transcript()


def verify() -> None:
    """Verify the transcript of `whole_game`.

    Raises:
        RuntimeError: If it is not valid, which is a bug of this program.
    """
    report = transcript.verify(whole_game(), read_game)
    if not report.ok:
        raise RuntimeError(f"the bench's own game does not verify: {report.problem}")


def report(cards: int, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure how long each part of a game takes, as the median of several rounds.

    Args:
        cards: The number of cards of the deck that is shuffled.
        rounds: The number of rounds.
        clock: Returns the time in seconds.

    Returns:
        The version of Python, and the time of each part in milliseconds.
    """
    watch = measure.Stopwatch(clock, os.urandom, rounds)
    found = {"python": sys.version.split()[0], **measure.blocks(cards, watch)}
    whole_game()
    work = {"deal_six": deal, "verify_game": verify}
    return {**found, **{name: measure.measure(call, watch) for name, call in work.items()}}


ONCE, EACH_ROUND = 185_000, 38_500
"""The cost of `report` once and for each of its rounds, in multiplications of a curve point."""


def expected_seconds(rounds: int, clock: Callable[[], float]) -> float:
    """Estimate how long a call of `report` takes on this machine.

    Args:
        rounds: The number of rounds of the report.
        clock: Returns the time in seconds.

    Returns:
        The seconds.
    """
    one = measure.raw_costs(measure.Stopwatch(clock, os.urandom, 1))["multiply"]
    return one / 1e6 * (ONCE + EACH_ROUND * (rounds + 1))
