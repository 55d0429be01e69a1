"""What a node may lack: the indices of the store give what a look at every message would."""

import pytest
from support.inspection import inspect, store
from support.machine_table import carried, toy_table
from support.played import room_of

from protocol.wire.signed_messages import EpochPromise, EpochRequest, Message, Rejoin, StepInput

pytestmark = pytest.mark.usefixtures("cheap")


def may_lack(message: Message, epoch: int, step: int) -> bool:
    """The rule, message by message."""
    statement = message.statement
    if isinstance(statement, StepInput):
        older = statement.epoch > 0 and statement.epoch >= epoch
        return older or (statement.epoch, statement.step) >= (epoch, step)
    return isinstance(statement, Rejoin) or statement.epoch >= max(1, epoch)


@pytest.mark.parametrize("name", ["four", "vanished", "returned", "doubted"])
def test_what_a_node_may_lack_and_the_promises_of_a_seat_in_the_order_they_came(name: str) -> None:
    lacked = found = 0
    for place in room_of(name).places:
        store = inspect(place.machine).store
        for epoch in range(4):
            for step in (0, 1, 5, 12, 20, 99):
                every = [m for m in store if may_lack(m, epoch, step)]
                assert store.since(epoch, step) == every
                lacked += len(every)
        for seat in range(place.machine.table.seats):
            promises = [m for m in store.by_seat(seat) if isinstance(m.statement, EpochPromise)]
            assert store.promises_by(seat) == promises
            found += len(promises)
    assert lacked > 100
    assert (found > 0) == (name != "four")


def test_only_the_highest_epoch_request_of_a_seat_is_kept() -> None:
    table = toy_table(4)
    machine = table.machine()
    for epoch in (1, 2, 1):
        store(machine, table.sign(3, EpochRequest(epoch)))
    assert inspect(machine).statements(3) == [EpochRequest(2)]
    assert inspect(machine).store.epochs_of(EpochRequest) == [2]
    store(table.machine(3), table.sign(3, EpochRequest(3)))
    table.machine(3).receive(carried(table.sign(3, EpochRequest(2))), 0.0, None)
    assert inspect(table.machine(3)).inquiry is None, "a lower one of its own tells nothing new"
