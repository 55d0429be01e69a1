"""Tests of which addresses are named, in which order, and what they are good for."""

from dataclasses import replace
from ipaddress import ip_interface

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from p2p_hoity.coded_errors import because
from p2p_hoity.net.interfaces import Kind, OwnAddress, by_text
from p2p_hoity.net.ticket import MOST_ADDRESSES
from p2p_hoity.reachability.advertised_addresses import (
    MOST_NAMED,
    Found,
    ReachCode,
    Scope,
    Wanted,
    judge,
    judge_mapped,
    scope_of,
    widest,
)
from p2p_hoity.reachability.pcp_and_nat_pmp import RouterCode

HOME = "192.168.1.5:4646"
SECOND = "172.17.0.1:4646"
LOOP = "127.0.0.1:4646"
GLOBAL = "93.184.216.34:4646"
SIX = "[2606:4700::1111]:4646"
ULA = "[fd00::5]:4646"
OTHER_SIX, OTHER_ULA = "[2606:4700::2222]:4646", "[fd00::6]:4646"
MAPPED = "81.2.69.142:14646"
RELAY = "relay+relay.example.org:4646"
LAN, OFF = Wanted(lan=True), Wanted()


@each(
    [
        (GLOBAL, Scope.ANYWHERE),
        (RELAY, Scope.ANYWHERE),
        ("abcdefghij.onion:80", Scope.ANYWHERE),
        (SIX, Scope.IPV6),
        (HOME, Scope.LAN),
        (ULA, Scope.LAN),
        ("100.64.3.4:1", Scope.LAN),
        ("169.254.3.4:1", Scope.LAN),
        ("printer.local:1", Scope.LAN),
        ("relay+10.0.0.1:4646", Scope.LAN),
        (LOOP, Scope.MACHINE),
        ("[::1]:1", Scope.MACHINE),
        ("localhost:1", Scope.MACHINE),
        ("[::ffff:127.0.0.1]:1", Scope.MACHINE),
        ("[64:ff9b::93.184.216.34]:1", Scope.IPV6),
        ("[64:ff9b::10.0.0.1]:1", Scope.NOWHERE),
        ("[2002:a00:1::1]:1", Scope.NOWHERE),
        ("[fec0::1]:1", Scope.LAN),
        ("0.0.0.0:1", Scope.NOWHERE),
        ("224.0.0.1:1", Scope.NOWHERE),
    ]
)
def test_how_far_an_address_leads(case: tuple[str, Scope]) -> None:
    address, scope = case
    assert scope_of(address) is scope


@each(
    [
        (Found((HOME, LOOP)), LAN, (HOME,), Scope.LAN),
        (Found((HOME, SECOND, LOOP)), OFF, (HOME, SECOND), Scope.LAN),
        (Found((LOOP,)), OFF, (LOOP,), Scope.MACHINE),
        (Found((HOME, LOOP), mapped=MAPPED), OFF, (MAPPED,), Scope.ANYWHERE),
        (Found((HOME, SECOND, LOOP), mapped=MAPPED), LAN, (MAPPED, HOME), Scope.ANYWHERE),
        (Found((HOME, LOOP), mapped=MAPPED), Wanted(near=True), (MAPPED, HOME), Scope.ANYWHERE),
        (Found((LOOP,), (GLOBAL,)), Wanted(near=True), (GLOBAL, LOOP), Scope.ANYWHERE),
        (Found((HOME, LOOP), (GLOBAL,), MAPPED), OFF, (GLOBAL, MAPPED), Scope.ANYWHERE),
        (Found((GLOBAL, LOOP)), OFF, (GLOBAL,), Scope.ANYWHERE),
        (Found((HOME, SIX, LOOP)), OFF, (SIX, HOME), Scope.IPV6),
        (Found((SIX, OTHER_SIX, HOME, LOOP)), OFF, (SIX, HOME), Scope.IPV6),
        (Found((ULA, HOME, OTHER_ULA, LOOP)), OFF, (ULA, HOME), Scope.LAN),
        (Found((HOME, LOOP), relays=(RELAY,)), OFF, (), Scope.ANYWHERE),
        (Found((HOME, LOOP), relays=(RELAY,)), LAN, (HOME,), Scope.ANYWHERE),
        (Found((HOME, LOOP), relays=("relay+10.0.0.1:1",)), OFF, (HOME,), Scope.LAN),
        (Found((LOOP,), ("x.onion:1",)), Wanted(hidden=True), ("x.onion:1",), Scope.ANYWHERE),
        (Found((HOME, LOOP), mapped=MAPPED), Wanted(lan=True, hidden=True), (), Scope.NOWHERE),
        (Found((LOOP,)), Wanted(near=True, hidden=True), (LOOP,), Scope.MACHINE),
        (Found(), OFF, (), Scope.NOWHERE),
    ]
)
def test_ticket_names(case: tuple[Found, Wanted, tuple[str, ...], Scope]) -> None:
    found, wanted, direct, scope = case
    judged = judge(found, wanted)
    assert (judged.direct, judged.scope) == (direct, scope)
    assert judged.reasons[0] == because(ReachCode[scope.name])


