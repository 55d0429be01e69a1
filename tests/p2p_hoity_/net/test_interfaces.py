"""Tests of which addresses of this computer are named first: the kinds of its interfaces."""

import ipaddress
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.cases import each

from p2p_hoity.net import addresses
from p2p_hoity.net.interfaces import Interface, Kind, described, interfaces, ranked

CARDS, TUNNEL, INSIDE = Kind.CARDS, Kind.TUNNEL, Kind.INSIDE


def card(name: str, *texts: str, **what: bool) -> Interface:
    return Interface(name, tuple(map(ipaddress.ip_interface, texts)), **what)


def order(*found: Interface, home: str = "", liked: tuple[str, ...] = (), **how: bool):
    own = ranked(
        found,
        ipaddress.ip_address(home) if home else None,
        map(ipaddress.ip_address, liked),
        **how,
    )
    return [(str(one.ip), one.kind) for one in own]


LO = card("lo", "127.0.0.1/8", "::1/128")
BRIDGES = [card(f"br{n}", f"172.{n}.0.1/16", is_inside=True) for n in range(17, 28)]
WIFI = card("wlan0", "192.168.1.187/24")


@each(
    [
        # a full tunnel, many bridges, and the card that was plugged in last
        (
            (LO, *BRIDGES, card("tun0", "10.8.0.6/24", is_tunnel=True), WIFI),
            "192.168.1.187",
            ("192.168.1.187", CARDS),
        ),
        # the tunnel has taken the default route
        ((card("tun0", "10.8.0.6/24"), WIFI), "10.8.0.6", ("192.168.1.187", CARDS)),
        # no route at all: a LAN without internet
        ((*BRIDGES, card("wg0", "10.2.0.2/32"), WIFI), "", ("192.168.1.187", CARDS)),
        # a hotspot of this machine, whose own way out is a mobile modem
        (
            (card("wwan0", "10.170.3.4/30"), card("wlan0", "10.42.0.1/24")),
            "10.170.3.4",
            ("10.42.0.1", CARDS),
        ),
        # the hotspot of a telephone
        ((*BRIDGES, card("en0", "172.20.10.3/28")), "172.20.10.3", ("172.20.10.3", CARDS)),
        # a bridge that has the card of the machine leads to the router
        ((card("br0", "192.168.1.9/24"), *BRIDGES), "192.168.1.9", ("192.168.1.9", CARDS)),
        # inside a container the network of the container is all there is
        ((LO, card("eth0", "172.17.0.2/16")), "172.17.0.2", ("172.17.0.2", CARDS)),
        # the machine of a hoster has one address and no neighbours
        ((card("eth0", "10.0.0.4/32"),), "10.0.0.4", ("10.0.0.4", CARDS)),
        # an address that the system has drawn for itself comes after one that was given
        (
            (card("eth1", "169.254.8.9/16"), card("eth0", "192.168.5.2/24")),
            "",
            ("192.168.5.2", CARDS),
        ),
        ((card("en5", "169.254.8.9/16"),), "", ("169.254.8.9", CARDS)),
        # the bridge of macOS for virtual machines, or for shared internet
        (
            (card("bridge100", "192.168.64.1/24"), card("en0", "192.168.1.5/24")),
            "",
            ("192.168.1.5", CARDS),
        ),
        ((card("bridge100", "192.168.2.1/24"), card("utun3", "10.9.0.2/32")), "", None),
    ]
)
def test_the_address_for_guests_at_home_comes_first(case) -> None:
    found, home, first = case
    assert order(*found, home=home)[0] == (first or ("192.168.2.1", CARDS))


