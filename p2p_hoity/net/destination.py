"""Where an IP address leads: to this machine, into a private network, or to the internet.

An IPv6 address may carry an IPv4 address, to which a translator or a tunnel takes what is sent
there. Such an address is judged by the IPv4 address inside.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

IP = IPv4Address | IPv6Address


class Destination(Enum):
    """The kinds of places to which an address leads."""

    NOWHERE = "nowhere"
    """No machine that anybody else may name: an unset address, a group, or an IPv6 address that
    carries an IPv4 address which is not of the internet."""
    MACHINE = "machine"
    """This machine."""
    PRIVATE = "private"
    """A private network, of which there are many, or the local link."""
    INTERNET = "internet"


def _last(ip: IPv6Address) -> tuple[IPv4Address, ...]:
    return (IPv4Address(ip.packed[-4:]),)


def _behind_prefix(ip: IPv6Address) -> tuple[IPv4Address, ...]:
    return (IPv4Address(ip.packed[2:6]),)


def _of_teredo(ip: IPv6Address) -> tuple[IPv4Address, ...]:
    return ip.teredo or ()


def _unknown(ip: IPv6Address) -> tuple[IPv4Address, ...]:
    return ()


_CARRIERS: Final[dict[IPv6Network, Callable[[IPv6Address], tuple[IPv4Address, ...]]]] = {
    IPv6Network("::/96"): _last,
    IPv6Network("::ffff:0:0:0/96"): _last,
    IPv6Network("64:ff9b::/96"): _last,
    IPv6Network("64:ff9b:1::/48"): _unknown,
    IPv6Network("2002::/16"): _behind_prefix,
    IPv6Network("2001::/32"): _of_teredo,
}
"""The networks whose addresses carry IPv4 addresses, and how each is found: IPv4-compatible (RFC
4291, 2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380: its
server and its client). Where it stands under the local prefix of NAT64 (RFC 8215) only the operator
of that network knows."""


def parse_ip(host: str) -> IP | None:
    """Return the IP address that a text is, without its zone, or None if it is a name.

    An IPv4-mapped address is the IPv4 address itself: systems connect to that.
    """
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def carried(ip: IP) -> tuple[IPv4Address, ...] | None:
    """Return the IPv4 addresses that an IPv6 address carries; None if it is of no such network."""
    if isinstance(ip, IPv4Address) or ip.is_loopback or ip.is_unspecified:
        return None
    return next((find(ip) for network, find in _CARRIERS.items() if ip in network), None)


def destination_of(ip: IP) -> Destination:
    """Return where an address leads, as `parse_ip` gives it.

    SPEC: [L-67].
    """
    inside = carried(ip)
    if inside is not None:
        is_public = bool(inside) and all(map(_is_public, inside))
        return Destination.INTERNET if is_public else Destination.NOWHERE
    if ip.is_unspecified or ip.is_multicast:
        return Destination.NOWHERE
    if ip.is_loopback:
        return Destination.MACHINE
    return Destination.INTERNET if _is_public(ip) else Destination.PRIVATE


def _is_public(ip: IP) -> bool:
    """Return whether this is an address of one machine of the internet.

    Python counts groups, and the former site-local addresses (RFC 3879), among the global ones.
    """
    is_of_site = isinstance(ip, IPv6Address) and ip.is_site_local
    return ip.is_global and not ip.is_multicast and not is_of_site
