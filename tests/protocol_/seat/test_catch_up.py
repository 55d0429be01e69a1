"""Questions of a node and their answers: in parts of bounded size, epoch messages first."""

import pytest
from support.inspection import inspect, keep, store
from support.machine_table import MachineTable, begun_room, carried, sent
from support.toy_game import ToyGame

from protocol.seat import catch_up as answering
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

LIAR = 3


@pytest.fixture
def room() -> MachineTable:
    """Four seats whose game has begun for seat 0."""
    return begun_room(ToyGame(4, 1))


def rubbish(room: MachineTable, number: int, size: int, known: bool) -> Message:
    """Return an input of a faulty seat on the digest of this step, or on one that nobody knows."""
    tip = room.machine().tip
    on = tip.digest if known else bytes([number]) * 32
    return room.sign(
        LIAR, StepInput(0, tip.step + number, on, number.to_bytes(8, "big") * (size // 8))
    )


def answers(
    machine: SeatMachine, frame: peer_frames.FrameBody, peer: bytes
) -> list[peer_frames.FrameBody]:
    machine.take()
    machine.receive(peer_frames.encode_frame(frame), 0.0, peer)
    return sent(machine)


def shown(room: MachineTable, frame: peer_frames.FrameBody) -> list[Message]:
    """Return the messages with which seat 0 answers seat 1."""
    found = answers(room.machine(), frame, room.table.ids[1])
    return [m for one in found if (m := room.message(peer_frames.encode_frame(one))) is not None]


def test_an_answer_is_no_longer_than_a_link_can_hold_and_the_next_goes_on(
    room: MachineTable,
) -> None:
    machine = room.machine()
    for number in range(1, 25):
        keep(machine, rubbish(room, number, 100_000, known=True))
    lacking = {m.hash for m in inspect(machine).store.inputs_by(LIAR) if len(m.payload) > 10_000}
    have: list[bytes] = []
    for _ in range(10):
        part = shown(room, peer_frames.Sync(0, machine.tip.step, tuple(have)))
        assert sum(len(m.payload) for m in part) <= answering.MAX_ANSWER
        have += [m.hash[: peer_frames.SHORT] for m in part]
        if not part:
            break
    assert {h[: peer_frames.SHORT] for h in lacking} <= set(have)


def test_what_opens_epochs_goes_first_and_what_is_off_the_chain_only_if_fetched(
    room: MachineTable,
) -> None:
    machine = room.machine()
    node = machine.tip
    on_chain = room.sign(2, StepInput(0, node.step, node.digest, b"\xc0"))
    loose = rubbish(room, 2, 64, known=False)
    early = room.sign(LIAR, EpochPromise(1, None, (), None, (), ()))
    others = (CommitVote(2, bytes(32)), EpochRequest(1), Rejoin(1))
    keep(machine, loose, early, on_chain, *(room.sign(2, one) for one in others))
    part = shown(room, peer_frames.Sync(0, node.step, ()))
    kinds = [type(m.statement) for m in part]
    assert set(kinds[: kinds.index(StepInput)]) == {Rejoin, EpochRequest, CommitVote}
    assert {m.hash for m in part} & {loose.hash, early.hash, on_chain.hash} == {on_chain.hash}
    assert {m.hash for m in shown(room, peer_frames.Fetch((loose.hash, early.hash), ()))} == {
        loose.hash,
        early.hash,
    }


def test_all_own_statements_are_told_in_parts_by_rising_hash(
    room: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, peer = room.machine(), room.table.ids[1]
    monkeypatch.setattr(answering, "MAX_ANSWER", 2_500)
    own = {m.hash for m in inspect(machine).store.by_seat(1)}
    told, after, rounds = list[bytes](), bytes(32), 0
    while True:
        last = answers(machine, peer_frames.Own(after), peer)[-1]
        assert isinstance(last, peer_frames.Told)
        mine = (m.hash for m in shown(room, peer_frames.Own(after)) if m.seat == 1)
        part = [digest for digest in mine if digest > after]
        told, rounds = told + part, rounds + 1
        if not last.more:
            break
        assert last.last == part[-1] > after
        after = last.last
    assert told == sorted(own)
    assert rounds > 1


def test_the_requests_of_all_are_shown_before_ones_own_statements(room: MachineTable) -> None:
    request = room.sign(2, EpochRequest(2))
    keep(room.machine(), request, room.sign(2, CommitVote(1, bytes(32))))
    assert shown(room, peer_frames.Own())[0].hash == request.hash
    later = shown(room, peer_frames.Own(b"\x01" + bytes(31)))
    assert request.hash not in {m.hash for m in later}


FAR = 402


@pytest.mark.parametrize(
    "ahead",
    [EpochRequest(FAR), PrepareVote(FAR, bytes(32)), CommitVote(FAR, bytes(32))],
    ids=lambda ahead: type(ahead).__name__,
)
def test_a_request_too_far_ahead_is_shown_to_whoever_asks(
    room: MachineTable, ahead: EpochRequest | PrepareVote | CommitVote
) -> None:
    far, lower = (room.tell(0, room.sign(LIAR, one)) for one in (ahead, EpochRequest(FAR - 1)))
    assert inspect(room.machine()).requests[LIAR] == FAR
    assert far.hash not in inspect(room.machine()).store
    for frame in (peer_frames.Sync(0, room.machine().tip.step, ()), peer_frames.Own()):
        hashes = {m.hash for m in shown(room, frame)}
        assert far.hash in hashes
        assert lower.hash not in hashes


def test_a_promise_too_far_ahead_counts_for_nothing(room: MachineTable) -> None:
    room.tell(0, room.sign(LIAR, EpochPromise(FAR, None, (), None, (), ())))
    assert LIAR not in inspect(room.machine()).requests


def test_a_stranger_owns_nothing_here(room: MachineTable) -> None:
    assert answers(room.machine(), peer_frames.Own(), bytes(32)) == [peer_frames.Told()]


def test_inputs_of_passed_epochs_that_lead_nowhere_are_dropped(room: MachineTable) -> None:
    """They are kept while the epoch lasts, and go when the next one is entered."""
    rest = [rubbish(room, number, 1024, known=False) for number in range(1, 6)]
    for machine in room.machines((0, 1, 2)):
        keep(machine, *rest)
    for seat in (0, 1, 2):
        request = room.sign(seat, EpochRequest(1))
        for machine in room.machines({0, 1, 2, 3} - {seat}):
            machine.receive(carried(request), room.now, None)
        store(room.machine(seat), request)
    for seat in range(4):
        room.collect(seat)
    room.run(until=400)
    machine = room.machine()
    assert machine.finished
    assert inspect(machine).epoch > 0
    held = {m.hash for m in inspect(machine).store}
    named = {
        h
        for m in inspect(machine).store
        if isinstance(m.statement, EpochPromise)
        for h in (*m.statement.inputs, *(h for pair in m.statement.proofs for h in pair))
    }
    gone = [m for m in rest if m.hash not in named]
    assert gone
    assert not held & {m.hash for m in gone}
    on_chain = [m for m in inspect(machine).store if isinstance(m.statement, StepInput)]
    assert len({m.seat for m in on_chain}) == 4