@each(
    [
        ("tun0", TUNNEL),
        ("wg0", TUNNEL),
        ("wg-mullvad", TUNNEL),
        ("utun4", TUNNEL),
        ("ppp0", TUNNEL),
        ("tailscale0", TUNNEL),
        ("ztabcdef12", TUNNEL),
        ("proton0", TUNNEL),
        ("OpenVPN TAP-Windows6 TAP-Windows Adapter V9", TUNNEL),
        ("OpenVPN Data Channel Offload", TUNNEL),
        ("wg0 WireGuard Tunnel", TUNNEL),
        ("Tailscale Tunnel Tailscale", TUNNEL),
        ("ZeroTier One Virtual Port", TUNNEL),
        ("Ethernet 4 Cisco AnyConnect Secure Mobility Client Virtual Miniport Adapter", TUNNEL),
        ("Mobilfunk Generic Mobile Broadband Adapter", TUNNEL),
        ("docker0", INSIDE),
        ("br-0123456789ab", INSIDE),
        ("virbr0", INSIDE),
        ("lxcbr0", INSIDE),
        ("lxdbr0", INSIDE),
        ("incusbr0", INSIDE),
        ("podman1", INSIDE),
        ("cni-podman0", INSIDE),
        ("vmnet8", INSIDE),
        ("vboxnet0", INSIDE),
        ("vEthernet (WSL) Hyper-V Virtual Ethernet Adapter", INSIDE),
        ("VMware Network Adapter VMnet8 VMware Virtual Ethernet Adapter for VMnet8", INSIDE),
        ("VirtualBox Host-Only Ethernet Adapter", INSIDE),
        ("Local Area Connection* 10 Microsoft Wi-Fi Direct Virtual Adapter", CARDS),
        ("LAN-Verbindung* 2 Microsoft Hosted Network Virtual Adapter", CARDS),
        ("Wi-Fi Intel(R) Wi-Fi 6 AX201 160MHz", CARDS),
        ("Ethernet Realtek PCIe GbE Family Controller", CARDS),
        ("eth0", CARDS),
        ("enp3s0", CARDS),
        ("wlp2s0", CARDS),
        ("en0", CARDS),
        ("br-lan", CARDS),
        ("br0", CARDS),
        ("ap0", CARDS),
        ("bnep0", CARDS),
        ("usb0", CARDS),
    ]
)
def test_an_interface_is_known_by_its_name_where_the_system_tells_no_more(case) -> None:
    name, kind = case
    assert order(card(name, "192.168.7.2/24")) == [("192.168.7.2", kind)]


@each(
    [
        (card("eth0", "100.64.3.4/10"), TUNNEL),  # a provider's, or Tailscale's
        (card("x0", "10.1.2.3/32"), TUNNEL),  # a line with another end and no neighbours
        (card("x0", "10.1.2.2/31"), TUNNEL),
        (card("x0", "10.1.2.3/24", is_tunnel=True), TUNNEL),
        (card("x0", "10.1.2.3/24", is_inside=True), INSIDE),
        (card("x0", "10.1.2.3/24"), CARDS),
    ]
)
def test_an_address_tells_its_kind_too(case) -> None:
    found, kind = case
    assert order(found)[0][1] is kind


def test_two_lans_come_before_all_others_and_the_way_to_the_router_first() -> None:
    cable, radio = card("eth0", "10.0.0.5/24"), card("wlan0", "192.168.1.187/24")
    found = order(*BRIDGES, cable, radio, card("wg0", "10.2.0.2/32"), home="192.168.1.187")
    assert found[:3] == [("192.168.1.187", CARDS), ("10.0.0.5", CARDS), ("10.2.0.2", TUNNEL)]
    assert {kind for _, kind in found[3:]} == {INSIDE}


def test_what_leads_nowhere_is_left_out() -> None:
    down = card("eth1", "192.168.9.9/24", is_down=True)
    assert order(LO, down, card("eth0", "fe80::1/64", "0.0.0.0/0")) == []


def test_of_the_ipv6_addresses_of_a_network_the_one_in_use_is_first() -> None:
    """Those that are used no more, and those of other networks, come after it."""
    old, stable, now = "2001:db8:1::dead", "2001:db8:1::1", "2001:db8:1::7e37"
    six = card("eth0", f"{old}/64", f"{stable}/64", f"{now}/64", "fd00:1::5/64", "192.168.1.5/24")
    tunnel = card("tun0", "2001:db8:f::2/64", "fd99::2/64")
    found = order(tunnel, six, home="192.168.1.5", liked=(now, "2001:db8:f::2"))
    assert [ip for ip, _ in found[:2]] == ["192.168.1.5", now]
    assert found[-1][1] is found[-2][1] is TUNNEL


