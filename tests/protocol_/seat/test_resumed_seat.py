"""A seat that takes its place again asks first, and after an old journal signs above a floor."""

import random

import pytest
from support.inspection import has_signed, inspect, keep, next_floor, secrets_of
from support.machine_table import (
    MachineTable,
    answer_inquiry,
    carried,
    sent,
    toy_table,
    waiting_table,
)
from support.sampling import sample

from protocol.seat.effects import Broken, JournalDoubted, Record, SigningEnded
from protocol.seat.seat_machine import SeatMachine
from protocol.seat.signer import SigningState
from protocol.wire import peer_frames
from protocol.wire.signed_messages import EpochPromise, EpochRequest, Message, StepInput
from protocol.wire.signed_notices import EndNotice, sign_notice


def bidding_table(seats: int = 4, quorum: int | None = None) -> MachineTable:
    """Return a table that waits for the first bid of seat 1, whose machine is looked at."""
    return waiting_table({1}, seats, quorum)


def restored(table: MachineTable, keep: int | None = None, cautious: bool = False) -> SeatMachine:
    """Return seat 1's machine from its journal, or its first `keep` records; not linked yet."""
    place = table.places[1]
    place.machine = table.build(1)
    place.machine.restore(place.journal[:keep])
    if cautious:
        place.machine.be_cautious(certain=True)
    place.machine.start(table.now)
    return place.machine


def link(table: MachineTable, *seats: int) -> None:
    """Let seat 1 be linked to others."""
    for seat in seats:
        table.machine(1).link_up(table.table.ids[seat], table.now)


def told(table: MachineTable, seat: int) -> None:
    """Let another seat have told seat 1 all that it stores of it."""
    frame = peer_frames.encode_frame(peer_frames.Told())
    table.machine(1).receive(frame, table.now, table.table.ids[seat])


def wait(table: MachineTable, seconds: float) -> None:
    """Let time pass for seat 1 alone."""
    table.now += seconds
    table.machine(1).tick(table.now)


def longest(table: MachineTable) -> float:
    """Return for how many seconds a seat waits for all others to tell: a timeout and a back-off."""
    timeouts = table.table.header.terms.timeouts
    return (timeouts.step + timeouts.back_off) / 1000


def test_a_resumed_seat_signs_nothing_before_the_linked_seats_have_told() -> None:
    table = bidding_table()
    machine = restored(table)
    assert inspect(machine).state is SigningState.SILENT
    link(table, 0, 2, 3)
    for seat in (0, 3, 2):
        assert inspect(machine).state is SigningState.SILENT
        told(table, seat)
    assert (inspect(machine).state, inspect(machine).floor) == (SigningState.STANDING, 0)


def test_a_resumed_seat_signs_nothing_while_fewer_than_a_quorum_with_it_have_told() -> None:
    """Those that were linked first may be the faulty ones, and hide what it has signed."""
    table = bidding_table()
    machine = restored(table)
    wait(table, 100)
    link(table, 0, 2, 3)
    told(table, 0)
    wait(table, 100)
    assert inspect(machine).state is SigningState.SILENT
    told(table, 2)
    assert inspect(machine).state is SigningState.STANDING


@pytest.mark.parametrize("breaks", [False, True])
def test_a_seat_that_tells_nothing_costs_a_resumed_seat_one_step_timeout(breaks: bool) -> None:
    table = bidding_table()
    machine = restored(table)
    link(table, 0, 2, 3)
    told(table, 0)
    told(table, 2)
    if breaks:
        machine.link_down(table.table.ids[3], table.now)
    wait(table, longest(table) - 0.1)
    assert inspect(machine).state is SigningState.SILENT
    wait(table, 0.2)
    assert inspect(machine).state is SigningState.STANDING
    assert inspect(machine).floor == 0


def test_a_silent_seat_answers_all_the_same_and_hears_no_stranger() -> None:
    table = bidding_table()
    machine = restored(table)
    machine.take()
    sync = peer_frames.Sync(0, table.table.first_step, ())
    machine.receive(peer_frames.encode_frame(sync), table.now, table.table.ids[2])
    machine.receive(peer_frames.encode_frame(peer_frames.Own()), table.now, table.table.ids[2])
    found = sent(machine)
    assert any(isinstance(frame, peer_frames.Carry) for frame in found)
    assert isinstance(found[-1], peer_frames.Told)
    machine.link_up(bytes(32), table.now)
    assert not any(isinstance(frame, peer_frames.Own) for frame in sent(machine))
    machine.receive(peer_frames.encode_frame(peer_frames.Told()), table.now, bytes(32))
    assert inspect(machine).state is SigningState.SILENT


