"""Decide which addresses of this program to name to others, and from where they can be reached.

An address is 'host:port', and that of a relay 'relay+host:port'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from ..coded_errors import Code, Reason, because
from ..net.address_schemes import RELAY_PREFIX
from ..net.addresses import Destination, destination_of, host_of, parse_ip
from ..net.interfaces import Kind, OwnAddress
from ..net.ticket import MOST_ADDRESSES


class Scope(StrEnum):
    """The places from which an address can be reached, the widest first."""

    ANYWHERE = "anywhere"
    IPV6 = "ipv6"
    """Other networks that have IPv6, if the router lets connections in."""
    LAN = "lan"
    MACHINE = "machine"
    NOWHERE = "nowhere"


WIDEST: Final = tuple(Scope)
SCOPES_OF: Final = {
    Destination.INTERNET: Scope.ANYWHERE,
    Destination.PRIVATE: Scope.LAN,
    Destination.MACHINE: Scope.MACHINE,
    Destination.NOWHERE: Scope.NOWHERE,
}
"""From where an IPv4 address can be reached, by the kind of place to which it leads."""


class ReachCode(Code):
    """Codes for what the player is told about a ticket, each with its sentence.

    The sentences say from where the ticket works, why not from further away, and what to do.
    """

    ANYWHERE = "reach-anywhere", "This ticket works from anywhere."
    IPV6 = (
        "reach-six",
        (
            "From elsewhere this ticket works over IPv6 only, and only if your router lets "
            "incoming connections in."
        ),
    )
    LAN = "reach-lan", "This ticket works only on your own network."
    TUNNEL = (
        "reach-tunnel",
        (
            "This ticket works only for players in the same VPN or provider's network as you: "
            "this machine has no address on a network of your own."
        ),
    )
    MACHINE = "reach-machine", "This ticket works only on this very machine."
    NOWHERE = (
        "reach-nowhere",
        ("This ticket has no address at which you can be reached: nobody can join with it."),
    )
    ASKED = (
        "router-asked",
        "Your router is being asked to let guests in. If it does, you will get a better ticket.",
    )
    OPENED = (
        "router-opened",
        "Your router lets guests in at {address} until you leave this table.",
    )
    DOUBLE_NAT = (
        "router-behind-another",
        "Your router's own address is {address}, which cannot be reached from the internet: "
        "there is another router in front of it, perhaps your provider's (double NAT).",
    )
    DISAGREE = (
        "router-seen-otherwise",
        (
            "Your router gives its address as {address}, but the relay sees {seen}: guests may "
            "need the relay."
        ),
    )
    HIDDEN = (
        "reach-hidden",
        "Everything goes through the proxy: no address of this machine is given to anybody, no "
        "router is asked, and nothing is announced on this network.",
    )
    RELAY_ONLY = (
        "reach-relay-only",
        "You can be reached through the relay alone: it learns your address, and the other "
        "players do not. No router is asked, and nothing is announced on this network.",
    )
    RELAY = (
        "reach-take-relay",
        (
            "For guests elsewhere, open the table with a relay that everybody can reach: "
            "--relay HOST:PORT."
        ),
    )
    RELAY_ON_MACHINE = (
        "reach-relay-on-machine",
        "Your relay {relay} can be reached from this very machine only. For guests elsewhere, open"
        " the table with a relay that everybody can reach: --relay HOST:PORT.",
    )
    RELAY_ON_LAN = (
        "reach-relay-on-lan",
        "Your relay {relay} can be reached on its own network only. For guests elsewhere, open the"
        " table with a relay that everybody can reach: --relay HOST:PORT.",
    )
    FORWARD = (
        "reach-forward",
        "Or forward TCP port {port} of your router to this machine, and open the table with"
        " --listen :{port} --advertise HOST:{port}.",
    )
    OTHERWISE = (
        "reach-resume-otherwise",
        "For players elsewhere, leave and take your seat again in a way that they can reach: "
        "hoity resume --relay HOST:PORT or, with a forwarded port, hoity resume --advertise "
        "HOST:PORT.",
    )


SCOPES: Final = {scope: ReachCode[scope.name] for scope in Scope}
"""The sentence that tells the player where a ticket works."""


@dataclass(frozen=True)
class Found:
    """The known addresses of this program.

    Attributes:
        own: The addresses of this computer, with the port that it listens on, most useful first.
        links: What is known of the addresses of this computer, by their texts without a port. An
            address that is not in it counts as one in a local network.
        advertised: The addresses that the player has named.
        mapped: The external address at which a router forwards a port to this program. Empty if
            there is none.
        relays: The relays at which the program waits.
        away: The relays at which the program cannot wait at this moment.
        seen: The IP address from which a relay sees this program. Empty if it is not known.
        asking: Whether the router was asked to forward a port and has not answered yet.
        trouble: Why the router forwards no port, or what to know about the port.
    """

    own: tuple[str, ...] = ()
    links: Mapping[str, OwnAddress] = field(default_factory=dict, kw_only=True)
    advertised: tuple[str, ...] = ()
    mapped: str = ""
    relays: tuple[str, ...] = ()
    away: frozenset[str] = frozenset()
    seen: str = ""
    asking: bool = False
    trouble: tuple[Reason, ...] = ()

    @property
    def working(self) -> tuple[str, ...]:
        """The relays at which the program can be reached at this moment."""
        return tuple(relay for relay in self.relays if relay not in self.away)

    def own_of(self, scope: Scope) -> tuple[str, ...]:
        """Return the addresses of `own` that can be reached from exactly one scope, in order."""
        return tuple(address for address in self.own if self.scope_of(address) is scope)

    def scope_of(self, address: str) -> Scope:
        """Return from where an address can be reached, by its text and by what is known of it.

        An address in a network of containers or virtual machines leads to this computer only.
        """
        found, link = scope_of(address), self.links.get(host_of(address))
        is_inside = link is not None and link.kind is Kind.INSIDE
        return Scope.MACHINE if is_inside and found is Scope.LAN else found

    def is_tunnelled(self, address: str) -> bool:
        """Return whether an address is this computer's in a VPN or in a provider's network."""
        link = self.links.get(host_of(address))
        return link is not None and link.kind is Kind.TUNNEL


@dataclass(frozen=True)
class Wanted:
    """The facts that decide which addresses are named: where peers may be, and what to hide.

    Attributes:
        lan: Whether peers may be on the local network.
        near: Whether some other seats are on this computer.
        hidden: Whether this program connects through a proxy, so that no address of this computer
            may be named.
        relay_only: Whether this program uses relays alone, so that no address of this computer may
            be named.
    """

    lan: bool = False
    near: bool = False
    hidden: bool = False
    relay_only: bool = False


@dataclass(frozen=True)
class Judged:
    """The addresses that this program names to others, and from where they can be reached.

    Attributes:
        direct: The addresses for a ticket, without relays, in this order.
        named: The addresses that this program's seat tells to the other seats.
        scope: From where a ticket with these addresses can be used.
        reasons: The sentences of `ReachCode` for the player.
    """

    direct: tuple[str, ...]
    named: tuple[str, ...]
    scope: Scope
    reasons: tuple[Reason, ...]


MOST_NAMED: Final = 12
"""The most addresses that a seat may name to the others (SPEC 13.4)."""


def scope_of(address: str) -> Scope:
    """Return from where an address can be reached, as far as its text shows.

    Domain names and `.onion` names count as reachable from anywhere, except `localhost` and names
    that end with `.local`.
    """
    host = host_of(address)
    ip = parse_ip(host)
    if ip is None:
        name = host.rstrip(".")
        if name == "localhost" or name.endswith(".localhost"):
            return Scope.MACHINE
        return Scope.LAN if name.endswith(".local") else Scope.ANYWHERE
    found = SCOPES_OF[destination_of(ip)]
    return Scope.IPV6 if found is Scope.ANYWHERE and ip.version == 6 else found


def widest(addresses: Iterable[str]) -> Scope:
    """Return from where at least one of some addresses can be reached, NOWHERE without any."""
    return _widest(map(scope_of, addresses))


def _widest(scopes: Iterable[Scope]) -> Scope:
    """Return the widest of some scopes, or NOWHERE if there are none."""
    found = set(scopes)
    return next((scope for scope in WIDEST if scope in found), Scope.NOWHERE)


def judge(found: Found, wanted: Wanted) -> Judged:
    """Decide which addresses others are told, and from where these work ([L-50], [L-51])."""
    if wanted.relay_only:
        found = replace(found, own=(), advertised=(), mapped="", trouble=())
    if wanted.hidden:
        # Before all own addresses are dropped: one that leads only here tells nobody where this is.
        near = found.own_of(Scope.MACHINE)[:1] if wanted.near else ()
        found = replace(found, own=(), mapped="", trouble=())
        direct = (*found.advertised, *near)[:MOST_ADDRESSES]
    else:
        # A ticket names only useful addresses of this machine. If nothing leads here from anywhere,
        # it names all LAN addresses, and after them those of containers, which may be LAN addresses
        # that were judged wrongly. Otherwise it names one in each of its LANs if guests may be
        # there. It names loopback if there is nothing else.
        chosen = [*found.advertised, *filter(None, [found.mapped])]
        chosen += [*found.own_of(Scope.ANYWHERE), *found.own_of(Scope.IPV6)[:1]]
        of_lan, inside = _with_one_long(found.own_of(Scope.LAN)), found.own_of(Scope.MACHINE)
        if widest((*chosen, *found.working)) is not Scope.ANYWHERE:
            chosen += of_lan
        elif wanted.lan or wanted.near:
            chosen += _one_of_each_lan(found, of_lan) or of_lan[:1]
        only_itself = not chosen and not found.working
        if only_itself or (wanted.near and not set(chosen) & set(found.own)):
            chosen += inside[-1:]
        if not found.working and widest(chosen) is not Scope.ANYWHERE:
            chosen += [one for one in inside if host_of(one) in found.links]
        direct = tuple(dict.fromkeys(chosen))[:MOST_ADDRESSES]
    scope = _widest((*map(found.scope_of, direct), *map(scope_of, found.working)))
    is_by_tunnel = scope is Scope.LAN and not found.working
    is_by_tunnel &= all(found.is_tunnelled(a) for a in direct if found.scope_of(a) is Scope.LAN)
    told = ReachCode.TUNNEL if is_by_tunnel else SCOPES[scope]
    return Judged(direct, _named(found), scope, _reasons(found, wanted, scope, told))


def _one_of_each_lan(found: Found, of_lan: Sequence[str]) -> tuple[str, ...]:
    """Return the first IPv4 address in each local network of this computer.

    A guest in one of them may not get to the others, nor to the outer address of the router at
    home. Addresses behind a tunnel are left out. Those that systems draw for themselves
    (169.254.x.x) are left out, too, unless there are no others.
    """
    cards = [address for address in of_lan if not found.is_tunnelled(address)]
    short = [address for address in cards if not address.startswith("[")]
    given = [address for address in short if not host_of(address).startswith("169.254.")]
    first = dict[object, str]()
    for address in given or short:
        link = found.links.get(host_of(address))
        first.setdefault(None if link is None else link.network, address)
    return tuple(first.values()) or tuple(cards[:1])


def _with_one_long(addresses: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses with at most one IPv6 address, the first one.

    A computer often has many in one network, and each would make a ticket a third of a line longer.
    """
    long = [address for address in addresses if address.startswith("[")]
    return tuple(address for address in addresses if address not in long[1:])


