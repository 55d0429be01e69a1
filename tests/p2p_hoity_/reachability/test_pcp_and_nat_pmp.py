"""Tests of PCP and NAT-PMP as bytes, against an independent router and against hostile answers."""

import ipaddress
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import each
from support.router import Router

from p2p_hoity.coded_errors import because
from p2p_hoity.reachability import pcp_and_nat_pmp
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode, RouterError

CLIENT = ipaddress.IPv4Address("192.168.1.5")
WISH = pcp_and_nat_pmp.PcpMapping(b"n" * 12, CLIENT, 4646, 7200, 14646)
PORTS = st.integers(1, 65535)


def answered(wish: pcp_and_nat_pmp.PcpMapping = WISH, **how: int) -> bytearray:
    said = Router(**how).answer(pcp_and_nat_pmp.encode_pcp_map(wish), str(wish.client))  # type: ignore[arg-type]
    assert said is not None
    return bytearray(said)


def denied(found: object, results: Mapping[int, RouterCode], code: int) -> bool:
    """Whether a router refuses by this code."""
    why = results.get(code)
    told = because(why) if why else because(RouterCode.CANNOT, number=code)
    return isinstance(found, RouterError) and found.reason == because(RouterCode.REFUSES, why=told)


@given(st.binary(min_size=12, max_size=12), PORTS, st.integers(1, 7200))
def test_a_router_grants_what_is_asked(nonce: bytes, port: int, lifetime: int) -> None:
    wish = pcp_and_nat_pmp.PcpMapping(nonce, CLIENT, port, lifetime)
    found = pcp_and_nat_pmp.read_pcp_answer(bytes(answered(wish)), wish)
    assert isinstance(found, pcp_and_nat_pmp.Granted)
    assert str(found.external) == "203.0.113.7"
    assert found.lifetime == lifetime


@given(st.binary(max_size=1200), st.integers(0, 59), st.integers(1, 255))
def test_no_bytes_of_a_stranger_are_a_mapping_or_raise(data: bytes, at: int, change: int) -> None:
    assert not isinstance(pcp_and_nat_pmp.read_pcp_answer(data, WISH), pcp_and_nat_pmp.Granted)
    pcp_and_nat_pmp.read_natpmp_address(data)
    pcp_and_nat_pmp.read_natpmp_map(data, 4646, 7200)
    said = answered()
    said[at] ^= change
    found = pcp_and_nat_pmp.read_pcp_answer(bytes(said), WISH)
    if 24 <= at < 37 or at in (40, 41):
        assert found is None  # the nonce, the protocol, the port inside


@each(
    [
        (0, b"\x03"),  # another version
        (1, b"\x01"),  # a request
        (1, b"\x82"),  # another opcode
        (24, b"\0"),  # another's nonce
        (36, b"\x11"),  # UDP
        (40, b"\0\x01"),  # another port inside
        (42, b"\0\0"),  # no port outside
        (4, b"\0\0\0\0"),  # no time
        (44, bytes(16)),  # no address
        (44, bytes(10) + b"\xff\xff" + bytes(4)),  # no address of IPv4
    ]
)
def test_an_answer_to_something_else_is_dropped(case: tuple[int, bytes]) -> None:
    at, data = case
    said = answered()
    assert pcp_and_nat_pmp.read_pcp_answer(bytes(said), WISH) is not None
    said[at : at + len(data)] = data
    assert pcp_and_nat_pmp.read_pcp_answer(bytes(said), WISH) is None


def test_a_denial_has_its_code_what_is_taken_away_no_port_and_others_are_dropped() -> None:
    for size in (0, 1, 8, 23, 24, 59, 61, 1104):
        assert (
            pcp_and_nat_pmp.read_pcp_answer(bytes(answered() + bytes(1100))[:size], WISH) is None
        ), size
    for code in range(1, 14):
        found = pcp_and_nat_pmp.read_pcp_answer(bytes(answered(code=code)), WISH)
        assert found is not None
        assert denied(found, pcp_and_nat_pmp.PCP_RESULTS, code)
    said = answered(code=2)
    said[24] ^= 1
    assert pcp_and_nat_pmp.read_pcp_answer(bytes(said), WISH) is None
    said = Router(pcp=False).answer(pcp_and_nat_pmp.encode_pcp_map(WISH), "192.168.1.5")
    assert said is not None
    found = pcp_and_nat_pmp.read_pcp_answer(said, WISH)
    assert isinstance(found, RouterError)
    assert found.reason == because(RouterCode.ABSENT)
    assert pcp_and_nat_pmp.read_pcp_answer(b"\0\x80\0\0" + said[4:], WISH) is None
    away = pcp_and_nat_pmp.PcpMapping(b"n" * 12, CLIENT, 4646, 0)
    found = pcp_and_nat_pmp.read_pcp_answer(bytes(answered(away)), away)
    assert isinstance(found, pcp_and_nat_pmp.Granted)
    assert (found.port, found.lifetime) == (0, 0)
    said = Router().answer(pcp_and_nat_pmp.encode_natpmp_map(4646, 60, 0), "192.168.1.5")
    assert said is not None
    for at, data in ((0, b"\x01"), (1, b"\x81"), (10, b"\0\0"), (12, bytes(4))):
        spoiled = said[:at] + data + said[at + len(data) :]
        assert pcp_and_nat_pmp.read_natpmp_map(spoiled, 4646, 60) is None, at
    assert pcp_and_nat_pmp.read_natpmp_map(said[:8], 4646, 60) is None
    unset = pcp_and_nat_pmp.read_natpmp_address(b"\0\x80\0\0" + bytes(8))
    assert isinstance(unset, RouterError)
    assert unset.reason == because(RouterCode.REFUSES, why=because(RouterCode.OFFLINE))


@given(PORTS, PORTS, st.integers(1, 7200))
def test_the_older_protocol_maps_too(port: int, wish: int, lifetime: int) -> None:
    router = Router(pcp=False)
    outside = router.answer(pcp_and_nat_pmp.NATPMP_ADDRESS_REQUEST, "192.168.1.5")
    given_ = router.answer(pcp_and_nat_pmp.encode_natpmp_map(port, lifetime, wish), "192.168.1.5")
    assert outside is not None
    assert given_ is not None
    assert pcp_and_nat_pmp.read_natpmp_address(outside) == pcp_and_nat_pmp.Granted(
        0, ipaddress.IPv4Address("203.0.113.7")
    )
    found = pcp_and_nat_pmp.read_natpmp_map(given_, port, lifetime)
    outside_port = router.opened[port][1]
    assert found == pcp_and_nat_pmp.Granted(0, port=outside_port, lifetime=lifetime)
    assert pcp_and_nat_pmp.read_natpmp_map(given_, port % 65535 + 1, lifetime) is None


@pytest.mark.parametrize("code", range(1, 6))
def test_the_older_protocol_denies_by_code(code: int) -> None:
    router = Router(pcp=False, code=code)
    said = router.answer(pcp_and_nat_pmp.encode_natpmp_map(4646, 60, 0), "192.168.1.5")
    assert said is not None
    for part in (said, said[:8]):
        found = pcp_and_nat_pmp.read_natpmp_map(part, 4646, 60)
        assert denied(found, pcp_and_nat_pmp.NATPMP_RESULTS, code)
    assert pcp_and_nat_pmp.read_natpmp_map(said[:10], 4646, 60) is None