def test_a_seat_that_comes_back_to_nobody_before_the_game_does_not_name_itself() -> None:
    machine = toy_table(3).machine()
    machine.restore([])
    machine.start(0.0)
    machine.tick(100.0)
    assert (machine.broken or Broken("")).seat == 1


def resumed_from_old_copy() -> tuple[MachineTable, SeatMachine, Message]:
    """Return a table whose seat 1 has bid, and has the journal from before that."""
    table = bidding_table()
    keep = len(table.places[1].journal)
    live = table.machine(1)
    step = live.tip.step
    live.choose(2, table.now)
    inputs = [m for m in table.own_messages(1, live.take()) if isinstance(m.statement, StepInput)]
    (bid,) = [m for m in inputs if m.statement.step == step]  # type: ignore[union-attr]
    return table, restored(table, keep), bid


def test_a_statement_of_its_own_that_it_does_not_know_makes_a_seat_cautious() -> None:
    table, machine, bid = resumed_from_old_copy()
    link(table, 0, 2, 3)
    told(table, 0)
    machine.receive(carried(bid), table.now, table.table.ids[2])
    told(table, 2)
    wait(table, 9)
    assert (
        inspect(machine).state is SigningState.SILENT
    )  # three others are present, and one has not told
    told(table, 3)
    assert inspect(machine).state is not SigningState.SILENT
    assert inspect(machine).floor == 2
    records = [e.data for e in machine.take() if isinstance(e, Record)]
    assert records
    assert not has_signed(machine, EpochRequest, 1)


def test_a_seat_that_lacks_the_base_of_its_own_statement_asks_for_it_before_it_promises() -> None:
    """Its promise of a higher epoch must name the statement, and so the base it was made on."""
    table = bidding_table()
    machine = table.machine(1)
    tip = machine.tip
    keep(machine, table.sign(1, StepInput(1, tip.step, tip.digest, b"")))
    for seat in (0, 2, 3):
        table.tell(1, table.sign(seat, EpochRequest(2)))
    assert inspect(machine).store.wanted_new_epochs == {1}
    assert not has_signed(machine, EpochPromise, 2)


def test_a_cautious_seat_goes_on_after_a_step_timeout_if_a_quorum_has_told_with_it() -> None:
    table = bidding_table()
    machine = restored(table, cautious=True)
    link(table, 0, 2, 3)
    told(table, 0)
    wait(table, longest(table) + 1)
    assert inspect(machine).state is SigningState.SILENT
    told(table, 2)
    assert inspect(machine).state is not SigningState.SILENT


@pytest.mark.parametrize(("requests", "floor"), [((4294967295,), 2), ((7, 9), 2), ((5, 6, 7), 7)])
def test_fewer_than_t_faulty_seats_do_not_lift_the_floor(
    requests: tuple[int, ...], floor: int
) -> None:
    table = bidding_table()
    machine = restored(table, cautious=True)
    for seat, epoch in zip((0, 2, 3), requests, strict=False):
        machine.receive(
            carried(table.sign(seat, EpochRequest(epoch))), table.now, table.table.ids[seat]
        )
    assert next_floor(machine) == floor


def test_a_lost_mark_at_a_strict_table_lets_the_seat_go_on_once_all_have_told() -> None:
    table = bidding_table(3, 3)
    place = table.places[1]
    machine = restored(table)
    machine.be_cautious(certain=False)
    link(table, 0, 2)
    told(table, 0)
    wait(table, 1000)
    assert inspect(machine).state is SigningState.SILENT
    told(table, 2)
    assert inspect(machine).state is SigningState.STANDING
    assert inspect(machine).floor == 0
    table.thinkers.clear()
    table.collect(1)
    table.run(until=5)
    assert all(p.machine.finished for p in table.places)
    assert place.machine is machine


