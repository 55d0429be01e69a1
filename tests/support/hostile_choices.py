"""A game whose rules break on whatever is not of its form, and a liar who says just that."""

from dataclasses import dataclass
from typing import Any

from protocol.chain.state import Table
from protocol.game import ChoiceForm, IllegalMove
from protocol.seat.effects import Asked, Guilty
from protocol.seat.machine import Machine

from .machine_table import MachineTable, make_table, toy_choice
from .toy_game import ToyGame

LIAR, HONEST = 1, (0, 2, 3)


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
    """Return four seats, of which seat 1 says `lie` where this kind of choice is asked of it.

    It bids highest, so that it is asked for all there is, and its machine holds by its own rules.
    """

    def choose(machine: Machine, asked: Asked) -> Any:
        if machine.seat == LIAR and asked.kind == kind:
            return lie
        if asked.kind == "bid":
            return 3 if machine.seat == LIAR else 0
        return toy_choice(machine, asked)

    table, who = make_table(BrittleGame(4, 1), 4)
    room = MachineTable(table, who, choose)
    rules, room.table = room.table, Table(table.header, LaxGame(4, 1))
    room.places[LIAR].machine = room.build(LIAR)
    room.table = rules
    return room


def has_lied(room: MachineTable, kind: str) -> bool:
    """Return whether the liar was asked for its lie."""
    return any(asked.kind == kind for asked in room.places[LIAR].of_kind(Asked))


def guilty(room: MachineTable) -> list[set[tuple[int, str]]]:
    """Return whom each honest seat has found at fault, and of what."""
    heard = [place.of_kind(Guilty) for seat, place in enumerate(room.places) if seat != LIAR]
    return [{(effect.seat, effect.code) for effect in one} for one in heard]