def _named(found: Found) -> tuple[str, ...]:
    """Return all addresses that this program's seat tells to the other seats."""
    direct = dict.fromkeys((*found.advertised, *filter(None, [found.mapped]), *found.own))
    # The others dial only those that are allowed for them ([L-14]).
    # Relays get their places first, because seats elsewhere may reach this program by them alone.
    return (*tuple(direct)[: MOST_NAMED - len(found.relays)], *found.relays)


def _reasons(found: Found, wanted: Wanted, scope: Scope, where: ReachCode) -> tuple[Reason, ...]:
    """Return the sentences for the player about a ticket, of which the first is `where`."""
    told = [because(where)]
    if wanted.hidden:
        told.append(because(ReachCode.HIDDEN))
    if wanted.relay_only:
        told.append(because(ReachCode.RELAY_ONLY))
    if found.mapped:
        told.append(because(ReachCode.OPENED, address=found.mapped))
        told += (*found.trouble, *_disagreement(host_of(found.mapped), found.seen))
    if scope is Scope.ANYWHERE:
        return tuple(told)
    if not found.mapped:
        told += [because(ReachCode.ASKED)] if found.asking else found.trouble
    port = next((a.rpartition(":")[2] for a in found.own), "")
    told.append(_advice(found.working))
    if port and not wanted.hidden:
        told.append(because(ReachCode.FORWARD, port=port))
    return tuple(told)


