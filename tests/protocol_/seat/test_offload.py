"""Expensive checks are offloaded, no rule runs meanwhile, and the result is the same."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from support.inspection import inspect
from support.machine_table import MachineTable, carried, sent, toy_table
from support.sampling import sample
from support.sim.cheap import cheap_blocks
from support.sim.tables import play

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.seat import offload
from protocol.seat.effects import Broken, Job, Send
from protocol.wire import peer_frames
from protocol.wire.signed_messages import StepInput
from protocol.wire.table_header import Timeouts


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Bodies of the toy game are small: here every one is worth a job."""
    monkeypatch.setattr(offload, "HEAVY", 0)
    with cheap_blocks(shared=False):
        yield


def office(hands_out: bool = True) -> MachineTable:
    """Return a table whose machines hand out what takes long; it is done at once."""
    table = toy_table(3, 2, timeouts=Timeouts())
    for machine in table.machines() if hands_out else ():
        machine.hand_out()
    return table


def until_it_rests(lazy: int, kind: Kind) -> tuple[MachineTable, Job]:
    """Return a table at rest, and the unfinished job of one seat, from a kind of step on."""
    table = office()
    table.does_jobs = lambda seat: seat != lazy or table.machine(lazy).tip.want.kind is not kind
    table.start()
    table.settle()
    job = table.machine(lazy).job
    assert job is not None
    return table, job


def test_a_game_goes_as_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Step by step, and with not one check more."""
    checks: Counter[tuple[bool, int]] = Counter()
    judge = transition.judge

    def counted(node: Node, seat: int, body: bytes) -> Any:
        checks[hands_out, node.step] += 1
        return judge(node, seat, body)

    monkeypatch.setattr(transition, "judge", counted)
    ends = []
    for hands_out in (False, True):
        table = office(hands_out)
        table.play(until=60.0)
        assert table.done()
        assert (table.done_jobs > 0) == hands_out
        ends.append([place.machine.tip.digest for place in table.places])
    assert ends[0] == ends[1]
    with_jobs = {step: count for (handed, step), count in checks.items() if handed}
    assert with_jobs == {step: count for (handed, step), count in checks.items() if not handed}


def test_while_a_job_is_under_way_nothing_is_decided_and_questions_are_answered() -> None:
    table, job = until_it_rests(1, Kind.SHUFFLE)
    machine = table.machine(1)
    tip = machine.tip
    machine.tick(table.now + 3600)
    parsed = [
        peer_frames.parse_frame(e.frame) if isinstance(e, Send) else e for e in machine.take()
    ]
    assert all(isinstance(one, peer_frames.Sync) for one in parsed), (
        "the step has timed out, and it only asks"
    )
    assert machine.tip is tip
    assert machine.job is job
    machine.receive(
        peer_frames.encode_frame(peer_frames.Sync(0, 1, ())), table.now, table.table.ids[0]
    )
    assert {e.peer for e in machine.take() if isinstance(e, Send)} == {table.table.ids[0]}
    machine.finish(Job(lambda: None, lambda given: pytest.fail("taken in")), None, table.now)
    assert machine.job is job
    machine.finish(job, job.run(), table.now)
    assert machine.job is not job


def test_a_seat_that_is_not_heard_yet_is_awaited() -> None:
    table, job = until_it_rests(2, Kind.DEAL)
    machine = table.machine(2)
    said = {m.seat for m in inspect(machine).store.inputs(0, machine.tip.step)}
    assert said - {2}, "others have said their part"
    assert machine.awaited() >= said - {2}
    machine.finish(job, job.run(), table.now)
    assert machine.job is not None
    assert machine.job is not job


def test_a_body_that_is_quickly_checked_is_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, ends = [], []
    for heavy in (0, 512, 1 << 20):
        monkeypatch.setattr(offload, "HEAVY", heavy)
        table = office()
        table.play(until=60.0)
        assert table.done()
        jobs.append(table.done_jobs)
        ends.append(table.machine().tip.digest)
    assert jobs[0] > jobs[1] > jobs[2] > 0, "the own bodies are jobs all the same"
    assert len(set(ends)) == 1


def test_an_illegal_body_has_its_name_behind_the_job() -> None:
    table = office()
    shuffles_from = 4  # the first step in which a deck is shuffled ([N-6])

    def is_shuffle(source: int, to: int, frame: bytes) -> bool:
        said = getattr(table.message(frame), "statement", None)
        return source == 0 and isinstance(said, StepInput) and said.step == shuffles_from

    table.drop = is_shuffle
    table.start()
    table.settle()
    machine, node = table.machine(1), table.machine(1).tip
    told = table.sign(0, StepInput(0, node.step, node.digest, b"no shuffle"))
    machine.receive(carried(told), 1.0, table.table.ids[0])
    assert machine.job is not None
    machine.tick(3.0)
    assert machine.broken is None
    table.now = 3.0
    table.collect(1)
    machine.tick(5.0)
    assert machine.broken == Broken("bad-body", 0)


def test_who_leaves_says_nothing_that_was_written_meanwhile() -> None:
    table, job = until_it_rests(0, Kind.SHUFFLE)
    machine = table.machine()
    assert machine.depart(table.now)
    machine.take()
    machine.finish(job, job.run(), table.now)
    assert not sent(machine)


@pytest.mark.parametrize("block", sample(range(3), 1, "slow jobs"))
def test_tables_with_slow_jobs_keep_every_promise(block: int) -> None:
    """The very games of the simulator, jobs taking up to half a second of it."""
    seen: Counter[str] = Counter()
    for number in range(4):
        seen += play(f"jobs{block}-{number}", slow_jobs=True)
    assert seen["games"] == 4
    assert seen["finished"] > 0
    assert seen["jobs"] > 100
