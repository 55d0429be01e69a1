"""Forwarding: an input crosses each link once, unless a peer has no link to its author ([L-66])."""

from collections import Counter

import pytest
from support.cases import fails
from support.inspection import alter, inspect, view_of, want
from support.machine_table import MachineTable, begun_room, carried, seeded, toy_table
from support.toy_game import ToyGame

from protocol.consensus.epoch_votes import MORE_INPUTS
from protocol.errors import Invalid
from protocol.seat.effects import Outbox, Record, Send
from protocol.seat.seat_machine import SeatMachine
from protocol.wire import codec, peer_frames
from protocol.wire.signed_messages import EpochPromise, EpochRequest, Message, StepInput
from protocol.wire.signed_notices import Departure, EndNotice
from protocol.wire.table_header import Timeouts

SEATS = 4


Brought = Counter[tuple[int, bytes]]


def wired(*missing: set[int]) -> tuple[MachineTable, Brought]:
    """Return a table without some of its links, and how often each input was sent to a seat."""
    room, brought = toy_table(SEATS, 2, timeouts=Timeouts()), Brought()
    room.cut = lambda seat, other: {seat, other} in missing

    def count(seat: int, other: int, frame: bytes) -> bool:
        message = room.message(frame)
        if message is not None and isinstance(message.statement, StepInput):
            brought[other, message.hash] += 1
        return False

    room.hold_back = count
    return room, brought


def told(room: MachineTable) -> None:
    """Let every seat tell the others to whom it has a direct link."""
    for seat, machine in enumerate(room.machines()):
        room.now += 1.0
        machine.tick(room.now)
        room.collect(seat)
    room.settle()


def played(room: MachineTable, brought: Brought) -> None:
    """Play the whole game, and drop what was forwarded before the seats told of their links."""
    room.start()
    for _ in range(40):
        room.deliver()
    told(room)
    brought.clear()
    room.run(until=60.0)
    assert room.done()


def test_where_all_are_linked_each_input_crosses_each_link_once() -> None:
    room, brought = wired()
    played(room, brought)
    for seat, machine in enumerate(room.machines()):
        assert inspect(machine).direct == set(range(SEATS)) - {seat}
    assert set(brought.values()) <= {1}


@pytest.mark.parametrize("far", [(0, 1), (1, 3)])
def test_who_lacks_a_link_is_brought_those_words_by_others(far: tuple[int, int]) -> None:
    room, brought = wired(set(far))
    played(room, brought)
    for seat in far:
        assert inspect(room.machine(seat)).direct == set(range(SEATS)) - set(far)


def test_on_a_line_all_goes_through_the_middle() -> None:
    played(*wired(*({a, b} for a in range(SEATS) for b in range(a) if a - b > 1)))


def _input(room: MachineTable, seat: int) -> Message:
    """Return an input to the current step of the table."""
    tip = room.machine().tip
    return room.sign(seat, StepInput(0, tip.step, tip.digest, b"\x90"))


def _not_forwarded_to(room: MachineTable, message: Message) -> set[int]:
    """Return the seats to which seat 0 does not forward a message that comes from its author."""
    machine = room.machine()
    machine.take()
    machine.receive(carried(message), 0.0, room.table.ids[message.seat])
    (one,) = [e for e in machine.take() if isinstance(e, Send) and e.frame == carried(message)]
    assert one.peer is None
    return {room.table.ids.index(peer) for peer in one.but}


def _tell_direct(room: MachineTable, told: dict[int, tuple[int, ...]]) -> None:
    """Let seats tell seat 0 to whom they have a direct link."""
    for who, direct in told.items():
        frame = peer_frames.encode_frame(peer_frames.Sync(0, 0, (), direct))
        room.machine().receive(frame, 0.0, room.table.ids[who])


def _is_answered(room: MachineTable, message: Message, seat: int, direct: tuple[int, ...]) -> bool:
    """Return whether seat 0 sends a message to a seat that asks for all it lacks."""
    machine, peer = room.machine(), room.table.ids[seat]
    machine.take()
    machine.receive(peer_frames.encode_frame(peer_frames.Sync(0, 0, (), direct)), 0.0, peer)
    found = [e for e in machine.take() if isinstance(e, Send) and e.frame == carried(message)]
    return [e.peer for e in found] == [peer]


@pytest.fixture
def room() -> MachineTable:
    """Return a game that has begun for seat 0, which knows of no links between others."""
    found = begun_room(ToyGame(SEATS, 1))
    alter(found.places[0].machine, hears={})
    return found


