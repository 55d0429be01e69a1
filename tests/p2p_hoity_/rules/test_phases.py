"""The phase machine's table."""

import pytest

from p2p_hoity.rules.machine import STEPS
from p2p_hoity.rules.phases import TABLE, IllegalTransition, Phase, require


def test_every_phase_has_a_step_and_all_but_the_last_a_way_on():
    assert set(STEPS) == set(Phase)
    assert {row.start for row in TABLE} == set(Phase) - {Phase.OVER}
    assert {row.end for row in TABLE} == set(Phase) - {Phase.DEAL}


def test_an_unlisted_transition_is_an_error():
    listed = {(row.start, row.end) for row in TABLE}
    for start in Phase:
        for end in Phase:
            if (start, end) in listed:
                require(start, end)
            else:
                with pytest.raises(IllegalTransition):
                    require(start, end)
