"""Steps that open cards and sealed choices: shares of all, of absent seats, and escrows."""

from typing import Any

import pytest
from support.forgeries.bodies import patched, plus_one
from support.forgeries.cheater import on_input
from support.hostile_table import HONEST, LIAR, has_lied, hostile_table
from support.machine_table import toy_table
from support.named_faults import check_named, eager, gone_before, reported

from protocol.chain.chain_state import Kind
from protocol.chain.openings import helped
from protocol.chain.transition import STEPS

pytestmark = pytest.mark.usefixtures("cheap")


@pytest.mark.parametrize(("kind", "lie"), [("bid", (0, 1)), ("bid", 9), ("card", (2, 3))])
def test_one_that_the_others_open_from_escrow_is_void(kind: str, lie: Any) -> None:
    table = hostile_table(kind, lie)
    table.start()
    while table.deliver():
        want = table.machine().tip.want
        if has_lied(table, kind) and want.kind is Kind.REVEAL and want.name == kind:
            table.places[LIAR].alive = False
    table.run(until=2000)
    for machine in table.machines(HONEST):
        assert machine.finished
        assert [(c.seat, c.code) for c in machine.tip.convictions] == [(LIAR, "illegal-choice")]


def test_a_forged_share_given_for_an_absent_seat_is_named_and_t_others_suffice() -> None:
    spoil = patched(2, lambda batches: tuple(plus_one(batch) for batch in batches))
    lie = on_input(lambda node: LIAR in node.present and bool(helped(node)), spoil, passes=False)
    table = toy_table(6, choose=eager, cheaters={LIAR: lie})
    gone_before(table, 5, lambda node: node.want.kind is Kind.OPEN)
    table.play(until=400)
    check_named(table, "bad-share")
    assert all(machine.finished for machine in table.machines(reported(table)))
    after = table.machine().tip
    assert after.banned == {LIAR}
    while after.parent is None or after.slots is None or not helped(after.parent):
        assert after.parent is not None
        after = after.parent
    node, bodies = after.parent, after.slots
    step = STEPS[node.want.kind]
    given = {
        seat: step.check(node, seat, body)
        for seat, body in enumerate(bodies)
        if isinstance(body, bytes)
    }
    lacking = {lack for lack in node.want.lacks if lack[1] == 5}
    assert lacking
    few = dict(list(given.items())[: table.table.quorum - 1])
    assert lacking <= set(step.apply(node, given).shares)
    assert not lacking & set(step.apply(node, few).shares)
