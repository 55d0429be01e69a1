"""The fault judge of a seat: when it reports a proof, and how it notes the end of the table."""

from support.inspection import chosen_inputs, inspect
from support.machine_table import waiting_table

from protocol.seat.effects import Guilty
from protocol.wire.signed_messages import StepInput


def test_a_proof_is_told_once_the_same_fault_can_be_seen_whole() -> None:
    """The order of the two statements differs from seat to seat; the code does not."""
    table = waiting_table()
    node = table.machine().tip
    table.tell_first(1, StepInput(0, node.step, node.digest, b"\xc0"))
    assert 1 not in chosen_inputs(table.machine())
    assert inspect(table.machine()).proofs[1].code == "bad-body"
    table.tell_first(1, StepInput(0, node.step, node.digest, b"\x01"))
    assert inspect(table.machine()).proofs[1].code == "equivocation"
    heard = table.places[0].heard
    assert not [e for e in heard if isinstance(e, Guilty)]
    table.wait_first(2)
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(1, "equivocation")]


def test_an_accused_seat_is_told() -> None:
    table = waiting_table()
    node = table.machine().tip
    for body in (b"\xc0", b"\x01"):
        table.tell(0, table.sign(0, StepInput(0, node.step, node.digest, body)), peer=1)
    heard = table.places[0].heard
    assert [(e.seat, e.code) for e in heard if isinstance(e, Guilty)] == [(0, "bad-body")]
    assert 0 not in inspect(table.machine()).proofs
