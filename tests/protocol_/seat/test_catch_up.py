"""Questions of a node and their answers: in parts of bounded size, epoch messages first."""

import pytest
from support.departing import departing_table, departure, hear_departure
from support.inspection import inspect, keep, view_of
from support.machine_table import MachineTable, carried, sent

from protocol.consensus.epoch_votes import MORE_INPUTS
from protocol.seat import catch_up as answering
from protocol.seat.effects import Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import peer_frames
from protocol.wire.signed_messages import (
    CommitVote,
    EpochPromise,
    EpochRequest,
    Message,
    PrepareVote,
    Rejoin,
    StepInput,
)
from protocol.wire.signed_notices import Departure

LIAR = 3


def rubbish(table: MachineTable, number: int, size: int, known: bool) -> Message:
    """Return an input of a faulty seat on the digest of this step, or on one that nobody knows."""
    tip = table.machine().tip
    on = tip.digest if known else bytes([number]) * 32
    return table.sign(
        LIAR, StepInput(0, tip.step + number, on, number.to_bytes(8, "big") * (size // 8))
    )


def answers(
    machine: SeatMachine, frame: peer_frames.FrameBody, peer: bytes
) -> list[peer_frames.FrameBody]:
    machine.take()
    machine.receive(peer_frames.encode_frame(frame), 0.0, peer)
    return sent(machine)


def shown(table: MachineTable, frame: peer_frames.FrameBody) -> list[Message]:
    """Return the messages with which seat 0 answers seat 1."""
    found = answers(table.machine(), frame, table.table.ids[1])
    return [m for one in found if (m := table.message(peer_frames.encode_frame(one))) is not None]


def test_an_answer_is_no_longer_than_a_link_can_hold_and_the_next_goes_on(
    table: MachineTable,
) -> None:
    machine = table.machine()
    for number in range(1, 25):
        keep(machine, rubbish(table, number, 100_000, known=True))
    lacking = {m.hash for m in inspect(machine).store.inputs_by(LIAR) if len(m.payload) > 10_000}
    have: list[bytes] = []
    for _ in range(10):
        part = shown(table, peer_frames.Sync(0, machine.tip.step, tuple(have)))
        assert sum(len(m.payload) for m in part) <= answering.MAX_ANSWER
        have += [m.hash[: peer_frames.SHORT] for m in part]
        if not part:
            break
    assert {h[: peer_frames.SHORT] for h in lacking} <= set(have)


def test_what_opens_epochs_goes_first_and_what_is_off_the_chain_only_if_fetched(
    table: MachineTable,
) -> None:
    machine = table.machine()
    node = machine.tip
    on_chain = table.sign(2, StepInput(0, node.step, node.digest, b"\xc0"))
    loose = rubbish(table, 2, 64, known=False)
    early = table.sign(LIAR, EpochPromise(1, None, (), None, (), ()))
    others = (CommitVote(2, bytes(32)), EpochRequest(1), Rejoin(1))
    keep(machine, loose, early, on_chain, *(table.sign(2, one) for one in others))
    part = shown(table, peer_frames.Sync(0, node.step, ()))
    kinds = [type(m.statement) for m in part]
    assert set(kinds[: kinds.index(StepInput)]) == {Rejoin, EpochRequest, CommitVote}
    assert {m.hash for m in part} & {loose.hash, early.hash, on_chain.hash} == {on_chain.hash}
    assert {m.hash for m in shown(table, peer_frames.Fetch((loose.hash, early.hash), ()))} == {
        loose.hash,
        early.hash,
    }


def test_all_own_statements_are_told_in_parts_by_rising_hash(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, peer = table.machine(), table.table.ids[1]
    monkeypatch.setattr(answering, "MAX_ANSWER", 2_500)
    own = {m.hash for m in inspect(machine).store.by_seat(1)}
    told, after, rounds = list[bytes](), bytes(32), 0
    while True:
        last = answers(machine, peer_frames.Own(after), peer)[-1]
        assert isinstance(last, peer_frames.Told)
        mine = (m.hash for m in shown(table, peer_frames.Own(after)) if m.seat == 1)
        part = [digest for digest in mine if digest > after]
        told, rounds = told + part, rounds + 1
        if not last.more:
            break
        assert last.last == part[-1] > after
        after = last.last
    assert told == sorted(own)
    assert rounds > 1


def test_the_requests_of_all_are_shown_before_ones_own_statements(table: MachineTable) -> None:
    request = table.sign(2, EpochRequest(2))
    keep(table.machine(), request, table.sign(2, CommitVote(1, bytes(32))))
    assert shown(table, peer_frames.Own())[0].hash == request.hash
    later = shown(table, peer_frames.Own(b"\x01" + bytes(31)))
    assert request.hash not in {m.hash for m in later}


def test_long_requests_of_others_leave_room_for_the_own_statements_in_one_answer(
    table: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[L-30] Of several requests for one epoch the shortest is shown, and the longest is left out
    where there are too many."""
    machine, peer = table.machine(), table.table.ids[1]
    monkeypatch.setattr(answering, "MAX_ANSWER", 4_000)
    short = EpochRequest(2), PrepareVote(2, bytes(32))
    long = [
        EpochPromise(2, None, tuple(bytes([n, m]) * 16 for m in range(size)), None, (), ())
        for n, size in enumerate((60, 30))
    ]
    for number, statement in enumerate((long[0], long[1], *short, long[1])):
        keep(machine, table.sign((0, 2, 3, 3, 3)[number], statement))
    part = shown(table, peer_frames.Own())
    assert sum(len(m.payload) + answering.OVERHEAD for m in part) <= answering.MAX_ANSWER
    assert [(m.seat, type(m.statement)) for m in part[:2]] == [(3, EpochRequest), (2, EpochPromise)]
    assert part[2:] != []
    assert all(m.seat == 1 for m in part[2:])
    (told,) = answers(machine, peer_frames.Own(), peer)[-1:]
    assert told == peer_frames.Told(part[-1].hash, more=True)


FAR = 402


@pytest.mark.parametrize(
    "ahead",
    [EpochRequest(FAR), PrepareVote(FAR, bytes(32)), CommitVote(FAR, bytes(32))],
    ids=lambda ahead: type(ahead).__name__,
)
def test_a_request_too_far_ahead_is_shown_to_whoever_asks(
    table: MachineTable, ahead: EpochRequest | PrepareVote | CommitVote
) -> None:
    far, lower = (table.tell(0, table.sign(LIAR, one)) for one in (ahead, EpochRequest(FAR - 1)))
    assert inspect(table.machine()).requests[LIAR] == FAR
    assert far.hash not in inspect(table.machine()).store
    for frame in (peer_frames.Sync(0, table.machine().tip.step, ()), peer_frames.Own()):
        hashes = {m.hash for m in shown(table, frame)}
        assert far.hash in hashes
        assert lower.hash not in hashes


def test_a_promise_too_far_ahead_counts_for_nothing(table: MachineTable) -> None:
    table.tell(0, table.sign(LIAR, EpochPromise(FAR, None, (), None, (), ())))
    assert LIAR not in inspect(table.machine()).requests


def test_a_stranger_owns_nothing_here(table: MachineTable) -> None:
    assert answers(table.machine(), peer_frames.Own(), bytes(32)) == [peer_frames.Told()]


SEATS = 4


def _passed(table: MachineTable, message: Message) -> bool:
    """Return whether seat 0 passes on a message that it has from its author."""
    table.machine().take()
    table.machine().receive(carried(message), 0.0, table.table.ids[message.seat])
    assert message.hash in inspect(table.machine()).store
    return carried(message) in [e.frame for e in table.machine().take() if isinstance(e, Send)]


def test_an_input_goes_round_once_its_step_is_on_the_followed_chain(table: MachineTable) -> None:
    """Otherwise one seat could fill the links of the others with inputs that lead nowhere."""
    machine = table.machine()
    tip = machine.tip
    assert _passed(table, table.sign(1, StepInput(0, tip.step, tip.digest, b"\x90")))
    for epoch, step, on in (
        (0, tip.step + 1, bytes(32)),
        (1, tip.step, tip.digest),
        (0, tip.step + 2, tip.digest),
    ):
        assert not _passed(table, table.sign(1, StepInput(epoch, step, on, b"junk")))


def test_what_came_before_its_step_goes_round_when_the_chain_is_there(table: MachineTable) -> None:
    """Seat 0 has the inputs of two seats to the next step, and lacks one input to this one."""
    table.hold_back = lambda seat, other, frame: (seat, other) == (3, 0)
    machine, step = table.machine(), table.machine().tip.step
    table.drop = lambda source, to, frame: to == 0 and _inputs(table, frame, 3, step)
    table.settle()
    assert machine.awaited() == {3}
    (ahead,) = (m for m in inspect(machine).store.inputs(0, step + 1) if m.seat == 1)
    (lacking,) = (m for m in inspect(table.machine(1)).store.inputs(0, step) if m.seat == 3)
    machine.take()
    machine.receive(carried(lacking), 0.0, table.table.ids[1])
    assert carried(ahead) in [e.frame for e in machine.take() if isinstance(e, Send)]


def _inputs(table: MachineTable, frame: bytes, seat: int, step: int) -> bool:
    message = table.message(frame)
    step_input = message.statement if message is not None and message.seat == seat else None
    return isinstance(step_input, StepInput) and step_input.step == step


def test_a_promise_goes_round_once_a_quorum_has_requested_its_epoch(table: MachineTable) -> None:
    promise = table.sign(1, EpochPromise(1, None, (), None, (), ()))
    assert not _passed(table, promise)
    for seat in (1, 2, 3):
        table.tell(0, table.sign(seat, EpochRequest(1)))
    assert _passed(table, table.sign(2, EpochPromise(1, None, (), None, (), ())))


def test_a_promise_far_longer_than_what_is_stored_goes_round_to_nobody(table: MachineTable) -> None:
    """Otherwise one seat could fill the links of the others at each change of epoch."""
    machine = table.machine()
    most = inspect(machine).store.count_inputs(0) + MORE_INPUTS * SEATS

    def named(count: int, seat: int) -> tuple[bytes, ...]:
        return tuple(sorted(bytes([seat]) + number.to_bytes(31, "big") for number in range(count)))

    for seat in (1, 2, 3):
        table.tell(0, table.sign(seat, EpochRequest(1)))
    assert _passed(table, table.sign(1, EpochPromise(1, None, named(most, 1), None, (), ())))
    for inputs, rejoins in ((most + 1, 0), (0, SEATS + 1)):
        long = EpochPromise(1, None, named(inputs, 2), None, named(rejoins, 2), ())
        message = table.sign(2, long)
        assert not _passed(table, message)
        asking = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))
        machine.receive(asking, 0.0, table.table.ids[1])
        assert carried(message) not in [e.frame for e in machine.take() if isinstance(e, Send)]
        fetch = peer_frames.encode_frame(peer_frames.Fetch((message.hash,), ()))
        machine.receive(fetch, 0.0, table.table.ids[1])
        assert carried(message) in [e.frame for e in machine.take() if isinstance(e, Send)]
    assert not inspect(machine).store.wants


def test_of_a_seat_at_fault_only_what_proves_it_goes_round(table: MachineTable) -> None:
    """It could sign a second input, as long as can be, in every step that was played."""
    machine = table.machine()
    table.settle()
    steps = [node for node in view_of(machine).path.values() if node.step < machine.tip.step]
    inputs = [table.sign(1, StepInput(0, node.step, node.digest, b"other")) for node in steps]
    assert len(inputs) > 2
    assert [_passed(table, step_input) for step_input in inputs] == [True] + [False] * (
        len(inputs) - 1
    )
    asking = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))
    machine.receive(asking, 0.0, table.table.ids[2])
    told = {e.frame for e in machine.take() if isinstance(e, Send)}
    assert [carried(step_input) in told for step_input in inputs] == [True] + [False] * (
        len(inputs) - 1
    )
    firsts = [m for m in inspect(machine).store.epoch_inputs(0) if m.seat == 1 and m not in inputs]
    assert firsts
    assert {
        carried(step_input) for step_input in firsts if step_input.statement.step >= steps[0].step
    } <= told  # type: ignore[union-attr]


@pytest.mark.parametrize("number", [1, 2])
def test_whoever_asks_where_one_stands_is_told_who_is_away_or_back(number: int) -> None:
    table = departing_table(range(4))
    notice, ask = (
        departure(table, 3, number=number),
        peer_frames.encode_frame(peer_frames.Sync(0, 1, ())),
    )
    hear_departure(table, 0, notice)
    machine, peer = table.machine(), table.table.ids[1]
    machine.receive(ask, table.now, peer)
    told = [e.frame for e in machine.take() if isinstance(e, Send) and e.peer == peer]
    assert peer_frames.encode_frame(notice) in told
    machine.link_up(table.table.ids[3], table.now)
    machine.take()
    machine.receive(ask, table.now, peer)
    assert any(isinstance(frame, Departure) for frame in sent(machine)) == notice.is_return
