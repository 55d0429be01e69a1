"""Machines that cheat: each signs what its lie makes of its statements, and goes on from that.

A lie gets every statement that the rules of the seat want to sign, and returns the one to sign.
It may sign and send more by `sign_too`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from protocol.chain.chain_state import Kind, Node
from protocol.seat.seat_machine import SeatMachine
from protocol.wire.signed_messages import Statement, StepInput
from protocol.wire.step_bodies import EMPTY
from support.forgeries.bodies import Forge
from support.forgeries.catalogue import Forgery
from support.forgeries.statements import signed
from support.inspection import replace_signing, send_to_all, sign_as_ever

PASSES = (Kind.DECK_OK, Kind.BARRIER, Kind.OVER)
"""Steps in which every honest body is empty."""
Lie = Callable[[SeatMachine, Statement], Statement]
Due = Callable[[Node], bool]


class CheatingMachine(SeatMachine):
    """A machine with a lie, and what it sends behind the statement that it is about to sign."""

    lie: Lie

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.behind: list[Statement] = []
        replace_signing(self, self._sign)

    def _sign(self, statement: Statement, note: Any = None) -> bool:
        is_signed = sign_as_ever(self, self.lie(self, statement), note)
        while self.behind:
            sign_too(self, self.behind.pop(0))
        return is_signed


def sign_too(machine: SeatMachine, statement: Statement) -> None:
    """Sign a statement and send it to all, unknown to the machine's own rules."""
    send_to_all(machine, signed(machine, statement))


def forging(forgery: Forgery, seat: int) -> Lie:
    """Send a forged body of the catalogue, in the first step of any choice in which it is due."""
    due = replace(forgery, name="").due(seat)
    return on_input(due, forgery.forge, passes=forgery.kind in PASSES)


def on_input(due: Due, forge: Forge, passes: bool = True) -> Lie:
    """Send a forged body in the first step that is due.

    Args:
        due: Whether a node stands before such a step.
        forge: Makes the body.
        passes: Whether to do so where the own body would be empty.
    """
    at: list[int] = []

    def lie(machine: SeatMachine, statement: Statement) -> Statement:
        node = machine.tip
        if not isinstance(statement, StepInput) or not due(node) or (at and at[0] != node.step):
            return statement
        if not passes and statement.body == EMPTY:
            return statement
        if not at:
            at.append(node.step)
        return replace(statement, body=forge(machine, node, statement))

    return lie


def twice(due: Due, forge: Forge, behind: bool = False) -> Lie:
    """Send a forged body before or behind the own one, in the first step that is due."""
    done: list[int] = []

    def lie(machine: SeatMachine, statement: Statement) -> Statement:
        node = machine.tip
        if isinstance(statement, StepInput) and due(node) and not done:
            done.append(node.step)
            forged = replace(statement, body=forge(machine, node, statement))
            if behind and isinstance(machine, CheatingMachine):
                machine.behind.append(forged)
            else:
                sign_too(machine, forged)
        return statement

    return lie


def changing(kind: type[Any], change: Callable[[SeatMachine, Any], Statement]) -> Lie:
    """Change every statement of one kind."""

    def lie(machine: SeatMachine, statement: Statement) -> Statement:
        return change(machine, statement) if isinstance(statement, kind) else statement

    return lie
