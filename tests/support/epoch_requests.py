"""What a seat signs around a change of epoch, and requests of the others for one."""

from protocol.wire.signed_messages import EpochPromise, EpochRequest, StepInput
from support.inspection import inspect
from support.machine_table import MachineTable


def own_promises(table: MachineTable) -> list[EpochPromise]:
    """Return the promises that seat 0 has signed."""
    return [
        said for said in inspect(table.machine()).statements(0) if isinstance(said, EpochPromise)
    ]


def request_epoch(table: MachineTable, *seats: int, epoch: int = 1) -> None:
    """Let seats request an epoch from seat 0; the three others, if none is named."""
    for seat in seats or (1, 2, 3):
        table.tell_first(seat, EpochRequest(epoch))


def input_steps(table: MachineTable, seat: int) -> list[StepInput]:
    """Return the steps in which a seat has given an input, by its own machine."""
    said = inspect(table.machine(seat)).statements(seat)
    return [one for one in said if isinstance(one, StepInput)]
