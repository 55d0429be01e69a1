"""How a seat is reached, by the options that a person types and the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from p2p_hoity.net.addresses import Address, AddressCode, is_loopback, parse_address, parse_port
from p2p_hoity.net.network_errors import AddressError
from p2p_hoity.net.ticket import MOST_ADDRESSES, MOST_RELAYS
from p2p_hoity.net.typed_addresses import typed_address, typed_relay
from p2p_hoity.pasted_text import visible
from p2p_hoity.table.open_links import LOOPBACK, Lan, Reach, only_by_relays

from ..exit_codes import USAGE, Trouble
from ..local.settings import is_none
from ..printing import complain
from ..words.translation import _
from .options import USUAL, NetworkOptions

if TYPE_CHECKING:
    from p2p_hoity.net.socks_proxy import SocksNetwork

ANY_PORT: Final = ":0"
PROXY: Final = "HOITY_PROXY"
"""The environment variable with the proxy for commands without `--proxy`, and for a game's bots."""


def with_colon(text: str) -> str:
    """Return a typed address, in which a port that stands alone follows a colon."""
    port = visible(text).strip().removeprefix(":")
    return text if parse_port(port) is None else f":{port}"


def listening(
    text: str, option: str = "--listen", example: str = f"0.0.0.0{USUAL}"
) -> tuple[str, int]:
    """Parse an address on which to listen: HOST:PORT, :PORT or PORT.

    Args:
        option: The option with which it was typed, for an error message.
        example: An address that suits the option, for an error message.

    Returns:
        The host and the port. Host "" stands for every address of this computer, port 0 for any
        port.

    Raises:
        Trouble: If the text has none of these forms.
        AddressError: If the host is not an address.
    """
    bare_port = parse_port(with_colon(text).removeprefix(":"))
    if bare_port is not None:
        return "", bare_port
    try:
        address = typed_address(text, lowest_port=0)
    except AddressError as error:
        if error.code not in (AddressCode.NO_PORT, AddressCode.BAD_PORT):
            raise
        words = _("Write {option} as HOST:PORT, for example {example}, not {text}.")
        words = words.format(option=option, example=example, text=repr(text))
        raise Trouble(words, USAGE) from error
    return address.host, address.port


def reach_of(network: NetworkOptions, lan: str = Lan.OFF) -> Reach:
    """Return how a table can be reached, by the options typed. SPEC: [L-55].

    This opens no port and no connection.

    Raises:
        Trouble: If the options do not fit together.
    """
    network = replace(network, listen=with_colon(network.listen))
    named = _advertised(network.advertise or ())
    if network.relay_only and (named or network.listen not in (ANY_PORT, USUAL)):
        words = _(
            "--relay-only means that you are reached through a relay alone. Leave out --listen "
            "and --advertise."
        )
        raise Trouble(words, USAGE)
    listen = _listen(network.listen, named, bool(network.proxy))
    found = tuple(typed_relay(relay).place for relay in network.relay or ())
    if len(found) > MOST_RELAYS:
        words = _("A table can have {most} relays, not {number}.")
        raise Trouble(words.format(most=MOST_RELAYS, number=len(found)), USAGE)
    reach = Reach(listen, found, or_any=network.listen == USUAL, advertised=named)
    if network.proxy:
        # Neither the LAN nor the router is asked: both would see this computer.
        reach = replace(reach, network=through(network.proxy), hidden=True)
    else:
        reach = replace(reach, lan=Lan(lan), maps=not network.no_map)
    return only_by_relays(reach) if network.relay_only else reach


def again_by(network: NetworkOptions) -> Reach:
    """Return how a resumed seat can be reached: as before, except for the options typed.

    The word `none` among the relays stands for no relay at all.
    """
    waits = [] if network.relay and any(map(is_none, network.relay)) else network.relay
    reach = reach_of(replace(network, listen=network.listen or ANY_PORT, relay=waits))
    anew = with_colon(network.listen) not in ("", USUAL) or bool(network.advertise)
    return replace(reach, anew=anew, relays_anew=bool(network.relay))


def through(proxy: str | None) -> SocksNetwork | None:
    """Return the network of a proxy's URL, None without one, and set the proxy for the bots too."""
    if not proxy:
        return None
    from p2p_hoity.net.socks_proxy import SocksNetwork, parse_proxy

    read = parse_proxy(proxy)
    if read.password and os.environ.get(PROXY) != proxy:
        complain(
            _(
                "Other users of this machine can read a command line, so put the password into "
                "HOITY_PROXY."
            )
        )
    os.environ[PROXY] = proxy
    return SocksNetwork(read)


def for_guests(reach: Reach, bots: int) -> Reach:
    """Return the network settings of a host whose table is open to guests on other computers.

    They note whether bots share this computer with the host.

    Raises:
        Trouble: If the settings forbid every way in which a guest could reach the table.
    """
    if reach.relay_only:
        need_relay(reach)
    if reach.hidden and not (reach.relays or reach.advertised):
        words = _(
            "Behind a proxy, guests need another way to reach you: --relay or --advertise "
            "HOST:PORT."
        )
        raise Trouble(words, USAGE)
    return replace(reach, outside=True, shares_machine=bots > 0)


def need_relay(reach: Reach) -> None:
    """Check that a seat that can be reached only through relays has a relay.

    Raises:
        Trouble: If the seat has no relay.
    """
    if not reach.relays:
        words = _(
            "--relay-only needs a relay: name one with --relay HOST:PORT, or let this program "
            "remember one with hoity relay --use HOST:PORT."
        )
        raise Trouble(words, USAGE)


def _advertised(typed: Sequence[str]) -> tuple[str, ...]:
    """Check the addresses of forwarded ports that were typed, and return each once."""
    addresses = tuple(dict.fromkeys(map(typed_address, typed)))
    if any(address.via_relay for address in addresses):
        words = _("--advertise names a forwarded port of your own; a relay is named by --relay.")
        raise Trouble(words, USAGE)
    if len(addresses) > MOST_ADDRESSES:
        words = _("A ticket can have {most} addresses, not {number}.")
        raise Trouble(words.format(most=MOST_ADDRESSES, number=len(addresses)), USAGE)
    return tuple(map(str, addresses))


def _listen(listen: str, advertised: Sequence[str], by_proxy: bool) -> str:
    """Return the address to listen on, as HOST:PORT or :PORT, with a proxy at loopback.

    If the player has typed no port, the port of the first advertised address is used.
    """
    host, port = listening(listen)
    if listen in (ANY_PORT, USUAL) and advertised:
        port = parse_address(advertised[0]).port
    if by_proxy and not is_loopback(host or LOOPBACK):
        words = _(
            "With --proxy a table accepts connections from this machine only: --listen "
            "127.0.0.1:PORT."
        )
        raise Trouble(words, USAGE)
    if by_proxy:
        return str(Address(host or LOOPBACK, port))
    return f":{port}" if not host else str(Address(host, port))
