"""The peers of a seat: links, whose inputs go to whom, departures, and what is asked for."""

from collections import Counter

import pytest
from support.cases import fails
from support.departing import departing_table, departure, hear_departure, setup_before
from support.inspection import alter, inspect, peers_of, store_of
from support.machine_table import MachineTable, carried, identity, sent, toy_table
from support.played import table_of

from protocol.chain.chain_state import Kind
from protocol.errors import Invalid
from protocol.seat.effects import Guilty, Send
from protocol.wire import peer_frames, signed_notices
from protocol.wire.signed_messages import EpochPromise, EpochRequest, Message, StepInput
from protocol.wire.signed_notices import Departure
from protocol.wire.table_header import Timeouts

SEATS = 4

Brought = Counter[tuple[int, bytes]]


def wired(*missing: set[int]) -> tuple[MachineTable, Brought]:
    """Return a table without some of its links, and how often each input was sent to a seat."""
    table, brought = toy_table(SEATS, 2, timeouts=Timeouts()), Brought()
    table.cut = lambda seat, other: {seat, other} in missing

    def count(seat: int, other: int, frame: bytes) -> bool:
        message = table.message(frame)
        if message is not None and isinstance(message.statement, StepInput):
            brought[other, message.hash] += 1
        return False

    table.hold_back = count
    return table, brought


def told(table: MachineTable) -> None:
    """Let every seat tell the others to whom it has a direct link."""
    for seat, machine in enumerate(table.machines()):
        table.now += 1.0
        machine.tick(table.now)
        table.collect(seat)
    table.settle()


def played(table: MachineTable, brought: Brought) -> None:
    """Play the whole game, and drop what was forwarded before the seats told of their links."""
    table.start()
    for _ in range(40):
        table.deliver()
    told(table)
    brought.clear()
    table.run(until=60.0)
    assert table.done()


def test_where_all_are_linked_each_input_crosses_each_link_once() -> None:
    table, brought = wired()
    played(table, brought)
    for seat, machine in enumerate(table.machines()):
        assert inspect(machine).direct == set(range(SEATS)) - {seat}
    assert set(brought.values()) <= {1}


@pytest.mark.parametrize("far", [(0, 1), (1, 3)])
def test_who_lacks_a_link_is_brought_those_words_by_others(far: tuple[int, int]) -> None:
    table, brought = wired(set(far))
    played(table, brought)
    for seat in far:
        assert inspect(table.machine(seat)).direct == set(range(SEATS)) - set(far)


def test_on_a_line_all_goes_through_the_middle() -> None:
    played(*wired(*({a, b} for a in range(SEATS) for b in range(a) if a - b > 1)))


def _input(table: MachineTable, seat: int) -> Message:
    """Return an input to the current step of the table."""
    tip = table.machine().tip
    return table.sign(seat, StepInput(0, tip.step, tip.digest, b"\x90"))


def _not_forwarded_to(table: MachineTable, message: Message) -> set[int]:
    """Return the seats to which seat 0 does not forward a message that comes from its author."""
    machine = table.machine()
    machine.take()
    machine.receive(carried(message), 0.0, table.table.ids[message.seat])
    (one,) = [e for e in machine.take() if isinstance(e, Send) and e.frame == carried(message)]
    assert one.peer is None
    return {table.table.ids.index(peer) for peer in one.but}


def _tell_direct(table: MachineTable, told: dict[int, tuple[int, ...]]) -> None:
    """Let seats tell seat 0 to whom they have a direct link."""
    for who, direct in told.items():
        frame = peer_frames.encode_frame(peer_frames.Sync(0, 0, (), direct))
        table.machine().receive(frame, 0.0, table.table.ids[who])


def _is_answered(table: MachineTable, message: Message, seat: int, direct: tuple[int, ...]) -> bool:
    """Return whether seat 0 sends a message to a seat that asks for all it lacks."""
    machine, peer = table.machine(), table.table.ids[seat]
    machine.take()
    machine.receive(peer_frames.encode_frame(peer_frames.Sync(0, 0, (), direct)), 0.0, peer)
    found = [e for e in machine.take() if isinstance(e, Send) and e.frame == carried(message)]
    return [e.peer for e in found] == [peer]


