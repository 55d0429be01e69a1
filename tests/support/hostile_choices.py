"""A game whose rules break on whatever is not of its form, and a liar who says just that."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from protocol.chain.state import Table
from protocol.game import ChoiceForm, IllegalMove
from protocol.seat.effects import Asked, Guilty
from protocol.seat.machine import Machine

from .room import Room, make_table, seeded, toy_choice
from .toy_game import ToyGame

LIAR = 1


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


class HostileRoom(Room):
    """Four seats; seat 1 says `lie` where this kind of choice is asked of it."""

    def __init__(self, kind: str, lie: Any) -> None:
        self.kind, self.lie, self.lied = kind, lie, False
        table, who = make_table(BrittleGame(4, 1), 4)
        super().__init__(table, who, self.answer)

    def build(self, seat: int) -> Machine:
        """The liar's machine holds by its own rules."""
        secret = hashlib.sha256(b"secret%d" % seat).digest()
        table = Table(self.table.header, LaxGame(4, 1)) if seat == LIAR else self.table
        return Machine(table, seeded(f"rng{seat}"), seat, self.who[seat], secret)

    def answer(self, machine: Machine, asked: Asked) -> Any:
        """The liar bids highest, so that it is asked for all there is."""
        if machine.seat == LIAR and asked.kind == self.kind:
            self.lied = True
            return self.lie
        if asked.kind == "bid":
            return 3 if machine.seat == LIAR else 0
        return toy_choice(machine, asked)

    def honest(self) -> list[Machine]:
        return [place.machine for seat, place in enumerate(self.places) if seat != LIAR]

    def guilty(self) -> list[set[tuple[int, str]]]:
        """Whom each honest seat has found at fault, and of what."""
        heard = [place.heard for seat, place in enumerate(self.places) if seat != LIAR]
        return [{(e.seat, e.code) for e in one if isinstance(e, Guilty)} for one in heard]
