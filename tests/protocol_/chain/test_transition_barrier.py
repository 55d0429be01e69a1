"""No sealed choice is opened before a barrier; strict tables need none."""

import pytest
from support.cases import fails
from support.machine_table import TIMEOUTS, toy_table
from support.paths import VECTORS
from support.sim.cheap import cheap_blocks

from p2p_hoity.game_adapter import read_game
from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.fault_codes import Fault
from protocol.transcript import verifier
from protocol.transcript.verifier import steps_to
from protocol.wire import step_bodies

TRANSCRIPTS = VECTORS / "transcripts"


def nodes_to(tip: Node) -> list[Node]:
    """Return every node before a step on the chain to this one."""
    return [before for before, slots, _ in steps_to(tip) if slots is not None]


def nodes_of(seats: int, quorum: int | None = None) -> list[Node]:
    """Return every node of an undisturbed toy game, in order."""
    with cheap_blocks():
        table = toy_table(seats, 2, quorum, timeouts=TIMEOUTS)
        table.play(until=5)
        return nodes_to(table.machine().tip)


def sealed_in(node: Node) -> set[int]:
    """Return the steps in which the choices that this node opens were sealed."""
    return {node.sealed[node.want.name, seat].step for seat in node.want.dues}


def check_barriers(nodes: list[Node]) -> list[tuple[Node, int]]:
    """Check that a barrier is before every reveal, and only where one is needed.

    Returns:
        Each reveal of choices, with the step of the last barrier before it.
    """
    last, found = 0, []
    for node in nodes:
        if node.want.kind is Kind.BARRIER:
            assert any(sealed.step > last for sealed in node.sealed.values())
            assert node.want.speakers == node.present
            assert not node.want.owes
            last = node.step
        elif node.want.kind is Kind.REVEAL and node.want.dues:
            assert max(sealed_in(node)) < last < node.step
            found.append((node, last))
    return found


@pytest.mark.parametrize("seats", [3, 4])
def test_a_barrier_is_before_every_reveal(seats: int) -> None:
    assert len(check_barriers(nodes_of(seats))) == 3


@pytest.mark.parametrize(("seats", "quorum"), [(2, 2), (3, 3)])
def test_a_strict_table_shows_at_once(seats: int, quorum: int) -> None:
    nodes = nodes_of(seats, quorum)
    assert not [node for node in nodes if node.want.kind is Kind.BARRIER]
    reveals = [n for n in nodes if n.want.kind is Kind.REVEAL and n.want.dues]
    assert all(sealed_in(node) == {node.step - 1} for node in reveals)


def test_a_barrier_is_empty_and_of_present_seats() -> None:
    node = next(n for n in nodes_of(4) if n.want.kind is Kind.BARRIER)
    transition.check(node, 0, step_bodies.EMPTY)
    fails(Fault, "bad-body", transition.check, node, 0, b"\x00")
    gone = transition.reconfigure(node, node.present - {3}, frozenset(), (0, 0, 0, 1))
    fails(Fault, "not-expected", transition.check, gone, 3, step_bodies.EMPTY)
    assert gone.want.kind is Kind.BARRIER
    bodies = dict.fromkeys(range(3), step_bodies.EMPTY)
    after = transition.append(gone, transition.slots_of(gone, bodies))
    assert (after.want.kind, after.last_barrier) == (Kind.REVEAL, node.step)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("edition", ["uberplay-2004", "reference-manual"])
def test_choices_sealed_together_need_one_barrier(edition: str) -> None:
    data = (TRANSCRIPTS / f"three-{edition}.hoity").read_bytes()
    report = verifier.verify(data, read_game)
    assert report.node is not None
    found = check_barriers(nodes_to(report.node))
    assert found
    later = [node for node, last in found if node.step > last + 1]
    assert bool(later) is (edition == "reference-manual")
