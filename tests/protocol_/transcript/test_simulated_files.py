"""Files of simulated tables with losses, crashes, partitions and a liar: sound, of one content."""

import pytest
from support.sampling import is_nightly
from support.sim.cheap import cheap_blocks
from support.sim.plan import draw_plan
from support.sim.tables import World
from support.toy_game import ToyGame

from protocol.crypto import identities
from protocol.seat.seat_machine import SeatMachine
from protocol.transcript.verification_report import Report
from protocol.transcript.verifier import verify

WITH_ALL = range(6, 13)
"""Tables of which some change their epoch, some have a proven fault, and some stay unfinished."""


@pytest.fixture(scope="module")
def reports() -> list[list[tuple[SeatMachine, Report]]]:
    """Of each table the honest seats, each with the report on its file."""
    found = []
    with cheap_blocks(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(identities, "check_public", lambda public: public)
        for number in range(200) if is_nightly() else WITH_ALL:
            world = World(draw_plan(f"file-{number}", liar=number % 2 == 0))
            world.run()
            honest = [h.machine for s, h in enumerate(world.processes) if s not in world.plan.liars]
            reports = [verify(m.transcript(), lambda t: ToyGame(t.seats, 1)) for m in honest]
            found.append(list(zip(honest, reports, strict=True)))
    return found


def shows_why(machine: SeatMachine, report: Report) -> bool:
    """Return whether a file shows the fault in setup that ended the table of this seat."""
    broken, problem = machine.broken, report.problem
    if broken is None or problem is None:
        return False
    return (problem.code, problem.seat) == (broken.code, broken.seat)


def test_files_of_simulated_tables(reports: list[list[tuple[SeatMachine, Report]]]) -> None:
    """Those of finished seats are sound and of one content, the others unfinished.

    Where a seat at fault has ended the table in setup, the file shows its fault instead.
    """
    for table in reports:
        done = [report for machine, report in table if machine.finished]
        assert [report.problem for report in done] == [None] * len(done)
        assert len({report.digest for report in done}) <= 1
    every = [one for table in reports for one in table]
    assert sum(report.ok for _, report in every) > 20
    rest = [(machine, report) for machine, report in every if not machine.finished]
    assert rest
    assert all(report.unfinished or shows_why(machine, report) for machine, report in rest)
    assert any(report.counts.bases > 1 for _, report in every), "no change of an epoch"
    assert any(report.faults for _, report in every)
