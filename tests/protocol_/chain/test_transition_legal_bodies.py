"""An honest seat has a legal input in every kind of step, whatever the others choose.

A table is driven without machines. Honest seats give the inputs that the product makes, liars the
worst ones that the checks let pass. Any seat may fall silent at any step, rejoin, or be found at
fault, as long as a quorum is left.
"""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.driven_chain import DrivenChain
from support.machine_table import make_table
from support.sampling import times
from support.sim.cheap import cheap_blocks
from support.toy_game import ToyGame

from protocol.chain.chain_state import Kind


@pytest.fixture(autouse=True, scope="module")
def _cheap() -> Iterator[None]:
    with cheap_blocks():
        yield


@settings(max_examples=times(40, 400), deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.data())
def test_whatever_the_others_choose_a_legal_body_exists(
    seats: int, seed: int, data: st.DataObject
) -> None:
    table, _ = make_table(ToyGame(seats, 2), seats)
    everyone = sorted(table.everyone)
    liars = data.draw(st.sets(st.sampled_from(everyone), max_size=table.quorum - 1))
    drive = DrivenChain(seats, frozenset(liars), seed)
    for _ in range(60):
        if not drive.step():
            break


def test_every_kind_of_step_was_met() -> None:
    rest, seen = {Kind.RESULT, Kind.ENDED}, set[Kind]()
    for seed in range(60):
        drive = DrivenChain(4 + seed % 3, frozenset({3}) if seed % 2 else frozenset(), seed)
        while drive.step():
            pass
        seen |= drive.kinds
        if set(Kind) - seen == rest:
            break
    assert set(Kind) - seen == rest