def test_a_seat_linked_to_the_author_is_not_forwarded_an_input_but_every_request(
    table: MachineTable,
) -> None:
    _tell_direct(table, {2: (1, 3), 3: (2,)})
    assert _not_forwarded_to(table, _input(table, 1)) == {1, 2}
    assert _not_forwarded_to(table, table.sign(1, EpochRequest(1))) == {1}


def test_a_promise_is_not_brought_to_who_hears_its_seat(table: MachineTable) -> None:
    """It lists all inputs of its epoch, and each seat of six would receive it five times."""
    for seat in (1, 2, 3):
        table.tell(0, table.sign(seat, EpochRequest(1)))
    _tell_direct(table, {2: (1, 3), 3: (2,)})
    promise = table.sign(1, EpochPromise(1, None, (), None, (), ()))
    assert _not_forwarded_to(table, promise) == {1, 2}
    assert not _is_answered(table, promise, 2, (1, 3)), "it is on its way to them"
    assert _is_answered(table, promise, 3, (2,))
    said = inspect(table.machine()).store.by_seat(0)
    (own,) = [m for m in said if isinstance(m.statement, EpochPromise)]
    assert _is_answered(table, own, 2, (0, 1, 3)), "it may be lost"


def test_a_promise_that_its_seat_shows_to_the_proposer_alone_reaches_all() -> None:
    """The others ask for it, since the new-epoch message names it. Seat 2 has fallen silent."""
    table, _ = wired()

    def kept(source: int, other: int, frame: bytes) -> bool:
        message = table.message(frame)
        if message is None or message.seat != source:
            return False
        if isinstance(message.statement, EpochPromise):
            return source == 3 and other != 1
        return source == 2 and getattr(message.statement, "step", 99) > 16

    table.drop = kept
    table.start()
    for _ in range(40):
        table.deliver()
    told(table)
    assert not table.machine().finished
    assert all(3 in inspect(table.machine(seat)).direct for seat in (0, 1))
    table.run(until=400.0)
    seats = [table.machine(seat) for seat in (0, 1, 3)]
    assert {inspect(one).epoch for one in seats} == {1}
    assert all(one.finished and one.tip.present == {0, 1, 3} for one in seats)


def test_the_last_word_counts_and_ends_with_the_link(table: MachineTable) -> None:
    _tell_direct(table, {2: (1,)})
    _tell_direct(table, {2: (3,), 3: (1,)})
    table.machine().link_down(table.table.ids[3], 0.0)
    assert _not_forwarded_to(table, _input(table, 1)) == {1}


def test_a_new_link_begins_with_nothing_told(table: MachineTable) -> None:
    _tell_direct(table, {2: (1,)})
    table.machine().link_up(table.table.ids[2], 0.0)
    assert 2 not in inspect(table.machine()).direct
    assert _not_forwarded_to(table, _input(table, 1)) == {1}


def test_who_loses_a_link_tells_all_within_a_second_however_often_it_breaks(
    table: MachineTable,
) -> None:
    machine, ids = table.machine(), table.table.ids
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


def test_a_seat_is_direct_only_once_its_link_has_brought_something(table: MachineTable) -> None:
    machine, ids = table.machine(), table.table.ids
    machine.link_up(ids[3], 0.0)
    assert 3 not in inspect(machine).direct
    machine.receive(peer_frames.encode_frame(peer_frames.Told()), 0.0, ids[3])
    assert 3 in inspect(machine).direct


