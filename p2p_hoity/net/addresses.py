"""Addresses of computers: how they are written, where they lead, and whether they may be dialled.

An IP address leads to this computer, into a private network, or to the internet. An IPv6 address
may contain an IPv4 address, to which a translator or a tunnel delivers packets. Then the IPv4
address decides where it leads. An address is written 'host:port', or 'relay+host:port' for a relay.
The functions here send nothing.
"""

from __future__ import annotations

import ipaddress
import platform
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Final

from ..coded_errors import Code
from .address_schemes import RELAY_PREFIX, WEB, WEB_PORTS, Scheme
from .default_router import gateway
from .interfaces import (
    IP,
    Kind,
    Network,
    OwnAddress,
    can_be_used,
    interfaces,
    ranked,
    stays_here,
    way_to,
)
from .network_errors import AddressError


class Destination(Enum):
    """The kinds of places to which an IP address leads."""

    NOWHERE = "nowhere"
    """An address that is never dialled if another person has named it.

    It is unset, a multicast group, or an IPv6 address that contains an IPv4 address outside the
    internet.
    """
    MACHINE = "machine"
    PRIVATE = "private"
    """A machine in a private network, or on the local link."""
    INTERNET = "internet"


def _last(ip: IPv6Address) -> tuple[IPv4Address, ...]:
    return (IPv4Address(ip.packed[-4:]),)


_CARRIERS: Final[dict[IPv6Network, Callable[[IPv6Address], tuple[IPv4Address, ...]]]] = {
    IPv6Network("::/96"): _last,
    IPv6Network("::ffff:0:0:0/96"): _last,
    IPv6Network("64:ff9b::/96"): _last,
    IPv6Network("64:ff9b:1::/48"): lambda ip: (),
    IPv6Network("2002::/16"): lambda ip: (IPv4Address(ip.packed[2:6]),),
    IPv6Network("2001::/32"): lambda ip: ip.teredo or (),
}
"""The IPv6 networks whose addresses contain IPv4 addresses, and functions that extract these.

They are IPv4-compatible (RFC 4291, 2.5.5.1), IPv4-translated (RFC 2765), NAT64 (RFC 6052), 6to4
(RFC 3056) and Teredo (RFC 4380). A Teredo address contains two: its server and its client. Under
the local prefix of NAT64 (RFC 8215) only the operator of that network knows where the IPv4 address
is.
"""


def parse_ip(host: str) -> IP | None:
    """Return the IP address that a text spells, without its zone, None if it is not one."""
    try:
        ip = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    # Systems connect to the IPv4 address of an IPv4-mapped one, so that one is judged.
    return (ip.ipv4_mapped or ip) if isinstance(ip, IPv6Address) else ip


def carried(ip: IP) -> tuple[IPv4Address, ...] | None:
    """Return the IPv4 addresses in an IPv6 address: None without any, empty if they are unknown."""
    # The addresses ::1 and :: lie in ::/96, too, but no IPv4 address is meant by them.
    if isinstance(ip, IPv4Address) or ip.is_loopback or ip.is_unspecified:
        return None
    return next((find(ip) for network, find in _CARRIERS.items() if ip in network), None)


def destination_of(ip: IP) -> Destination:
    """Return where an address, as `parse_ip` returns it, leads ([L-67])."""
    inside = carried(ip)
    if inside is not None:
        # Empty if the IPv4 address is unknown. `all` is true of nothing, so this is asked first.
        is_public = bool(inside) and all(map(_is_public, inside))
        return Destination.INTERNET if is_public else Destination.NOWHERE
    if ip.is_unspecified or ip.is_multicast:
        return Destination.NOWHERE
    if ip.is_loopback:
        return Destination.MACHINE
    return Destination.INTERNET if _is_public(ip) else Destination.PRIVATE


def _is_public(ip: IP) -> bool:
    """Return whether this is the public address of one computer on the internet."""
    # Python also counts multicast groups and the former site-local addresses (RFC 3879) as global.
    is_of_site = isinstance(ip, IPv6Address) and ip.is_site_local
    return ip.is_global and not ip.is_multicast and not is_of_site


_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_-]{1,63})*\.?")
# One address in each range that a home, an office or a provider may use. The system tells which
# local address it would use to reach each of them. Nothing is sent for that.
_PROBES = (
    "192.0.2.1",
    "10.255.255.254",
    "172.31.255.254",
    "192.168.255.254",
    "169.254.255.254",
    "2001:db8::1",
    "fdff:ffff:ffff:ffff::1",
)


class AddressCode(Code):
    """The reasons why a text, whose beginning fills the gap `{text}`, is not a valid address."""

    NO_PORT = "address-without-port", "{text} has no port: write it as HOST:PORT"
    BAD_PORT = "address-bad-port", "{text} has no port from {least} to {most} after the colon"
    BAD_BRACKETS = "address-bad-brackets", "{text} has no IPv6 address between the brackets"
    NO_BRACKETS = (
        "address-without-brackets",
        "{text}: write an IPv6 address in brackets, as in [::1]:4711",
    )
    MORE = ("address-with-more", "{text} has more than a machine and a port: write it as HOST:PORT")
    NO_MACHINE = (
        "address-without-machine",
        ("{text} has no name of a machine: write it as HOST:PORT"),
    )


