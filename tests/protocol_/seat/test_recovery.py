"""A seat that takes its place again asks first, and after an old journal signs above a floor."""

from collections.abc import Iterator

import pytest
from support.inspection import floor_of, has_signed, inspect
from support.room import Room, make_table, toy_choice
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.seat.core import State
from protocol.seat.effects import Record, Send, Silenced
from protocol.seat.machine import Machine
from protocol.wire import frames, messages
from protocol.wire.header import Patience
from protocol.wire.messages import Late, Message, Say

QUICK = Patience(20_000, 10_000, 3_000, 60_000)


@pytest.fixture(autouse=True)
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


class Home(Room):
    """A toy table; seat 1 thinks, so that the game waits before its first bid."""

    def __init__(self, seats: int = 4, quorum: int | None = None) -> None:
        table, who = make_table(ToyGame(seats, 1), seats, quorum, QUICK)
        super().__init__(table, who, lambda m, a: None if m.seat == 1 else toy_choice(m, a))
        self.start()
        while self.deliver():
            pass

    def restored(self, keep: int | None = None, cautious: bool = False) -> Machine:
        """Seat 1's machine from its journal, or the first `keep` records of it; not linked yet."""
        place = self.places[1]
        place.machine = self.build(1)
        place.machine.restore(place.journal[:keep])
        if cautious:
            place.machine.be_cautious(certain=True)
        place.machine.start(self.now)
        return place.machine

    def link(self, machine: Machine, *seats: int) -> None:
        for seat in seats:
            machine.link_up(self.table.ids[seat], self.now)

    def told(self, machine: Machine, seat: int) -> None:
        frame = frames.encode_frame(frames.Told())
        machine.receive(frame, self.now, self.table.ids[seat])

    def wait(self, machine: Machine, seconds: float) -> None:
        self.now += seconds
        machine.tick(self.now)


def signed(machine: Machine) -> list[Message]:
    """What the machine's own effects carry of its own."""
    found = []
    for effect in machine.take():
        frame = frames.parse_frame(effect.frame) if isinstance(effect, Send) else None
        if isinstance(frame, frames.Carry):
            message = messages.parse(frame.message, machine.table.id, machine.table.ids)
            found += [message] if message.seat == machine.seat else []
    return found


def test_a_resumed_seat_signs_nothing_before_the_linked_seats_have_told() -> None:
    home = Home()
    machine = home.restored()
    assert inspect(machine).state is State.SILENT
    home.wait(machine, 100)
    assert inspect(machine).state is State.SILENT  # linked to nobody: nobody could hear it either
    home.link(machine, 0, 2, 3)
    home.told(machine, 0)
    home.told(machine, 3)
    assert inspect(machine).state is State.SILENT
    home.told(machine, 2)
    assert inspect(machine).state is State.STANDING
    assert inspect(machine).floor == 0


def test_who_is_linked_to_one_seat_alone_gives_the_others_time_to_come() -> None:
    """That one may be a liar who tells nothing of what this seat has signed."""
    home = Home()
    machine = home.restored()
    home.link(machine, 0)
    home.told(machine, 0)
    home.wait(machine, 2.9)
    assert inspect(machine).state is State.SILENT
    home.wait(machine, 0.2)
    assert inspect(machine).state is State.STANDING


def test_a_mute_liar_costs_a_resumed_seat_only_the_grace() -> None:
    home = Home()
    machine = home.restored()
    home.link(machine, 0, 2, 3)
    home.told(machine, 0)
    home.told(machine, 2)
    home.wait(machine, 2.9)
    assert inspect(machine).state is State.SILENT
    home.wait(machine, 0.2)
    assert inspect(machine).state is State.STANDING
    assert inspect(machine).floor == 0
    assert not signed(machine)


def test_a_silent_seat_answers_all_the_same() -> None:
    home = Home()
    machine = home.restored()
    machine.take()
    sync = frames.Sync(0, home.table.first_step, ())
    machine.receive(frames.encode_frame(sync), home.now, home.table.ids[2])
    machine.receive(frames.encode_frame(frames.Own()), home.now, home.table.ids[2])
    sent = [frames.parse_frame(e.frame) for e in machine.take() if isinstance(e, Send)]
    assert any(isinstance(frame, frames.Carry) for frame in sent)
    assert isinstance(sent[-1], frames.Told)


def test_a_seat_that_comes_back_to_nobody_before_the_game_does_not_name_itself() -> None:
    table, who = make_table(ToyGame(3, 1), 3, patience=QUICK)
    room = Room(table, who, lambda m, a: None)
    machine = room.places[0].machine
    machine.restore([])
    machine.start(0.0)
    machine.tick(100.0)
    assert machine.broken is not None
    assert machine.broken.seat == 1


def test_a_lost_link_is_waited_for_no_longer_than_the_grace() -> None:
    home = Home()
    machine = home.restored()
    home.link(machine, 0, 2, 3)
    home.told(machine, 0)
    home.told(machine, 3)
    machine.link_down(home.table.ids[2], home.now)
    assert inspect(machine).state is State.SILENT
    home.wait(machine, 3)
    assert inspect(machine).state is State.STANDING


def test_grace_does_not_run_while_nobody_is_linked() -> None:
    home = Home()
    machine = home.restored()
    home.link(machine, 0, 2)
    home.wait(machine, 2)
    for seat in (0, 2):
        machine.link_down(home.table.ids[seat], home.now)
    home.wait(machine, 9)
    home.link(machine, 2)
    home.wait(machine, 2)
    assert inspect(machine).state is State.SILENT
    home.wait(machine, 1.1)
    assert inspect(machine).state is State.STANDING