def test_a_seat_linked_to_the_author_is_not_forwarded_an_input_but_every_request(
    room: MachineTable,
) -> None:
    _tell_direct(room, {2: (1, 3), 3: (2,)})
    assert _not_forwarded_to(room, _input(room, 1)) == {1, 2}
    assert _not_forwarded_to(room, room.sign(1, EpochRequest(1))) == {1}


def test_a_promise_is_not_brought_to_who_hears_its_seat(room: MachineTable) -> None:
    """It lists all inputs of its epoch, and each seat of six would receive it five times."""
    for seat in (1, 2, 3):
        room.tell(0, room.sign(seat, EpochRequest(1)))
    _tell_direct(room, {2: (1, 3), 3: (2,)})
    promise = room.sign(1, EpochPromise(1, None, (), None, (), ()))
    assert _not_forwarded_to(room, promise) == {1, 2}
    assert not _is_answered(room, promise, 2, (1, 3)), "it is on its way to them"
    assert _is_answered(room, promise, 3, (2,))
    said = inspect(room.machine()).store.by_seat(0)
    (own,) = [m for m in said if isinstance(m.statement, EpochPromise)]
    assert _is_answered(room, own, 2, (0, 1, 3)), "it may be lost"


def test_a_promise_that_its_seat_shows_to_the_proposer_alone_reaches_all() -> None:
    """The others ask for it, since the new-epoch message names it. Seat 2 has fallen silent."""
    room, _ = wired()

    def kept(source: int, other: int, frame: bytes) -> bool:
        message = room.message(frame)
        if message is None or message.seat != source:
            return False
        if isinstance(message.statement, EpochPromise):
            return source == 3 and other != 1
        return source == 2 and getattr(message.statement, "step", 99) > 16

    room.drop = kept
    room.start()
    for _ in range(40):
        room.deliver()
    told(room)
    assert not room.machine().finished
    assert all(3 in inspect(room.machine(seat)).direct for seat in (0, 1))
    room.run(until=400.0)
    seats = [room.machine(seat) for seat in (0, 1, 3)]
    assert {inspect(one).epoch for one in seats} == {1}
    assert all(one.finished and one.tip.present == {0, 1, 3} for one in seats)


def test_the_last_word_counts_and_ends_with_the_link(room: MachineTable) -> None:
    _tell_direct(room, {2: (1,)})
    _tell_direct(room, {2: (3,), 3: (1,)})
    room.machine().link_down(room.table.ids[3], 0.0)
    assert _not_forwarded_to(room, _input(room, 1)) == {1}


def test_a_new_link_begins_with_nothing_told(room: MachineTable) -> None:
    _tell_direct(room, {2: (1,)})
    room.machine().link_up(room.table.ids[2], 0.0)
    assert 2 not in inspect(room.machine()).direct
    assert _not_forwarded_to(room, _input(room, 1)) == {1}


def test_who_loses_a_link_tells_all_within_a_second_however_often_it_breaks(
    room: MachineTable,
) -> None:
    machine, ids = room.machine(), room.table.ids
    assert 2 in inspect(machine).direct
    machine.tick(1.0)
    machine.take()
    for flap in range(20):
        machine.link_down(ids[2], 1 + flap / 20)
        machine.link_up(ids[2], 1 + flap / 20)
        machine.tick(1 + flap / 20)
    machine.link_down(ids[2], 1.97)
    assert not [e for e in machine.take() if isinstance(e, Send) and e.peer is None]
    machine.tick(2.0)
    (one,) = [e for e in machine.take() if isinstance(e, Send) and e.peer is None]
    told = peer_frames.parse_frame(one.frame)
    assert isinstance(told, peer_frames.Sync)
    assert 2 not in told.direct
    machine.link_down(ids[2], 0.0)
    assert not [e for e in machine.take() if isinstance(e, Send)]


def test_a_seat_is_direct_only_once_its_link_has_brought_something(room: MachineTable) -> None:
    machine, ids = room.machine(), room.table.ids
    machine.link_up(ids[3], 0.0)
    assert 3 not in inspect(machine).direct
    machine.receive(peer_frames.encode_frame(peer_frames.Told()), 0.0, ids[3])
    assert 3 in inspect(machine).direct


@pytest.mark.parametrize("direct", [(16,), (*range(16), 0), (-1,), ("1",), 1])
def test_other_forms_of_direct_are_no_frame(direct: object) -> None:
    fields = (2, 0, 1, (), direct)
    data = b"\x95\x02\x00\x01\x90\x91\xff" if direct == (-1,) else codec.encode(fields)  # type: ignore[arg-type]
    fails(Invalid, "", peer_frames.parse_frame, data)


