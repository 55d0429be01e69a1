"""The rules that all kinds of steps share: empty bodies, and choices that no step asks for."""

from dataclasses import replace

import pytest
from support.cases import fails
from support.driven_chain import DrivenChain

from protocol.chain.chain_state import Kind
from protocol.chain.step_interface import EmptyStep, read_empty
from protocol.chain.transition import STEPS
from protocol.errors import Invalid
from protocol.wire.step_bodies import EMPTY


def test_only_nil_is_the_empty_body() -> None:
    read_empty(EMPTY)
    for body in (b"", b"\x00", b"\x90", EMPTY + EMPTY):
        fails(Invalid, "bad-body", read_empty, body)


def test_a_step_of_empty_bodies_changes_what_it_is_made_for() -> None:
    node = DrivenChain(3).node
    step = EmptyStep(lambda node: replace(node, last_barrier=7))
    assert step.check(node, 0, EMPTY) is None  # type: ignore[func-returns-value]
    fails(Invalid, "bad-body", step.check, node, 0, b"\x90")
    assert step.apply(node, {0: None}).last_barrier == 7
    assert EmptyStep().apply(node, {0: None}) is node
    drive = DrivenChain(3)
    assert step.write(node, 0, drive.secrets[0], drive.rng) == EMPTY


@pytest.mark.parametrize("kind", sorted(STEPS.keys() - {Kind.SEAL, Kind.SHOW, Kind.CHOOSE}))
def test_a_step_that_asks_for_no_choice_writes_none(kind: Kind) -> None:
    drive = DrivenChain(3)
    given = drive.node, 0, 1, drive.secrets[0], drive.rng
    fails(ValueError, "no choice is asked", STEPS[kind].write_choice, *given)
