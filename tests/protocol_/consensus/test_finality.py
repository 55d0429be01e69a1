"""Which steps of the followed chain nothing can replace any more."""

import pytest
from support.machine_table import waiting_table

from protocol.chain.chain_state import Kind

pytestmark = pytest.mark.usefixtures("cheap")


def test_a_step_is_final_when_every_present_seat_has_spoken_beyond_it() -> None:
    table = waiting_table()
    assert table.machine().tip.want.kind is Kind.SEAL
    assert table.machine().final_step() == table.machine().tip.step - 2
    table = waiting_table({3})
    assert table.machine().awaited() == {3}
    assert table.machine().final_step() == table.machine().tip.step - 2
    table.thinkers.clear()
    table.machine().tick(table.now)
    table.choose_now(3, 0)
    table.run(until=1)
    assert table.machine().finished