LONGEST_TOLD = 80
"""The most characters of a wrong address that are shown in an error."""
HIGHEST_PORT = 65535


class Named(Enum):
    """The origin of an address, which decides into which networks it may lead when dialled."""

    BY_US = "us"
    """Typed by the player, or in a ticket. It may lead anywhere."""
    NEAR = "near"
    """Named by a peer on this machine. It may also lead to this machine."""
    FAR = "far"
    """Named by any other peer. It may lead to the internet, or into a network of this machine."""


@dataclass(frozen=True)
class Address:
    """A computer, by name or IP address without brackets, and how a peer is reached there."""

    host: str
    port: int
    scheme: Scheme = Scheme.TCP
    named: Named = Named.BY_US

    @property
    def via_relay(self) -> bool:
        """True if the peer is reached through a relay."""
        return self.scheme is not Scheme.TCP

    @property
    def is_web(self) -> bool:
        """True if the peer is reached through a relay by WebSocket."""
        return self.scheme in WEB

    @property
    def authority(self) -> str:
        """The host and the port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def web_authority(self) -> str:
        """The host, and the port unless it is the usual one of the scheme, as browsers write it."""
        is_usual = self.port == WEB_PORTS.get(self.scheme)
        return self.authority.rpartition(":")[0] if is_usual else self.authority

    @property
    def place(self) -> str:
        """The address without `relay+`: 'host:port', or 'wss://host:port'."""
        return f"{self.scheme}://{self.authority}" if self.is_web else self.authority

    def __str__(self) -> str:
        return f"{RELAY_PREFIX if self.via_relay else ''}{self.place}"


def parse_address(text: str, *, lowest_port: int = 1) -> Address:
    """Read 'host:port', '[v6]:port', or either behind `relay+`, `relay+wss://` or `relay+ws://`.

    Args:
        lowest_port: 0 to allow port 0, which stands for a free port.

    Raises:
        AddressError: If the text is not an address. The error says what is wrong.
    """
    # Names and schemes have no case, and equal addresses must have equal texts.
    plain = text.strip().lower()
    scheme = Scheme.RELAY if plain.startswith(RELAY_PREFIX) else Scheme.TCP
    place = plain.removeprefix(RELAY_PREFIX)
    web, mark, behind = place.partition("://")
    if scheme is Scheme.RELAY and mark and web in WEB:
        scheme, place = Scheme(web), behind
    host, colon, port = place.rpartition(":")
    if not colon:
        raise AddressError(AddressCode.NO_PORT, text=text[:LONGEST_TOLD])
    number = parse_port(port)
    if number is None or number < lowest_port:
        bounds = {"least": lowest_port, "most": HIGHEST_PORT}
        raise AddressError(AddressCode.BAD_PORT, text=text[:LONGEST_TOLD], **bounds)
    found = Address(_parse_host(host, text), number, scheme)
    # Versions of Python write such an address in different ways, and the URL is signed as it is.
    if found.is_web and ":" in found.host and parse_ip(found.host) != IPv6Address(found.host):
        raise AddressError(AddressCode.BAD_BRACKETS, text=text[:LONGEST_TOLD])
    return found


def relay_address(text: str) -> Address:
    """Read the address of a relay, with or without `relay+`.

    Raises:
        AddressError: If the text is not an address. The error says what is wrong.
    """
    return parse_address(RELAY_PREFIX + text.strip().lower().removeprefix(RELAY_PREFIX))


def parse_port(text: str) -> int | None:
    """Return the port, 0 to HIGHEST_PORT, that a text spells in decimal, else None."""
    # `isdigit` alone is also true of digits such as ², at which `int` fails.
    if not (text.isascii() and text.isdigit()):
        return None
    # Six digits tell that it is too high. An int of thousands of digits takes long, or fails.
    number = int(text.lstrip("0")[:6] or "0")
    return number if number <= HIGHEST_PORT else None


def _parse_host(host: str, text: str) -> str:
    """Return the host part of an address. An AddressError about it quotes the whole `text`."""
    if host.startswith("[") and host.endswith("]"):
        # A scope is valid on its own machine only.
        if not _is_ip(ipaddress.IPv6Address, host[1:-1]) or "%" in host:
            raise AddressError(AddressCode.BAD_BRACKETS, text=text[:LONGEST_TOLD])
        # In its one canonical form, so that two spellings of an address do not count as two.
        return str(ipaddress.IPv6Address(host[1:-1]))
    if ":" in host:
        raise AddressError(AddressCode.NO_BRACKETS, text=text[:LONGEST_TOLD])
    # Systems read a name that ends in a number as an IPv4 address, such as 127.1 or 0x7f.1.
    is_name = _NAME.fullmatch(host) and not host.rpartition(".")[2].isdigit()
    if not is_name and not _is_ip(ipaddress.IPv4Address, host):
        raise AddressError(AddressCode.NO_MACHINE, text=text[:LONGEST_TOLD])
    return host


def _is_ip(kind: type[ipaddress.IPv4Address | ipaddress.IPv6Address], host: str) -> bool:
    """Return whether a text is an address of this kind."""
    try:
        kind(host)
    except ValueError:
        return False
    return True


def host_of(text: str) -> str:
    """Return the host in an address, without brackets. The address is not checked."""
    place = text.lower().removeprefix(RELAY_PREFIX)
    return place.rpartition("://")[2].rpartition(":")[0].strip("[]")


def source_of(host: str) -> str:
    """Return the name of the computer or network that counts as the source of connections.

    It is the IPv4 address, also the one inside an IPv6 address, because a tunnel or translator
    delivers that. It is the /64 network of any other IPv6 address, and any other text itself.
    """
    ip = parse_ip(host)
    if ip is None:
        return host
    inside = carried(ip)
    if inside:
        # The last one is the client of a Teredo address. All clients share its server.
        return str(inside[-1])
    # A subscriber has a whole /64, and with each of its addresses would count as a new source.
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((ip, 64), strict=False))
    return str(ip)


def numeric(address: Address) -> Address | None:
    """Return an address without zone and scheme, None if its host is a name."""
    ip = parse_ip(address.host)
    return None if ip is None else Address(str(ip), address.port)


def own_addresses() -> list[OwnAddress]:
    """Return this computer's addresses for others, without loopback, most useful first."""
    found = interfaces()
    router = gateway()
    home = None if router is None else way_to(router)
    preferred = [way_to(probe) for probe in _PROBES]
    # The system also tells which of its addresses in a network it prefers there. Nothing is sent,
    # so it may be asked about any address of the network.
    long = {a.network for i in found for a in i.addresses if a.version == 6 and not a.is_link_local}
    preferred += [way_to(str(network[-2])) for network in long if network.num_addresses > 1]
    liked = [ip for ip in preferred if ip is not None]
    own = ranked(found, home, liked, "microsoft" in platform.release().lower())
    # Where the system does not tell its interfaces, it still says from where it would connect.
    listed = {a.ip for i in found for a in i.addresses}
    rest = [ip for ip in dict.fromkeys(liked) if ip not in listed and not stays_here(ip)]
    own += [OwnAddress(ip, ipaddress.ip_network(ip), Kind.CARDS) for ip in rest]
    return [one for one in own if can_be_used(one.ip)]


