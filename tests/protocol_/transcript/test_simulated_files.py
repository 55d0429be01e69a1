"""Files of simulated tables with losses, crashes, partitions and a liar: sound, of one content."""

import pytest
from support.sampling import times
from support.sim.cheap import cheap_blocks
from support.sim.tables import World, draw_plan
from support.toy_game import ToyGame

from protocol.crypto import signing
from protocol.transcript.report import Report
from protocol.transcript.verifier import verify


@pytest.fixture(scope="module")
def reports() -> list[list[tuple[bool, Report]]]:
    """Of each table (whether the seat had finished, the report on its file) of honest seats."""
    found = []
    with cheap_blocks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(signing, "check_public", lambda public: public)
        for number in range(times(20, 200)):
            world = World(draw_plan(f"file-{number}", liar=number % 2 == 0))
            world.run()
            honest = [h.machine for s, h in enumerate(world.processes) if s not in world.plan.liars]
            found.append(
                [
                    (m.finished, verify(m.transcript(), lambda t: ToyGame(t.seats, 1)))
                    for m in honest
                ]
            )
    return found


def test_files_of_finished_seats_are_sound_and_of_one_content(
    reports: list[list[tuple[bool, Report]]],
) -> None:
    for table in reports:
        done = [report for finished, report in table if finished]
        assert [report.problem for report in done] == [None] * len(done)
        assert len({report.content for report in done}) <= 1
    assert sum(report.ok for table in reports for _, report in table) > 20


def test_files_of_seats_that_did_not_finish_are_unfinished_and_else_sound(
    reports: list[list[tuple[bool, Report]]],
) -> None:
    rest = [report for table in reports for finished, report in table if not finished]
    assert rest
    assert all(report.unfinished for report in rest)


def test_changes_of_epoch_and_faults_were_among_them(
    reports: list[list[tuple[bool, Report]]],
) -> None:
    every = [report for table in reports for _, report in table]
    assert any(report.counts.bases > 1 for report in every)
    assert any(report.faults for report in every)
