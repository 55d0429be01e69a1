"""Measurement of how long parts of a game take on this machine, for the command `hoity bench`.

Cryptographic operations are measured, games of six seats, and one choice of four. All seats of such
a table are in one process, without links and files. A clock returns the time in seconds.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from typing import Any, Final

import protocol
from p2p_hoity.editions.load_edition import load
from protocol import Header, Identity, Kind, SeatMachine, Table, Terms, effects, measure, transcript

from . import rules
from .game_adapter import bind, game_value, read_game

SEATS = 6
CHOOSERS: Final = 4
"""The number of seats of the table at which one choice is measured."""


@dataclass
class LocalTable:
    """A table whose seats are all in one process, and the frames between them.

    Attributes:
        frames: The frames that are not delivered yet, each with the number of its sender.
        draw: The source of randomness for choices.
    """

    table: Table
    machines: list[SeatMachine]
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    draw: random.Random = field(default_factory=lambda: random.Random(1))

    def start(self) -> None:
        """Start all machines."""
        for machine in self.machines:
            machine.start(0.0)

    def run(self, done: Callable[[SeatMachine], bool]) -> None:
        """Deliver frames until each machine is `done`."""
        while not all(done(machine) for machine in self.machines):
            for seat, machine in enumerate(self.machines):
                for effect in machine.take():
                    self._do(seat, machine, effect)
            self._deliver()

    def _deliver(self) -> None:
        """Deliver each waiting frame to all seats but its sender."""
        waiting, self.frames = self.frames, []
        for source, frame in waiting:
            for seat, machine in enumerate(self.machines):
                if seat != source:
                    machine.receive(frame, 0.0, self.table.ids[source])

    def _do(self, seat: int, machine: SeatMachine, effect: effects.Effect) -> None:
        """Do what a machine asks for: queue a frame, or make a random choice."""
        if isinstance(effect, effects.Send) and effect.peer is None and not effect.but:
            self.frames.append((seat, effect.frame))
        elif isinstance(effect, effects.ChoiceAsked) and machine.must_choose:
            view = rules.view(machine.tip.state.state, seat, machine.hand())
            kind: Any = effect.kind
            machine.choose(self.draw.choice(view.legal(kind)[:5]), 0.0)


def open_table(seats: int) -> LocalTable:
    """Make a table of at least 3 seats with fresh keys and the default edition, and start it."""
    who = [Identity(os.urandom(32)) for _ in range(seats)]
    game = game_value(load(), None)
    terms = Terms(
        who[0].public, os.urandom(32), game, seats, protocol.table_header.default_quorum(seats)
    )
    roster = [
        protocol.table_header.sit(terms, one, f"seat {i}", os.urandom(32))
        for i, one in enumerate(who)
    ]
    table = bind(Header(terms, tuple(roster)))
    machines = [
        SeatMachine(table, os.urandom, seat, one, os.urandom(32)) for seat, one in enumerate(who)
    ]
    made = LocalTable(table, machines)
    made.start()
    return made


def deal() -> None:
    """Play a table of six until the cards are dealt."""
    setup = {Kind.KEY_COMMIT, Kind.KEY_REVEAL, Kind.KEY_OK, Kind.SHUFFLE, Kind.DECK_OK, Kind.DEAL}
    open_table(SEATS).run(lambda machine: machine.tip.want.kind not in setup)


@cache
def whole_game() -> bytes:
    """Return the transcript of a game of six with random legal choices, played once."""
    table = open_table(SEATS)
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


PLACE: Final = "place"
"""The kind of choice that is measured: where to go, with which each round begins."""


def at_a_place() -> Generator[LocalTable]:
    """Play games of `CHOOSERS` seats, one after the other, up to each choice of a place.

    The caller of each yielded table plays on until the choice is open to all.
    """
    while True:
        table = open_table(CHOOSERS)
        machine = table.machines[0]
        while not machine.may_leave():
            table.run(lambda one: one.tip.want.name == PLACE or one.may_leave())
            if not machine.may_leave():
                yield table


def choice(watch: measure.Stopwatch) -> dict[str, Any]:
    """Measure one sealed choice: what all seats of a table compute for it, and its steps.

    Every seat commits, confirms that it has all commitments, opens its own choice, and applies the
    rules to the choices of all. In each step every seat waits for the messages of the others.

    Returns:
        What `measure.compared` returns, and the number of `seats` and of network `delays`: one for
        each step.
    """
    taken = list[float]()
    with closing(at_a_place()) as tables:
        first = next(tables)
        # Before and after: a machine may change its pace in between.
        before = measure.raw_costs(watch)
        with measure.counted() as counts:
            delays = _choose(first)
        for table in islice(tables, watch.rounds):
            start = watch.clock()
            _choose(table)
            taken.append(watch.clock() - start)
    after = measure.raw_costs(watch)
    costs = {name: (before[name] + after[name]) / 2 for name in before}
    found = measure.compared(measure.Spread.of(taken), counts, costs)
    return {"seats": CHOOSERS, "delays": delays, **found}


def _choose(table: LocalTable) -> int:
    """Have all seats choose a place, and return how many steps that took."""
    before = table.machines[0].tip.step
    table.run(lambda machine: machine.tip.want.name != PLACE)
    return table.machines[0].tip.step - before


def report(cards: int, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure how long each part of a game takes with a deck of `cards`.

    Returns:
        The version of Python, and the time of each part in milliseconds: the median, lowest and
        highest of the rounds.
    """
    watch = measure.Stopwatch(clock, os.urandom, rounds)
    found = {"python": sys.version.split()[0], **measure.blocks(cards, watch)}
    # The game is played here, so that the time of `verify` does not contain it.
    whole_game()
    work = {"deal_six": deal, "verify_game": verify}
    games = {name: measure.measure(call, watch) for name, call in work.items()}
    return {**found, "choice_four": choice(watch), **games}


ONCE, EACH_ROUND = 198_000, 39_500
"""The cost of `report` once and for each of its rounds, in multiplications of a curve point."""


def expected_seconds(rounds: int, clock: Callable[[], float], more: int = 0) -> float:
    """Estimate how long a call of `report` takes, and `more` multiplications of a curve point."""
    one = measure.raw_costs(measure.Stopwatch(clock, os.urandom, 3))["multiply"]
    return one * (ONCE + EACH_ROUND * (rounds + 1) + more)
