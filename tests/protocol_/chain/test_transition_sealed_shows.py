"""What a liar's sealed show may not do: crash, or open what does not stand."""

import random
from itertools import combinations
from types import MethodType
from typing import Any

import pytest
from support.cases import fails
from support.inspection import inspect
from support.machine_table import MachineTable, identity, seat_at

from p2p_hoity import game_adapter, rules
from p2p_hoity.editions.load_edition import load
from p2p_hoity.rules.exhibits import is_exhibit
from protocol.chain.chain_state import Kind
from protocol.game_interface import IllegalMove
from protocol.seat import effects
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript import verifier
from protocol.wire.table_header import Terms, Timeouts

pytestmark = pytest.mark.usefixtures("cheap")

SHORT = Timeouts(20_000, 10_000, 3_000, 60_000)
LIAR = 2


def bad_exhibit(view: rules.View) -> tuple[int, ...] | None:
    """Three of one's own slots whose letters are no run."""
    mine = view.mine()
    trios = combinations(sorted(mine), 3)
    wrong = (t for t in trios if not is_exhibit(view.state.edition, [mine[s] for s in t]))
    return next(wrong, None)


class FalseExhibit:
    """Three seats; the third seals an exhibit that is none and vanishes before it is opened."""

    def __init__(self, seed: int) -> None:
        self.draw, self.done = random.Random(seed), False
        game = game_adapter.game_value(load(), None)
        terms = Terms(identity(0).public, b"n" * 32, game, 3, 2, SHORT)
        bound, who = seat_at(terms, game_adapter.read_game)
        self.table = MachineTable(bound, who, self.choose, str(seed))

    def choose(self, machine: SeatMachine, asked: effects.ChoiceAsked) -> Any:
        view = rules.view(asked.node.state.state, machine.seat, machine.hand())
        kind: Any = asked.kind
        options = view.legal(kind)
        if kind == "place" and view.state.round < 4 and not self.done:
            return 0
        if kind == "action" and not self.done:
            return next((card for card in options if card % 8 == 7), options[0])
        wrong = bad_exhibit(view) if kind == "exhibit" and machine.seat == LIAR else None
        if wrong is not None and asked.node.want.kind is Kind.SEAL and not self.done:
            self.done = True
            self.seal(machine, wrong)
            return None
        return self.draw.choice(options[:5])

    @staticmethod
    def seal(machine: SeatMachine, choice: tuple[int, ...]) -> None:
        """Seal what an honest machine refuses to."""
        game = machine.table.game
        check = type(game).check
        object.__setattr__(game, "check", lambda *_: None)
        try:
            machine.choose(choice, inspect(machine).clocks.now)
        finally:
            object.__delattr__(game, "check")
        assert game.check == MethodType(check, game)

    def play(self) -> None:
        """Until the others are finished."""
        self.table.start()
        while self.table.deliver():
            want = self.table.machine().tip.want
            if self.done and want.kind is Kind.REVEAL and want.name == "exhibit":
                self.table.places[LIAR].alive = False
        self.table.run(until=2000, step=2)


def test_an_illegal_exhibit_opened_from_escrow_is_void_and_the_game_goes_on() -> None:
    exhibit = next(s for s in map(FalseExhibit, range(20)) if (s.play(), s.done)[1])
    honest = [exhibit.table.machine(seat) for seat in (0, 1)]
    assert all(machine.finished for machine in honest)
    convictions = [(c.seat, c.code) for c in honest[0].tip.convictions]
    assert convictions == [(LIAR, "illegal-choice")]
    report = verifier.verify(honest[0].transcript(), game_adapter.read_game)
    assert report.ok, report.problem
    assert [(fault.seat, fault.code) for fault in report.faults] == [(LIAR, "illegal-choice")]
    assert honest[0].tip.digest == honest[1].tip.digest


def test_a_machine_refuses_to_seal_it() -> None:
    exhibit = FalseExhibit(1)
    exhibit.seal = lambda machine, choice: None  # type: ignore[method-assign]
    exhibit.table.start()
    while exhibit.table.deliver():
        machine = exhibit.table.machine(LIAR)
        if exhibit.done and machine.must_choose:
            view = rules.view(machine.tip.state.state, LIAR, machine.hand())
            wrong = bad_exhibit(view)
            assert wrong is not None
            fails(IllegalMove, "no-run", machine.choose, wrong, 0.0)
            return
    pytest.fail("the liar was never asked for an exhibit")
