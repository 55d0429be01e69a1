"""Files of one game: the same for all, compact, canonical, without secrets."""

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from support.forgeries.bodies import patched, plus_one
from support.inspection import store_of
from support.machine_table import MachineTable, carried, make_table, seeded
from support.played import DISTURBED, TABLES, files_of, forging_in, game_of, new_table, table_of
from support.sampling import LARGE_FILES
from support.sim.cheap import cheap_blocks
from support.toy_game import Toy, ToyGame

from protocol.chain import transition
from protocol.chain.chain_state import Kind, new_secrets
from protocol.crypto import group
from protocol.game_interface import Chosen
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import MAX_ITEMS, StepEntry, Transcript, opened
from protocol.transcript.transcript_writer import to_the_end
from protocol.transcript.verifier import verify
from protocol.wire import codec


def read_file(data: bytes) -> Transcript:
    return transcript_format.read(transcript_format.open_file(data))


@pytest.mark.parametrize("name", list(TABLES))
def test_all_honest_seats_write_the_same_content_and_each_file_reads_back(name: str) -> None:
    """And the same bytes when nothing is wrong."""
    files, table = files_of(name), table_of(name).table
    assert read_file(files[0]).encode() == files[0]
    assert len(files) >= (table.quorum if name in DISTURBED else table.seats)
    assert len({verify(data, game_of).digest for data in set(files)}) == 1
    assert all(read_file(data).content == read_file(files[0]).content for data in files)
    assert len(set(files)) == 1 or name in DISTURBED


def test_the_id_tells_games_apart() -> None:
    names = ["four", "escrow opened", "returned", "equivocator", "wrong share", "empty escrow"]
    assert len({verify(files_of(name)[0], game_of).digest for name in names}) == len(names)


@pytest.mark.parametrize("name", ["doubted", "doubted end", "spoilt result"])
def test_how_the_seats_came_to_agree_is_no_content(name: str) -> None:
    assert read_file(files_of(name)[0]).content == read_file(files_of("four")[0]).content


def test_the_last_inputs_and_what_comes_after_the_end_are_no_content() -> None:
    """A ban for the last input leaves the game as it was without it."""
    plain, spoilt = read_file(files_of("four")[0]), read_file(files_of("spoilt result")[0])
    assert plain.content == spoilt.content
    assert [seat for seat, _ in plain.evidence.final] == [0, 1, 2, 3]
    assert spoilt.evidence.final == ()
    assert len(spoilt.evidence.commits) == 3


def test_a_step_has_one_signature_a_body_and_an_undisturbed_game_needs_no_votes() -> None:
    evidence = read_file(files_of("six")[0]).evidence
    assert (evidence.messages, evidence.new_epochs, evidence.commits) == ((), (), ())
    assert {epoch for row in evidence.signatures for epoch, _ in row} == {0}
    whole = read_file(files_of("escrow opened")[0])
    steps = [entry for entry in whole.content.entries if isinstance(entry, StepEntry)]
    said = [sum(isinstance(slot, bytes) for slot in step.slots) for step in steps]
    assert said == [len(row) for row in whole.evidence.signatures]


def test_the_lowest_epoch_is_written() -> None:
    """Three seats gave the same input in epoch 0 and, with the fourth, again in epoch 1."""
    machine = table_of("doubted").places[0].machine
    whole, nodes = read_file(files_of("doubted")[0]), to_the_end(machine.tip)
    at = next(i for i, node in enumerate(nodes) if node.want.kind is Kind.OVER)
    again = store_of(machine).inputs(1, nodes[at].step)
    assert sorted(m.seat for m in again) == [0, 1, 2, 3]
    assert [epoch for epoch, _ in whole.evidence.signatures[at]] == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["four", "returned", "equivocator"])
def test_no_honest_secret_is_in_the_file(name: str) -> None:
    table = table_of(name)
    files = files_of(name)
    for seat in range(table.table.seats):
        seed = hashlib.sha256(f"secret{seat}".encode()).digest()
        secrets = new_secrets(seed, table.table.quorum)
        numbers = [group.encode_scalar(c) for c in secrets.polynomial]
        assert group.mul_base(secrets.key) in files[0]
        assert not [s for s in (seed, secrets.box, *numbers) if any(s in f for f in files)]


