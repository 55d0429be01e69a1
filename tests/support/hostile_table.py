"""A table at which one seat chooses what no form admits, and the others play a brittle game."""

from dataclasses import dataclass
from typing import Any

from protocol.chain.chain_state import Table
from protocol.game_interface import ChoiceForm, IllegalMove
from protocol.seat.effects import ChoiceAsked
from protocol.seat.seat_machine import SeatMachine
from support.machine_table import MachineTable, make_table, toy_choice
from support.named_faults import LIAR as LIAR
from support.toy_game import ToyGame

HONEST = (0, 2, 3)


class BrittleGame(ToyGame):
    """The toy, with tables where anything out of its form is a TypeError or worse."""

    def check(self, state: Any, kind: str, seat: int, choice: Any, cards: Any) -> None:
        if kind == "bid":
            choice = ("none", "low", "middle", "high")[choice]
        elif kind == "pile":
            choice = choice - 1
        else:
            (slot,) = choice
            if self.layout.hands[seat].count(slot) != 1:
                raise IllegalMove("card-of-another-hand", slot=slot)


class LaxGame(BrittleGame):
    """What the liar plays by: it lets anything pass."""

    def form(self, kind: str) -> ChoiceForm:
        form = super().form(kind)
        return AnyForm(form.low, form.high)

    def check(self, state: Any, kind: str, seat: int, choice: Any, cards: Any) -> None:
        return


@dataclass(frozen=True)
class AnyForm(ChoiceForm):
    """The form of everything."""

    def admits(self, choice: object) -> bool:
        return True


def hostile_table(kind: str, lie: Any) -> MachineTable:
    """Return four seats, of which seat 1 gives `lie` where this kind of choice is asked of it.

    It bids highest, so that it is asked for all there is, and its machine follows its own rules.
    """

    def choose(machine: SeatMachine, asked: ChoiceAsked) -> Any:
        if machine.seat == LIAR and asked.kind == kind:
            return lie
        if asked.kind == "bid":
            return 3 if machine.seat == LIAR else 0
        return toy_choice(machine, asked)

    rules, who = make_table(BrittleGame(4, 1), 4)
    table = MachineTable(rules, who, choose)
    table.table = Table(rules.header, LaxGame(4, 1))
    table.places[LIAR].machine = table.build(LIAR)
    table.table = rules
    return table


def has_lied(table: MachineTable, kind: str) -> bool:
    """Return whether the liar was asked for its lie."""
    return any(asked.kind == kind for asked in table.places[LIAR].of_kind(ChoiceAsked))