def test_what_a_faulty_seat_says_to_one_only_reaches_the_others_within_two_seconds() -> None:
    """Seat 3 sends its input to seat 0 alone. All have told that they have a direct link to it."""
    room, _ = wired()
    room.start()
    for _ in range(200):
        room.deliver()
    told(room)
    room.drop = lambda a, b, data: (
        a == 3 and b != 0 and peer_frames.parse_frame(data) != peer_frames.Told()
    )
    room.run(until=200.0)
    assert room.done()
    assert all(place.machine.tip.present == set(range(SEATS)) for place in room.places)


def _passed(room: MachineTable, message: Message) -> bool:
    """Return whether seat 0 passes on a message that it has from its author."""
    room.machine().take()
    room.machine().receive(carried(message), 0.0, room.table.ids[message.seat])
    assert message.hash in inspect(room.machine()).store
    return carried(message) in [e.frame for e in room.machine().take() if isinstance(e, Send)]


def test_an_input_goes_round_once_its_step_is_on_the_followed_chain(room: MachineTable) -> None:
    """Otherwise one seat could fill the links of the others with inputs that lead nowhere."""
    machine = room.machine()
    tip = machine.tip
    assert _passed(room, room.sign(1, StepInput(0, tip.step, tip.digest, b"\x90")))
    for epoch, step, on in (
        (0, tip.step + 1, bytes(32)),
        (1, tip.step, tip.digest),
        (0, tip.step + 2, tip.digest),
    ):
        assert not _passed(room, room.sign(1, StepInput(epoch, step, on, b"junk")))


def test_what_came_before_its_step_goes_round_when_the_chain_is_there(room: MachineTable) -> None:
    """Seat 0 has the inputs of two seats to the next step, and lacks one input to this one."""
    room.hold_back = lambda seat, other, frame: (seat, other) == (3, 0)
    machine, step = room.machine(), room.machine().tip.step
    room.drop = lambda source, to, frame: to == 0 and _inputs(room, frame, 3, step)
    room.settle()
    assert machine.awaited() == {3}
    (ahead,) = (m for m in inspect(machine).store.inputs(0, step + 1) if m.seat == 1)
    (lacking,) = (m for m in inspect(room.machine(1)).store.inputs(0, step) if m.seat == 3)
    machine.take()
    machine.receive(carried(lacking), 0.0, room.table.ids[1])
    assert carried(ahead) in [e.frame for e in machine.take() if isinstance(e, Send)]


def _inputs(room: MachineTable, frame: bytes, seat: int, step: int) -> bool:
    message = room.message(frame)
    step_input = message.statement if message is not None and message.seat == seat else None
    return isinstance(step_input, StepInput) and step_input.step == step


def test_a_promise_goes_round_once_a_quorum_has_requested_its_epoch(room: MachineTable) -> None:
    promise = room.sign(1, EpochPromise(1, None, (), None, (), ()))
    assert not _passed(room, promise)
    for seat in (1, 2, 3):
        room.tell(0, room.sign(seat, EpochRequest(1)))
    assert _passed(room, room.sign(2, EpochPromise(1, None, (), None, (), ())))


def test_a_promise_far_longer_than_what_is_stored_goes_round_to_nobody(room: MachineTable) -> None:
    """Otherwise one seat could fill the links of the others at each change of epoch."""
    machine = room.machine()
    most = inspect(machine).store.count_inputs(0) + MORE_INPUTS * SEATS

    def named(count: int, seat: int) -> tuple[bytes, ...]:
        return tuple(sorted(bytes([seat]) + number.to_bytes(31, "big") for number in range(count)))

    for seat in (1, 2, 3):
        room.tell(0, room.sign(seat, EpochRequest(1)))
    assert _passed(room, room.sign(1, EpochPromise(1, None, named(most, 1), None, (), ())))
    for inputs, rejoins in ((most + 1, 0), (0, SEATS + 1)):
        long = EpochPromise(1, None, named(inputs, 2), None, named(rejoins, 2), ())
        message = room.sign(2, long)
        assert not _passed(room, message)
        asking = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))
        machine.receive(asking, 0.0, room.table.ids[1])
        assert carried(message) not in [e.frame for e in machine.take() if isinstance(e, Send)]
        fetch = peer_frames.encode_frame(peer_frames.Fetch((message.hash,), ()))
        machine.receive(fetch, 0.0, room.table.ids[1])
        assert carried(message) in [e.frame for e in machine.take() if isinstance(e, Send)]
    assert not inspect(machine).store.wants