def test_what_a_faulty_seat_says_to_one_only_reaches_the_others_within_two_seconds() -> None:
    """Seat 3 sends its input to seat 0 alone. All have told that they have a direct link to it."""
    table, _ = wired()
    table.start()
    for _ in range(200):
        table.deliver()
    told(table)
    table.drop = lambda a, b, data: (
        a == 3 and b != 0 and peer_frames.parse_frame(data) != peer_frames.Told()
    )
    table.run(until=200.0)
    assert table.done()
    assert all(place.machine.tip.present == set(range(SEATS)) for place in table.places)


def test_it_is_passed_on_once_and_only_a_higher_number_after_it() -> None:
    table = departing_table(range(4))
    notice = departure(table, 3, number=2)

    def passed_on(leave: Departure) -> bool:
        table.machine().receive(peer_frames.encode_frame(leave), table.now, table.table.ids[1])
        sends = [e for e in table.machine().take() if isinstance(e, Send)]
        assert all(send.but == {table.table.ids[1]} for send in sends)
        return bool(sends)

    assert passed_on(notice)
    assert not passed_on(notice)
    assert not passed_on(departure(table, 3, number=1))
    assert passed_on(departure(table, 3, number=3))


def test_a_forged_departure_costs_the_link_and_proves_nothing_of_the_seat() -> None:
    table = departing_table(range(4))
    tip = table.machine().tip
    for who, table_id in ((2, table.table.id), (3, b"o" * 32)):
        forged = signed_notices.sign_notice(
            identity(who), table_id, signed_notices.Departure(3, 1, 0, tip.step, tip.digest)
        )
        fails(Invalid, "", hear_departure, table, 0, forged)
    assert table.machine().away() == frozenset()
    assert inspect(table.machine()).proofs == {}
    assert inspect(table.machine()).departures.get(3, 0) == 0


def test_departures_prove_nothing_of_anyone_and_one_of_each_seat_is_stored() -> None:
    table = departing_table(range(4))
    tip, sign = table.machine().tip, signed_notices.sign_notice
    for number, on in enumerate((tip.digest, b"x" * 32, tip.digest), 1):
        notice = Departure(3, number, 0, tip.step, on)
        hear_departure(table, 0, sign(table.who[3], table.table.id, notice))
    assert inspect(table.machine()).proofs == {}
    assert not table.places[0].of_kind(Guilty)
    assert len(inspect(table.machine()).store) == len(
        inspect(departing_table(range(4)).machine()).store
    )
    table = departing_table(range(4))
    for number in range(1, 255):
        hear_departure(table, 0, departure(table, 3, number=number, epoch=number))
    assert len(inspect(table.machine()).departures) == 1
    assert len(table.places[0].journal) == len(departing_table(range(4)).places[0].journal)


# By themselves


def test_a_peer_has_a_seat_if_its_id_is_one_of_the_table(table: MachineTable) -> None:
    peers, ids = peers_of(table.machine()), table.table.ids
    assert [peers.seat_of(one) for one in (*ids, bytes(32), None)] == [0, 1, 2, 3, None, None]
    assert peers.link_up(bytes(32), again=False) is None
    assert peers.links == {1, 2, 3}
    peers.link_down(ids[2])
    assert peers.links == {1, 3}
    peers.hear(ids[2])
    assert 2 not in peers.direct, "it came over no link of its own"
    assert peers.link_up(ids[2], again=False) == 2
    assert peers.links == {1, 2, 3}


def test_the_loss_of_a_direct_link_is_told_once(table: MachineTable) -> None:
    peers, ids = peers_of(table.machine()), table.table.ids
    peers.tell_direct()
    peers.link_down(ids[2])
    assert [peers.tell_direct(), peers.tell_direct()] == [True, False]
    peers.link_up(ids[2], again=False)
    peers.link_down(ids[2])
    assert not peers.tell_direct(), "nothing had come over it"


