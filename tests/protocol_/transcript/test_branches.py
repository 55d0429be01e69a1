"""The comparison of two chains of one table: which final step the other one lacks."""

import pytest
from support.driven_chain import DrivenChain
from support.played import table_of

from protocol.chain import transition
from protocol.chain.chain_state import Kind, Node
from protocol.transcript.branches import first_lost
from protocol.transcript.verifier import steps_to

FAR = 10**6
"""A step behind all of a chain."""


@pytest.fixture(scope="module")
def parted() -> tuple[Node, Node, int]:
    """Return the ends of two chains of one table, and the first step in which they differ."""
    drive = DrivenChain(3, seed=5)
    common = drive.stand_before(Kind.SEAL, "bid")
    ends = []
    for _ in range(2):
        drive.node = common
        ends.append(drive.stand_before(Kind.RESULT))
    assert ends[0].digest != ends[1].digest
    return (*ends, common.step)  # type: ignore[return-value]


def test_chains_that_part_lose_their_first_final_step_behind_the_fork(
    parted: tuple[Node, Node, int],
) -> None:
    own, other, fork = parted
    assert first_lost(own, FAR, other) == fork
    assert first_lost(other, FAR, own) == fork
    assert first_lost(own, fork, other) == fork
    assert first_lost(own, fork - 1, other) is None, "what is not final may be replaced"


def test_a_chain_that_goes_on_lacks_nothing_and_a_shorter_one_lacks_the_rest(
    parted: tuple[Node, Node, int],
) -> None:
    own, _, fork = parted
    early = own.before(fork)
    assert early is not None
    assert first_lost(own, FAR, own) is None
    assert first_lost(early, FAR, own) is None
    assert first_lost(own, FAR, early) == fork


def test_a_change_of_who_is_present_is_no_step(parted: tuple[Node, Node, int]) -> None:
    own, _, fork = parted
    early = own.before(fork)
    assert early is not None
    changed = transition.reconfigure(early, frozenset({0, 1}), frozenset(), (0, 0, 1))
    assert first_lost(changed, FAR, early) is None


def test_the_step_behind_a_change_counts_by_its_own_number() -> None:
    tip = table_of("returned").places[0].machine.tip
    passages = list(steps_to(tip))
    at, (_, _, after) = next((i, one) for i, one in enumerate(passages) if one[1] is None)
    before = passages[at][0]
    assert after.step == before.step
    assert first_lost(tip, FAR, before) == before.step
    assert first_lost(tip, before.step - 1, before) is None