def test_an_old_journal_at_a_strict_table_is_silent_and_says_so_once() -> None:
    table = bidding_table(3, 3)
    machine = restored(table, cautious=True)
    for seat in (0, 2):
        link(table, seat)
        told(table, seat)
    wait(table, 1)
    wait(table, 1000)
    assert inspect(machine).state is SigningState.SILENT
    assert sum(isinstance(effect, SigningEnded) for effect in machine.take()) == 1


def test_an_old_journal_at_a_strict_table_is_silent_after_a_second_crash_too() -> None:
    """The journal looks current by then, but for the record that it is old."""
    table = bidding_table(3, 3)
    journal = table.places[1].journal
    first = restored(table, cautious=True)
    journal += [e.data for e in first.take() if isinstance(e, Record)]
    machine = restored(table)
    for seat in (0, 2):
        link(table, seat)
        told(table, seat)
    wait(table, 1000)
    assert inspect(machine).state is SigningState.SILENT
    assert sum(isinstance(effect, SigningEnded) for effect in machine.take()) == 1


@pytest.mark.parametrize("is_cautious", [False, True])
def test_a_crash_while_a_forgotten_statement_is_recorded_does_not_make_it_known(
    is_cautious: bool,
) -> None:
    """Wherever the records end, the seat is as cautious as before the crash."""
    table, machine, bid = resumed_from_old_copy()
    if is_cautious:
        machine.be_cautious(certain=False)
    before = [e.data for e in machine.take() if isinstance(e, Record)]
    machine.receive(carried(bid), table.now, table.table.ids[2])
    records = [e.data for e in machine.take() if isinstance(e, Record)]
    assert len(records) == 2
    kept = table.places[1].journal
    for end in (1, 2):
        again = table.build(1)
        again.restore([*kept, *before, *records[:end]])
        inquiry = inspect(again).inquiry
        assert inquiry is not None
        assert inquiry.cautious
        assert inquiry.certain


def test_what_is_told_in_parts_is_asked_on_while_it_rises() -> None:
    table = bidding_table()
    machine = restored(table)
    peer = table.table.ids[0]
    machine.link_up(peer, table.now)
    machine.take()

    def asked_after(last: bytes) -> list[peer_frames.FrameBody]:
        machine.receive(peer_frames.encode_frame(peer_frames.Told(last, True)), table.now, peer)
        return sent(machine)

    first, second = b"\x01" * 32, b"\x02" * 32
    assert asked_after(first) == [peer_frames.Own(first)]
    assert asked_after(first) == []
    assert asked_after(bytes(32)) == []
    assert asked_after(second) == [peer_frames.Own(second)]
    assert inspect(machine).state is SigningState.SILENT


def test_the_same_journal_restored_twice_frames_nobody() -> None:
    """The whole folder is restored, and its seat resumed beside one mute liar."""
    table, _, bid = resumed_from_old_copy()
    told = peer_frames.encode_frame(peer_frames.Told())[:2]
    table.drop = lambda source, to, frame: (source, to) == (3, 1) and frame[:2] == told
    for seat in (0, 2):  # they have heard what the seat has forgotten
        table.tell(seat, bid)
    table.thinkers.clear()
    table.link(1)
    table.collect(1)
    table.run(until=300)
    for seat in (0, 1, 2):
        at = table.machine(seat)
        assert at.finished
        assert 1 not in inspect(at).proofs
        assert 1 not in at.tip.banned
    bids = [m for m in inspect(table.machine()).store.by_seat(1) if m.identity == bid.identity]
    assert {m.hash for m in bids} == {bid.hash}


@pytest.mark.parametrize("case", sample(range(60), 6, "links of an old copy"))
def test_an_old_copy_that_links_a_quorum_within_a_timeout_contradicts_nothing(case: int) -> None:
    """That is so whenever the honest seats are linked, and whatever a faulty one tells before."""
    die = random.Random(f"links of an old copy {case}")
    table, _, bid = resumed_from_old_copy()
    liar, *honest = die.sample([0, 2, 3], 3)
    for seat in honest:
        table.tell(seat, bid)
    start, step = table.now, table.table.header.terms.timeouts.step / 1000
    linked = {liar: 0.0} | {seat: die.uniform(0.0, step) for seat in honest}
    table.cut = lambda a, b: 1 in (a, b) and table.now < start + linked[a + b - 1]
    table.drop = lambda source, to, frame: (source, to) == (liar, 1) and table.message(frame) == bid
    if die.random() < 0.5:  # else it tells nothing
        told(table, liar)
    table.thinkers.clear()
    for seat, seconds in sorted(linked.items(), key=lambda pair: pair[1]):
        while table.now < start + seconds:
            table.run(until=0.1, step=0.1)
        table.up(1, seat)
        table.up(seat, 1)
    table.run(until=300)
    for seat in honest:
        assert table.machine(seat).finished
        assert 1 not in inspect(table.machine(seat)).proofs
        assert 1 not in table.machine(seat).tip.banned
    bids = inspect(table.machine(honest[0])).store.by_seat(1)
    assert {m.hash for m in bids if m.identity == bid.identity} == {bid.hash}


