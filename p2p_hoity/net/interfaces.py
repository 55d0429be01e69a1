"""The network interfaces of this computer, and who can reach the address of each of them.

An address is in a network of cards (a home, an office, a hotspot), in a network behind a tunnel
(a VPN, a mobile or telephone line), or in a network inside this computer (containers and virtual
machines). Everything that is read here can be read without special rights. Linux tells the kind of
an interface in files. Other systems tell only its name, which is compared with the names that the
known programs give. A wrong guess changes the order of addresses and what the player is told, but
removes no address.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import Path
from typing import Final

IP = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
IPInterface = ipaddress.IPv4Interface | ipaddress.IPv6Interface


class Kind(IntEnum):
    """The kinds of networks in which an address of this computer can be, the most useful first."""

    CARDS = 0
    """A local network: Ethernet, Wi-Fi, or the hotspot of this computer or of a telephone."""
    TUNNEL = 1
    """A network behind a tunnel: a VPN, or the network of a provider."""
    INSIDE = 2
    """A network inside this computer, of containers or virtual machines."""


@dataclass(frozen=True)
class Interface:
    """A network interface, as the system describes it.

    Attributes:
        name: On Windows its name and its description.
        is_tunnel: Whether it is a tunnel or a point-to-point line.
        is_inside: Whether it is a bridge to which no card belongs.
        is_down: Whether nothing can be received on it now.
    """

    name: str
    addresses: tuple[IPInterface, ...]
    is_tunnel: bool = False
    is_inside: bool = False
    is_down: bool = False


@dataclass(frozen=True)
class OwnAddress:
    """An address of this computer."""

    ip: IP
    network: Network
    kind: Kind


TUNNELS: Final = re.compile(
    # Linux and macOS
    r"(tun|tap|utun|wg|ppp|pppoe-|l2tp|ipsec|xfrm|vti|gre|sit|ip6tnl|tunl|gif|stf|zt|feth|ham|wwan|"
    r"rmnet|pdp_ip|cscotun|gpd|nebula|edge|vpn|tailscale|nordlynx|nordtun|proton|mullvad|"
    r"cloudflarewarp|outline-tun)[0-9a-z_.-]*$"
    # Windows
    r"|.*\b(TAP-|Wintun|WireGuard|OpenVPN|VPN|Tailscale|ZeroTier|AnyConnect|Fortinet|PANGP|"
    r"Juniper|Hamachi|WAN Miniport|Teredo|Tunnel|NordLynx|Cloudflare WARP|Mobile Broadband)",
    re.IGNORECASE,
)
"""The names of tunnels, of mobile modems, and of the interfaces of VPN programs."""
INSIDES: Final = re.compile(
    r"(docker|br-[0-9a-f]{12}|podman|cni|flannel|cali|cilium|kube|virbr|lxcbr|lxdbr|incusbr|"
    r"vmnet|vboxnet|vnic|dummy|veth|waydroid|ve-|mpqemubr)[0-9a-z_.-]*$"
    r"|.*\b(vEthernet|Hyper-V|VMware|VirtualBox|Parallels|Npcap)",
    re.IGNORECASE,
)
"""The names of interfaces to containers and virtual machines."""
BRIDGES: Final = re.compile(r"bridge[0-9]+$")
"""The bridges of macOS. One is of shared internet, or of virtual machines."""
PROVIDERS: Final = IPv4Network("100.64.0.0/10")
"""The addresses inside a provider's network, which Tailscale uses too (RFC 6598)."""
WINDOWS_INSIDE: Final = IPv4Network("172.16.0.0/12")
"""The network between Windows and its Linux subsystem (WSL) is in this range."""


def kind_of(interface: Interface, address: IPInterface, home: IP | None = None) -> Kind:
    """Return the kind of network in which an address is.

    Args:
        home: The address of this computer towards the default router. None if there is none.
    """
    # Asked before `home`: a VPN or a modem that leads to the router is no network of cards.
    if interface.is_tunnel or TUNNELS.match(interface.name):
        return Kind.TUNNEL
    if address.ip.version == 4 and address.ip in PROVIDERS:
        return Kind.TUNNEL
    # A bridge that leads to the router has a card, or it is the network of a virtual machine that
    # this program runs in. Seen from there it is the network of cards.
    if home is not None and any(one.ip == home for one in interface.addresses):
        return Kind.CARDS
    if interface.is_inside or INSIDES.match(interface.name):
        return Kind.INSIDE
    is_line = address.ip.version == 4 and address.network.prefixlen >= 31
    return Kind.TUNNEL if is_line else Kind.CARDS


