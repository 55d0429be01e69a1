"""Tests of errors of the network: which are final, and what a refusal says besides its code."""

import pytest

from p2p_hoity.coded_errors import NETWORK, USAGE
from p2p_hoity.net.network_errors import (
    AddressError,
    LinkCode,
    MisfitError,
    NetCode,
    NetError,
    NobodyError,
    RefusedError,
    TicketError,
)


@pytest.mark.parametrize(
    ("kind", "is_final"),
    [
        (NetError, False),
        (RefusedError, False),
        (AddressError, False),
        (NobodyError, True),
        (MisfitError, True),
    ],
)
def test_another_attempt_is_in_vain_where_nobody_of_ours_is(
    kind: type[NetError], is_final: bool
) -> None:
    assert kind(NetCode.CUT).is_final == is_final
    assert isinstance(kind(NetCode.CUT), NetError)


def test_a_refusal_says_whether_it_is_for_want_of_room_or_for_another_process() -> None:
    plain = RefusedError(NetCode.AT, address="a:1")
    assert (plain.elsewhere, plain.full, plain.fields) == (False, False, {"address": "a:1"})
    full = RefusedError(NetCode.AT, full=True)
    assert (full.elsewhere, full.full, full.fields) == (False, True, {})
    elsewhere = RefusedError(NetCode.AT, elsewhere=True, why="x")
    assert (elsewhere.elsewhere, elsewhere.full) == (True, False)


def test_failures_of_the_network_have_its_exit_code_and_the_end_of_a_link_the_usual_one() -> None:
    assert {code.exit_code for code in NetCode} == {NETWORK}
    assert {code.exit_code for code in LinkCode} == {USAGE}
    assert not isinstance(TicketError(NetCode.CUT), NetError)
    assert isinstance(TicketError(NetCode.CUT), ValueError)
