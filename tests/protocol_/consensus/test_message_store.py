"""The message store: what it takes, finds by its indices, and drops."""

import pytest
from support.inspection import inspect, store
from support.machine_table import carried, toy_table
from support.models.epochs import Model
from support.models.promises import signed
from support.played import table_of

from protocol.consensus.message_store import MessageStore
from protocol.crypto.identities import Identity
from protocol.wire import signed_messages
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    NewEpoch,
    PrepareVote,
    Rejoin,
    StepInput,
)

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
    for place in table_of(name).places:
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


def versions(model: Model, count: int) -> list[Message]:
    """Return so many inputs of seat 3 to one step."""
    inputs = (StepInput(0, 9, bytes([n]) * 32, b"x" * n) for n in range(1, count + 1))
    return [signed(model, 3, one) for one in inputs]


def test_of_one_identity_two_messages_are_stored_and_a_third_only_if_it_is_wanted(
    model: Model,
) -> None:
    store, (one, two, three, four) = MessageStore(), versions(model, 4)
    assert store.add(one)
    assert not store.add(one)
    assert store.add(two)
    assert not store.add(three)
    store.want(three.hash, (2, False))
    assert store.claims == {three.hash: {(2, False)}}
    assert store.add(three)
    assert (store.wants, store.claims) == (set(), {})
    assert not store.add(three)
    assert not store.add(four)
    assert store.find(three.hash) is three
    assert three.hash in store
    assert store.versions(one.identity) == [one, two]
    assert list(store) == store.by_seat(3) == [one, two]
    assert list(store.inputs_by(3)) == [one, two, three]
    assert store.input_bytes[3] == sum(len(m.payload) for m in (one, two, three))


def test_a_valid_new_epoch_message_is_stored_besides_any_two(model: Model) -> None:
    store = MessageStore()
    one, two, three = (signed(model, 1, NewEpoch(1, (bytes([n]) * 32,))) for n in range(3))
    assert store.add(one)
    assert store.add(two)
    assert not store.add(three)
    assert store.add(three, sound=True)
    assert store.of_epoch(NewEpoch, 1) == [one, two, three]
    assert store.requests == {}, "to propose is not to request"


def test_messages_are_found_by_epoch_step_and_kind(model: Model) -> None:
    store = MessageStore()
    places = (1, 12), (0, 9), (1, 11)
    inputs = [signed(model, 0, StepInput(*place, bytes(32), b"")) for place in places]
    votes = [signed(model, 2, one) for one in (CommitVote(3, bytes(32)), PrepareVote(2, bytes(32)))]
    back = signed(model, 3, Rejoin(1))
    for message in (*inputs, *votes, back):
        store.add(message)
    assert store.epoch_inputs(1) == [inputs[2], inputs[0]]
    assert store.epoch_inputs(1, 12) == [inputs[0]]
    assert store.count_inputs(1) == 2
    assert store.last_steps == {(1, 0): 12, (0, 0): 9}
    assert store.epochs_of(CommitVote) == [3]
    assert store.rejoins() == [back]
    assert store.requests == {2: 3}
    assert store.highest_requests() == [votes[0]]
    assert store.highest_request(2) == store.highest_request(None) == 0, "a vote is no request"
    assert store.by_seat(None) == []


def test_inputs_of_lower_epochs_are_dropped_unless_they_are_to_be_kept(model: Model) -> None:
    store, (one, two, three) = MessageStore(), versions(model, 3)
    later = signed(model, 3, StepInput(1, 9, bytes(32), b"later"))
    store.want(three.hash)
    for message in (one, two, three, later):
        store.add(message)
    before = store.input_bytes[3]
    store.forget_inputs(1, lambda message, step_input: message is two)
    assert list(store.inputs_by(3)) == [two, later]
    assert store.find(one.hash) is store.find(three.hash) is None
    assert store.versions(one.identity) == store.inputs(0, 9) == [two]
    assert store.input_bytes[3] == before - len(one.payload) - len(three.payload)


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
