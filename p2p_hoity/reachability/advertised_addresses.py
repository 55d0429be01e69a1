"""Which addresses are worth naming, and how far they lead: a judgement on what was found out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ..coded_errors import Code, Reason, because
from ..net.addresses import Destination, destination_of, host_of, parse_ip
from ..net.ticket import MOST_ADDRESSES


class Scope(StrEnum):
    """From where something is reached, the widest first."""

    ANYWHERE = "anywhere"
    IPV6 = "ipv6"
    """From elsewhere, by those who have IPv6, if the router lets calls in."""
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
"""From where an IPv4 address is reached, by where it leads."""


class ReachCode(Code):
    """What a ticket is good for, why it is not good for more, and what to do."""

    ANYWHERE = "reach-anywhere", "This ticket works from anywhere."
    IPV6 = (
        "reach-six",
        "From elsewhere this ticket works over IPv6 only, and only if your router lets calls in.",
    )
    LAN = "reach-lan", "This ticket works only on your own network."
    MACHINE = "reach-machine", "This ticket works only on this very machine."
    NOWHERE = "reach-nowhere", "This ticket names no way to you: nobody can join with it."
    ASKED = (
        "router-asked",
        "Your router is being asked to let guests in; if it does, you get a better ticket.",
    )
    OPENED = (
        "router-opened",
        "Your router lets guests in at {address}, until this table is closed here.",
    )
    DOUBLE_NAT = (
        "router-behind-another",
        "Your router's own address is {address}, which the internet does not know: another"
        " router, perhaps your provider's, stands before it (double NAT).",
    )
    DISAGREE = (
        "router-seen-otherwise",
        "Your router says that it is {address}, the relay sees {seen}: guests may need the relay.",
    )
    HIDDEN = (
        "reach-hidden",
        "All goes through the proxy: no address of this machine is named, no router is asked, and"
        " this network is told nothing.",
    )
    RELAY_ONLY = (
        "reach-relay-only",
        "You are reached through the relay alone: it learns your address, and the others learn"
        " none of yours. No router is asked, and this network is told nothing.",
    )
    RELAY = (
        "reach-take-relay",
        "For guests elsewhere open the table with a relay that all can reach: --relay HOST:PORT.",
    )
    FORWARD = (
        "reach-forward",
        "Or forward TCP port {port} of your router to this machine, and open the table with"
        " --listen :{port} --advertise HOST:{port}.",
    )
    OTHERWISE = (
        "reach-resume-otherwise",
        "For others elsewhere leave, and take your seat again where they reach you: hoity resume"
        " --relay HOST:PORT, or with a forwarded port hoity resume --advertise HOST:PORT.",
    )


SCOPES: Final = {scope: ReachCode[scope.name] for scope in Scope}


@dataclass(frozen=True)
class Found:
    """What was found out about the ways to this node; all addresses are 'host:port'.

    `own` are this machine's with the port it listens on, `mapped` what a router has opened,
    `advertised` what the player has forwarded, `relays` 'relay+host:port', `away` those of them
    that do not let us wait there just now; `seen` is the IP
    address that a relay sees us come from; `asking`: the router has not answered yet; `trouble`
    says why it has opened nothing.
    """

    own: tuple[str, ...] = ()
    advertised: tuple[str, ...] = ()
    mapped: str = ""
    relays: tuple[str, ...] = ()
    away: frozenset[str] = frozenset()
    seen: str = ""
    asking: bool = False
    trouble: tuple[Reason, ...] = ()

    @property
    def working(self) -> tuple[str, ...]:
        """The relays that lead here just now."""
        return tuple(relay for relay in self.relays if relay not in self.away)


@dataclass(frozen=True)
class Wanted:
    """Whom a table is for: `lan`: it is announced there; `near`: some play on this machine;
    `hidden`: this node's own addresses are named to nobody, since it dials by a proxy;
    `relay_only`: nor are they since it is reached by relays alone."""

    lan: bool = False
    near: bool = False
    hidden: bool = False
    relay_only: bool = False


@dataclass(frozen=True)
class Judged:
    """`direct`: what a ticket names beside relays, in order; `named`: what a seat names; `scope`:
    from where a ticket with these works; `reasons`: that in words, why not further, what to do."""

    direct: tuple[str, ...]
    named: tuple[str, ...]
    scope: Scope
    reasons: tuple[Reason, ...]


MOST_NAMED: Final = 12
"""Addresses that a seat may name of itself (SPEC 13.4)."""


def scope_of(address: str) -> Scope:
    """From where 'host:port' or 'relay+host:port' can be dialled, as far as the address tells.

    A name may lead anywhere, as a `.onion` one does by Tor; `localhost` and `.local` do not.
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
    """From where the best of these is reached."""
    scopes = {scope_of(address) for address in addresses}
    return next((scope for scope in WIDEST if scope in scopes), Scope.NOWHERE)


