"""Files of one game: the same for all, compact, canonical, without secrets."""

import hashlib

import pytest
from support.forgeries.bodies import patched, plus_one
from support.inspection import store_of
from support.machine_table import carried, seeded
from support.played import (
    DISTURBED,
    TABLES,
    files_of,
    forging_in,
    game_of,
    new_room,
    room_of,
)

from protocol.chain import transition
from protocol.chain.chain_state import Kind, new_secrets
from protocol.crypto import group
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript import transcript_format
from protocol.transcript.transcript_format import (
    MAGIC,
    VERSION,
    ReconfigurationEntry,
    StepEntry,
    Transcript,
)
from protocol.transcript.transcript_writer import to_the_end
from protocol.transcript.verifier import verify


def read(data: bytes) -> Transcript:
    return transcript_format.read(transcript_format.open_file(data))


@pytest.mark.parametrize("name", list(TABLES))
def test_all_honest_seats_write_the_same_content_and_each_file_reads_back(name: str) -> None:
    """And the same bytes when nothing is wrong."""
    files, table = files_of(name), room_of(name).table
    assert read(files[0]).encode() == files[0]
    assert len(files) >= (table.quorum if name in DISTURBED else table.seats)
    assert len({verify(data, game_of).digest for data in set(files)}) == 1
    assert all(read(data).content == read(files[0]).content for data in files)
    assert len(set(files)) == 1 or name in DISTURBED


def test_the_id_tells_games_apart() -> None:
    names = ["four", "escrow opened", "returned", "equivocator", "wrong share", "empty escrow"]
    assert len({verify(files_of(name)[0], game_of).digest for name in names}) == len(names)


@pytest.mark.parametrize("name", ["doubted", "doubted end", "spoilt result"])
def test_how_the_seats_came_to_agree_is_no_content(name: str) -> None:
    assert read(files_of(name)[0]).content == read(files_of("four")[0]).content


def test_a_file_is_magic_version_evidence_and_the_content_header_and_entries() -> None:
    value = transcript_format.open_file(files_of("returned")[0])
    assert value[:2] == (MAGIC, VERSION) == ("hoity-transcript", 3)
    assert len(value) == 4
    content = read(files_of("returned")[0]).content
    assert content.header == room_of("returned").table.header.encode()
    links = [entry for entry in content.entries if isinstance(entry, ReconfigurationEntry)]
    assert links == [
        ReconfigurationEntry(here, (), (0, 0, 0, 1)) for here in ((0, 1, 2), (0, 1, 2, 3))
    ]


def test_the_last_inputs_and_what_comes_after_the_end_are_no_content() -> None:
    """A ban for the last input leaves the game as it was without it."""
    plain, spoilt = read(files_of("four")[0]), read(files_of("spoilt result")[0])
    assert plain.content == spoilt.content
    assert [seat for seat, _ in plain.evidence.final] == [0, 1, 2, 3]
    assert spoilt.evidence.final == ()
    assert len(spoilt.evidence.commits) == 3


def test_a_step_has_one_signature_a_body_and_an_undisturbed_game_needs_no_votes() -> None:
    evidence = read(files_of("six")[0]).evidence
    assert (evidence.messages, evidence.new_epochs, evidence.commits) == ((), (), ())
    assert {epoch for row in evidence.signatures for epoch, _ in row} == {0}
    whole = read(files_of("escrow opened")[0])
    steps = [entry for entry in whole.content.entries if isinstance(entry, StepEntry)]
    said = [sum(isinstance(slot, bytes) for slot in step.slots) for step in steps]
    assert said == [len(row) for row in whole.evidence.signatures]


def test_the_lowest_epoch_is_written() -> None:
    """Three seats gave the same input in epoch 0 and, with the fourth, again in epoch 1."""
    machine = room_of("doubted").places[0].machine
    whole, nodes = read(files_of("doubted")[0]), to_the_end(machine.tip)
    at = next(i for i, node in enumerate(nodes) if node.want.kind is Kind.OVER)
    again = store_of(machine).inputs(1, nodes[at].step)
    assert sorted(m.seat for m in again) == [0, 1, 2, 3]
    assert [epoch for epoch, _ in whole.evidence.signatures[at]] == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["four", "returned", "equivocator"])
def test_no_honest_secret_is_in_the_file(name: str) -> None:
    room = room_of(name)
    files = files_of(name)
    for seat in range(room.table.seats):
        seed = hashlib.sha256(f"secret{seat}".encode()).digest()
        secrets = new_secrets(seed, room.table.quorum)
        numbers = [group.encode_scalar(c) for c in secrets.polynomial]
        assert group.mul_base(secrets.key) in files[0]
        assert not [s for s in (seed, secrets.box, *numbers) if any(s in f for f in files)]


def test_a_watcher_writes_the_same_file() -> None:
    room = room_of("vanished")
    watcher = SeatMachine(room.table, seeded("watcher"))
    watcher.start(room.now)
    for message in store_of(room.places[0].machine):
        watcher.receive(carried(message), room.now)
    assert watcher.transcript() == files_of("vanished")[0]


def test_an_unfinished_game_may_be_written() -> None:
    """The last inputs are written only when all are there."""
    room = new_room(3)
    start = room.places[0].machine.transcript()
    assert read(start).content.entries == ()
    room.start()
    for _ in range(90):
        room.deliver()
    data = room.places[0].machine.transcript()
    report = verify(data, game_of)
    assert len(read(data).content.entries) == report.steps > 0
    assert report.unfinished
    assert not report.ok
    room = new_room(3)
    room.start()
    while room.places[0].machine.tip.want.kind is not Kind.RESULT:
        assert room.deliver()
    assert room.places[0].machine.awaited()
    data = room.places[0].machine.transcript()
    assert read(data).evidence.final == ()
    assert verify(data, game_of).unfinished


def test_a_base_that_ends_the_game_needs_no_last_inputs() -> None:
    machine = room_of("doubted end").places[0].machine
    evidence = read(files_of("doubted end")[0]).evidence
    assert len(store_of(machine).inputs(1, machine.tip.step)) == 4
    assert (evidence.final, len(evidence.commits)) == ((), 3)


def test_an_item_is_found_by_its_path() -> None:
    data = files_of("two")[0]
    value = transcript_format.open_file(data)
    body = value[2][1][3][1][0]
    at = transcript_format.offset_of(value, (2, 1, 3, 1, 0))
    assert data[at:].startswith(b"\xc5" + len(body).to_bytes(2, "big") + body)


def test_digests_of_steps_and_reconfigurations_are_those_of_the_chain() -> None:
    for node in to_the_end(room_of("returned").places[0].machine.tip)[1:]:
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
    room = new_room(seats, quorum=quorum, cheaters={1: lie})
    room.play(until=400)
    machine = room.machine(0)
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
