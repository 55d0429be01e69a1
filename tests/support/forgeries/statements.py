"""Forged statements: what a faulty seat signs beside its inputs, or in place of a vote."""

from dataclasses import replace

from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames, signed_messages, step_bodies
from protocol.wire.signed_messages import EpochPromise, NewEpoch, Statement, StepInput, StepTimeout
from support.forgeries.bodies import seat_of
from support.inspection import identity_of, view_of


def signed(machine: SeatMachine, statement: Statement) -> signed_messages.Message:
    """Sign any statement with the key of the machine's seat."""
    return signed_messages.sign(identity_of(machine), machine.table.id, seat_of(machine), statement)


def carried(machine: SeatMachine, statement: Statement) -> bytes:
    """Return the frame that carries any statement of the machine's seat."""
    return peer_frames.encode_frame(peer_frames.Carry(signed(machine, statement).encode()))


def unasked(machine: SeatMachine) -> Statement:
    """Speak in the current step, in which another seat is asked alone."""
    node = machine.tip
    return StepInput(view_of(machine).epoch, node.step, node.digest, step_bodies.encode_choice(0))


def elsewhere(machine: SeatMachine) -> Statement:
    """Speak in the current step on a chain that nobody knows."""
    node = machine.tip
    return StepInput(view_of(machine).epoch, node.step, b"\x01" * 32, step_bodies.encode_choice(0))


def forgetful_promise(machine: SeatMachine) -> Statement:
    """Promise the next epoch without a quorum certificate or an input."""
    return EpochPromise(view_of(machine).epoch + 1, None, (), None, (), ())


def malform_promises(machine: SeatMachine, statement: Statement) -> Statement:
    """Claim, in the promise of epoch 1, a timeout in another epoch than its certificate's."""
    if not isinstance(statement, EpochPromise) or statement.epoch != 1:
        return statement
    node = machine.tip
    return replace(statement, timeout=StepTimeout(9, node.step, node.digest))


def empty_new_epoch(machine: SeatMachine) -> Statement:
    """Propose a base that rests on no epoch promise, as the proposer of the epoch."""
    return NewEpoch(view_of(machine).epoch + 1, ())