def test_a_stranger_is_neither_asked_nor_heard() -> None:
    home = Home()
    machine = home.restored()
    machine.take()
    machine.link_up(bytes(32), home.now)
    sent = [frames.parse_frame(e.frame) for e in machine.take() if isinstance(e, Send)]
    assert not any(isinstance(frame, frames.Own) for frame in sent)
    machine.receive(frames.encode_frame(frames.Told()), home.now, bytes(32))
    assert inspect(machine).state is State.SILENT


def resumed_from_old_copy() -> tuple[Home, Machine, Message]:
    """Seat 1 has bid; its journal is that of before, as in a folder restored whole."""
    home = Home()
    keep = len(home.places[1].journal)
    live = home.places[1].machine
    step = live.tip.step
    live.choose(2, home.now)
    says = [m for m in signed(live) if isinstance(m.statement, Say)]
    (bid,) = [m for m in says if m.statement.step == step]  # type: ignore[union-attr]
    return home, home.restored(keep), bid


def test_a_statement_of_its_own_that_it_does_not_know_makes_a_seat_cautious() -> None:
    home, machine, bid = resumed_from_old_copy()
    home.link(machine, 0, 2, 3)
    home.told(machine, 0)
    machine.receive(frames.encode_frame(frames.Carry(bid.encode())), home.now, home.table.ids[2])
    home.told(machine, 2)
    home.wait(machine, 9)
    assert inspect(machine).state is State.SILENT  # three others are present, and one has not told
    home.told(machine, 3)
    assert inspect(machine).state is not State.SILENT
    assert inspect(machine).floor == 2
    records = [e.data for e in machine.take() if isinstance(e, Record)]
    assert records
    assert not has_signed(machine, Late, 1)


def test_a_cautious_seat_goes_on_after_one_patience_if_a_quorum_has_told_with_it() -> None:
    home = Home()
    machine = home.restored(cautious=True)
    home.link(machine, 0, 2, 3)
    home.told(machine, 0)
    home.wait(machine, 11)
    assert inspect(machine).state is State.SILENT
    home.told(machine, 2)
    assert inspect(machine).state is not State.SILENT


@pytest.mark.parametrize(("wishes", "floor"), [((4294967295,), 2), ((7, 9), 2), ((5, 6, 7), 7)])
def test_fewer_than_t_liars_do_not_lift_the_floor(wishes: tuple[int, ...], floor: int) -> None:
    home = Home()
    machine = home.restored(cautious=True)
    for seat, epoch in zip((0, 2, 3), wishes, strict=False):
        late = messages.sign(home.who[seat], home.table.id, seat, Late(epoch))
        frame = frames.encode_frame(frames.Carry(late.encode()))
        machine.receive(frame, home.now, home.table.ids[seat])
    assert floor_of(machine) == floor


def test_a_lost_mark_at_a_strict_table_lets_the_seat_go_on_once_all_have_told() -> None:
    home = Home(3, 3)
    place = home.places[1]
    machine = home.restored()
    machine.be_cautious(certain=False)
    home.link(machine, 0, 2)
    home.told(machine, 0)
    home.wait(machine, 1000)
    assert inspect(machine).state is State.SILENT
    home.told(machine, 2)
    assert inspect(machine).state is State.STANDING
    assert inspect(machine).floor == 0
    home.choose = toy_choice
    home.collect(1)
    home.run(until=5)
    assert all(p.machine.finished for p in home.places)
    assert place.machine is machine


def test_an_old_journal_at_a_strict_table_is_silent_and_says_so_once() -> None:
    home = Home(3, 3)
    machine = home.restored(cautious=True)
    for seat in (0, 2):
        home.link(machine, seat)
        home.told(machine, seat)
    home.wait(machine, 1)
    home.wait(machine, 1000)
    assert inspect(machine).state is State.SILENT
    assert sum(isinstance(effect, Silenced) for effect in machine.take()) == 1


def test_what_is_told_in_parts_is_asked_on_while_it_rises() -> None:
    home = Home()
    machine = home.restored()
    peer = home.table.ids[0]
    machine.link_up(peer, home.now)
    machine.take()

    def asked_after(last: bytes) -> list[frames.FrameBody]:
        machine.receive(frames.encode_frame(frames.Told(last, True)), home.now, peer)
        return [frames.parse_frame(e.frame) for e in machine.take() if isinstance(e, Send)]

    first, second = b"\x01" * 32, b"\x02" * 32
    assert asked_after(first) == [frames.Own(first)]
    assert asked_after(first) == []
    assert asked_after(bytes(32)) == []
    assert asked_after(second) == [frames.Own(second)]
    assert inspect(machine).state is State.SILENT


def test_the_same_journal_restored_twice_frames_nobody() -> None:
    """The whole folder is restored, and its seat resumed beside one mute liar."""
    home, machine, bid = resumed_from_old_copy()
    home.places[1].machine = machine
    told = frames.encode_frame(frames.Told())[:2]
    home.drop = lambda source, to, frame: (source, to) == (3, 1) and frame[:2] == told
    for seat in (0, 2):  # they have heard what the seat has forgotten
        home.places[seat].machine.receive(
            frames.encode_frame(frames.Carry(bid.encode())), home.now, home.table.ids[1]
        )
        home.collect(seat)
    home.choose = toy_choice
    home.link(1)
    home.collect(1)
    home.run(until=300)
    for seat in (0, 1, 2):
        at = home.places[seat].machine
        assert at.finished
        assert 1 not in inspect(at).proofs
        assert 1 not in at.tip.banned
    bids = {
        m.hash
        for m in inspect(home.places[0].machine).store.by_seat(1)
        if isinstance(m.statement, Say) and m.identity == bid.identity
    }
    assert bids == {bid.hash}
