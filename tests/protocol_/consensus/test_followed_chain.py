"""The chain that a seat follows: which inputs count, and which steps are complete."""

import pytest
from support.inspection import chosen_inputs, has_proof, inspect, secrets_of
from support.machine_table import waiting_table

from protocol.chain.transition import body_of_choice
from protocol.wire.signed_messages import StepInput

pytestmark = pytest.mark.usefixtures("cheap")


def test_the_version_seen_first_is_followed() -> None:
    table = waiting_table()
    node = table.machine().tip
    secrets = secrets_of(table.machine(1))
    bodies = [body_of_choice(node, 1, 1, secrets, lambda n, x=x: x * n) for x in (b"a", b"b")]  # type: ignore[misc]
    one, two = (table.tell_first(1, StepInput(0, node.step, node.digest, body)) for body in bodies)
    chosen = chosen_inputs(table.machine())
    assert chosen[1].hash == one.hash != two.hash
    assert inspect(table.machine()).proofs[1].code == "equivocation"
    assert has_proof(table.machine())
