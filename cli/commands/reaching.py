"""Addresses as typed: where a table listens, how others reach it and how it dials, checked as
written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from p2p_hoity.net.addresses import Address, is_loopback, parse_address
from p2p_hoity.net.ticket import MOST_ADDRESSES, MOST_RELAYS
from p2p_hoity.table.play_table import Lan, Reach, only_by_relays

from ..exit_codes import USAGE, Trouble
from ..local.settings import NONE
from ..printing import complain
from ..words.translation import _
from .options import USUAL, NetworkOptions

if TYPE_CHECKING:
    from p2p_hoity.net.socks_proxy import SocksNetwork

ANY_PORT: Final = ":0"
LOOPBACK: Final = "127.0.0.1"
PROXY: Final = "HOITY_PROXY"
"""The proxy for commands that name none, and for the bots that this command starts."""


def listening(text: str, option: str = "--listen") -> tuple[str, int]:
    """Return (host, port) of an option: host "" for every address of this machine, port 0 for any.

    Raises:
        Trouble, AddressError: If it is no such place.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not (port.isascii() and port.isdigit()) or int(port[:6]) > 65535:
        words = _("{option} is HOST:PORT, as in 0.0.0.0:4646, not {text}.")
        raise Trouble(words.format(option=option, text=repr(text)), USAGE)
    if not host:
        return "", int(port)
    address = parse_address(text, lowest_port=0)
    return address.host, address.port


def reach_of(network: NetworkOptions, lan: str = Lan.OFF) -> Reach:
    """Return how a table is reached, as it was typed.

    Raises:
        Trouble, AddressError: If it cannot be reached so; nothing is opened yet. SPEC: [L-55].
    """
    named = _advertised(network.advertise or ())
    if network.relay_only and (named or network.listen not in (ANY_PORT, USUAL)):
        words = _(
            "--relay-only means that you are reached through a relay alone: leave --listen and"
            " --advertise out."
        )
        raise Trouble(words, USAGE)
    listen = _listen(network.listen, named, bool(network.proxy))
    found = tuple(str(parse_address(relay)) for relay in network.relay or ())
    if len(found) > MOST_RELAYS:
        words = _("A table has room for {most} relays, not {number}.")
        raise Trouble(words.format(most=MOST_RELAYS, number=len(found)), USAGE)
    reach = Reach(listen, found, or_any=network.listen == USUAL, advertised=named)
    if network.proxy:
        reach = replace(reach, network=through(network.proxy), hidden=True)
    else:
        reach = replace(reach, lan=Lan(lan), maps=not network.no_map)
    return only_by_relays(reach) if network.relay_only else reach


def again_by(network: NetworkOptions) -> Reach:
    """Return how a seat that is taken again is reached: as before, but for what is typed. `none`
    among the relays means by none."""
    waits = [] if network.relay and NONE in network.relay else network.relay
    reach = reach_of(replace(network, listen=network.listen or ANY_PORT, relay=waits))
    anew = network.listen not in ("", ANY_PORT, USUAL) or bool(network.advertise)
    return replace(reach, anew=anew, relays_anew=bool(network.relay))


def through(proxy: str | None) -> SocksNetwork | None:
    """Return the network behind a proxy as typed, which the bots of this command use too; None
    without one.

    Raises:
        ProxyTypedError: If it is none.
    """
    if not proxy:
        return None
    from p2p_hoity.net.socks_proxy import SocksNetwork, parse_proxy

    read = parse_proxy(proxy)
    if read.password and os.environ.get(PROXY) != proxy:
        complain(_("Others on this machine can read a command's words: put it into HOITY_PROXY."))
    os.environ[PROXY] = proxy
    return SocksNetwork(read)


def for_guests(reach: Reach, bots: int) -> Reach:
    """Return how a host's table is reached by others.

    Raises:
        Trouble: If nobody could come.
    """
    if reach.relay_only:
        need_relay(reach)
    if reach.hidden and not (reach.relays or reach.advertised):
        words = _(
            "Behind a proxy guests need another way to you: --relay or --advertise HOST:PORT."
        )
        raise Trouble(words, USAGE)
    return replace(reach, outside=True, near=bots > 0)


def need_relay(reach: Reach) -> None:
    """Trouble if a seat that is reached through relays alone has none."""
    if not reach.relays:
        words = _(
            "--relay-only needs a relay: name one with --relay HOST:PORT, or keep one with hoity"
            " relay --use HOST:PORT."
        )
        raise Trouble(words, USAGE)


def _advertised(typed: Sequence[str]) -> tuple[str, ...]:
    addresses = tuple(dict.fromkeys(map(parse_address, typed)))
    if any(address.via_relay for address in addresses):
        words = _("--advertise names a forwarded port of your own; a relay is named by --relay.")
        raise Trouble(words, USAGE)
    if len(addresses) > MOST_ADDRESSES:
        words = _("A ticket has room for {most} addresses, not {number}.")
        raise Trouble(words.format(most=MOST_ADDRESSES, number=len(addresses)), USAGE)
    return tuple(map(str, addresses))


def _listen(listen: str, advertised: Sequence[str], by_proxy: bool) -> str:
    """Return where to listen: unless it was said, on the port that is advertised; behind a proxy on
    this machine alone."""
    host, port = listening(listen)
    if listen in (ANY_PORT, USUAL) and advertised:
        port = parse_address(advertised[0]).port
    if by_proxy and not is_loopback(host or LOOPBACK):
        words = _("With --proxy a table listens on this machine only: --listen 127.0.0.1:PORT.")
        raise Trouble(words, USAGE)
    if by_proxy:
        return str(Address(host or LOOPBACK, port))
    return f":{port}" if not host else listen