KINDS = {
    **dict.fromkeys(("192.168.1.187/24", "192.168.1.188/24", "10.0.0.5/16"), Kind.CARDS),
    **dict.fromkeys(("169.254.7.7/16", "fd00::5/64"), Kind.CARDS),
    **dict.fromkeys(("10.8.0.6/24", "100.64.3.4/10", "fd99::6/64"), Kind.TUNNEL),
    **{f"172.{n}.0.1/16": Kind.INSIDE for n in range(17, 28)},
}
LINKS = by_text(
    OwnAddress(one.ip, one.network, kind)
    for one, kind in ((ip_interface(text), kind) for text, kind in KINDS.items())
)
WIFI, CABLE, TUN = "192.168.1.187:1", "10.0.0.5:1", "10.8.0.6:1"
BRIDGES = tuple(f"172.{n}.0.1:1" for n in range(17, 28))
DRAWN, LO = "169.254.7.7:1", "127.0.0.1:1"


@each(
    [
        # a VPN and many bridges: the LAN is named, and first
        ((WIFI, TUN, *BRIDGES), OFF, (), (WIFI, TUN, *BRIDGES[:6]), ReachCode.LAN),
        # ... and with a forwarded port, the LAN alone
        ((WIFI, TUN, *BRIDGES), LAN, (GLOBAL,), (GLOBAL, WIFI), ReachCode.ANYWHERE),
        # two LANs: a guest in either needs its own address; one of two cards in one LAN is enough
        (
            (WIFI, "192.168.1.188:1", CABLE, DRAWN, TUN),
            LAN,
            (GLOBAL,),
            (GLOBAL, WIFI, CABLE),
            ReachCode.ANYWHERE,
        ),
        ((DRAWN, TUN), LAN, (GLOBAL,), (GLOBAL, DRAWN), ReachCode.ANYWHERE),
        ((TUN, *BRIDGES), LAN, (GLOBAL,), (GLOBAL, TUN), ReachCode.ANYWHERE),
        (
            ("[fd00::5]:1", "[fd99::6]:1"),
            LAN,
            (GLOBAL,),
            (GLOBAL, "[fd00::5]:1"),
            ReachCode.ANYWHERE,
        ),
        # only the tunnel: players of the same VPN
        ((TUN, BRIDGES[0]), OFF, (), (TUN, BRIDGES[0]), ReachCode.TUNNEL),
        (("100.64.3.4:1",), OFF, (), ("100.64.3.4:1",), ReachCode.TUNNEL),
        ((TUN,), OFF, ("192.168.1.1:1",), ("192.168.1.1:1", TUN), ReachCode.LAN),
        # only containers: they are on this machine
        (BRIDGES[:2], OFF, (), (LO, *BRIDGES[:2]), ReachCode.MACHINE),
        ((), OFF, (), (LO,), ReachCode.MACHINE),
    ]
)
def test_the_kinds_of_networks_decide_what_is_named_and_told(case) -> None:
    own, wanted, advertised, direct, told = case
    found = Found((*own, LO), links=LINKS, advertised=advertised)
    judged = judge(found, wanted)
    assert set(judged.direct) == set(direct)
    assert [a for a in judged.direct if a not in BRIDGES] == [a for a in direct if a not in BRIDGES]
    assert judged.reasons[0] == because(told)
    assert (judged.scope.name == told.name) or told is ReachCode.TUNNEL


