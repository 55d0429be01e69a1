"""What a node may lack: the indices of the store give what a look at every message would."""

import pytest
from support.inspection import inspect
from support.played import room_of

from protocol.consensus.message_store import MessageStore
from protocol.crypto.identities import Identity
from protocol.wire import signed_messages
from protocol.wire.signed_messages import CommitVote, EpochPromise, Message, Rejoin, StepInput


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


@pytest.mark.parametrize("is_input", [True, False])
def test_a_third_version_is_stored_if_it_is_wanted_and_only_inputs_are_counted(
    is_input: bool,
) -> None:
    store, signer, counted = MessageStore(), Identity(bytes(32)), 0
    for number in range(4):
        digest = bytes([number]) * 32
        statement = StepInput(0, 9, digest, b"\xc0") if is_input else CommitVote(1, digest)
        message = signed_messages.sign(signer, bytes(32), 0, statement)
        if number == 3:
            store.wants.add(message.hash)
        assert store.add(message) == (number != 2)
        if is_input and number != 2:
            counted += len(message.payload)
        assert store.input_bytes.get(0, 0) == counted
    assert len(store) == 2
