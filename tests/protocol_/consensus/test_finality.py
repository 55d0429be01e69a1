"""Which steps of the followed chain nothing can replace any more."""

from dataclasses import replace

import pytest
from support.machine_table import waiting_table
from support.models.epochs import Model
from support.models.promises import grown, inputs_of, signed

from protocol.chain.chain_state import Kind
from protocol.consensus.finality import final_step
from protocol.wire.signed_messages import StepInput

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


def test_inputs_of_all_present_seats_to_a_later_step_make_a_step_final(model: Model) -> None:
    first = inputs_of(model, 0, 1, 2, 3)
    step, after = model.base.step, grown(model, first)[1].tip
    assert after.step == step + 1
    assert final_step(*grown(model, first)) == step - 1
    assert final_step(*grown(model, first + inputs_of(model, 0, 1, 2, node=after))) == step - 1
    whole = first + inputs_of(model, 0, 1, 2, 3, node=after)
    assert final_step(*grown(model, whole)) == step
    store, followed = grown(model, first + inputs_of(model, 0, 1, 2, node=after))
    followed.tip = replace(followed.tip, present=frozenset({0, 1, 2}))
    assert final_step(store, followed) == step, "an absent seat is not waited for"


def test_an_input_that_names_another_node_than_its_steps_makes_nothing_final(model: Model) -> None:
    first = inputs_of(model, 0, 1, 2, 3)
    after = grown(model, first)[1].tip
    others = inputs_of(model, 0, 1, 2, node=after)
    for on in (b"x" * 32, model.base.digest):
        stray = signed(model, 3, StepInput(0, after.step, on, b"a"))
        assert final_step(*grown(model, [*first, *others, stray])) == model.base.step - 1
    later = signed(model, 3, StepInput(1, after.step, after.digest, b"a"))
    assert final_step(*grown(model, [*first, *others, later])) == model.base.step - 1