def test_an_address_of_ours_in_a_vpn_is_no_lan_though_a_relay_may_be() -> None:
    found = Found((TUN, LO), links=LINKS, relays=("relay+192.168.1.1:4646",))
    assert judge(found, OFF).reasons[0] == because(ReachCode.LAN)
    assert judge(replace(found, relays=(RELAY,)), OFF).reasons == (because(ReachCode.ANYWHERE),)


def test_who_has_a_relay_that_guests_do_not_reach_is_told_so() -> None:
    for address, code in (
        ("127.0.0.1:4799", ReachCode.RELAY_ON_MACHINE),
        ("192.168.1.1:4646", ReachCode.RELAY_ON_LAN),
        ("[2600::1]:4646", ReachCode.RELAY),
    ):
        found = Found((HOME, LOOP), relays=(f"relay+{address}",))
        told = judge(found, LAN).reasons
        fields = {} if code is ReachCode.RELAY else {"relay": address}
        assert because(code, **fields) in told
        away = replace(found, away=frozenset(found.relays))
        assert because(ReachCode.RELAY) in judge(away, LAN).reasons


def test_a_seat_names_all_its_ways_in_order_and_a_ticket_says_why_it_leads_no_further() -> None:
    found = Found((HOME, LOOP), (GLOBAL,), MAPPED, (RELAY,))
    assert judge(found, OFF).named == (GLOBAL, MAPPED, HOME, LOOP, RELAY)
    assert judge(found, Wanted(hidden=True)).named == (GLOBAL, RELAY)
    many = tuple(f"10.0.0.{n}:1" for n in range(30))
    named = judge(Found(many, relays=(RELAY,)), LAN).named
    assert len(named) == MOST_NAMED
    assert named[-1] == RELAY
    silent = because(RouterCode.SILENT)
    told = judge(Found((HOME, LOOP), trouble=(silent,)), LAN).reasons
    forward = because(ReachCode.FORWARD, port="4646")
    assert told == (because(ReachCode.LAN), silent, because(ReachCode.RELAY), forward)
    assert because(ReachCode.ASKED) in judge(Found((HOME,), asking=True), LAN).reasons
    assert judge(Found((HOME,), relays=(RELAY,)), LAN).reasons == (because(ReachCode.ANYWHERE),)
    opened = because(ReachCode.OPENED, address=MAPPED)
    assert judge(Found((HOME,), mapped=MAPPED), LAN).reasons[1:] == (opened,)


def test_a_router_behind_another_or_seen_otherwise_by_a_relay_is_told() -> None:
    carried = "[64:ff9b::10.0.0.1]:1"
    for outside in ("10.1.2.3:1", "100.70.0.1:1", "192.168.0.9:1", LOOP, carried):
        host = outside.rpartition(":")[0].strip("[]")
        assert judge_mapped(outside) == because(ReachCode.DOUBLE_NAT, address=host)
    assert judge_mapped(MAPPED) is None
    judged = judge(Found((HOME,), mapped=MAPPED, relays=(RELAY,), seen="93.184.216.34"), OFF)
    told = because(ReachCode.DISAGREE, address="81.2.69.142", seen="93.184.216.34")
    assert judged.reasons[-1] == told
    assert judged.direct == (MAPPED,)
    same = judge(Found((HOME,), mapped=MAPPED, seen="81.2.69.142"), OFF)
    assert ReachCode.DISAGREE not in {reason.code for reason in same.reasons}


ADDRESSES = st.lists(st.sampled_from([HOME, SECOND, LOOP, GLOBAL, SIX, ULA]), unique=True)


@given(ADDRESSES, st.booleans(), st.booleans(), st.booleans(), st.sampled_from(["", MAPPED]))
def test_a_ticket_has_room_and_loses_no_reach(
    own: list[str], lan: bool, near: bool, hidden: bool, external: str
) -> None:
    judged = judge(Found(tuple(own), mapped=external), Wanted(lan, near, hidden))
    assert len(judged.direct) <= MOST_ADDRESSES
    assert len(set(judged.direct)) == len(judged.direct)
    if not hidden:
        assert widest(judged.direct) is widest([*own, *filter(None, [external])])
    elif not near:
        assert judged.direct == judged.named == ()