def test_inside_windows_the_network_between_both_is_of_this_machine() -> None:
    eth = card("eth0", "172.28.5.6/20")
    assert order(eth, home="172.28.5.6", in_windows=True) == [("172.28.5.6", INSIDE)]
    mirrored = [card("loopback0", "127.0.0.1/8"), card("eth0", "192.168.1.5/24")]
    assert order(*mirrored, in_windows=True) == [("192.168.1.5", CARDS)]
    assert order(eth, home="172.28.5.6") == [("172.28.5.6", CARDS)]


NAMES = st.sampled_from(["eth0", "tun0", "docker0", "br0", "bridge100"])
TEXTS = st.sampled_from(["10.0.0.1/24", "100.64.0.1/10", "fd00::1/64", "8.8.8.8/32", "1.2.3.4/31"])


@given(st.lists(st.tuples(NAMES, TEXTS)), st.sampled_from(["", "10.0.0.1", "1.2.3.4"]))
def test_no_address_is_lost_or_doubled_and_the_kinds_are_in_order(found, home) -> None:
    own = order(*(card(name, text) for name, text in found), home=home)
    assert {ip for ip, _ in own} == {text.partition("/")[0] for _, text in found}
    assert len(set(own)) == len(own)
    assert [kind for _, kind in own] == sorted(kind for _, kind in own)


class Files:
    """The files in which Linux describes its interfaces."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def add(self, name: str, type_: int = 1, flags: int = 0x1003, state: str = "up") -> Path:
        place = self.folder / name
        place.mkdir()
        for file, text in [("type", type_), ("flags", hex(flags)), ("operstate", state)]:
            (place / file).write_text(f"{text}\n", "ascii")
        return place

    def told(self, name: str) -> tuple[bool, bool, bool]:
        found = described(name, (), self.folder)
        return found.is_tunnel, found.is_inside, found.is_down


def test_what_linux_tells_of_an_interface(tmp_path: Path) -> None:
    files = Files(tmp_path)
    (files.add("enp3s0") / "device").mkdir()
    (files.add("office") / "tun_flags").write_text("0x1001\n", "ascii")
    files.add("line", type_=65534, state="unknown")
    files.add("phone", type_=512, flags=0x10D1)
    files.add("far", flags=0x1013)
    files.add("plugged-out", state="down")
    files.add("off", flags=0x1002, state="unknown")
    (files.add("vlan7") / "lower_enp3s0").mkdir()
    files.add("veth1")
    for bridge, ports in [("br0", ["veth1", "vlan7"]), ("br7", ["veth1"]), ("br9", [])]:
        place = files.add(bridge)
        (place / "bridge").mkdir()
        for port in ports:
            (place / "brif" / port).mkdir(parents=True)
    assert files.told("enp3s0") == (False, False, False)
    for line in ("office", "line", "phone", "far"):
        assert files.told(line) == (True, False, False), line
    assert files.told("plugged-out") == files.told("off") == (False, False, True)
    assert files.told("br0") == (False, False, False)  # A card belongs to it, by a VLAN.
    assert files.told("br7") == files.told("br9") == (False, True, False)
    assert files.told("unknown") == (False, False, False)
    (tmp_path / "veth1" / "flags").write_text("zz", "ascii")
    assert files.told("veth1") == (False, False, False)


def test_a_system_that_tells_no_interfaces_still_has_an_address(monkeypatch) -> None:
    import ifaddr

    def refused() -> None:
        raise PermissionError(13, "Permission denied")

    expected = set(addresses.local_addresses(1))
    monkeypatch.setattr(ifaddr, "get_adapters", refused)
    assert interfaces() == []
    assert set(addresses.local_addresses(1)) <= expected