def test_a_watcher_writes_the_same_file() -> None:
    table = table_of("vanished")
    watcher = SeatMachine(table.table, seeded("watcher"))
    watcher.start(table.now)
    for message in store_of(table.places[0].machine):
        watcher.receive(carried(message), table.now)
    assert watcher.transcript() == files_of("vanished")[0]


def test_an_unfinished_game_may_be_written() -> None:
    """The last inputs are written only when all are there."""
    table = new_table(3)
    start = table.places[0].machine.transcript()
    assert read_file(start).content.entries == ()
    table.start()
    for _ in range(90):
        table.deliver()
    data = table.places[0].machine.transcript()
    report = verify(data, game_of)
    assert len(read_file(data).content.entries) == report.steps > 0
    assert report.unfinished
    assert not report.ok
    table = new_table(3)
    table.start()
    while table.places[0].machine.tip.want.kind is not Kind.RESULT:
        assert table.deliver()
    assert table.places[0].machine.awaited()
    data = table.places[0].machine.transcript()
    assert read_file(data).evidence.final == ()
    assert verify(data, game_of).unfinished


def test_a_base_that_ends_the_game_needs_no_last_inputs() -> None:
    machine = table_of("doubted end").places[0].machine
    evidence = read_file(files_of("doubted end")[0]).evidence
    assert len(store_of(machine).inputs(1, machine.tip.step)) == 4
    assert (evidence.final, len(evidence.commits)) == ((), 3)


def test_digests_of_steps_and_reconfigurations_are_those_of_the_chain() -> None:
    for node in to_the_end(table_of("returned").places[0].machine.tip)[1:]:
        before = node.parent
        assert before is not None
        if node.slots is None:
            found = transition.digest_after_reconfiguration(
                before.digest, node.present, node.banned, node.absences
            )
        else:
            found = transition.digest_after_step(before.digest, node.slots)
        assert found == node.digest


@pytest.mark.parametrize(("seats", "quorum"), [(2, 2), (3, 3)])
def test_where_a_fault_ends_the_game_the_file_ends_with_its_proof(seats: int, quorum: int) -> None:
    """Anyone can check it: the file names the seat, the step and the code."""
    lie = forging_in(Kind.OPEN, patched(1, plus_one))
    table = new_table(seats, quorum=quorum, cheaters={1: lie})
    table.play(until=400)
    machine = table.machine(0)
    assert machine.broken is not None
    report = verify(machine.transcript(), game_of)
    assert report.problem is not None
    assert (report.problem.code, report.problem.seat) == (machine.broken.code, 1)
    assert report.problem.step == machine.tip.step
    assert report.verdict == "fault"


def test_a_fault_that_the_game_survives_is_no_end_of_its_file() -> None:
    report = verify(files_of("wrong share")[0], game_of)
    assert report.ok
    assert report.faults


class LongGame(ToyGame):
    """The toy game of one round, in which so many piles are chosen by the seats in turn."""

    def __init__(self, seats: int, turns: int) -> None:
        super().__init__(seats, 1)
        self.turns = turns

    def apply(self, state: Toy, event: Any) -> Toy:
        if isinstance(event, Chosen) and state.pile + 1 < self.turns:
            return replace(state, pile=state.pile + 1, winner=(state.winner + 1) % self.seats)
        if isinstance(event, Chosen):
            return replace(super().apply(state, event), pile=0)
        return super().apply(state, event)


def long_table(turns: int, seats: int) -> MachineTable:
    return MachineTable(*make_table(LongGame(seats, turns), seats))


@LARGE_FILES
@pytest.mark.parametrize(
    ("turns", "seats"),
    [
        (4_100, 2),
        pytest.param(4_100, 3, marks=pytest.mark.nightly),
        pytest.param(11_960, 3, marks=pytest.mark.nightly),
    ],
)
def test_a_long_game_is_valid(turns: int, seats: int) -> None:
    with cheap_blocks():
        table = long_table(turns, seats)
        table.play(until=60)
        machine = table.machine()
        assert machine.finished
        data = machine.transcript()
        report = verify(data, lambda _: machine.table.game)
    assert report.ok, report.problem
    parts = opened(data).transcript
    assert parts is not None
    assert codec.MAX_ITEMS < turns < report.steps <= len(parts.content.entries) < MAX_ITEMS
    assert len(parts.evidence.signatures) == report.steps
    assert report.epochs > 0 or seats == 2, "no epoch is that long"
