"""Who is brought which message: each say once, unless its hearer lacks its author ([L-66])."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from support.inspection import alter, inspect
from support.room import Room, begun_room, make_table, toy_choice
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.errors import Invalid
from protocol.seat.effects import Send
from protocol.seat.machine import Machine
from protocol.wire import encoding, frames, messages
from protocol.wire.messages import Late, Message, Say

SEATS = 4


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


class Wired(Room):
    """A room whose seats have some links only; it counts how often a say was brought to a seat."""

    def __init__(self, missing: set[frozenset[int]] | None = None) -> None:
        table, who = make_table(ToyGame(SEATS, 2), SEATS)
        self.missing = missing or set()
        self.brought: Counter[tuple[int, bytes]] = Counter()
        super().__init__(table, who, toy_choice)
        self.drop = lambda a, b, _: frozenset((a, b)) in self.missing

    def link(self, seat: int) -> None:
        for other in range(SEATS):
            if other != seat and frozenset((seat, other)) not in self.missing:
                self.places[seat].machine.link_up(self.table.ids[other], self.now)

    def post(self, seat: int, send: Send) -> None:
        before = len(self.queue)
        super().post(seat, send)
        for source, to, data in self.queue[before:]:
            frame = frames.parse_frame(data)
            if isinstance(frame, frames.Carry) and frozenset((source, to)) not in self.missing:
                message = self.message(frame)
                if isinstance(message.statement, Say):
                    self.brought[to, message.hash] += 1

    def message(self, frame: frames.Carry) -> Message:
        return messages.parse(frame.message, self.table.id, self.table.ids)

    def told(self) -> None:
        """Every seat has told the others whom it hears."""
        for seat, place in enumerate(self.places):
            self.now += 1.0
            place.machine.tick(self.now)
            self.collect(seat)
        while self.deliver():
            pass


def played(room: Wired) -> None:
    """The whole game; what went round before the seats had told each other is not counted."""
    room.start()
    for _ in range(40):
        room.deliver()
    room.told()
    room.brought.clear()
    room.run(until=60.0)
    assert room.done()


def test_where_all_are_linked_each_say_crosses_each_link_once() -> None:
    room = Wired()
    room.start()
    while not inspect(room.places[0].machine).near:
        room.deliver()
    while room.deliver():
        pass
    room.told()
    for seat, place in enumerate(room.places):
        assert inspect(place.machine).near == set(range(SEATS)) - {seat}
    room.brought.clear()
    room.run(until=60.0)
    assert room.done()
    assert set(room.brought.values()) <= {1}


@pytest.mark.parametrize("far", [(0, 1), (1, 3)])
def test_who_lacks_a_link_is_brought_those_words_by_others(far: tuple[int, int]) -> None:
    room = Wired({frozenset(far)})
    played(room)
    for seat in far:
        assert inspect(room.places[seat].machine).near == set(range(SEATS)) - set(far)


def test_on_a_line_all_goes_through_the_middle() -> None:
    line = {frozenset((a, b)) for a in range(SEATS) for b in range(a) if a - b > 1}
    played(Wired(line))


def _say(room: Room, seat: int) -> Message:
    """A say of the step that the room stands in."""
    machine = room.places[0].machine
    statement = Say(0, machine.tip.step, machine.tip.digest, b"\x90")
    return messages.sign(room.who[seat], room.table.id, seat, statement)


def _spared(machine: Machine, message: Message, source: bytes) -> frozenset[bytes]:
    """To whom the machine does not pass on a message that comes from `source`."""
    machine.take()
    frame = frames.encode_frame(frames.Carry(message.encode()))
    machine.receive(frame, 0.0, source)
    (sent,) = [e for e in machine.take() if isinstance(e, Send) and e.frame == frame]
    assert sent.peer is None
    return sent.but


def _tell_near(room: Room, who: int, *near: int) -> None:
    sync = frames.Sync(0, 0, (), near)
    room.places[0].machine.receive(frames.encode_frame(sync), 0.0, room.table.ids[who])


@pytest.fixture
def room() -> Room:
    """A game that has begun for seat 0, to whom nobody has told whom he hears."""
    found = begun_room(ToyGame(SEATS, 1))
    alter(found.places[0].machine, spared={})
    return found


def test_only_those_who_hear_its_author_are_spared_a_say(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    _tell_near(room, 2, 1, 3)
    _tell_near(room, 3, 2)
    assert _spared(machine, _say(room, 1), ids[1]) == {ids[1], ids[2]}


def test_the_last_word_counts_and_ends_with_the_link(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    _tell_near(room, 2, 1)
    _tell_near(room, 2, 3)
    _tell_near(room, 3, 1)
    machine.link_down(ids[3], 0.0)
    assert _spared(machine, _say(room, 1), ids[1]) == {ids[1]}


def test_a_new_link_begins_with_nothing_told(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    _tell_near(room, 2, 1)
    machine.link_up(ids[2], 0.0)
    assert 2 not in inspect(machine).near
    assert _spared(machine, _say(room, 1), ids[1]) == {ids[1]}


def test_wishes_and_votes_go_round_in_any_case(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    _tell_near(room, 2, 1)
    late = messages.sign(room.who[1], room.table.id, 1, Late(1))
    assert _spared(machine, late, ids[1]) == {ids[1]}


def test_who_loses_a_link_tells_all_at_once_and_names_that_seat_no_more(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    assert 2 in inspect(machine).near
    machine.take()
    machine.link_down(ids[2], 0.0)
    (sent,) = [e for e in machine.take() if isinstance(e, Send) and e.peer is None]
    told = frames.parse_frame(sent.frame)
    assert isinstance(told, frames.Sync)
    assert 2 not in told.near
    machine.link_down(ids[2], 0.0)
    assert not [e for e in machine.take() if isinstance(e, Send)]


def test_a_seat_is_near_only_once_its_link_has_brought_something(room: Room) -> None:
    machine, ids = room.places[0].machine, room.table.ids
    machine.link_up(ids[3], 0.0)
    assert 3 not in inspect(machine).near
    machine.receive(frames.encode_frame(frames.Told()), 0.0, ids[3])
    assert 3 in inspect(machine).near


@pytest.mark.parametrize("near", [(16,), (*range(16), 0), (-1,), ("1",), 1])
def test_other_forms_of_near_are_no_frame(near: object) -> None:
    fields = (2, 0, 1, (), near)
    data = b"\x95\x02\x00\x01\x90\x91\xff" if near == (-1,) else encoding.encode(fields)  # type: ignore[arg-type]
    with pytest.raises(Invalid):
        frames.parse_frame(data)


def test_what_a_liar_says_to_one_only_reaches_the_others_within_two_seconds() -> None:
    """Seat 3 speaks to seat 0 alone, and all have told that they hear it."""
    room = Wired()
    room.start()
    for _ in range(200):
        room.deliver()
    room.told()
    room.drop = lambda a, b, data: a == 3 and b != 0 and frames.parse_frame(data) != frames.Told()
    room.run(until=200.0)
    assert room.done()
    assert all(place.machine.tip.present == set(range(SEATS)) for place in room.places)
