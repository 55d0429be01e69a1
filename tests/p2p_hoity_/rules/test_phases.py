"""Tests of the table of phases: each has a step, and only what is listed may follow."""

from support.cases import fails

from p2p_hoity.rules.phase_machine import STEPS
from p2p_hoity.rules.phases import TABLE, IllegalTransition, Phase, require


def test_every_phase_has_a_step_and_only_listed_transitions():
    assert set(STEPS) == set(Phase)
    assert {row.start for row in TABLE} == set(Phase) - {Phase.OVER}
    assert {row.end for row in TABLE} == set(Phase) - {Phase.DEAL}
    listed = {(row.start, row.end) for row in TABLE}
    for start in Phase:
        for end in Phase:
            if (start, end) in listed:
                require(start, end)
            else:
                fails(IllegalTransition, "", require, start, end)