def test_of_a_seat_at_fault_only_what_proves_it_goes_round(room: MachineTable) -> None:
    """It could sign a second input, as long as can be, in every step that was played."""
    machine = room.machine()
    room.settle()
    steps = [node for node in view_of(machine).path.values() if node.step < machine.tip.step]
    inputs = [room.sign(1, StepInput(0, node.step, node.digest, b"other")) for node in steps]
    assert len(inputs) > 2
    assert [_passed(room, step_input) for step_input in inputs] == [True] + [False] * (
        len(inputs) - 1
    )
    asking = peer_frames.encode_frame(peer_frames.Sync(0, 1, ()))
    machine.receive(asking, 0.0, room.table.ids[2])
    told = {e.frame for e in machine.take() if isinstance(e, Send)}
    assert [carried(step_input) in told for step_input in inputs] == [True] + [False] * (
        len(inputs) - 1
    )
    firsts = [m for m in inspect(machine).store.epoch_inputs(0) if m.seat == 1 and m not in inputs]
    assert firsts
    assert {
        carried(step_input) for step_input in firsts if step_input.statement.step >= steps[0].step
    } <= told  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("frame", "asks", "once"),
    [
        (peer_frames.Carry(b"a message"), False, True),
        (peer_frames.Fetch((), ()), True, False),
        (peer_frames.Sync(0, 1, ()), True, False),
        (peer_frames.Own(), True, False),
        (peer_frames.Told(bytes(32)), False, False),
        (Departure(1, 1, 0, 9, bytes(32), bytes(64)), False, True),
        (EndNotice(1, "over", None, bytes(64)), False, False),
    ],
    ids=["carry", "fetch", "sync", "own", "told", "departure", "end"],
)
def test_only_requests_ask_and_only_what_is_told_to_all_goes_once_over_a_link(
    frame: peer_frames.FrameBody, asks: bool, once: bool
) -> None:
    outbox = Outbox()
    outbox.send(frame, but=(b"p" * 32,))
    assert outbox.take() == [
        Send(peer_frames.encode_frame(frame), None, frozenset((b"p" * 32,)), asks, once)
    ]


def test_a_stored_message_is_verified_once_and_any_other_before_it_counts(
    room: MachineTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    verified: list[bytes] = []
    verify = Message.verify

    def noting(message: Message, ids: tuple[bytes, ...]) -> None:
        verified.append(message.signature)
        verify(message, ids)

    monkeypatch.setattr(Message, "verify", noting)
    machine, peer = room.machine(0), room.table.ids[1]
    request = room.sign(1, EpochRequest(1))
    forged = Message(request.seat, request.statement, request.payload, bytes(64))
    fails(Invalid, "bad-signature", machine.receive, carried(forged), room.now, peer)
    machine.receive(carried(request), room.now, peer)
    assert verified == [bytes(64), request.signature]
    machine.take()
    for again in (request, forged):
        machine.receive(carried(again), room.now, peer)
        assert machine.take() == []
    assert verified == [bytes(64), request.signature]


@pytest.mark.parametrize("kind", ["seat", "onlooker", "restored"])
def test_a_known_payload_with_another_signature_changes_nothing(
    room: MachineTable, kind: str
) -> None:
    """It is neither stored nor forwarded. A peer that asks gets the first one, which is valid."""
    peer, message = room.table.ids[1], _input(room, 1)
    machine = room.machine(0)
    if kind == "onlooker":
        machine = SeatMachine(room.table, bytes)
        machine.start(room.now)
    machine.receive(carried(message), room.now, peer)
    if kind == "restored":
        effects = (*room.places[0].heard, *machine.take())
        records = [effect.data for effect in effects if isinstance(effect, Record)]
        machine = SeatMachine(room.table, seeded("again"), 0, room.who[0], bytes(32))
        machine.restore(records)
        machine.start(room.now)
    machine.take()
    proofs = dict(inspect(machine).proofs)
    for signature in (bytes(64), room.sign(1, EpochRequest(1)).signature):
        other = Message(message.seat, message.statement, message.payload, signature)
        machine.receive(carried(other), room.now, peer)
        assert machine.take() == []
    ask = peer_frames.encode_frame(peer_frames.Fetch((message.hash,), ()))
    machine.receive(ask, room.now, peer)
    assert [e.frame for e in machine.take() if isinstance(e, Send)] == [carried(message)]
    assert inspect(machine).proofs == proofs


def test_a_forged_copy_of_what_is_wanted_leaves_it_wanted(room: MachineTable) -> None:
    machine, peer, message = room.machine(0), room.table.ids[2], _input(room, 1)
    want(machine, {message.hash})
    forged = Message(message.seat, message.statement, message.payload, bytes(64))
    fails(Invalid, "bad-signature", machine.receive, carried(forged), room.now, peer)
    assert inspect(machine).store.wants == {message.hash}
    machine.receive(carried(message), room.now, peer)
    assert message.hash in inspect(machine).store
    assert inspect(machine).store.wants == set()