def judge(found: Found, wanted: Wanted) -> Judged:
    """Which addresses to name, in which order, and what that is good for ([L-50], [L-51])."""
    if wanted.relay_only:
        found = replace(found, own=(), advertised=(), mapped="", trouble=())
    if wanted.hidden:
        near = _of(found.own, Scope.MACHINE)[:1] if wanted.near else ()
        found = replace(found, own=(), mapped="", trouble=())
        direct = (*found.advertised, *near)[:MOST_ADDRESSES]
    else:
        # Of this machine's own addresses a ticket names those that help. It names all of the LAN
        # while there is no other way, and one of them if guests may come from there. It names
        # loopback if there is nothing else.
        chosen = [*found.advertised, *filter(None, [found.mapped])]
        chosen += [*_of(found.own, Scope.ANYWHERE), *_of(found.own, Scope.IPV6)[:1]]
        of_lan = _with_one_long(_of(found.own, Scope.LAN))
        if widest((*chosen, *found.working)) is not Scope.ANYWHERE:
            chosen += of_lan
        elif wanted.lan or wanted.near:
            chosen += of_lan[:1]
        only_itself = not chosen and not found.working
        if only_itself or (wanted.near and not set(chosen) & set(found.own)):
            chosen += _of(found.own, Scope.MACHINE)[:1]
        direct = tuple(dict.fromkeys(chosen))[:MOST_ADDRESSES]
    scope = widest((*direct, *found.working))
    return Judged(direct, _named(found), scope, _reasons(found, wanted, scope))


def _of(addresses: Sequence[str], scope: Scope) -> tuple[str, ...]:
    return tuple(address for address in addresses if scope_of(address) is scope)


def _with_one_long(addresses: Sequence[str]) -> tuple[str, ...]:
    """Without all IPv6 addresses but the first: one machine has many, that lead the same way, and
    each makes a ticket a third of a line longer."""
    long = [address for address in addresses if address.startswith("[")]
    return tuple(address for address in addresses if address not in long[1:])


def _named(found: Found) -> tuple[str, ...]:
    """All there is: others dial what can lead to us from where they are ([L-14])."""
    direct = dict.fromkeys((*found.advertised, *filter(None, [found.mapped]), *found.own))
    return (*tuple(direct)[: MOST_NAMED - len(found.relays)], *found.relays)


def _reasons(found: Found, wanted: Wanted, scope: Scope) -> tuple[Reason, ...]:
    told = [because(SCOPES[scope])]
    if wanted.hidden:
        told.append(because(ReachCode.HIDDEN))
    if wanted.relay_only:
        told.append(because(ReachCode.RELAY_ONLY))
    if found.mapped:
        told.append(because(ReachCode.OPENED, address=found.mapped))
        told += _disagreement(host_of(found.mapped), found.seen)
    if scope is Scope.ANYWHERE:
        return tuple(told)
    told += [because(ReachCode.ASKED)] if found.asking else found.trouble
    port = next((a.rpartition(":")[2] for a in found.own), "")
    told.append(because(ReachCode.RELAY))
    if port and not wanted.hidden:
        told.append(because(ReachCode.FORWARD, port=port))
    return tuple(told)


def _disagreement(external: str, seen: str) -> list[Reason]:
    """A relay's word is not believed ([L-4]), but worth telling; over IPv6 it says nothing here."""
    if not seen or ":" in seen or seen == external:
        return []
    return [because(ReachCode.DISAGREE, address=external, seen=seen)]


def judge_mapped(external: str) -> Reason | None:
    """Why an address that a router gives leads nowhere, if it is none of the internet: a second
    router translates too ([L-53])."""
    if scope_of(external) in (Scope.ANYWHERE, Scope.IPV6):
        return None
    return because(ReachCode.DOUBLE_NAT, address=host_of(external))