def ranked(
    interfaces: Sequence[Interface],
    home: IP | None = None,
    preferred: Iterable[IP] = (),
    in_windows: bool = False,
) -> list[OwnAddress]:
    """Return the addresses at which others may reach this computer, each once, most useful first.

    Loopback, addresses that are valid on one IPv6 link only, and the addresses of interfaces that
    are down are left out.

    Args:
        home: As for `kind_of`.
        preferred: The addresses from which the system itself connects. A temporary IPv6 address
            that is in use is among them, and one that is no longer used is not.
        in_windows: Whether this program runs in the Linux subsystem of Windows.
    """
    found = dict[IP, tuple[tuple[object, ...], OwnAddress]]()
    liked = set(preferred)
    # With mirrored networking WSL has `loopback0`, and its 172.16/12 address is of the real LAN.
    is_behind_windows = in_windows and all(one.name != "loopback0" for one in interfaces)
    for interface in interfaces:
        has_home = any(one.ip == home for one in interface.addresses)
        for one in () if interface.is_down else interface.addresses:
            kind = kind_of(interface, one, home)
            if is_behind_windows and one.ip.version == 4 and one.ip in WINDOWS_INSIDE:
                kind = Kind.INSIDE
            order = (
                kind,
                one.ip != home,
                not has_home,
                bool(BRIDGES.match(interface.name)),
                one.ip.is_link_local,
                one.ip.version,
                one.ip not in liked,
            )
            if not stays_here(one.ip) and one.ip not in found:
                found[one.ip] = (order, OwnAddress(one.ip, one.network, kind))
    return [own for _, own in sorted(found.values(), key=lambda pair: pair[0])]


def stays_here(ip: IP) -> bool:
    """Return whether no other computer can dial an address: loopback, unset, or of an IPv6 link."""
    is_v6_link = ip.version == 6 and ip.is_link_local
    return ip.is_loopback or ip.is_unspecified or is_v6_link


# What the system tells

CLASS_NET: Final = Path("/sys/class/net")
"""The folder in which Linux describes its interfaces."""
UP, POINT_TO_POINT = 0x1, 0x10
"""Bits of the flags of an interface, which Linux shows in hexadecimal digits."""
LINES: Final = frozenset({512, 519, 768, 769, 776, 778, 823, 65534})
"""Linux's numbers for the kinds of interfaces that carry packets without Ethernet around them."""
DEEPEST: Final = 4
"""How many interfaces may lie one on the other: a bridge on a VLAN on a bond on a card."""


def described(name: str, addresses: Sequence[IPInterface], folder: Path | None = None) -> Interface:
    """Return an interface with what Linux tells about it in files.

    Where nothing is told, or `folder` is None, it counts as a card that is up.
    """
    place = None if folder is None else folder / name
    if place is None or not place.is_dir():
        # To take it for down would hide an address that may work.
        return Interface(name, tuple(addresses))
    flags = _number(place / "flags", 16)
    is_line = (place / "tun_flags").exists() or _number(place / "type") in LINES
    is_bare = (place / "bridge").is_dir() and not _has_card(place, DEEPEST)
    is_down = (flags is not None and not flags & UP) or _text(place / "operstate") in {
        "down",
        "lowerlayerdown",
        "notpresent",
    }
    is_tunnel = is_line or bool((flags or 0) & POINT_TO_POINT)
    return Interface(name, tuple(addresses), is_tunnel, is_bare, is_down)


def _has_card(place: Path, depth: int) -> bool:
    """Return whether an interface is a card, or lies on one."""
    if (place / "device").exists():
        return True
    try:
        below = [*(place / "brif").glob("*"), *place.glob("lower_*")] if depth else []
    except OSError:
        return False
    names = (one.name.removeprefix("lower_") for one in below)
    return any(_has_card(place.parent / name, depth - 1) for name in names)


def _text(path: Path) -> str:
    """Return what is written in a small file, or "" if it cannot be read."""
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _number(path: Path, base: int = 10) -> int | None:
    """Return the number that is written in a small file, or None."""
    try:
        return int(_text(path), base)
    except ValueError:
        return None


def interfaces() -> list[Interface]:
    """Return the network interfaces of this computer that have addresses.

    In a LAN without a connection to the internet, only this finds the addresses of this computer.
    The result is empty if the system does not tell them.
    """
    import ifaddr

    folder = CLASS_NET if sys.platform == "linux" else None
    found = []
    try:
        adapters = list(ifaddr.get_adapters())
    except OSError:  # Some systems do not tell this to every program, such as Android.
        return []
    for adapter in adapters:
        texts = (f"{ip.ip if ip.is_IPv4 else ip.ip[0]}/{ip.network_prefix}" for ip in adapter.ips)
        addresses = list(map(ipaddress.ip_interface, texts))
        # Windows gives a number as the name, the description of the card, and the player's name.
        words = dict.fromkeys((adapter.nice_name, *(ip.nice_name for ip in adapter.ips)))
        name = " ".join(words) if sys.platform == "win32" else adapter.name
        found.append(described(name, addresses, folder))
    return found


def by_text(own: Iterable[OwnAddress]) -> Mapping[str, OwnAddress]:
    """Return addresses of this computer by their texts without a port."""
    return {str(one.ip): one for one in own}


def way_to(probe: str) -> IP | None:
    """Return the local address from which the system would reach an address, None if it cannot.

    Connecting a datagram socket sends nothing. `probe` has no zone.
    """
    family = socket.AF_INET6 if ":" in probe else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((probe, 9))
            return ipaddress.ip_address(str(asking.getsockname()[0]).partition("%")[0])
    except (OSError, ValueError):  # There is no route, or no address of this kind here.
        return None


def can_be_used(ip: IP) -> bool:
    """Return whether the system lets this program listen at an address of its own.

    It does not while a card is without its network (on Windows), and not while an IPv6 address is
    being checked for a second owner.
    """
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as trying:
            trying.bind((str(ip), 0))
    except OSError:
        return False
    return True
