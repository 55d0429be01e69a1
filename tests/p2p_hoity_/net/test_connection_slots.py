"""Tests of which links a hub keeps: its table's own, then those it keeps, then strangers."""

from dataclasses import replace
from typing import Any

import pytest
import trio
import trio.testing

from p2p_hoity.net.addresses import Address
from p2p_hoity.net.connection_slots import Admission, AdmittedLink
from p2p_hoity.net.link_limits import Limits
from p2p_hoity.net.peer_link import Link
from p2p_hoity.net.secure_channel import Proven, Verdict

SEAT, ONE, TWO, THREE, LATE = (bytes([number]) * 32 for number in range(1, 6))
LIMITS = Limits(links=3, links_per_source=3)


def standing(peer: bytes, source: str = "here") -> AdmittedLink:
    """A link that came in from a machine."""
    near, _ = trio.testing.memory_stream_pair()
    proven = Proven(peer, peer[:16], b"")
    return AdmittedLink(proven, Link(near, LIMITS), Address("x", 1), peer, source)


def judged(table: Admission, peer: bytes, source: str = "here") -> Verdict:
    return table.judge(standing(peer, source))


@pytest.fixture
def full() -> tuple[Admission, dict[bytes, AdmittedLink]]:
    """A hub whose room three strangers have."""
    table = Admission(b"m" * 32, LIMITS)
    those = {peer: standing(peer) for peer in (ONE, TWO, THREE)}
    for one in those.values():
        table.enter(one)
    table.prefer([SEAT])
    return table, those


async def test_a_stranger_makes_room_for_another_but_nobody_kept_does(full: Any) -> None:
    table, those = full
    assert judged(table, LATE) is Verdict.WELCOME
    table.keep([ONE, TWO])
    table.enter(standing(LATE))
    assert those[THREE].link.reason is not None
    assert table.peers() == {ONE, TWO, LATE}
    table.keep([ONE, TWO, LATE])
    assert judged(table, THREE) is Verdict.FULL
    assert judged(table, THREE, "elsewhere") is Verdict.FULL


async def test_who_is_kept_makes_room_for_the_tables_own(full: Any) -> None:
    table, _ = full
    table.keep([ONE, TWO, THREE])
    assert judged(table, SEAT) is Verdict.WELCOME
    table.enter(standing(SEAT))
    assert SEAT in table.peers()
    assert len(table.peers()) == LIMITS.links
    table.prefer([SEAT, ONE, TWO, THREE])
    assert judged(table, LATE) is Verdict.FULL


async def test_a_stranger_goes_before_one_that_is_kept(full: Any) -> None:
    table, those = full
    table.keep([ONE, THREE])
    table.enter(standing(SEAT))
    assert those[TWO].link.reason is not None
    assert table.peers() == {ONE, THREE, SEAT}


@pytest.mark.parametrize(("per_source", "closed"), [(2, {ONE, TWO}), (1, {THREE})])
async def test_the_computer_with_the_most_links_makes_room_before_a_neighbour(
    per_source: int, closed: set[bytes]
) -> None:
    """[L-13]: a newcomer's own address makes room only if it has as many links as it may have."""
    for _ in range(20):
        table = Admission(b"m" * 32, LIMITS)
        those = {
            ONE: standing(ONE, "crowded"),
            TWO: standing(TWO, "crowded"),
            THREE: standing(THREE, "here"),
        }
        for one in those.values():
            table.enter(one)
        table.prefer([SEAT])
        table._limits = replace(LIMITS, links_per_source=per_source)
        table.enter(standing(LATE, "here"))
        assert {peer for peer, one in those.items() if one.link.reason is not None} <= closed
        assert len(table.peers()) == LIMITS.links