def test_an_input_is_deferred_until_the_chain_is_at_its_node(table: MachineTable) -> None:
    machine, tip = table.machine(), table.machine().tip
    here = _input(table, 1)
    elsewhere = table.sign(2, StepInput(0, tip.step, b"x" * 32, b"\x90"))
    other = table.sign(3, StepInput(0, tip.step, tip.digest, b"\x90"))
    for message in (here, elsewhere, other):
        store_of(machine).add(message)
    for message in (here, elsewhere):
        peers_of(machine).defer(message)
    assert peers_of(machine).take_deferred() == [here]
    assert peers_of(machine).take_deferred() == []
    peers_of(machine).defer(lost := table.sign(1, StepInput(0, 99, bytes(32), b"")))
    peers_of(machine).forget_deferred()
    assert peers_of(machine).deferred == {elsewhere.hash}
    assert lost.hash not in peers_of(machine).deferred


def test_a_quota_takes_what_fits_and_gives_nothing_back(table: MachineTable) -> None:
    peers = peers_of(table.machine())
    one, other = (0, 3, (None, False)), (0, 3, (2, False))
    assert peers.grant(one, 60, 100)
    assert not peers.grant(one, 41, 100)
    assert peers.grant(one, 40, 100)
    assert not peers.grant(one, 1, 100)
    assert peers.grant(other, 100, 100), "each quota has its own bytes"


def test_what_is_missing_is_asked_for_in_turn(table: MachineTable) -> None:
    machine = table.machine()
    assert peers_of(machine).next_fetch() is None
    store_of(machine).want_new_epoch(3)
    assert peers_of(machine).next_fetch() == peer_frames.Fetch((), (3,))
    hashes = [bytes([n]) * 32 for n in (1, 2, 3)]
    alter(machine, wants={hashes[2], hashes[0]}, wanted_new_epochs=set())
    assert peers_of(machine).next_fetch() == peer_frames.Fetch((hashes[0], hashes[2]), ())
    alter(machine, wants=set(hashes))
    assert peers_of(machine).next_fetch() == peer_frames.Fetch(tuple(hashes), ())


def test_only_a_departure_to_the_first_deal_counts_as_given_up() -> None:
    """And only while the deck is to be confirmed; a return takes it not back."""
    table = setup_before(Kind.DECK_OK)
    machine, step = table.machine(), table.machine().tip.step
    for seat, ahead, number, gives_up in ((1, 0, 1, True), (2, 2, 1, False), (2, 1, 3, True)):
        peers_of(machine).keep_departure(departure(table, seat, number=number, ahead=ahead))
        assert (seat in peers_of(machine).departures.given_up) is gives_up
    assert step + 1 == table.table.first_step
    peers_of(machine).keep_departure(departure(table, 1, number=2))
    assert 1 in peers_of(machine).departures.given_up


def test_what_nobody_has_does_not_crowd_out_what_is_lacking() -> None:
    machine = toy_table(3).places[0].machine
    fakes = {number.to_bytes(32, "big") for number in range(600)}
    alter(machine, wants=fakes | {b"\xff" * 32})
    alter(machine, wanted_new_epochs=set(range(100)))
    asked: list[peer_frames.Fetch] = []
    for second in range(1, 4):
        machine.tick(second * 2.0)
        asked += [frame for frame in sent(machine) if isinstance(frame, peer_frames.Fetch)]
    assert [len(frame.hashes) for frame in asked] == [512] * 3
    assert b"\xff" * 32 not in asked[0].hashes
    assert {h for frame in asked[:2] for h in frame.hashes} == inspect(machine).store.wants
    assert {epoch for frame in asked[:2] for epoch in frame.new_epochs} == set(range(100))


def test_only_in_epoch_0_may_a_seat_return_that_has_left_at_the_node_before_the_base() -> None:
    """Later that node is one of the game, and whoever leaves there has left ([E-26])."""
    first, later = table_of("four").places[0].machine, table_of("vanished").places[0].machine
    for machine, may in ((first, True), (later, False)):
        followed = inspect(machine)
        assert followed.base.parent is not None
        assert (followed.epoch == 0) == may
        word = Departure(1, 1, followed.epoch, 9, followed.base.parent.digest)
        assert peers_of(machine)._may_return(word) == may