def local_addresses(port: int) -> list[str]:
    """Return where a port may be reached, as 'host:port', most useful first and 127.0.0.1 last."""
    outside = [str(own.ip) for own in own_addresses()]
    return [str(Address(ip, port)) for ip in [*outside, "127.0.0.1"]]


def may_dial(host: str, named: Named, networks: Iterable[Network] | None = None) -> bool:
    """Return whether an IP address that somebody named may be dialled ([L-14]).

    Without this check a stranger could make this program connect to computers that only its own
    network can reach.

    Args:
        networks: The networks of this computer. None to look them up.

    Raises:
        ValueError: If the host is a name.
    """
    ip = parse_ip(host)
    if ip is None:
        raise ValueError("only an IP address can be judged")
    if named is Named.BY_US:
        return True
    match destination_of(ip):
        case Destination.INTERNET:
            return True
        case Destination.MACHINE:
            return named is Named.NEAR
        # Seats in the same network must be able to link. Elsewhere it leads to a machine of others.
        case Destination.PRIVATE:
            own = own_networks() if networks is None else networks
            return any(ip in network for network in own)
    return False


def how_far(where: Sequence[str], own: Sequence[str]) -> Named:
    """Decide whether the addresses that a seat names for itself may lead to this computer ([L-14]).

    They may, as `Named.NEAR`, only if the seat is on this computer, or if this program has no
    addresses but loopback.
    """
    # `all` is true of nothing: without any address of its own, this program is not on loopback.
    is_inside = bool(own) and all(is_loopback(host_of(address)) for address in own)
    # Any seat can name loopback. Only another address of this computer shows that it is here.
    hosts = {host_of(a) for a in where if not is_loopback(host_of(a))}
    return Named.NEAR if is_inside or any(map(is_own_host, hosts)) else Named.FAR


def own_networks() -> list[Network]:
    """Return the networks of this computer's addresses, without loopback."""
    return [one.network for one in _interfaces() if not one.network.is_loopback]


def is_loopback(host: str) -> bool:
    """Return whether a host is a loopback IP address. False for a name."""
    ip = parse_ip(host)
    return ip is not None and ip.is_loopback


def is_own_host(host: str) -> bool:
    """Return whether a host is an IP address of this computer. False for a name."""
    return is_loopback(host) or host in {str(one.ip) for one in _interfaces()}


def _interfaces() -> list[ipaddress.IPv4Interface | ipaddress.IPv6Interface]:
    return [address for one in interfaces() for address in one.addresses]