SETUP = 12
"""So many records of a journal are of setup."""


@pytest.mark.parametrize("reason", ["seat-left", "silent-seat", "bad-body"])
def test_a_notice_does_not_end_a_game_that_an_old_journal_does_not_show(reason: str) -> None:
    """A folder was restored as a whole. A faulty seat says that the table has ended in setup."""
    table = bidding_table()
    machine = restored(table, SETUP)
    assert machine.is_bound
    assert not machine.has_begun
    link(table, 0)
    notice = sign_notice(table.who[0], table.table.id, EndNotice(0, reason, 2))
    machine.receive(peer_frames.encode_frame(notice), table.now, table.table.ids[0])
    wait(table, 1.5)
    assert machine.broken is None
    for seat in (2, 3):
        told(table, seat)
    wait(table, longest(table))
    assert machine.broken == Broken(reason, 2, 0)


def test_a_seat_that_resumes_first_keeps_an_old_journal_of_setup_and_announces_no_end() -> None:
    table = bidding_table()
    machine = restored(table, SETUP)
    wait(table, table.table.header.terms.timeouts.step / 1000)
    assert machine.broken is not None
    assert machine.is_bound
    assert not [frame for frame in sent(machine) if isinstance(frame, EndNotice)]


def test_a_journal_with_an_own_end_notice_is_not_of_a_game_that_may_begin() -> None:
    table = toy_table(3)
    table.hold_back = lambda seat, other, frame: seat == 2
    table.start()
    table.run(until=11)
    assert table.machine().broken is not None
    table.crash_and_resume(0)
    assert not table.machine().is_bound


def test_an_old_journal_signs_nothing_until_all_others_have_told() -> None:
    table = toy_table(3)
    table.play(until=0.0)
    place = table.places[1]
    machine = table.build(1)
    machine.restore(place.journal[: len(place.journal) // 2])
    machine.be_cautious()
    machine.start(table.now)
    assert inspect(machine).state is SigningState.SILENT
    answer_inquiry(machine, table.now, table.table.ids[0])
    assert inspect(machine).state is SigningState.SILENT
    assert not any(isinstance(frame, peer_frames.Carry) for frame in sent(machine))
    answer_inquiry(machine, table.now, table.table.ids[2])
    assert inspect(machine).inquiry is None
    assert inspect(machine).floor > 0


def test_a_seat_that_hears_of_a_statement_it_does_not_know_signs_nothing_more_unasked() -> None:
    table = toy_table(4)
    table.begin(3)
    unknown = table.sign(3, EpochRequest(2))
    machine = table.machine(3)
    machine.receive(carried(unknown), table.now, table.table.ids[0])
    table.collect(3)
    assert inspect(machine).state is SigningState.SILENT
    assert inspect(machine).inquiry is not None
    assert inspect(machine).inquiry.certain
    assert any(isinstance(effect, JournalDoubted) for effect in table.places[3].heard)
    machine.receive(carried(unknown), table.now, table.table.ids[1])
    table.run(until=200)
    assert inspect(machine).state is not SigningState.SILENT
    assert inspect(machine).floor > 0
    assert all(p.machine.finished and not inspect(p.machine).proofs for p in table.places)


def test_a_resumed_seat_does_not_write_its_openings_into_the_journal_again() -> None:
    table = bidding_table()
    before = dict(secrets_of(table.machine(1)).openings)
    secrets = secrets_of(restored(table))
    assert before
    assert secrets.openings == before
    assert secrets.unrecorded() == []