def _advice(relays: Sequence[str]) -> Reason:
    """Return the advice to take a relay, or another one if those in use cannot be reached."""
    code = NEAR_RELAYS.get(widest(relays))
    if code is None:
        return because(ReachCode.RELAY)
    return because(code, relay=", ".join(one.removeprefix(RELAY_PREFIX) for one in relays))


NEAR_RELAYS: Final = {
    Scope.MACHINE: ReachCode.RELAY_ON_MACHINE,
    Scope.LAN: ReachCode.RELAY_ON_LAN,
}
"""The advice for relays that cannot be reached from everywhere, by from where they can be."""


def _disagreement(external: str, seen: str) -> list[Reason]:
    """Return a sentence for the player if a relay sees another address than the router names."""
    # It is only a hint, because the relay's answer may be wrong ([L-4]). An IPv6 address says
    # nothing about the router.
    if not seen or ":" in seen or seen == external:
        return []
    return [because(ReachCode.DISAGREE, address=external, seen=seen)]


def judge_mapped(external: str) -> Reason | None:
    """Return why an external address of a router cannot be reached from outside, or None ([L-53]).

    If it is not a public address, there is another router with address translation in front.
    """
    if scope_of(external) in (Scope.ANYWHERE, Scope.IPV6):
        return None
    return because(ReachCode.DOUBLE_NAT, address=host_of(external))
